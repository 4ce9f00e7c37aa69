"""What the makers document of whole families of models, for lists that give nothing but ids.

Only what a maker's own pages state for every model that a pattern matches stands here; everything else stays
unknown. No prices: those change, and come from a provider's list or from the user.
"""

import re
from functools import lru_cache

from deepchat_desktop.domain.base import Value


class Family(Value):
    """What is documented. Limits in tokens; None is unknown."""

    tools: bool | None = None
    vision: bool | None = None
    reasoning: bool | None = None
    context: int | None = None
    max_output: int | None = None
    chat: bool = True


_NO_CHAT = Family(chat=False, tools=False)
_UNKNOWN = Family()


def _able(context: int | None = None, max_output: int | None = None, *, reasoning: bool | None = None) -> Family:
    return Family(tools=True, vision=True, reasoning=reasoning, context=context, max_output=max_output)


_TABLE: tuple[tuple[str, Family], ...] = (
    # Not for conversations: embeddings, speech, pictures, moderation, ranking.
    (
        r"(?:text-)?embedding|embed(?:-|$)|whisper|tts(?:-|$)|dall-e|gpt-image|chatgpt-image|sora-|moderation"
        r"|transcribe|rerank|imagen-|veo-|babbage-002|davinci-002|-realtime|gpt-audio|gpt-realtime",
        _NO_CHAT,
    ),
    # OpenAI, "Models" in the API documentation.
    (r"^gpt-5(?:-mini|-nano)?(?:-\d{4}-\d\d-\d\d)?$", _able(400_000, 128_000, reasoning=True)),
    (r"^gpt-4\.1(?:-mini|-nano)?(?:-\d{4}-\d\d-\d\d)?$", _able(1_047_576, 32_768, reasoning=False)),
    (r"^gpt-4o(?:-mini)?(?:-2024-(?:07-18|08-06|11-20))?$", _able(128_000, 16_384, reasoning=False)),
    (r"^gpt-4-turbo(?:-2024-04-09)?$", _able(128_000, 4_096, reasoning=False)),
    (r"^(?:o3|o4-mini)(?:-2025-04-16)?$", _able(200_000, 100_000, reasoning=True)),
    (r"^o3-mini(?:-2025-01-31)?$", Family(tools=True, vision=False, reasoning=True, context=200_000)),
    (r"^gpt-oss-(?:20b|120b)$", Family(tools=True, vision=False, reasoning=True, context=131_072)),
    (r"^gpt-3\.5-turbo(?:-0125)?$", Family(tools=True, vision=False, reasoning=False, context=16_385)),
    # Anthropic, "Models overview": all since Claude 3 take tools and pictures. Clouds put their own words in front.
    (r"claude-(?:3|opus|sonnet|haiku)", _able()),
    # Google: "Gemini models": all of the 2.x and 3.x text models take function declarations and pictures.
    (r"^gemini-[23][\d.]*-(?:pro|flash|flash-lite)(?:-preview)?(?:-\d\d-\d{4})?$", _able()),
    # DeepSeek refuses pictures in every request.
    (r"^deepseek-(?:chat|reasoner|v\d)", Family(tools=True, vision=False)),
)
_FAMILIES = tuple((re.compile(pattern), family) for pattern, family in _TABLE)


@lru_cache(maxsize=4096)
def family_of(model_id: str) -> Family:
    """Return what is documented of the family a model belongs to, by its id, without a vendor's prefix ("openai/")."""
    name = model_id.lower().rsplit("/", 1)[-1]
    return next((family for pattern, family in _FAMILIES if pattern.search(name)), _UNKNOWN)
