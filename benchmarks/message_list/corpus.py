"""A long conversation to measure with: the same messages for the same seed, on every machine.

Invariants: all chance comes from one `random.Random`; an answer is Markdown as models write it (paragraphs in English
and Chinese, code, lists, tables, headings, quotes); 10,000 messages are about 12 MB of UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

SEED = 20_240
MESSAGES = 10_000
STREAM_CHARS = 60_000


def _words(text: str) -> list[str]:
    return text.split()


ENGLISH = _words(
    "about after again answer archive because before between branch bridge budget buffer cable careful change channel "
    "check clear client close cluster colour column commit compare config copy count cover cursor deploy design detail "
    "driver early editor engine error event every example export field first folder format frame garden handle harbour "
    "header history image import index input journal kernel label later layer letter limit local logic machine marker "
    "measure memory method minute model module morning network never notice number object offset often order packet "
    "paper parser pattern people permission place plain point prefix process prompt query quiet random reader record "
    "region release report request result return river rolling sample schema screen script season second select sender "
    "server session shared signal simple single sister source stable station stream string summer support switch table "
    "target thread ticket timer token travel under update useful value version volume water weather window winter work"
)
CHINESE = _words(
    "今天 明天 城市 河流 天气 朋友 学习 工作 时间 方法 问题 答案 文件 目录 网络 请求 返回 错误 检查 修改 保存 打开 "
    "关闭 用户 消息 窗口 列表 语言 模型 数据 结构 速度 测试 结果 步骤 说明 例子 参数 函数 变量 循环 条件 类型 版本 "
    "更新 服务 连接 安全 权限 我们 他们 这个 那个 可以 应该 如果 但是 所以 因为 然后 最后 首先 通常 非常 已经"
)

CODE: dict[str, tuple[str, ...]] = {
    "python": (
        "class Reader{n}:",
        '    """Reads records in pages of {n}."""',
        "",
        "    def __init__(self, path: Path, size: int = {n}) -> None:",
        "        self._path, self._size = path, size",
        "",
        "    def pages(self) -> Iterator[list[str]]:",
        "        page: list[str] = []",
        "        for line in self._path.open(encoding='utf-8'):",
        "            page.append(line.rstrip())  # the newline is not part of it",
        "            if len(page) == self._size:",
        "                yield page",
        "                page = []",
        '        print(f"{{len(page)}} left of {n}")',
        "",
    ),
    "javascript": (
        "const limit{n} = {n};",
        "export function group{n}(items, key = (item) => item.id) {{",
        "  const found = new Map();",
        "  for (const item of items) {{",
        "    // keep the first {n} of a group",
        "    const list = found.get(key(item)) ?? [];",
        "    if (list.length < limit{n}) found.set(key(item), [...list, item]);",
        "  }}",
        "  return `${{found.size}} groups`;",
        "}}",
        "",
    ),
    "go": (
        "func merge{n}(left, right []int) ([]int, error) {{",
        "\tout := make([]int, 0, len(left)+len(right))",
        "\tfor len(left) > 0 && len(right) > 0 {{",
        "\t\tif left[0] < right[0] {{",
        "\t\t\tout, left = append(out, left[0]), left[1:]",
        "\t\t}} else {{",
        "\t\t\tout, right = append(out, right[0]), right[1:]",
        "\t\t}}",
        "\t}}",
        '\tfmt.Printf("merged %d of %d\\n", len(out), {n})',
        "\treturn append(out, append(left, right...)...), nil",
        "}}",
        "",
    ),
    "c": (
        "static size_t trim_{n}(char *text, size_t length) {{",
        "    while (length > {n} && isspace((unsigned char)text[length - 1])) {{",
        "        length -= 1; /* from the right */",
        "    }}",
        '    if (length == 0) fprintf(stderr, "nothing left after %d\\n", {n});',
        "    return length;",
        "}}",
        "",
    ),
    "yaml": (
        "service-{n}:",
        '  image: "registry.local/reader:{n}.0"',
        "  replicas: {n}  # one per zone",
        "  ports: [80{n}, 90{n}]",
        "  environment:",
        "    LOG_LEVEL: info",
        "    RETRY: true",
    ),
    "bash": (
        'for name in *.txt; do  # step {n}',
        '  if [[ -s "$name" ]]; then',
        '    sort -u "$name" | head -n {n} > "${{name%.txt}}.out"',
        "  fi",
        "done",
        'echo "finished {n}" >&2',
        "",
    ),
}


def english(chance: Random, words: int) -> str:
    """Return one sentence."""
    return " ".join(chance.choices(ENGLISH, k=words)).capitalize() + "."


def chinese(chance: Random, words: int) -> str:
    """Return one sentence, with a comma now and then."""
    chosen = chance.choices(CHINESE, k=words)
    return "".join(word + ("，" if at % 7 == 6 and at < words - 1 else "") for at, word in enumerate(chosen)) + "。"


def sentence(chance: Random) -> str:
    """Return a sentence in one of the languages, with marks as answers have them."""
    text = chinese(chance, chance.randint(8, 24)) if chance.random() < 0.4 else english(chance, chance.randint(7, 22))
    if chance.random() < 0.25:
        one, two = chance.choices(ENGLISH, k=2)
        text += chance.choice((f" See **{one}** and *{two}*.", f" Call `{one}_{two}()`.",
                               f" Read [the {one} page](https://example.org/{two})."))  # fmt: skip
    return text


def paragraph(chance: Random) -> str:
    return " ".join(sentence(chance) for _ in range(chance.randint(2, 6)))


def code_lines(chance: Random, language: str, lines: int) -> str:
    """Return exactly that many lines of a language."""
    out: list[str] = []
    while len(out) < lines:
        number = chance.randint(2, 99)
        out += [line.format(n=number) for line in CODE[language]]
    return "\n".join(out[:lines])


def code(chance: Random) -> str:
    language = chance.choice(list(CODE))
    return f"```{language}\n{code_lines(chance, language, chance.randint(5, 80))}\n```"


def bullets(chance: Random, items: int | None = None) -> str:
    """Return a list, some items with a nested one."""
    numbered, lines = chance.random() < 0.4, []
    for number in range(items or chance.randint(3, 9)):
        lines.append(f"{number + 1}. {sentence(chance)}" if numbered else f"- {sentence(chance)}")
        if chance.random() < 0.15:
            lines.append(f"   - {sentence(chance)}")
    return "\n".join(lines)


def table_row(chance: Random, columns: int) -> str:
    def cell() -> str:
        return chance.choice((chance.choice(ENGLISH), chance.choice(CHINESE), str(chance.randint(1, 9_999))))

    return "| " + " | ".join(cell() for _ in range(columns)) + " |"


def table(chance: Random, rows: int | None = None) -> str:
    columns = chance.randint(2, 5)
    body = [table_row(chance, columns) for _ in range(rows or chance.randint(3, 12))]
    return "\n".join([table_row(chance, columns), "|" + " --- |" * columns, *body])


def heading(chance: Random) -> str:
    return "#" * chance.randint(2, 4) + " " + english(chance, chance.randint(2, 6))[:-1]


def quote(chance: Random) -> str:
    return "\n".join("> " + sentence(chance) for _ in range(chance.randint(1, 3)))


PARTS: tuple[tuple[Callable[[Random], str], float], ...] = (
    (paragraph, 54), (code, 17), (bullets, 12), (table, 6), (heading, 7), (quote, 4),
)  # fmt: skip


def part(chance: Random) -> str:
    """Return one block of Markdown."""
    kinds, weights = zip(*PARTS, strict=True)
    return str(chance.choices(kinds, weights)[0](chance))


def answer(chance: Random) -> str:
    return "\n\n".join(part(chance) for _ in range(chance.randint(2, 6)))


def question(chance: Random) -> str:
    return " ".join(sentence(chance) for _ in range(chance.randint(1, 3)))


def texts(count: int = MESSAGES, seed: int = SEED) -> list[str]:
    """Return the conversation's texts: questions at even places, answers at odd ones."""
    chance = Random(seed)
    return [answer(chance) if at % 2 else question(chance) for at in range(count)]


def cut(text: str, seed: int = SEED) -> list[str]:
    """Cut a text as a model's tokens cut it: about four letters, or a Chinese character or two."""
    chance, out, at = Random(seed), list[str](), 0
    while at < len(text):
        size = chance.choice((2, 3, 4, 4, 5, 6)) if text[at] < "\u2e80" else chance.choice((1, 1, 2))
        out.append(text[at : at + size])
        at += size
    return out


def _long(parts: Callable[[Random], str], between: str, chars: int, chance: Random) -> str:
    out: list[str] = []
    while sum(map(len, out)) < chars:
        out.append(parts(chance))
    return between.join(out)[:chars]


def stream_text(kind: str, chars: int = STREAM_CHARS, seed: int = SEED) -> str:
    """Return an answer to stream: `mixed`, or one single `code`, `paragraph`, `table` or `list`."""
    chance = Random(seed)
    match kind:
        case "mixed":
            return _long(part, "\n\n", chars, chance)
        case "code":
            return "```python\n" + _long(lambda c: code_lines(c, "python", 40), "\n", chars, chance)
        case "paragraph":
            return _long(sentence, " ", chars, chance)
        case "table":
            return "| a | b | c |\n| --- | --- | --- |\n" + _long(lambda c: table_row(c, 3), "\n", chars, chance)
        case "list":
            return _long(lambda c: "- " + sentence(c), "\n", chars, chance)
    raise ValueError(f"no stream of kind {kind!r}")


def save(path: Path, count: int) -> None:
    """Write the conversation's texts as JSON, so that each process need not make them anew."""
    path.write_text(json.dumps(texts(count), ensure_ascii=False), encoding="utf-8")


def messages(path: Path) -> list[Any]:
    """Return the conversation in the domain's words, from what `save` wrote; its session is "bench"."""
    return as_messages(json.loads(path.read_text(encoding="utf-8")), "bench")


def warm_messages() -> list[Any]:
    """Return a short conversation that has every kind of block and every language once; its session is "warm"."""
    chance = Random(SEED)
    fences = [f"```{language}\n{code_lines(chance, language, 8)}\n```" for language in CODE]
    return as_messages([line for kind in (paragraph, bullets, table, heading, quote) for line in ("?", kind(chance))]
                       + [line for fence in fences for line in ("?", fence)], "warm")  # fmt: skip


def as_messages(lines: list[str], session_id: str) -> list[Any]:
    """Return texts as messages, a question and an answer in turn."""
    from deepchat_desktop.domain.blocks import TextBlock
    from deepchat_desktop.domain.messages import Message

    return [
        Message(
            id=f"{session_id}{at:06}", session_id=session_id, role="assistant" if at % 2 else "user",
            blocks=(TextBlock(text=text),), created_at=at + 1, updated_at=at + 1,
        )
        for at, text in enumerate(lines)
    ]  # fmt: skip
