"""The report as JUnit XML, which CI services read."""

from __future__ import annotations

import re
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from .report import Report
from .runner import Outcome, Trial

__all__ = ["junit_xml"]

_ILLEGAL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def junit_xml(report: Report) -> bytes:
    """Return one ``testsuite`` per driver and suite, and one ``testcase`` per run."""
    root = Element("testsuites", name="conformance")
    for trial in report.trial:
        if trial.started is None:
            _not_started(root, trial)
        for version, suite in report.places:
            mine = [o for o in trial.outcomes if (o.version, o.suite) == (version, suite)]
            if mine:
                _suite(root, report, trial, f"{trial.name} {version} {suite}", mine)
    if report.unexpected:
        group = SubElement(root, "testsuite", name="known failures")
        for line in report.unexpected:
            case = SubElement(group, "testcase", classname="known failures", name=_legal(line))
            SubElement(case, "failure", message=_legal(line))
    text = tostring(root, "unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _not_started(root: Element, trial: Trial) -> None:
    name = _legal(trial.name)
    suite = SubElement(root, "testsuite", name=name, tests="1", errors="1", failures="0")
    case = SubElement(suite, "testcase", classname=name, name="start")
    SubElement(case, "error", message=_legal(trial.problem))


def _suite(root: Element, report: Report, trial: Trial, name: str, outcomes: list[Outcome]) -> None:
    element = SubElement(root, "testsuite", name=_legal(name))
    tags = [_case(element, report, trial, each) for each in outcomes]
    element.set("tests", str(len(outcomes)))
    for tag, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        element.set(attribute, str(tags.count(tag)))
    element.set("time", f"{sum(each.seconds for each in outcomes):.3f}")


def _case(element: Element, report: Report, trial: Trial, outcome: Outcome) -> str:
    """Add a testcase, and return the tag that says what became of it; empty for passed."""
    place = f"{trial.name}.{outcome.version}.{outcome.suite}"
    time = f"{outcome.seconds:.3f}"
    case = SubElement(element, "testcase", classname=_legal(place), name=outcome.run, time=time)
    known = report.known.is_known(trial, outcome)
    tag = {"failed": "failure", "errored": "error", "skipped": "skipped", "passed": ""}[
        outcome.status
    ]
    if known:
        tag = "skipped"
    if tag:
        words = f"known: {outcome.detail}" if known else outcome.detail
        SubElement(case, tag, message=_legal(words))
    return tag


def _legal(text: str) -> str:
    """Return a text without what XML has no way to say."""
    return _ILLEGAL.sub("\ufffd", text)
