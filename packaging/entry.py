"""What both frozen executables start; `deepchat` has a console on Windows, `deepchat-desktop` has none."""

import sys

from deepchat_desktop.__main__ import main

sys.exit(main())
