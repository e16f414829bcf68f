"""One road to a model: questions are rendered, answered and read, and none is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from tasks.core.ids import sha256_hex
from tasks.core.progress import listening
from tasks.core.rows import Sampling
from tasks.inference import prompts
from tasks.inference.client import Client, ask
from tasks.inference.operation import (
    Operation,
    ParseError,
    Question,
    Work,
    read_reply,
    recorded,
    render,
)
from tasks.text.tokens import count_tokens
from tests.scripted import Scripted, response_to
from tests.some import some


@dataclass(frozen=True)
class Inputs:
    """What the operation of these tests shows to a model."""

    context: str
    query: str


def read_number(text: str) -> int:
    if not text.isdigit():
        raise ParseError(f"not a number: {text}")
    return int(text)


OPERATION = Operation(
    name="count",
    template="any",
    inputs=Inputs,
    parse=read_number,
    sampling=Sampling(temperature=0.0, max_tokens=16),
)


@pytest.fixture(autouse=True)
def template(monkeypatch: pytest.MonkeyPatch) -> None:
    read = prompts.read_template
    mine = "Count.\n{{ context }}\n=====\n{{ query }}\n"
    monkeypatch.setattr(
        prompts, "read_template", lambda name: mine if name == "any" else read(name)
    )


class Echo:
    """Answers with the length of the query it is shown, last call first."""

    model = "echo"
    identity = None

    def __init__(self, lose: int = 0, repeat: int = 0) -> None:
        self.lose, self.repeat = lose, repeat

    async def answer(self, work: Work) -> None:
        calls = [call for group in work.groups for call in await work.open(group)]
        for call in [*reversed(calls), *calls[: self.repeat]][self.lose :]:
            await work.answered(call, response_to(call, str(len(call.inputs()["query"]))))


QUESTIONS = [
    Question(
        f"subject-{number}",
        Inputs(context="The report." * (number // 2), query="?" * number),
        f"case-{number}",
    )
    for number in range(1, 6)
]


def test_replies_come_in_the_questions_order_whatever_the_engine_s() -> None:
    replies = ask(Echo(), OPERATION, QUESTIONS)
    assert [reply.value for reply in replies] == [1, 2, 3, 4, 5]
    assert [reply.subject_id for reply in replies] == [
        question.subject_id for question in QUESTIONS
    ]
    assert [reply.request.case_id for reply in replies] == [
        question.case_id for question in QUESTIONS
    ]
    assert all(reply.error is None for reply in replies)


def test_an_engine_that_loses_a_call_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="lost 2 of 5 requests"):
        ask(Echo(lose=2), OPERATION, QUESTIONS)


def test_an_engine_that_answers_twice_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="twice"):
        ask(Echo(repeat=1), OPERATION, QUESTIONS)


def test_a_question_asked_twice_is_one_call_and_two_replies() -> None:
    replies = ask(Echo(), OPERATION, [QUESTIONS[0], QUESTIONS[0]])
    assert len(replies) == 2
    assert replies[0].request.request_id == replies[1].request.request_id
    assert replies[0].value == replies[1].value


def test_a_request_says_what_was_sent() -> None:
    calls = render(OPERATION, "echo", QUESTIONS)
    for seq, (call, question) in some(enumerate(zip(calls, QUESTIONS, strict=True))):
        request = call.request
        assert call.prompt == f"Count.\n{question.inputs.context}\n{question.inputs.query}"
        assert call.inputs() == {"context": question.inputs.context, "query": question.inputs.query}
        assert request.prompt_sha256 == sha256_hex(call.prompt)
        assert request.n_prompt_tokens == count_tokens(call.prefix.text) + count_tokens(
            request.suffix
        )
        assert (request.operation, request.model, request.seq) == ("count", "echo", seq)
        assert request.prefix_id == call.prefix.prefix_id


def test_a_request_s_id_depends_on_all_that_shapes_the_reply_and_not_on_its_place() -> None:
    (call,) = render(OPERATION, "echo", QUESTIONS[:1])
    same = render(OPERATION, "echo", QUESTIONS[::-1])[-1]
    assert same.request.request_id == call.request.request_id
    question = QUESTIONS[0]
    others = [
        render(OPERATION, "other", [question]),
        render(replace(OPERATION, name="else"), "echo", [question]),
        render(
            replace(OPERATION, sampling=Sampling(temperature=1.0, max_tokens=16)),
            "echo",
            [question],
        ),
        render(OPERATION, "echo", [replace(question, subject_id="another")]),
        render(OPERATION, "echo", [replace(question, inputs=Inputs(context="x", query="?"))]),
        render(OPERATION, "echo", [replace(question, occasion=1)]),
    ]
    assert call.request.request_id not in {other[0].request.request_id for other in others}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"text": "many"}, "not a number: many"),
        ({"finish_reason": "length"}, "the reply was cut off at 16 tokens"),
        ({"text": None}, "the model did not answer: timeout: no answer in 600 s"),
        (
            {"status": "error", "text": None, "error_type": "Timeout", "error": "after 60 s"},
            "the model did not answer: Timeout: after 60 s",
        ),
        ({"status": "quarantined"}, "the model did not answer: None: None"),
    ],
)
def test_a_reply_that_cannot_be_used_says_why(changes: dict[str, object], error: str) -> None:
    (call,) = render(OPERATION, "echo", QUESTIONS[:1])
    reply = read_reply(OPERATION, call.request, response_to(call, **changes))  # type: ignore[arg-type]
    assert (reply.value, reply.error) == (None, error)


def test_progress_is_announced_before_the_first_answer_call_by_call_and_at_the_end() -> None:
    heard: list[tuple[str, int, int, bool]] = []
    with listening(lambda now: heard.append((now.what, now.done, now.total, now.is_open))):
        ask(Client(Echo()), OPERATION, QUESTIONS)
    assert heard == [
        *(("count by echo", done, 5, True) for done in range(6)),
        ("count by echo", 5, 5, False),
    ]


# --- repair ------------------------------------------------------------------------------


def replying(first: str | None, again: str | None, identity: str | None = "m1") -> Scripted:
    return Scripted(lambda call: again if call.request.repairs else first, identity=identity)


def test_a_reply_that_cannot_be_read_is_asked_for_once_more() -> None:
    engine = Client(replying("many", "7"), remembers=True)
    (reply,) = ask(engine, OPERATION, QUESTIONS[:1])
    assert (reply.value, reply.error) == (7, None)
    first, again = engine.records["count"].requests.values()
    assert again.repairs == first.request_id
    assert reply.request is again
    assert again.prefix_id == first.prefix_id
    assert again.suffix.startswith(first.suffix)
    assert "many" in again.suffix
    assert "not a number: many" in again.suffix
    assert len({first.key, again.key, None}) == 3


# --- keys and groups ---------------------------------------------------------------------


def key(
    identity: str | None, operation: Operation = OPERATION, question: Question = QUESTIONS[1]
) -> str | None:
    return render(operation, "m", [question], identity)[0].request.key


def test_top_p_is_part_of_a_key_and_an_id_only_where_it_is_set() -> None:
    held = replace(OPERATION, sampling=replace(OPERATION.sampling, top_p=1.0))
    (bare,), (sent,) = (render(each, "m", QUESTIONS[:1], "m1") for each in (OPERATION, held))
    assert bare.request.key != sent.request.key
    assert bare.request.request_id != sent.request.request_id
    # as it was before operations had one
    assert recorded(OPERATION.sampling) == {"temperature": 0.0, "max_tokens": 16}


def test_a_key_stands_for_identity_sampling_schema_and_prompt_and_for_nothing_else() -> None:
    other_subject = replace(QUESTIONS[1], subject_id="another", case_id=None)
    assert key("m1") == key("m1", question=other_subject)
    hotter = replace(OPERATION, sampling=Sampling(temperature=1.0, max_tokens=16))
    held = replace(OPERATION, schema={"type": "integer"})
    different = [
        key("m1"),
        key("m2"),
        key("m1", hotter),
        key("m1", held),
        key("m1", question=QUESTIONS[2]),
    ]
    different += [
        key("m1", question=replace(QUESTIONS[1], occasion=occasion)) for occasion in (1, 2)
    ]
    assert len(set(different)) == 7
    assert key(None) is None
