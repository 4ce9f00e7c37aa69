"""The bodies of the stream benchmark are answers that the decoders understand whole."""

import pytest

from benchmarks.sse import BODIES, reads
from deepchat_desktop.services.providers.registry import DECODERS
from deepchat_desktop.services.providers.wire_fold import fold


@pytest.mark.parametrize("api", [api for api in BODIES if api in DECODERS])
def test_a_body_says_what_it_should(api: str) -> None:
    result = fold(api, reads(BODIES[api](300)))
    assert (result["text"], result["stop"], result["error"]) == (" word" * 300, "complete", None)
