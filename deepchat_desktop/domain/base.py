"""The one pydantic base of all domain values: frozen, strict about unknown fields, built on first use."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen domain value.

    ``defer_build`` keeps the import of the domain out of the time to the first paint: a validator is
    built when the first instance is validated.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
