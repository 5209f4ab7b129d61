"""All implementations give the same on generated input; and the comparison sees what differs."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

import pytest

from partwire_testing.conformance.drawn.compare import compare, is_known
from partwire_testing.conformance.drawn.documents import document_requests
from partwire_testing.conformance.drawn.golden import CHANGES, golden_request
from partwire_testing.conformance.drawn.json_text import Speller
from partwire_testing.conformance.drawn.request import Request
from partwire_testing.conformance.drawn.run import Counts, Outcome, requests_of, run
from partwire_testing.conformance.drawn.shrink import shrunk
from partwire_testing.conformance.respondent import Answer, Driver, DriverGone
from partwire_testing.conformance.values import Json, bytes_of, text_of
from tests.conformance.drivers import need, wrong_driver
from tests.differential.__main__ import main
from tests.differential.precedence import precedence_requests
from tests.differential.tables import table_requests
from tests.differential.toolchains import LANGUAGES, QUICK, Language, command_of, start

COUNTS = Counts(documents=750, streams=150, histories=75, golden=400, lists=500)
MORE = Counts(documents=6000, streams=1200, histories=600, golden=3200, lists=4000)
SEED = int(os.environ.get("PARTWIRE_SEED", "7"))  # other ones: `make differential`

pytestmark = pytest.mark.early


@contextmanager
def drivers(*deeds: str, seconds: float = 30.0) -> Iterator[list[Driver]]:
    """Python's driver, and one for each deed that does it besides."""
    made = [start(LANGUAGES[0])]
    for number, deed in enumerate(deeds):
        made.append(Driver.start(f"wrong{number}", wrong_driver(deed), seconds=seconds))
    try:
        yield made
    finally:
        for each in made:
            each.close()


def same_on(counts: Counts, languages: Sequence[Language], seed: int) -> None:
    """Compare languages with Python, on drawn input and on the tables.

    All at once: input is drawn, and asked of Python, once. Which of them are not on this machine is
    said when the others have been compared.
    """
    ready = [each for each in languages if each.missing_tool() is None]
    for each in ready:
        need(each)
    print(f"seed {seed}")
    with ExitStack() as running:
        made = [running.enter_context(closing(start(LANGUAGES[0])))]
        # A language may be there twice: as it is released, and quickly built.
        made += [
            running.enter_context(
                closing(Driver.start(f"{each.name}-{each.target}", command_of(each)))
            )
            for each in ready
        ]
        outcome = run(made, requests_of(counts, seed))
        tables = run(made, table_requests())
        pairs = run(made, precedence_requests())
    assert not outcome.kinds, f"seed {seed}\n" + "\n".join(map(str, outcome.found))
    assert not tables.kinds, "\n".join(map(str, tables.found))
    assert not pairs.kinds, "\n".join(map(str, pairs.found))
    for seen, least in ((outcome, sum(counts.each)), (tables, 2500), (pairs, 150)):
        assert not seen.skipped
        assert [seen.answered[each.name] for each in made] == [seen.asked.total()] * len(made)
        assert seen.asked.total() > least
    for each in languages:
        need(each)


def test_every_language_gives_the_same() -> None:
    same_on(COUNTS, QUICK[1:], SEED)


# As it is released, and with all features: what the jsonschema crate says is compared, too.
@pytest.mark.slow
def test_every_language_gives_the_same_on_more() -> None:
    """On input that `make test` has not drawn."""
    quick = [each for each in QUICK if each not in LANGUAGES]
    same_on(MORE, [*LANGUAGES[1:], *quick], SEED + 1)


@pytest.mark.parametrize("language", QUICK, ids=[each.name for each in QUICK])
def test_a_string_among_converted_documents_is_a_value(language: Language) -> None:
    """No driver takes it for JSON text, as a caller's own string would be."""
    need(language)
    texts = ['""', '"{}"', '[""]', '["{}"]', '["\\r\\n"]']
    given = {"type": "message.Message", "to": "session"}
    asked = [Request("convert", "v0.2", {"document": each, **given}) for each in texts]
    made = start(language)
    try:
        answers = made.ask(asked)
    finally:
        made.close()
    assert [each.result["error"]["rule"] for each in answers] == ["shape/type"] * len(texts)


def test_the_tables_are_asked_for_entry_by_entry() -> None:
    """A driver that has lost one entry, or has one more, is found."""
    lost = (
        "result['deltas'][-1]['payload'].update(finishReason='stop') "
        "if given.get('api') == 'gemini' and 'of_its_own' in given['input'] else None"
    )
    with drivers(lost) as made:
        outcome = run(made, table_requests(), shrink=False)
    assert {each.request.given["api"] for each in outcome.found} == {"gemini"}


DEEDS = {
    "forgets opaque data": "[part['payload'].pop('opaque', None) for part in "
    "result.get('message', {{}}).get('parts', ())]",
    "other severity": "[each.update(severity='info') for each in result.get('findings', ())]",
    "other order": "result.get('findings', []).reverse()",
    "rounds": "result.get('value', {{}}).pop('cost', None) "
    "if isinstance(result.get('value'), dict) else None",
    "other pointer": "result.get('error', {{}}).update(pointer='/x')",
    "no error at all": "1 / len(given.get('messages', 'x'))",
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=list(DEEDS))
def test_one_wrong_driver_is_found(deed: str) -> None:
    requests = requests_of(Counts(documents=300, streams=120, histories=60, golden=0), seed=1)
    with drivers(deed.replace("{{}}", "{}")) as made:
        outcome = run(made, requests, shrink=False)
    assert outcome.kinds
    assert all("wrong0" in each.key for each in outcome.found)


def test_a_difference_is_shrunk_to_what_it_needs() -> None:
    deed = "result.update(findings=[]) if '__proto__' in str(given.get('document')) else None"
    with drivers(deed) as made:
        outcome = run(
            made, [*_asked("validate", '{"__proto__": {"a": [1, 2]}, "b": "long", "c": 7}')]
        )
    (found,) = outcome.found
    assert found.request.given["document"] == '{"__proto__":{}}'
    assert found.results["wrong0"] == {"findings": []}
    assert json.loads(found.line())["operation"] == "validate"


def _asked(operation: str, *documents: str) -> list[Request]:
    kind = "message.ToolCall"
    return [Request(operation, "v0.2", {"type": kind, "document": each}) for each in documents]


@pytest.mark.slow
def test_a_driver_that_dies_or_hangs_is_told_of_and_asked_on() -> None:
    texts = ["{}", "die", "[]", "hang", '"x"']
    die = (
        "(__import__('atexit').register(__import__('time').sleep, 1), __import__('os').close(1), "
        "sys.exit(3)) if given.get('document') == 'die' else None"
    )
    hang = "__import__('time').sleep(600) if given.get('document') == 'hang' else None"
    with drivers(die, hang, seconds=15.0) as (_, dying, hanging):
        answers = [driver.ask(_asked("validate", *texts)) for driver in (dying, hanging)]
    kinds = [[answer.status for answer in row] for row in answers]
    assert kinds[0] == ["result", "errored", "result", "result", "result"]
    assert kinds[1] == ["result", "result", "result", "errored", "result"]
    assert "ended with status 3" in answers[0][1].detail
    assert "no answer" in answers[1][3].detail


def test_what_is_no_driver_is_told() -> None:
    for command in (["no-such-program"], [sys.executable, "-c", "print('hello')"]):
        with pytest.raises(DriverGone):
            Driver.start("none", command, seconds=20.0)


def _compared(operation: str, *results: Json, **given: Any) -> str | None:
    answers = {f"d{n}": Answer("result", each) for n, each in enumerate(results)}
    split = compare(Request(operation, "v0.2", given), answers)
    return None if split is None else split.key


def test_results_are_compared_by_canonical_form() -> None:
    assert _compared("read", {"value": {"a": 1, "b": 2.0}}, {"value": {"b": 2, "a": 1.0}}) is None
    assert _compared("read", {"value": -0.0}, {"value": 0}) is None
    assert _compared("read", {"value": 2**53 + 1}, {"value": 2.0**53}) is None
    assert _compared("read", {"value": True}, {"value": 1}) is not None
    assert _compared("read", {"value": None}, {}) is not None
    assert _compared("read", {"value": "\u00e9"}, {"value": "e\u0301"}) is not None
    row = {"rule": "a/b", "pointer": "", "severity": "error"}
    other = row | {"severity": "info"}
    assert _compared("validate", {"findings": [row]}, {"findings": [other]}) is not None
    key = _compared("validate", {"findings": [row]}, {"findings": []})
    assert key == "validate d0 / d1 at /findings/*: a/b ≠ nothing"


def test_only_the_order_of_index_names_is_known() -> None:
    def known(document: str, *rows: tuple[str, str]) -> bool:
        answers = {
            str(number): Answer(
                "result", {"findings": [{"rule": rule, "pointer": pointer, "severity": "error"}]}
            )
            for number, (rule, pointer) in enumerate(rows)
        }
        request = Request("validate", "v0.2", {"document": document})
        split = compare(request, answers)
        return split is not None and is_known(request, split)

    deep, huge = ("document/too-deep", ""), ("document/not-finite", "/0")
    assert known('{"a": [], "0": 1e400}', deep, huge)
    assert known('{"a": [], "\\u0030" : 1e400}', deep, huge)
    assert not known('{"a": [], "b": 1e400}', deep, huge)
    assert not known('{"0": 1e400}', deep, ("shape/type", ""))
    assert not known('{"0": 1}', ("shape/null", "/0"), ("shape/type", "/0"))


def test_only_the_spelling_of_numbers_in_a_text_is_known() -> None:
    def known(*texts: str) -> bool:
        answers = {
            str(number): Answer("result", {"items": [{"argsTextDelta": text}]})
            for number, text in enumerate(texts)
        }
        request = Request("adapt", "v0.2", {"input": "data: {}"})
        split = compare(request, answers)
        return split is not None and is_known(request, split)

    assert known('{"a":[1.0,-0.0,1e16,1e21]}', '{"a":[1,0,10000000000000000,1e+21]}')
    assert not known('{"a":1}', '{"a":2}')
    assert not known('{"a":1}', '{"a": 1}')
    assert not known('{"a":"1.0"}', '{"a":"1"}')
    assert not known('{"a":"\\"1.0"}', '{"a":"\\"1"}')
    assert not known("1.0", "1")

    limited = {"limits": {"arguments_bytes": 7}}
    answers = {"d0": Answer("result", {"error": {"line": 1}})}
    answers["d1"] = Answer("result", {"error": {"line": 2}})
    for operation, chunk, due in (
        ("collect", '{"parameters":{"a":0.0}}', True),
        ("collect", '{"parameters":{"a":0}}', False),
        ("assemble", '{"parameters":{"a":0.0}}', False),
    ):
        request = Request(operation, "v0.2", {"chunks": [chunk], **limited})
        split = compare(request, answers)
        assert split is not None
        assert is_known(request, split) == due


def test_lines_of_a_history_are_compared_as_they_stand() -> None:
    given = {"messages": ['{"a": 1}', '{"b":1}']}
    assert (
        _compared(
            "repair_history", {"messages": ['{"c":1 }']}, {"messages": ['{"c": 1.0}']}, **given
        )
        is None
    )
    assert (
        _compared("repair_history", {"messages": ['{"a": 1}']}, {"messages": ['{"a":1}']}, **given)
        is not None
    )
    state = {"before": {"status": "pending"}}
    assert _compared("transition", {"same": True, **state}, {"same": True}) is None


def test_input_is_a_function_of_the_seed_and_the_share_of_a_job() -> None:
    counts = Counts(documents=60, streams=30, histories=15, golden=40, lists=20)
    whole = list(requests_of(counts, 7))
    assert whole == list(requests_of(counts, 7))
    assert whole != list(requests_of(counts, 8))
    shares = [each for shard in range(3) for each in requests_of(counts, 7, shard, 3)]
    assert sorted(map(str, shares)) == sorted(map(str, whole))


def test_golden_cases_are_changed_in_every_operation() -> None:
    """Of each operation some are refused and some are not, and the driver fails at none."""
    asked = [golden_request(1, number) for number in range(800)]
    with drivers() as (python,):
        answers = python.ask(asked)
    assert [answer for answer in answers if answer.status != "result"] == []
    refused = {operation: [0, 0] for operation in CHANGES}
    for request, answer in zip(asked, answers, strict=True):
        refused[request.operation]["error" in answer.result] += 1
    assert refused.pop("adapt")[1] == 0  # whatever a provider sends
    assert {name: row for name, row in refused.items() if min(row) < 5} == {}


def test_documents_are_of_every_kind() -> None:
    """Every public type, valid ones and others, and the words that break careless readers."""
    asked = [document_requests(1, number)[0] for number in range(3000)]
    texts = [bytes_of(each.given["document"]) for each in asked]
    for piece in (b"__proto__", b"constructor", b"toString", b"1e400", b"NaN", b"\xef\xbb\xbf"):
        assert any(piece in text for text in texts), piece
    for piece in (b"\xff", b"\xed\xa0", b"\\ud83d", b"9007199254740993", b"[" * 513, b"\0", b"-0"):
        assert any(piece in text for text in texts), piece
    with drivers() as (python,):
        answers = python.ask(asked)
    valid = sum(answer.result == {"findings": []} for answer in answers)
    assert 600 < valid < 1800
    rules = {row["rule"] for answer in answers for row in answer.result["findings"][:1]}
    assert len(rules) > 15


def test_what_is_not_broken_is_json() -> None:
    rng = random.Random(1)
    read = 0
    for _ in range(500):
        text = Speller(rng, 0.2, broken=False).data({"a": [1, "é", {"b": None}], "c": 0.5})
        with suppress(RecursionError):
            json.loads(text, parse_int=float)  # an integer may have 5,000 digits
            read += 1
    assert read > 400


def test_shrinking_ends_and_keeps_what_shows() -> None:
    lines = [text_of(json.dumps({"n": n, "text": "x" * n}).encode()) for n in range(20)]
    request = Request("assemble", "v0.2", {"deltas": lines, "mode": "tolerant", "progress": True})

    def shows(candidate: Request) -> bool:
        return any("7" in str(line) for line in candidate.given["deltas"])

    assert shrunk(request, shows).given == {"deltas": ["7"]}


def test_the_command_tells_what_was_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--no-build", "--documents", "5", "--streams", "2", "--histories", "1"]
    names = [f"--without={language.name}" for language in LANGUAGES[1:]]
    assert main([*arguments, "--seed", "1", *names]) == 2  # nobody to compare with
    told = capsys.readouterr().out
    assert "left out: typescript: not wanted; rust: not wanted" in told


def test_outcomes_of_jobs_add_up() -> None:
    one, other = Outcome(), Outcome()
    one.asked["read"] += 2
    other.asked["read"] += 3
    one.kinds["a"] += 1
    other.kinds["a"] += 1
    one.add(other)
    assert (one.asked["read"], one.kinds["a"]) == (5, 2)
