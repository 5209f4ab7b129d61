"""The forms of a report without a command line: streaming, hostile text, unknown rules."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Iterable
from xml.etree import ElementTree

import pytest

from partwire.errors import Finding, ReadError
from partwire.reporting import FORMATS, Head, Report, Totals, form_of
from partwire.reporting.text import statistics_text, summary_text
from tests.reporting.report_runs import HOSTILE, checked, sarif_faults

HEAD = Head("validate", "1.2.3", "v0.2", "/work")
MANY = 5_000


def written(form: str, findings: Iterable[Finding], problems: Iterable[Finding] = ()) -> str:
    """Return what a form writes; what it writes is one text of any number of pieces."""
    pieces: list[str] = []
    report = Report(form_of(form)(pieces.append, HEAD))
    for finding in findings:
        report.add(finding)
    for problem in problems:
        report.cannot_read(ReadError(problem))
    report.end()
    report.form.close()
    return "".join(pieces)


def hostile() -> list[Finding]:
    """Findings that have each hostile text in every member that a document or a name fills."""
    return [
        Finding("shape/type", text, f"/{text}", "error", text, text, text, 1) for text in HOSTILE
    ]


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_findings_are_not_kept(form: str) -> None:
    report = Report(form_of(form)(lambda _text: None, HEAD))
    few = Finding("shape/type", "No", "/a", "error", "a string", "x", "a.jsonl", 1)
    for _ in range(100):
        report.add(few)
    tracemalloc.start()
    for number in range(MANY):
        report.add(few._replace(line=number + 2, actual=str(number)))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    report.end()
    report.form.close()
    assert report.totals.errors == MANY + 100
    # To keep them all would take 5 MB and more. JUnit has up to 1 MiB in memory before it writes
    # to disk, GitLab's form a number per finding.
    most = {"junit": 3 << 20, "gitlab": 200 * MANY}.get(form, 1 << 19)
    assert kept < most


@pytest.mark.parametrize("form", ["json", "github", "text", "gitlab", "sarif"])
def test_a_finding_is_written_before_the_next_one_comes(form: str) -> None:
    pieces: list[str] = []
    report = Report(form_of(form)(pieces.append, HEAD))
    report.add(Finding("shape/type", "The first", "/a"))
    assert "The first" in "".join(pieces)
    report.form.close()


# --- hostile text ---------------------------------------------------------------------------------


def test_no_form_is_broken_by_what_it_tells() -> None:
    found = hostile()
    assert len(checked(written("json", found, found))["findings"]) == len(found)
    log = json.loads(written("sarif", found, found))
    assert sarif_faults(log) == []
    assert len(log["runs"][0]["results"]) == len(found)
    assert len(json.loads(written("gitlab", found, found))) == len(found)
    root = ElementTree.fromstring(written("junit", found, found))
    assert (root.get("failures"), root.get("errors")) == (str(len(found)), str(len(found)))
    assert len(root.findall("testsuite/testcase/failure")) == len(found)
    for line in written("github", found).splitlines():
        assert line.startswith("::error file=")
    for line in written("text", found).splitlines():
        assert not line.lstrip().startswith("::")


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_written_can_be_encoded_and_steers_nothing(form: str) -> None:
    text = written(form, hostile(), hostile())
    text.encode("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]", text)
    if form in ("text", "github", "junit"):
        assert not re.search(r"[\x80-\x9f\u2028-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("form", FORMATS)
def test_findings_without_a_place_are_told(form: str) -> None:
    assert "Somewhere" in written(form, [Finding("shape/type", "Somewhere")])


def test_a_rule_that_is_in_no_table_is_told_all_the_same() -> None:
    log = json.loads(written("sarif", [Finding("my/own-rule", "No", severity="info")]))
    assert sarif_faults(log) == []
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("my/own-rule", "my/own-rule")


def test_files_elsewhere_and_on_odd_paths_have_uris() -> None:
    places = ["/work/a b#c?.json", "/elsewhere/ü.json", "sub/../a%20.json", "\udcff.json"]
    log = json.loads(written("sarif", [Finding("shape/type", "No", source=at) for at in places]))
    assert sarif_faults(log) == []
    found = [
        each["locations"][0]["physicalLocation"]["artifactLocation"]
        for each in log["runs"][0]["results"]
    ]
    assert [each["uri"] for each in found] == [
        "a%20b%23c%3F.json",
        "file:///elsewhere/%C3%BC.json",
        "a%2520.json",
        "%FF.json",
    ]
    assert ["uriBaseId" in each for each in found] == [True, False, True, True]


def test_a_colon_in_a_name_is_no_scheme() -> None:
    log = json.loads(written("sarif", [Finding("shape/type", "No", source="c:d.json")]))
    (result,) = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "c%3Ad.json"


# --- in words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("totals", "text"),
    [
        (Totals(), "0 documents in 0 sources: valid"),
        (Totals(1, 1), "1 document in 1 source: valid"),
        (Totals(2, 1_000, errors=1), "1,000 documents in 2 sources: 1 error"),
        (Totals(1, 2, errors=2, warnings=1, infos=1), "2 errors, 2 warnings"),
        (Totals(1, 2, ignored=3, accepted=4), "valid, 3 ignored, 4 accepted"),
        (Totals(1, 2, unreadable=1), "no errors, 1 unreadable source"),
    ],
    ids=range(6),
)
def test_a_run_in_one_line(totals: Totals, text: str) -> None:
    assert summary_text(totals).endswith(text)


def test_statistics_begin_with_what_is_most_frequent() -> None:
    counts = {"shape/type": 2, "shape/enum": 1_000, "shape/aaa": 2}
    assert statistics_text(Totals(statistics=counts)) == (
        "1,000  shape/enum\n    2  shape/aaa\n    2  shape/type\n"
    )
    assert statistics_text(Totals()) == ""


def test_what_fails_without_findings_has_not_passed() -> None:
    assert Totals().passed
    assert not Totals(failed=True).passed
    assert not Totals(errors=1).passed
    assert not Totals(unreadable=1).passed
    assert Totals(warnings=1).passed
