"""The site as `make site` builds it: everything has its page, and holds whatever a schema says."""

from __future__ import annotations

import gzip
import html
import json
import os
import posixpath
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click
import pytest

from codegen.load import load_contract, versions
from codegen.model import Contract, Enum, Family, Object, Property, Ref, Rule, String, TypeDef
from codegen.site import command_pages, document_pages, loss_pages, rule_pages, type_pages
from codegen.site.__main__ import build, write_beside, write_source
from codegen.site.__main__ import main as make_site
from codegen.site.lean import tidy
from codegen.site.markdown import Page
from codegen.site.navigation import SECTIONS, in_order, index_of, section_of
from codegen.site.outcomes import Found, Outcome
from codegen.site.places import (
    command_page,
    group_page,
    loss_page,
    rule_page,
    type_page,
    version_page,
)
from codegen.site.search_index import trim_search
from partwire.cli import main
from partwire.contract.resources import read_loss_texts, read_rules, rule_url
from partwire_testing.conformance.operations.table import OPERATIONS
from tests.examples.browser import find_browser, leave_out
from tests.fixture_cases import ROOT, SCHEMAS
from tests.site.probe import opened

pytestmark = pytest.mark.early

PYTHON: Final = ROOT / ".venv-site" / "bin" / "python"
HOSTILE: Final = (
    "</td></table><script>alert(1)</script><img src=x onerror=alert(2)> `</code>` **b** "
    '[a](javascript:alert(3)) | --- | {: onclick=alert(4) } &lt;b&gt; " onload="alert(5) \'\\'
)
Site = Path
_LINES: Final = re.MULTILINE | re.DOTALL


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return the folder of the whole site, built with the Zensical of the site's environment."""
    folder = tmp_path_factory.mktemp("site")
    command = ["make", "--no-print-directory", "-C", str(ROOT), ".venv-site/.tools"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode and "CI" not in os.environ:
        pytest.skip("the packages of requirements/site.txt cannot be installed here")
    assert made.returncode == 0, made.stderr
    folders = ["--source", str(folder / "source"), "--output", str(folder / "html")]
    assert make_site([*folders, "--python", str(PYTHON)]) == 0
    return folder / "html"


def _html(page: str) -> str:
    return f"{page.removesuffix('.md')}.html"


def _missing(site: Site, pages: Sequence[str]) -> list[str]:
    assert pages
    return [
        page for page in pages if not ((site / page).is_file() and (site / _html(page)).is_file())
    ]


# --- what is there --------------------------------------------------------------------------------


def test_every_type_of_every_version_has_its_page(site: Site) -> None:
    for version in versions(SCHEMAS):
        families = load_contract(SCHEMAS, version).families.values()
        types = {(each.file, each.name) for family in families for each in family.types.values()}
        pages = [type_page(version, *each) for each in types]
        assert _missing(site, [version_page(version), *pages]) == []


def test_every_rule_has_its_page_where_explain_says(site: Site) -> None:
    rules = read_rules()
    assert _missing(site, [rule_page(rule) for rule in rules]) == []
    assert _missing(site, [group_page(rule.partition("/")[0]) for rule in rules]) == []
    for rule, row in rules.items():
        page = site / rule_url(rule).removeprefix("https://partwire.dev/")
        text = html.unescape(page.read_text("utf-8"))
        assert all(words in text for words in (row["summary"], row["reason"])), rule
        assert row["zh"]["summary"] + row["zh"]["reason"] in text, rule


def test_what_a_rule_reports_is_on_its_page(site: Site) -> None:
    without = []
    for rule, row in read_rules().items():
        text = (site / rule_page(rule)).read_text("utf-8")
        bad = row["examples"].get("bad", {})
        ours = "operation" in bad or bad.get("command", "").startswith("partwire compat")
        if ours and "\nThis command finds it:" not in text and "\nWhat is found" not in text:
            without.append(rule)
    assert without == []


def test_every_loss_has_its_page(site: Site) -> None:
    tables = read_loss_texts()
    assert _missing(site, [loss_page(code) for table in tables.values() for code in table]) == []
    for table in tables.values():
        for code, chinese in table.items():
            assert chinese in html.unescape((site / loss_page(code)).read_text("utf-8")), code


def test_every_command_has_its_page_with_every_option(site: Site) -> None:
    context = click.Context(main)
    for name in main.list_commands(context):
        assert _missing(site, [command_page(name)]) == []
        command = main.get_command(context, name)
        assert command is not None
        text = html.unescape((site / command_page(name)).read_text("utf-8"))
        shown = [each for each in command.params if isinstance(each, click.Option)]
        assert [each.name for each in shown if each.opts[0] not in text] == []
        assert "partwire " in text


def test_every_section_of_the_navigation_has_pages(site: Site) -> None:
    pages = [path.relative_to(site).as_posix() for path in site.rglob("*.md")]
    sections = in_order(pages)
    assert list(sections) == list(SECTIONS)
    assert [name for name, found in sections.items() if len(found) < 2] == []
    home = (site / "index.html").read_text("utf-8")
    assert [name for name in sections if not re.search(rf">\s*{name}\s*<", home)] == []


def test_every_page_shows_where_it_is(site: Site) -> None:
    paths = [path for path in site.rglob("*.html") if path.name != "404.html"]
    listed = set(
        chain(
            *in_order([path.relative_to(site).as_posix() for path in site.rglob("*.md")]).values()
        )
    )
    lost = []
    for path in paths:
        name = path.relative_to(site).as_posix()
        text = path.read_text("utf-8")
        if name == "inspect/index.html":
            continue
        tabs = re.findall(r'md-tabs__item--active">\s*<a [^>]*>\s*([^<]*?)\s*</a>', text)
        _, _, sidebar = text.partition('data-md-type="navigation"')
        source = f"{name.removesuffix('.html')}.md"
        marked = re.findall(r'<a href="([^"]*)" class="md-nav__link md-nav__link--active"', sidebar)
        folder = posixpath.dirname(name)
        pages = [posixpath.normpath(posixpath.join(folder, each)) for each in marked]
        index = _html(index_of(source)) if source not in listed else name
        if tabs != [section_of(source)] or pages != [index] * (index != ".html"):
            lost.append(name)
    assert lost == []


def test_titles_of_pages_are_distinct(site: Site) -> None:
    titles: dict[str, list[str]] = {}
    for path in site.rglob("*.html"):
        (title,) = re.findall(r"<title>(.*?)</title>", path.read_text("utf-8"))[:1]
        titles.setdefault(title, []).append(path.relative_to(site).as_posix())
    assert {title: found for title, found in titles.items() if len(found) > 1} == {}


def test_a_union_shows_what_its_variants_share(site: Site) -> None:
    text = (site / "contract" / "v0.3" / "message" / "MessageDelta.md").read_text("utf-8")
    shared = text.partition("## Fields of every variant")[2].partition("## Variants")[0]
    assert re.findall(r"^\| `(\w+)`", shared, re.MULTILINE) == [
        "runId",
        "messageId",
        "turnId",
        "seq",
        "timestamp",
        "providerRaw",
    ]


def test_a_rule_shows_its_file_and_links_its_types(site: Site) -> None:
    text = (site / rule_page("stream/start-expected")).read_text("utf-8")
    good = text.partition("## What is fine")[2]
    assert good.startswith("\n\n`deltas.jsonl`, one [`MessageDelta`]")
    assert "v0.3/message/StartDelta.md)" in good
    assert '\n{"runId": "run_1", "seq": 0, "kind": "start"' in good


def test_every_operation_of_every_language_is_counted(site: Site) -> None:
    text = (site / "contract" / "matrix.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (yes \| yes \| yes) \|", text, re.MULTILINE))
    assert set(rows) == set(OPERATIONS)


def test_pictures_have_words_for_who_cannot_see_them(site: Site) -> None:
    for page, words in (("stream", "idle to started by start"), ("tool-states", "pending to run")):
        text = (site / "contract" / f"{page}.html").read_text("utf-8")
        (drawn,) = re.findall(r'<svg [^>]*role="img".*?</svg>', text, re.DOTALL)
        assert re.search(rf"<desc [^>]*>[^<]*{words}", drawn)
        assert all(f'id="{each}"' in drawn for each in re.findall(r"url\(#([\w-]+)\)", drawn))


# --- how it works ---------------------------------------------------------------------------------


def test_the_search_has_the_words_of_pages(site: Site) -> None:
    text = (site / "search-index.js").read_text("utf-8")
    items = {item["location"]: item for item in json.loads(text.removeprefix("var searchIndex = "))}
    rule = items["rules/stream/start-expected.html"]
    assert "The first delta of a stream is start." in rule["text"]
    assert "contract/v0.3/message/Message.html#fields" in items
    assert not [each for each in items if each.startswith("contract/v0.1/")]
    assert not [each for each in items if each.startswith(("bench.html#", "requirements."))]
    assert "bench.html" in items
    assert not [each for item in items.values() for each in item["path"] if "&#x27;" in each]


def test_markdown_is_beside_html_and_its_links_are_right(site: Site) -> None:
    pages = {path.with_suffix(".md") for path in site.rglob("*.html") if path.name != "404.html"}
    pages -= {site / "inspect" / "index.md"}  # the inspector is not made of Markdown
    assert {path for path in pages if not path.is_file()} == set()
    broken = []
    for page in (*pages, site / "llms.txt"):
        text = re.sub(r"^ *(`{3,}).*?^ *\1$", "", page.read_text("utf-8"), flags=_LINES)
        for address in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            parts = urlsplit(address)
            if not parts.scheme and parts.path and not (page.parent / parts.path).is_file():
                broken.append((page.relative_to(site).as_posix(), address))
    assert broken == []


def test_llms_txt_lists_what_is_current(site: Site) -> None:
    text = (site / "llms.txt").read_text("utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [*SECTIONS, "Optional"]
    listed = set(re.findall(r"\]\((\S+)\)", text))
    assert {"index.md", rule_page("shape/required"), loss_page("run-id")} <= listed
    assert not [path for path in listed if path.startswith("contract/v0.1/")]


_BUDGET: Final = 95_000
"""Bytes that a page may fetch when it is opened, as gzip, beside its pictures."""
_OPENED: Final = (
    "index.html",
    "contract/v0.3/message/Message.html",
    "guides/first-message.html",
    "inspector.html",
    "rules/stream/start-expected.html",
)


def _gzipped(site: Site, files: Iterable[str]) -> int:
    return sum(len(gzip.compress((site / file).read_bytes(), 6)) for file in files)


@pytest.mark.parametrize("page", _OPENED)
def test_a_page_needs_little(page: str, site: Site) -> None:
    text = (site / page).read_text("utf-8")
    addresses = re.findall(
        r'<(?:script|link rel="(?:stylesheet|icon)")[^>]* (?:src|href)="(.*?)"', text
    )
    folder = posixpath.dirname(page)
    needed = [posixpath.normpath(posixpath.join(folder, each)) for each in addresses]
    assert [each for each in needed if each.endswith(".css")] == ["partwire.css"]
    scripts = re.findall(r"<script [^>]*src=[^>]*>", text)
    assert [" defer" in each for each in scripts] == [True, True]
    assert _gzipped(site, [page, *needed, "search.json"]) < _BUDGET


@pytest.mark.parametrize(
    ("key", "from_files"), [('{ key: "/" }', False), ('{ key: "k", ctrlKey: true }', True)]
)
def test_the_index_is_fetched_when_the_search_is_used(
    key: str, *, from_files: bool, site: Site, tmp_path: Path
) -> None:
    browser = find_browser()
    if browser is None:
        leave_out("there is no browser")
    with opened(browser, site, "rules/index.html", tmp_path, key, from_files=from_files) as page:
        assert page.says("index") == "undefined"
        fetched = [each.removeprefix(f"{page.site}/") for each in page.says("fetched").split()]
        found = page.says("found")
    assert found == f"{page.site}/rules/stream/start-expected.html?h=start+expected"
    files = {each for each in fetched if (site / each).is_file()}
    assert from_files or {"partwire.css", "search-on-use.js", "search.json"} <= files
    assert _gzipped(site, ["rules/index.html", *files]) < _BUDGET


# --- whatever a schema says -----------------------------------------------------------------------


class _Elements(HTMLParser):
    """Names of elements with the event handlers and scripts that they have."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {name}" for name, _ in attrs if name.startswith("on")]
        self.found += [
            f"{tag} {value}"
            for name, value in attrs
            if name in ("href", "src") and "javascript:" in (value or "")
        ]
        if tag in ("script", "img"):
            self.found.append(f"{tag} {dict(attrs).get('src')}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _hostile_pages() -> Iterator[Page]:
    kind = TypeDef("Kind", "a/a.schema.json", Enum((HOSTILE,), HOSTILE), HOSTILE, {})
    held = Property(HOSTILE, String(pattern=HOSTILE, known_values=(HOSTILE,)), required=True)
    other = Property("kind", Ref("a/a.schema.json", "Kind"), required=False)
    definition = TypeDef(
        "Type",
        "a/a.schema.json",
        Object((held, other), exactly_one=((HOSTILE, "kind"),)),
        HOSTILE,
        {"properties": {HOSTILE: {"description": HOSTILE}}},
        rules=(Rule("a/b", HOSTILE, {"of": HOSTILE}),),
        examples=({HOSTILE: HOSTILE},),
    )
    family = Family("a", "", {"Kind": kind, "Type": definition})
    types = type_pages.Types([Contract("v1", "", {"a": family})])
    given = type_pages.Examples([], [(HOSTILE, HOSTILE, "a/b", HOSTILE)])
    yield from type_pages.pages(types, "v1", {"a/b": HOSTILE}, {("v1", "a.Type"): given})
    example = {"python": [HOSTILE, "```", HOSTILE]}
    row = {
        "severity": "error",
        "summary": HOSTILE,
        "reason": HOSTILE,
        "zh": {"summary": HOSTILE, "reason": HOSTILE},
        "requirements": ["C-01"],
        "examples": {"bad": example, "good": example},
    }
    found = Outcome((Found("a/b", HOSTILE, HOSTILE),), f"partwire {HOSTILE}", f"```\n{HOSTILE}")
    yield from rule_pages.pages({"a/b": row}, {"a/b": found}, [definition], "v1")
    yield from loss_pages.pages({"a": [(HOSTILE, HOSTILE, HOSTILE, HOSTILE)]}, [])
    command = click.Command(
        "c", help=f"{HOSTILE}\n\n\b\n{HOSTILE}\n", params=[click.Option(["--a"], help=HOSTILE)]
    )
    yield Page("index.md", HOSTILE, "")
    yield Page("documents.md", HOSTILE, "", HOSTILE)
    yield from command_pages.pages(click.Group("partwire", {"c": command}, help=HOSTILE))


@pytest.mark.usefixtures("site")
def test_text_of_schemas_is_text_on_the_page(tmp_path: Path) -> None:
    pages = list(_hostile_pages())
    write_source(tmp_path / "source", pages, {})
    assert build(tmp_path / "source", tmp_path / "html", str(PYTHON))
    trim_search(tmp_path / "html")
    tidy(tmp_path / "html")
    write_beside(tmp_path / "html", pages)
    shown = " ".join(HOSTILE.split())
    for page in pages:
        parser = _Elements()
        parser.feed((tmp_path / "html" / _html(page.path)).read_text("utf-8"))
        ours = [
            each
            for each in parser.found
            if not re.fullmatch(
                r"script (?:None|(?:\.{1,2}/)*(?:assets/.*|search-on-use\.js))", each
            )
        ]
        assert ours == [], page.path
        text = " ".join("".join(parser.text).split())
        if page.path.startswith("cli/"):  # what is in backquotes is code there
            text, shown = text.replace("`", ""), shown.replace("`", "")
        if page.path in ("contract/v1/a/Type.md", "rules/a/b.md", "cli/c.md", "losses/a.md"):
            assert text.count(shown) >= 2, page.path


# --- what newcomers ask ---------------------------------------------------------------------------

QUESTIONS: Final[list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("newcomers.json").read_bytes()
)
"""Questions, each with the pages that are clicked, and what is on the last of them."""


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["steps"][-1])
def test_a_question_is_answered_within_three_clicks(row: dict[str, Any], site: Site) -> None:
    page = "index.md"
    assert 1 <= len(row["steps"]) <= 3
    for step in row["steps"]:
        addresses = re.findall(r'<a\b[^>]* href="([^"#]+)', (site / _html(page)).read_text("utf-8"))
        folder = posixpath.dirname(page)
        reached = {posixpath.normpath(posixpath.join(folder, each)) for each in addresses}
        assert _html(step) in reached, f"{page} has no link to {step}"
        page = step
    assert row["answer"] in (site / page).read_text("utf-8")


def test_there_are_ten_questions() -> None:
    assert len({row["question"] for row in QUESTIONS}) == len(QUESTIONS) >= 10


# --- where it fails -------------------------------------------------------------------------------


@pytest.mark.usefixtures("site")
def test_a_broken_link_fails_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pages(_root: Path) -> Iterator[Page]:
        yield Page("index.md", "Home", "[a](ci.md#gone)\n")
        yield Page("ci.md", "CI", "\n")

    monkeypatch.setattr("codegen.site.__main__.all_pages", pages)
    folders = ["--source", str(tmp_path / "source"), "--output", str(tmp_path / "html")]
    assert make_site([*folders, "--python", str(PYTHON)]) == 1
    assert "index.html: ci.html#gone: there is no such place on the page" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (Page("new.md", "New", ""), "leads to none of: new.md"),
        (document_pages.BrokenLink("docs/a.md: b.md is not in the repository"), "docs/a.md: b.md"),
    ],
)
def test_what_is_wrong_in_the_sources_fails_the_build(
    page: Page | Exception,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def pages(_root: Path) -> Iterator[Page]:
        if isinstance(page, Exception):
            raise page
        yield page

    monkeypatch.setattr("codegen.site.__main__.all_pages", pages)
    assert make_site([]) == 1
    assert said in capsys.readouterr().err
