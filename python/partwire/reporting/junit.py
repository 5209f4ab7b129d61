"""JUnit XML, which CI services show as test results."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from typing import IO, Any, Final
from xml.sax.saxutils import escape, quoteattr

from ..errors import Finding
from .form import Form, Totals
from .items import STDIN, Item
from .text import finding_sentence
from .words import safe_text

__all__ = ["JUnit"]

_ILLEGAL: Final = re.compile("[\ufffe\uffff]")
_SPILL_BYTES: Final = 1 << 20


class _Suite:
    """One testsuite that is being written: its cases are in a file, since counts come first.

    What does not fail is the suite's output.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tests = self.failures = self.errors = 0
        self.cases = _spool()
        self.output = _spool()
        self.has_output = False

    def add(self, name: str, line: int | None = None, inner: str = "") -> None:
        """Add a testcase."""
        self.tests += 1
        file = quoteattr(_legal(self.name))
        at = "" if line is None else f' line="{line}"'
        head = f"<testcase classname={file} name={quoteattr(_legal(name))} file={file}{at}"
        self.cases.write(f"  {head}>{inner}</testcase>\n" if inner else f"  {head}/>\n")

    def say(self, text: str) -> None:
        """Keep what is worth a line of output."""
        self.has_output = True
        self.output.write(f"{escape(text)}\n")

    def write_output(self, write: Any) -> None:
        """Write the output as element, if there is any."""
        if self.has_output:
            write("  <system-out>")
            _copy(self.output, write)
            write("</system-out>\n")

    def close(self) -> None:
        """Take the temporary files away."""
        self.cases.close()
        self.output.close()

    def counts(self) -> str:
        """Return the attributes that say how it went."""
        return f'tests="{self.tests}" failures="{self.failures}" errors="{self.errors}" skipped="0"'


class JUnit(Form):
    """One testsuite per source, with a testcase per error; without any, one that passes.

    No case passes beside one that fails. Counts come first in XML: what is written is kept in
    temporary files till the end.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._suite: _Suite | None = None
        self._suites = _spool()
        self._tests = self._failures = self._errors = 0

    def source(self, label: str) -> None:
        """Begin a testsuite."""
        self._begin(self.head.place_of(label) or STDIN)

    def _begin(self, name: str) -> _Suite:
        self._close()
        self._suite = _Suite(name)
        return self._suite

    def _of(self, place: str | None) -> _Suite:
        name = place or STDIN
        return self._suite if self._suite and self._suite.name == name else self._begin(name)

    def item(self, item: Item) -> None:
        """Add a testcase for an error; all else is output."""
        finding = item.finding
        suite = self._of(item.place)
        text = _legal(finding_sentence(finding, item.rows))
        line = f" line {item.spot.line}" if item.spot.line else ""
        if finding.severity != "error":
            suite.say(f"{finding.severity}{line}: {text} [{finding.rule}]")
            return
        suite.failures += 1
        at = f" at {finding.pointer}" if finding.pointer else ""
        name = f"{finding.rule}{at}{line} ({item.fingerprint})"
        suite.add(name, item.spot.line, _element("failure", finding, text))

    def problem(self, finding: Finding) -> None:
        """Add a testcase that could not be run."""
        suite = self._of(self.head.place_of(finding.source))
        suite.errors += 1
        text = _legal(finding_sentence(finding))
        suite.add(finding.rule, finding.line, _element("error", finding, text))

    def _close(self) -> None:
        suite = self._suite
        if suite is None:
            return
        if not suite.tests:
            suite.add("no errors")
        self._tests += suite.tests
        self._failures += suite.failures
        self._errors += suite.errors
        name = quoteattr(_legal(suite.name))
        self._suites.write(f" <testsuite name={name} {suite.counts()}>\n")
        _copy(suite.cases, self._suites.write)
        suite.write_output(self._suites.write)
        self._suites.write(" </testsuite>\n")
        suite.close()
        self._suite = None

    def end(self, totals: Totals, details: Mapping[str, Any] | None) -> None:
        """Write it all."""
        self._close()
        name = quoteattr(f"partwire {self.head.command}")
        counts = f'tests="{self._tests}" failures="{self._failures}" errors="{self._errors}"'
        self.write('<?xml version="1.0" encoding="utf-8"?>\n')
        self.write(f"<testsuites name={name} {counts}>\n")
        _copy(self._suites, self.write)
        self.write("</testsuites>\n")

    def close(self) -> None:
        """Take the temporary files away."""
        self._suites.close()
        if self._suite is not None:
            self._suite.close()


def _spool() -> IO[str]:
    return tempfile.SpooledTemporaryFile(_SPILL_BYTES, "w+", encoding="utf-8")


def _copy(spool: IO[str], write: Any) -> None:
    spool.seek(0)
    while chunk := spool.read(_SPILL_BYTES):
        write(chunk)


def _element(tag: str, finding: Finding, text: str) -> str:
    kind, message = quoteattr(finding.rule), quoteattr(_legal(finding.message))
    return f"<{tag} type={kind} message={message}>{escape(text)}</{tag}>"


def _legal(text: str) -> str:
    """Return a text without what XML has no way to say."""
    return _ILLEGAL.sub("\ufffd", safe_text(text))
