"""The catalogue: the user's word over the list over the family, and nothing invented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deepchat_desktop.domain.catalogue import (
    FACTS,
    catalogue,
    choose,
    cost_of,
    forget_choice,
    model_of,
    offered,
    refreshed,
    switch,
    switch_all,
)
from deepchat_desktop.domain.prompt import ModelCapabilities
from deepchat_desktop.domain.settings import AppSettings, ModelChoice, ModelSettings, Price, ProviderSettings
from deepchat_desktop.domain.usage import Usage

IDS = ["a", "b", "gpt-4o", "text-embedding-3-small"]
BARE = ProviderSettings(id="p", name="P", api="openai_chat", base_url="https://models.test/v1")
LISTED = BARE.model_copy(update={"models": tuple(ModelSettings(id=key) for key in IDS)})


def test_the_user_wins_over_the_list_and_the_list_over_the_family() -> None:
    told = ModelSettings(id="gpt-4o", capabilities=ModelCapabilities(vision=False, context=1000))
    provider = choose(BARE.model_copy(update={"models": (told,)}), "gpt-4o", {"context": 64_000})
    model = model_of(provider, "gpt-4o")
    assert (model.capabilities.context, model.sources["context"]) == (64_000, "user")
    assert (model.capabilities.vision, model.sources["vision"]) == (False, "list")
    assert (model.capabilities.tools, model.sources["tools"]) == (True, "family")
    assert model.changed


def test_what_nobody_knows_stays_unknown() -> None:
    model = model_of(LISTED, "a")
    assert model.capabilities == ModelCapabilities()
    assert model.sources == {}
    assert model.price is None


choices = st.builds(
    ModelChoice,
    added=st.booleans(),
    on=st.none() | st.booleans(),
    vision=st.none() | st.booleans(),
    tools=st.none() | st.booleans(),
    context=st.none() | st.integers(1, 10**6),
)
lists = st.lists(
    st.builds(
        ModelSettings,
        id=st.sampled_from(IDS),
        capabilities=st.builds(ModelCapabilities, tools=st.none() | st.booleans(), context=st.none() | st.integers(1)),
    ),
    unique_by=lambda model: model.id,
).map(tuple)


@given(st.dictionaries(st.sampled_from([*IDS, "mine"]), choices), lists, lists)
def test_a_new_list_never_touches_the_users_word(
    said: dict[str, ModelChoice], first: tuple[ModelSettings, ...], second: tuple[ModelSettings, ...]
) -> None:
    before = BARE.model_copy(update={"models": first, "choices": said})
    after = refreshed(before, second, at=1, day="2026-12-01")
    assert after.choices == said
    assert after.models == (second or first)
    shown = {model.id: model for model in catalogue(after)}
    assert {key for key, choice in said.items() if choice.added} <= set(shown)
    for key, model in shown.items():
        for fact in FACTS:
            word = getattr(said.get(key, ModelChoice()), fact)
            assert word is None or (getattr(model.capabilities, fact), model.sources[fact]) == (word, "user")
            assert (getattr(model.capabilities, fact) is None) == (fact not in model.sources)


@given(st.dictionaries(st.sampled_from(IDS), choices))
def test_settings_come_back_from_json(said: dict[str, ModelChoice]) -> None:
    settings = AppSettings(providers=(LISTED.model_copy(update={"choices": said}),))
    assert AppSettings.model_validate_json(settings.model_dump_json()) == settings


def test_settings_of_an_older_version_are_read() -> None:
    old = b"""{"providers": [{"id": "p", "name": "P", "api": "openai_chat", "base_url": "https://models.test/v1",
      "headers": {}, "enabled": true, "key_backend": null, "models": [{"id": "a", "name": "", "capabilities":
      {"tools": true, "vision": null, "reasoning": false, "context": null, "max_output": null}}]}]}"""
    (provider,) = AppSettings.model_validate_json(old).providers
    assert [model.id for model in offered(provider)] == ["a"]


def test_models_that_do_not_converse_are_off_until_asked_for() -> None:
    assert [model.id for model in offered(LISTED)] == ["a", "b", "gpt-4o"]
    asked = switch(LISTED, ("text-embedding-3-small",), on=True)
    assert [model.id for model in offered(asked)] == IDS
    assert offered(LISTED.model_copy(update={"enabled": False})) == ()


def test_all_off_holds_for_models_to_come() -> None:
    none = switch_all(choose(LISTED, "a", {"vision": True}), on=False)
    assert offered(none) == ()
    assert none.choices == {"a": ModelChoice(vision=True)}
    later = refreshed(switch(none, ("b",), on=True), (*LISTED.models, ModelSettings(id="new")), 1, "2026-12-01")
    assert [model.id for model in offered(later)] == ["b"]


def test_a_reset_keeps_what_is_no_capability() -> None:
    provider = choose(LISTED, "mine", {"added": True, "on": False, "vision": True})
    assert forget_choice(provider, "mine").choices == {"mine": ModelChoice(added=True, on=False)}
    assert forget_choice(choose(LISTED, "a", {"tools": False}), "a") == LISTED


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(ValidationError):
        choose(LISTED, "a", {"context": 0})


def test_a_price_has_the_day_of_its_list() -> None:
    priced = ModelSettings(id="a", price=Price(input=1.0, output=2.0))
    model = model_of(refreshed(BARE, (priced,), 1, "2026-12-01"), "a")
    assert model.price == Price(input=1.0, output=2.0, as_of="2026-12-01")
    own = choose(BARE.model_copy(update={"models": (priced,)}), "a", {"price": {"input": 5.0}})
    assert (model_of(own, "a").price, model_of(own, "a").price_by_user) == (Price(input=5.0), True)


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        (Usage(input=1_000_000, output=500_000), Price(input=1, output=4), 3.0),
        (Usage(input=1_000_000, cached=400_000, output=0), Price(input=1, output=4, cached=0.5), 0.8),
        (Usage(input=10, cached=4, output=1), Price(input=1, output=4), None),
        (Usage(input=1_000_000, cache_write=200_000), Price(input=1, output=4, cache_write=2), 1.2),
        (Usage(input=10, cache_write=4, output=1), Price(input=1, output=4, cached=1), None),
        (Usage(input=10, output=1), Price(input=1), None),
        (Usage(), Price(input=1, output=4), None),
        (Usage(input=10, output=1), None, None),
    ],
)
def test_a_cost_is_told_only_when_all_of_it_is_known(usage: Usage, price: Price | None, cost: float | None) -> None:
    assert cost_of(usage, price) == cost


@pytest.mark.parametrize(
    ("listed", "said", "as_text"),
    [
        ({"tools": False}, {}, True),
        ({"tools": False, "context": 64_000}, {}, True),
        ({"tools": False, "context": 4_096}, {}, False),
        ({"tools": False, "context": 4_096}, {"tools_as_text": True}, True),
        ({"tools": False}, {"tools": False}, False),
        ({"tools": False}, {"tools_as_text": False}, False),
        ({"tools": None}, {}, False),
        ({"tools": None}, {"tools": False, "tools_as_text": True}, True),
        ({"tools": True}, {"tools_as_text": True}, False),
    ],
)
def test_tools_go_as_text_only_where_there_is_no_better_way(
    listed: dict[str, object], said: dict[str, object], as_text: bool
) -> None:
    told = ModelSettings(id="m", capabilities=ModelCapabilities.model_validate(listed))
    provider = choose(BARE.model_copy(update={"models": (told,)}), "m", said)
    assert model_of(provider, "m").capabilities.tools_as_text is as_text


def test_a_model_that_does_not_converse_gets_no_tools() -> None:
    assert model_of(BARE, "text-embedding-3-small").capabilities.tools_as_text is False
