"""One message, end to end, over real HTTP: what is stored, what is told, how it ends."""

import asyncio

import pytest

from deepchat_desktop.domain.errors import Refused
from deepchat_desktop.domain.events import BlockSet, BlockText, RetryWaiting, RunEnded, SessionChanged
from deepchat_desktop.domain.tape import fold, verify
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import json_answer
from tests.services.runtime.conftest import Bench

pytestmark = pytest.mark.anyio


async def test_an_answer_is_streamed_stored_and_reported(bench: Bench) -> None:
    bench.server.add(chat("The answer is 42.", reasoning="Let me think.", usage=(11, 7)))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "What is it?")

    assert (ended.outcome, ended.stop_reason, ended.text) == ("completed", "complete", "The answer is 42.")
    assert ended.reasoning == "Let me think."
    assert (ended.usage.input, ended.usage.output, ended.rounds) == (11, 7, 1)
    user, answer = await bench.messages(session)
    assert user.blocks[0].text == "What is it?"
    assert [block.kind for block in answer.blocks] == ["reasoning", "text"]
    assert not any(block.open for block in answer.blocks)
    assert (answer.status, answer.outcome, answer.parent) == ("done", "completed", user.id)
    assert bench.events[-1] == ended


async def test_what_the_view_was_told_is_what_was_stored(bench: Bench) -> None:
    bench.server.add(chat("one two three four", reasoning="a b c", delay=0.001))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    blocks: dict[int, object] = {}
    for event in bench.events:
        if isinstance(event, BlockSet):
            blocks[event.index] = event.block
        elif isinstance(event, BlockText):
            block = blocks[event.index]
            blocks[event.index] = block.model_copy(update={"text": block.text + event.text})
    stored = (await bench.messages(session))[1].blocks
    assert ended.text == "one two three four"
    assert [blocks[index] for index in range(len(stored))] == list(stored)


async def test_the_user_message_is_stored_before_the_model_is_asked(bench: Bench) -> None:
    bench.server.add(chat("late", hold_after=0))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "keep me"))
    await asyncio.to_thread(bench.server.wait_for_requests, 1)

    stored = await bench.messages(session)

    assert [message.role for message in stored] == ["user", "assistant"]
    assert stored[0].blocks[0].text == "keep me"
    bench.server.release("hold")
    assert (await run).text == "late"


async def test_the_title_is_the_first_words_until_the_user_names_it(bench: Bench) -> None:
    bench.server.add(chat("ok"), chat("ok"))
    session = await bench.session()
    await bench.core.runtime.process_message(session.id, "Plan a  trip\nto Porto please")
    titles = [event.session.title for event in bench.events if isinstance(event, SessionChanged)]
    assert titles[-1] == "Plan a trip to Porto please"

    await bench.core.runtime.change_session(session.id, title="Porto", title_by_user=True)
    await bench.core.runtime.process_message(session.id, "more")
    stored = await bench.core.store.read(lambda tx: tx.sessions.get(session.id))
    assert stored.title == "Porto"


async def test_a_transient_failure_is_tried_again_and_said(bench: Bench) -> None:
    busy = json_answer({"error": {"message": "try later", "type": "server_error"}}, 503, {"retry-after": "0"})
    bench.server.add(busy, busy, chat("third time"))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert ended.text == "third time"
    waits = [event for event in bench.events if isinstance(event, RetryWaiting)]
    assert [event.attempt for event in waits] == [1, 2]


async def test_two_more_tries_and_no_third(bench: Bench) -> None:
    busy = json_answer({"error": {"message": "down", "type": "server_error"}}, 503, {"retry-after": "0"})
    bench.server.add(busy, busy, busy, chat("never asked"))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert ended.outcome == "error"
    assert ended.error is not None
    assert len(bench.server.requests) == 3


async def test_nothing_is_tried_again_after_something_was_shown(bench: Bench) -> None:
    bench.server.add(chat("half an ans", end="eof"), chat("never asked"))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert (ended.outcome, ended.text) == ("error", "half an ans")
    assert ended.error is not None
    assert ended.error.kind == "truncated_stream"
    assert len(bench.server.requests) == 1
    answer = (await bench.messages(session))[1]
    assert [block.kind for block in answer.blocks] == ["text", "error"]


async def test_a_wrong_key_is_told_and_not_tried_again(bench: Bench) -> None:
    bench.server.add(json_answer({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}, 401))
    session = await bench.session()

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert ended.error is not None
    assert (ended.error.kind, ended.error.retryable) == ("auth", False)
    assert len(bench.server.requests) == 1


async def test_stop_keeps_what_was_shown_and_closes_the_connection(bench: Bench) -> None:
    bench.server.add(chat("one two three", hold_after=2))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    request = (await asyncio.to_thread(bench.server.wait_for_requests, 1))[0]
    while not any(isinstance(event, BlockText | BlockSet) for event in bench.events):
        await asyncio.sleep(0.01)

    await bench.core.runtime.cancel(session.id)
    await bench.core.runtime.cancel(session.id)

    ended = await run
    assert (ended.outcome, ended.stop_reason, ended.text) == ("aborted", "user_stop", "one two")
    assert await asyncio.to_thread(request.hung_up.wait, 5)
    answer = (await bench.messages(session))[1]
    assert (answer.status, answer.outcome) == ("interrupted", "aborted")
    assert not bench.core.runtime.is_running(session.id)


async def test_stop_while_waiting_on_a_retry_ends_at_once(bench: Bench) -> None:
    bench.server.add(json_answer({"error": {"message": "slow down"}}, 429, {"retry-after": "50"}))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    while not any(isinstance(event, RetryWaiting) for event in bench.events):
        await asyncio.sleep(0.01)

    await bench.core.runtime.cancel(session.id)

    assert (await run).outcome == "aborted"


async def test_a_second_message_while_it_runs_is_refused_and_nothing_is_written(bench: Bench) -> None:
    bench.server.add(chat("one", hold_after=0))
    session = await bench.session()
    run = asyncio.ensure_future(bench.core.runtime.process_message(session.id, "go"))
    await asyncio.to_thread(bench.server.wait_for_requests, 1)

    with pytest.raises(Refused) as caught:
        await bench.core.runtime.process_message(session.id, "again")

    assert caught.value.code == "busy"
    assert len(await bench.messages(session)) == 2
    bench.server.release("hold")
    await run


@pytest.mark.parametrize("text", ["", "  \n"])
async def test_nothing_to_send_is_refused(bench: Bench, text: str) -> None:
    session = await bench.session()
    with pytest.raises(Refused):
        await bench.core.runtime.process_message(session.id, text)
    assert await bench.messages(session) == []


async def test_continue_and_retry_answer_again(bench: Bench) -> None:
    bench.server.add(chat("half", end="eof"), chat("whole"), chat("and more"))
    session = await bench.session()
    await bench.core.runtime.process_message(session.id, "go")

    again = await bench.core.runtime.retry(session.id)
    more = await bench.core.runtime.continue_run(session.id)

    assert (again.text, more.text) == ("whole", "and more")
    stored = await bench.messages(session)
    assert [(message.role, message.variant) for message in stored] == [
        ("user", 0), ("assistant", 0), ("assistant", 1), ("user", 0), ("assistant", 0),
    ]
    sent = bench.server.requests[2].json["messages"]
    assert [part["content"] for part in sent if part["role"] == "assistant"] == ["whole"]


async def test_a_long_history_is_cut_by_whole_turns_and_the_question_stays(bench: Bench) -> None:
    session = await bench.session(context=2_048, mode="chat")
    for number in range(40):
        bench.server.add(chat(f"Answer {number}. " + "word " * 60))
        ended = await bench.core.runtime.process_message(session.id, f"Question {number}?")
        assert ended.outcome == "completed"
    sent = bench.server.requests[-1].json["messages"]
    assert sent[-1]["content"] == "Question 39?"
    assert 5 < len(sent) < 30
    assert [part["role"] for part in sent[1:]] == (["user", "assistant"] * 20)[: len(sent) - 1]


async def test_a_message_that_cannot_fit_is_told_with_the_figures(bench: Bench) -> None:
    session = await bench.session(context=1_024)
    ended = await bench.core.runtime.process_message(session.id, "word " * 4_000)
    assert ended.error is not None
    assert ended.error.kind == "context_overflow"
    assert "1,024" in ended.error.message
    assert bench.server.requests == []
    assert (await bench.messages(session))[0].blocks[0].text.startswith("word word")


async def test_an_overflow_is_tried_once_more_with_half_the_output(bench: Bench) -> None:
    words = {"error": {"message": "maximum context length is 100 tokens", "code": "context_length_exceeded"}}
    bench.server.add(json_answer(words, 400), json_answer(words, 400))
    session = await bench.session(max_output=800)

    ended = await bench.core.runtime.process_message(session.id, "go")

    assert ended.error is not None
    assert ended.error.kind == "context_overflow"
    assert [request.json["max_tokens"] for request in bench.server.requests] == [800, 400]


async def test_the_tape_verifies_and_folds_to_what_is_stored(bench: Bench) -> None:
    bench.server.add(chat("first"), chat("second"))
    session = await bench.session()
    await bench.core.runtime.process_message(session.id, "one")
    await bench.core.runtime.process_message(session.id, "two")

    entries = await bench.core.store.read(lambda tx: tx.tape.entries(session.id))

    verify(entries)
    view = fold(entries)
    stored = await bench.messages(session)
    assert [item["message"] for item in view.messages.values()] == [m.model_dump(mode="json") for m in stored]


async def test_a_run_is_the_last_event_and_every_run_has_one(bench: Bench) -> None:
    bench.server.add(chat("a"), json_answer({"error": {"message": "no"}}, 400))
    session = await bench.session()
    await bench.core.runtime.process_message(session.id, "one")
    await bench.core.runtime.process_message(session.id, "two")
    assert [event.outcome for event in bench.events if isinstance(event, RunEnded)] == ["completed", "error"]
    assert bench.events[-1].kind == "run_ended"
