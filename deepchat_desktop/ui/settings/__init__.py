"""The settings page. A page is one file here and one line in ``page.py``."""
