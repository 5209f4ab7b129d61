"""The chat adapter's tool calls: which piece belongs to which call, in all that vendors send."""

from __future__ import annotations

from partwire.providers import OpaqueItem
from tests.providers.chat_chunks import call, calls, chunk, finished, made, run, usage


def test_a_known_id_belongs_to_its_call_whatever_the_index() -> None:
    ran = finished(calls(call(0, "a", "f", '{"x"')), calls(call(3, "a", None, ":1}")))
    assert made(ran) == [("a", "f", {"x": 1})]


def test_a_known_id_with_a_name_at_a_new_index_is_another_call() -> None:
    """TCI-06: one constant id for all parallel calls."""
    ran = finished(
        calls(call(0, "a", "f", '{"x":1')),
        calls(call(1, "a", "f", '{"x"')),
        calls(call(1, "a", None, ":2}")),
        calls(call(0, "a", None, "}")),
    )
    assert made(ran) == [("a", "f", {"x": 1}), ("call_c1_1", "f", {"x": 2})]
    assert ran.adapter.provider_ids == {"call_c1_1": "a"}


def test_arguments_of_a_collided_call_may_come_at_the_next_index() -> None:
    ran = finished(
        calls(call(0, "a", "f", '{"x":1}')),
        calls(call(0, "b", "g", "")),
        calls(call(1, None, None, '{"y":')),
        calls(call(1, None, None, "2}")),
    )
    assert made(ran) == [("a", "f", {"x": 1}), ("b", "g", {"y": 2})]


def test_an_older_call_on_a_shared_index_is_found_by_its_id() -> None:
    ran = finished(
        calls(call(0, "a", "f", '{"x"')),
        calls(call(0, "b", "f", '{"x"')),
        calls(call(0, "a", None, ":1}")),
        calls(call(0, "b", None, ":2}")),
    )
    assert made(ran) == [("a", "f", {"x": 1}), ("b", "f", {"x": 2})]


def test_without_id_another_name_on_the_index_is_another_call() -> None:
    ran = finished(calls(call(0, None, "f", "{}")), calls(call(0, None, "g", "{}")))
    assert [name for _, name, _ in made(ran)] == ["f", "g"]


def test_without_index_and_id_a_name_opens_a_call() -> None:
    """TCI-11."""
    ran = finished(
        calls(call(None, None, "f", '{"x"')),
        calls(call(None, None, None, ":1}")),
        calls(call(None, None, "f", "{}")),
    )
    assert [(name, args) for _, name, args in made(ran)] == [("f", {"x": 1}), ("f", {})]


def test_one_id_twice_in_one_chunk_is_two_calls() -> None:
    """TCI-18."""
    ran = finished(calls(call(None, "x", "f", "{}"), call(None, "x", "f", "{}")))
    assert len(made(ran)) == 2


def test_the_same_id_and_name_again_is_the_same_call() -> None:
    """TCI-03."""
    ran = finished(*[calls(call(None, "x", "f", part)) for part in ('{"a"', ":1", "}")])
    assert made(ran) == [("x", "f", {"a": 1})]


def test_an_id_may_come_late() -> None:
    ran = finished(calls(call(0, None, "f", '{"a"')), calls(call(0, "x", None, ":1}")))
    assert made(ran) == [("call_c1_0", "f", {"a": 1})]


def test_the_function_layer_may_be_missing() -> None:
    entry = {"index": 0, "id": "a", "name": "f", "arguments": "{}"}
    assert made(finished(calls(entry))) == [("a", "f", {})]


def test_a_custom_tools_input_is_raw_text() -> None:
    entry = {
        "index": 0,
        "id": "a",
        "type": "custom",
        "custom": {"name": "sql", "input": "SELECT 1"},
    }
    ran = finished(calls(entry))
    assert made(ran) == [("a", "sql", "SELECT 1")]
    assert ran.rules == ["adapter/unsupported-content"]


def test_an_index_may_be_a_string_of_digits() -> None:
    ran = finished(calls(call("1", "a", "f", '{"x"')), calls(call(1, None, None, ":1}")))
    assert made(ran) == [("a", "f", {"x": 1})]


def test_tool_calls_that_are_no_list() -> None:
    ran = finished(chunk({"tool_calls": call(0, "a", "f", "{}")}), chunk({"tool_calls": "x"}))
    assert made(ran) == [("a", "f", {})]
    assert set(ran.rules) == {"adapter/invalid-event"}


def test_arguments_between_text_end_no_part() -> None:
    ran = finished(
        calls(call(0, "a", "f", "{")),
        chunk({"content": "b"}, citations=["x"]),
        usage(prompt_tokens=1, completion_tokens=1),
        calls(call(0, None, None, "}")),
        usage(prompt_tokens=1, completion_tokens=2),
        chunk({"content": "c"}),
    )
    assert [part["kind"] for part in ran.parts] == ["tool_call", "text"]
    assert ran.adapter.opaque == [OpaqueItem("citations", ["x"], 1, 2, 2)]
    assert [kind for kind in ran.kinds[3:] if kind != "usage"][:3] == [
        "text",
        "tool_call_args",
        "text",
    ]


def test_no_call_ends_before_the_stream() -> None:
    """ARG-12: at every split of the arguments the call stays open until the end."""
    text = '{"query":"t"} '
    for at in range(len(text) + 1):
        ran = finished(
            calls(call(0, "a", "f", text[:at])), calls(call(0, None, None, text[at:])), usage()
        )
        assert ran.kinds[-2:] == ["tool_call_end", "done"]
        assert made(ran) == [("a", "f", {"query": "t"})]


def test_a_cut_leaves_calls_open() -> None:
    """ARG-11."""
    ran = run(calls(call(0, "a", "f", '{"host":"h"}')))
    assert ran.parts == []
    assert "tool_call_end" not in ran.kinds


def test_pieces_of_an_unnamed_call_are_kept_beside() -> None:
    ran = finished(calls(call(0, "a", None, '{"x"')), calls(call(0, None, None, ":1}")))
    assert ran.adapter.opaque == [
        OpaqueItem("unnamed_tool_call", {"id": "a", "arguments": '{"x":1}'}, 0, 0, 0)
    ]


def test_arguments_that_grow_only_once_are_told_at_the_end() -> None:
    ran = finished(calls(call(0, "a", "f", '{"x"')), calls(call(0, None, None, '{"x":1}')))
    assert made(ran) == [("a", "f", {"x": 1})]
    assert ran.rules == ["adapter/cumulative-arguments"]
    cut = finished(calls(call(0, "a", "f", '{"x"')), calls(call(0, None, None, '{"x":')))
    assert made(cut) == [("a", "f", '{"x"{"x":')]
    assert cut.rules == []


def test_arguments_that_are_no_json_value_are_left_out() -> None:
    ran = finished(calls(call(0, "a", "f", {"x": {1, 2}})))
    assert made(ran) == [("a", "f", {})]
    assert ran.rules == ["adapter/invalid-event"]


def test_growing_arguments_before_the_name_are_taken_apart_as_well() -> None:
    ran = finished(
        calls(call(0, "a", None, '{"x"')),
        calls(call(0, "a", None, '{"x":1')),
        calls(call(0, "a", "f", '{"x":1}')),
    )
    assert made(ran) == [("a", "f", {"x": 1})]
