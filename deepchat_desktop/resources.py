"""The one place that knows where the shipped data (icons, token tables, licences) lies.

Invariants: the same call works in a checkout (`resources/` beside the package), in a wheel (`resources/` inside the
package) and in a frozen app (inside the bundle, under the package's name); nothing is ever written there.
"""

import sys
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def resources_root() -> Path:
    """Return the folder of the shipped data. Raises `FileNotFoundError` when the installation is broken."""
    package = Path(__file__).resolve().parent
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen is not None:
        places = [Path(frozen) / "deepchat_desktop" / "resources"]
    else:
        # The wheel first: a folder called resources beside site-packages/deepchat_desktop would not be ours.
        places = [package / "resources", package.parent / "resources"]
    for place in places:
        if (place / "README.md").is_file():
            return place
    raise FileNotFoundError(f"The installation is incomplete: no resources in {' or '.join(map(str, places))}")


def resource_path(*parts: str) -> Path:
    """Return the path of one shipped file, such as `resource_path("icons", "plus.svg")`; it need not exist."""
    return resources_root().joinpath(*parts)
