"""Model servers: one adapter a wire format, behind one shape (base.py), chosen by name (registry.py)."""
