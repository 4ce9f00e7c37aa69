"""The shipped data: found, complete, licensed, and the token tables are the ones named."""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as ElementTree

from deepchat_desktop.resources import resource_path, resources_root


def test_every_folder_of_data_has_its_row_and_foreign_data_its_licence() -> None:
    table = resource_path("README.md").read_text(encoding="utf-8")
    folders = {path.name for path in resources_root().iterdir() if path.is_dir()}
    assert folders == set(re.findall(r"^\| `(\w+)/`", table, re.MULTILINE))
    assert {path.parent.name for path in resources_root().glob("*/LICENSE*")} == folders - {"app"}


def test_token_tables_are_the_ones_named() -> None:
    text = resource_path("README.md").read_text(encoding="utf-8")
    for table in resource_path("tiktoken").glob("*.tiktoken"):
        assert f"`{table.name}` {hashlib.sha256(table.read_bytes()).hexdigest()}" in text


def test_icons_are_one_family_that_takes_its_colour_from_the_theme() -> None:
    icons = sorted(resource_path("icons").glob("*.svg"))
    assert len(icons) >= 60
    for path in icons:
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        assert (root.get("viewBox"), root.get("fill")) == ("0 0 256 256", "currentColor"), path.name
