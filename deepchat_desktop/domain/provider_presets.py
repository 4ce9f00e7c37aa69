"""Providers that are set up with a key alone: their API style and addresses, as their own documentation gives them.

A preset only fills fields; everything in it can be changed afterwards. ``{}`` in an address stands for what the user
names (a resource, a region).
"""

import re

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.settings import ApiStyle


class Preset(Value):
    """One vendor. ``key_page`` is where a key is made; ``asks`` is what the address needs besides."""

    id: str
    name: str
    api: ApiStyle
    base_url: str
    key_page: str = ""
    needs_key: bool = True
    asks: str = ""


def _preset(key: str, name: str, base_url: str, key_page: str = "", api: ApiStyle = "openai_chat") -> Preset:
    return Preset(id=key, name=name, api=api, base_url=base_url, key_page=key_page)


def _own(key: str, name: str, base_url: str, api: ApiStyle = "openai_chat") -> Preset:
    return Preset(id=key, name=name, api=api, base_url=base_url, needs_key=False)


PRESETS: tuple[Preset, ...] = (
    _preset("openai", "OpenAI", "https://api.openai.com/v1", "https://platform.openai.com/api-keys"),
    _preset(
        "openai-responses",
        "OpenAI (Responses)",
        "https://api.openai.com/v1",
        "https://platform.openai.com/api-keys",
        "openai_responses",
    ),
    _preset(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com",
        "https://console.anthropic.com/settings/keys",
        "anthropic",
    ),
    _preset(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        "https://aistudio.google.com/apikey",
        "gemini",
    ),
    _preset("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "https://platform.deepseek.com/api_keys"),
    _preset(
        "moonshot",
        "Moonshot (Kimi)",
        "https://api.moonshot.ai/v1",
        "https://platform.moonshot.ai/console/api-keys",
    ),
    _preset(
        "dashscope",
        "DashScope (Qwen)",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "https://bailian.console.aliyun.com/?tab=model#/api-key",
    ),
    _preset(
        "zhipu", "Zhipu (GLM)", "https://open.bigmodel.cn/api/paas/v4", "https://open.bigmodel.cn/usercenter/apikeys"
    ),
    _preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "https://openrouter.ai/settings/keys"),
    _preset("groq", "Groq", "https://api.groq.com/openai/v1", "https://console.groq.com/keys"),
    _preset("xai", "xAI", "https://api.x.ai/v1", "https://console.x.ai"),
    _preset("mistral", "Mistral", "https://api.mistral.ai/v1", "https://console.mistral.ai/api-keys"),
    _preset("together", "Together", "https://api.together.xyz/v1", "https://api.together.ai/settings/api-keys"),
    _preset("perplexity", "Perplexity", "https://api.perplexity.ai", "https://www.perplexity.ai/settings/api"),
    Preset(
        id="azure",
        name="Azure OpenAI",
        api="azure",
        base_url="https://{}.openai.azure.com",
        key_page="https://portal.azure.com",
        asks="resource",
    ),
    Preset(
        id="bedrock",
        name="Amazon Bedrock",
        api="bedrock",
        base_url="https://bedrock-runtime.{}.amazonaws.com",
        key_page="https://console.aws.amazon.com/bedrock",
        asks="region",
    ),
    Preset(
        id="vertex",
        name="Google Vertex AI",
        api="gemini",
        base_url="https://{}-aiplatform.googleapis.com",
        asks="region",
    ),
    _own("ollama", "Ollama", "http://127.0.0.1:11434", "ollama"),
    _own("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"),
    _own("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1"),
    _own("vllm", "vLLM", "http://127.0.0.1:8000/v1"),
)


_VERTEX = re.compile(r"(?:(?P<region>[a-z0-9-]+)-)?aiplatform\.(?:(?P<multi>[a-z0-9-]+)\.rep\.)?googleapis\.com")
_BEDROCK = re.compile(r"bedrock-runtime(?:-fips)?\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(?:\.cn)?")


def key_page_of(base_url: str) -> str:
    """Return where a key for that address is made, "" where that is not known. Only the very host counts."""
    host = _host(base_url)
    for preset in PRESETS:
        known = _host(preset.base_url)
        before, hole, after = known.partition("{}")
        if host == known or (hole and host.startswith(before) and host.endswith(after)):
            return preset.key_page
    return ""


def on_this_computer(base_url: str) -> bool:
    """Tell whether a server's address is on this computer; such a server mostly wants no key."""
    return bool(re.match(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$", _host(base_url)))


def vertex_region(base_url: str) -> str | None:
    """Return the region in an address of Google's Vertex AI, "global" in one without; None for any other address."""
    known = _VERTEX.fullmatch(_host(base_url))
    return None if known is None else known["region"] or known["multi"] or "global"


def bedrock_region(base_url: str) -> str:
    """Return the region in an address of Amazon Bedrock, "" for any other address."""
    known = _BEDROCK.fullmatch(_host(base_url))
    return known["region"] if known is not None else ""


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].rstrip("#").lower()
