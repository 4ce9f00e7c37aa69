"""What we add to CommonMark and its tables: formulas, footnotes, and the autolinks of GFM.

Invariants: a formula block begins at a line that opens one, whatever follows, so that a growing text never changes
what stood before it; a dollar is money unless its formula is closed in the same paragraph, does not begin or end with
a blank, and no digit follows its end. Code is never looked into.
"""

import re
from typing import TYPE_CHECKING, Any

from linkify_it import LinkifyIt

from deepchat_desktop.ui.blocks.scanner import MATH_LINE, MATH_LINES

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline

_OPENS = re.compile(MATH_LINE)
_INLINE = re.compile(
    r"\$\$(?P<double>(?:\\.|[^\\$])+)\$\$"
    r"|\$(?P<single>(?![\s$])(?:\\.|[^\\$`\n])*?(?:\\.|[^\\$`\s]))\$(?![\d$])"
    r"|\\\((?P<round>(?:(?!\\[()]).)+?)\\\)"
    r"|\\\[(?P<square>(?:(?!\\[\[\]]).)+?)\\\]",
    re.DOTALL,
)
_MONEY = re.compile(r"\d[\d.,]*\s*(?:[kKmMbB]|[A-Za-z]{2,}.*)?\s*[–—-]?|.*[,;]")
_NOTE = re.compile(r"\[\^([^\s\]\[^]+)\]")
_HOST = re.compile(r"(?:[\w-]+\.)+[\w-]{2,}(?::\d+)?(?:[/?#][^\s<]*)?")
_MARKS = "*_`[~$\\!"
_SIGNS = re.compile(r"[*_`\[~$\\<&\n]")
"""Where inline Markdown begins; a text without any is one run, and knowing that is cheaper than looking for runs."""
MOST_MARKS = 500
"""Marks in one paragraph beyond which it is shown as it was written."""
_TRAILING = re.compile(r"[?!.,:*_~'\"]+$")


class _Links(LinkifyIt):  # type: ignore[misc] # it has no types
    """Knows without an expression, whose search costs more than the rest of a short text, where no link can be.

    All schemes that are linked but ``mailto:`` need two slashes, and that one needs an at sign.
    """

    def pretest(self, text: str) -> bool:
        return "//" in text or "@" in text or "www." in text.lower()

    def test(self, text: str) -> bool:
        return self.pretest(text) and bool(super().test(text))


def add(parser: "MarkdownIt") -> None:
    """Teach a parser all of it."""
    from mdit_py_plugins.footnote.index import footnote_def

    parser.block.ruler.before(
        "fence", "math_block", _math_block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    parser.block.ruler.before("reference", "footnote_def", footnote_def, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.at("inline", _inline)
    parser.inline.ruler.before("escape", "math_inline", _math_inline)
    parser.inline.ruler.before("link", "footnote_ref", _footnote_ref)
    if parser.linkify is not None:
        parser.linkify = _Links()
        # Bare names are no links: "notes.md" and "main.rs" are files, though .md and .rs are also top-level domains.
        parser.linkify.set({"fuzzy_link": False, "fuzzy_email": True, "fuzzy_ip": False})
        parser.linkify.add("www.", {"validate": _www, "normalize": _with_scheme})


def made_of_marks(text: str) -> bool:
    """Tell whether a paragraph has so many marks that it is shown as it was written."""
    return sum(map(text.count, _MARKS)) > MOST_MARKS


def _inline(state: "StateCore") -> None:
    """Read the text of blocks, unless it is made of marks: nesting and drawing those takes too long (MD-6)."""
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = token.children if token.children is not None else []
        if not _SIGNS.search(token.content):
            token.children += [Token("text", "", 0, content=token.content)] if token.content else []
        elif made_of_marks(token.content):
            token.children.append(Token("text", "", 0, content=token.content.replace("\n", " ")))
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _www(_linkify: Any, text: str, at: int) -> int:
    """Return how long the address after ``www.`` is; 0 for none."""
    found = _HOST.match(text, at)
    if found is None:
        return 0
    words = found[0]
    while True:
        shorter = _TRAILING.sub("", words)
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == words:
            return len(words)
        words = shorter


def _with_scheme(_linkify: Any, match: Any) -> None:
    match.url = "http://" + match.url


def _math_block(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    begin = state.bMarks[start] + state.tShift[start]
    if state.is_code_block(start) or state.src[begin : begin + 2] not in ("$$", "\\["):
        return False
    if not _OPENS.match(state.src, begin):
        return False
    if silent:
        return True
    close = "$$" if state.src[begin] == "$" else "\\]"
    line, lines, closed = start, [], False
    while line < end and line - start < MATH_LINES:
        at = state.bMarks[line] + state.tShift[line]
        words = state.src[at + (2 if line == start else 0) : state.eMarks[line]]
        if line > start and (not words.strip() or state.sCount[line] < state.blkIndent):
            break
        line += 1
        found = words.find(close)
        lines.append(words[:found] if found >= 0 else words)
        if found >= 0:
            closed = not words[found + 2 :].strip()
            break
    state.line = line
    source = state.getLines(start, line, state.blkIndent, False).strip()
    _push_block(state, "\n".join(lines).strip() if closed else "", source, [start, line])
    return True


def _push_block(state: "StateBlock", tex: str, source: str, lines: list[int]) -> None:
    if tex:
        token = state.push("math_block", "math", 0)
        token.content, token.markup, token.map = tex, source, lines
        return
    state.push("paragraph_open", "p", 1).map = lines
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = source, lines, []
    state.push("paragraph_close", "p", -1)


def _math_inline(state: "StateInline", silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = _INLINE.match(state.src, state.pos, state.posMax)
    if found is None or not _is_formula(state.src, found):
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content = next(part for part in found.groups() if part is not None).strip()
        token.markup = found[0]
    state.pos = found.end()
    return True


def _is_formula(text: str, found: re.Match[str]) -> bool:
    inside = found["single"]
    if inside is None:
        return bool(found[0][2:-2].strip())
    before = text[found.start() - 1 : found.start()] if found.start() else ""
    if before.isalnum() or before == "$":
        return False
    price = inside[0].isdigit() and inside.count("(") != inside.count(")")
    return not price and (inside.isdigit() or not _MONEY.fullmatch(inside))


def _footnote_ref(state: "StateInline", silent: bool) -> bool:
    found = _NOTE.match(state.src, state.pos, state.posMax)
    notes = state.env.get("footnotes", {}).get("refs", {})
    if found is None or f":{found[1]}" not in notes:
        return False
    if not silent:
        state.push("footnote_ref", "", 0).content = found[1]
    state.pos = found.end()
    return True
