"""Token counts of one round or one message.

Convention (the providers' adapters normalise to it): ``input`` includes ``cached`` (read from the cache) and
``cache_write`` (written to it), ``output`` includes ``reasoning``.
"""

from deepchat_desktop.domain.base import Value


class Usage(Value):
    """Token counts as the provider reported them; 0 where it said nothing."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    cache_write: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Return the sum of two rounds."""
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cached=self.cached + other.cached,
            reasoning=self.reasoning + other.reasoning,
            cache_write=self.cache_write + other.cache_write,
        )
