"""The parts of the site: text that stays text, links that are right, pictures that say all."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from codegen.site import command_pages, svg
from codegen.site.document_pages import BrokenLink, Documents, home, rewritten, static_files
from codegen.site.lean import tidy
from codegen.site.links import faults
from codegen.site.markdown import Page, code, fence, prose, relative, table
from codegen.site.navigation import (
    SECTIONS,
    configured,
    in_order,
    index_of,
    section_of,
    unlisted,
)
from codegen.site.outcomes import file_of, outcome
from partwire.cli import main
from partwire.contract.resources import read_rules
from tests.fixture_cases import ROOT

DOCUMENTS = Documents(ROOT, "https://example.org/partwire")
MOST_IN_A_SECTION = 14


# --- Markdown -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("A plain sentence.", "A plain sentence."),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a *b* _c_ `d` [e](f)", r"a \*b\* \_c\_ \`d\` \[e\](f)"),
        ("a | b", "a &#124; b"),
        ("# no heading", "&#35; no heading"),
        ("1. no list", "&#49;&#46; no list"),
        ("two\nlines", "two lines"),
    ],
)
def test_prose(text: str, written: str) -> None:
    assert prose(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a.b", "`a.b`"),
        ("a|b", "<code>a&#124;b</code>"),
        ("`", "<code>&#96;</code>"),
        ("</code><b>", "<code>&#60;/code&#62;&#60;b&#62;</code>"),
        (r"^a\z", "<code>&#94;a&#92;z</code>"),
    ],
)
def test_code(text: str, written: str) -> None:
    assert code(text) == written


def test_a_fence_is_longer_than_what_it_holds() -> None:
    assert fence("a\n````\nb") == "`````text\na\n````\nb\n`````"


def test_a_table_without_rows_is_nothing() -> None:
    assert table(("a",), []) == ""
    assert table(("a", "b"), [("1", "2")]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_addresses_are_relative() -> None:
    assert relative("a/b/c.md", "a/d.md#e") == "../d.md#e"
    assert relative("index.md", "a/d.md") == "a/d.md"


def test_what_zensical_is_told_of_a_page() -> None:
    page = Page("a.md", 'a "b": c', "body\n", searched=False)
    listed, deeper = page.source(), page.source("Rules", "rules/index.md")
    assert listed == (
        '---\ntitle: "a &quot;b&quot;: c"\nsearch:\n  exclude: true\n---\n\n# a "b": c\n\nbody\n'
    )
    assert 'section: "Rules"\nindex: "rules/index.html"\n' in deeper


# --- documents ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "written", "address"),
    [
        ("docs/ci.md", "compat.md#reports", "compat.md#reports"),
        ("docs/ci.md", "../README.md", "index.md"),
        ("README.md", "docs/ci.md", "ci.md"),
        ("docs/decisions/0005-a-break-is-a-new-major.md", "../ci.md", "../ci.md"),
        ("docs/README.md", "decisions", "decisions/index.md"),
        ("docs/ci.md", "../action.yml", "https://example.org/partwire/blob/main/action.yml"),
        ("docs/ci.md", "../tests", "https://example.org/partwire/tree/main/tests"),
        ("docs/ci.md", "https://example.org/", "https://example.org/"),
        ("docs/ci.md", "#hooks", "#hooks"),
    ],
)
def test_links_of_documents(source: str, written: str, address: str) -> None:
    assert rewritten(DOCUMENTS, source, f"[a]({written})") == f"[a]({address})\n"


def test_links_to_what_is_not_published_are_text() -> None:
    documents = Documents(ROOT, "https://example.org/OWNER/partwire")
    text = "See [the\naction](../action.yml) and [CI](ci.md).\n"
    assert rewritten(documents, "docs/openapi.md", text) == "See the\naction and [CI](ci.md).\n"


def test_a_page_is_linked_by_its_title() -> None:
    title = DOCUMENTS.title("docs/inspector.md")
    assert title
    text = "[inspector.md](inspector.md), [look](inspector.md#links), [`a.md`](inspector.md)\n"
    wanted = f"[{title}](inspector.md), [look](inspector.md#links), [`a.md`](inspector.md)\n"
    assert rewritten(DOCUMENTS, "docs/ci.md", text) == wanted


def test_the_first_page_has_the_parts_of_the_readme() -> None:
    readme = "# a\n\nb\n\n```sh\nc\n```\n\n```py\nd\n```\n\nf\n\n```py\ng\n```\n\n"
    parts = "## What it does\n\nd\n\n## What has a version\n\ne\n"
    made = home(readme + parts)
    assert "\n## First steps\n\n```sh\nc\n```\n\n```py\nd\n```\n\n## " in made
    assert "\n## What it does\n\nd\n\n## " in made
    assert made.endswith("\n## What has a version\n\ne\n")
    assert "README.md:" not in made
    with pytest.raises(KeyError):
        home(readme)


def test_code_of_documents_stays_as_it_is() -> None:
    text = "`[a](b.md)`\n\n```\n[a](b.md)\n  - c\n```\n"
    assert rewritten(DOCUMENTS, "docs/ci.md", text) == text


def test_lists_within_lists_have_the_margin_that_they_need() -> None:
    text = "- a\n  - b\n\n  ```\n  c\n    d\n  ```\n"
    wanted = "- a\n    - b\n\n    ```\n    c\n      d\n    ```\n"
    assert rewritten(DOCUMENTS, "docs/ci.md", text) == wanted


def test_a_link_of_a_document_that_leads_nowhere() -> None:
    with pytest.raises(BrokenLink, match=r"docs/ci.md: gone.md is not in the repository"):
        rewritten(DOCUMENTS, "docs/ci.md", "[a](gone.md)")


def test_the_schemas_are_at_their_addresses() -> None:
    files = static_files(DOCUMENTS)
    assert files["schemas/v0.3/message/message.schema.json"].is_file()
    assert "bench.png" in files


# --- links ----------------------------------------------------------------------------------------


def test_what_is_wrong_with_a_site(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.html").write_text(
        '<p id="here"><a href="#here"><a href="../c.html"><a href="https://example.org/">'
        '<a href="#gone"><a href="gone.html"><a href="/c.html"><a href="../../c.html">'
        '<a href="../a"><script src="https://example.org/a.js"></script>'
        '<link rel="stylesheet" href="//example.org/a.css"><link rel="canonical" href="https://e.org">'
    )
    (tmp_path / "d.css").write_text("@import 'https://example.org/e.css'; a { b: url(data:c) }")
    (tmp_path / "c.html").write_text('<a href="a/b.html#here"><a href="a/b.html#there">')
    assert [str(fault) for fault in faults(tmp_path)] == [
        "d.css: https://example.org/e.css: it is fetched from elsewhere",
        "a/b.html: https://example.org/a.js: it is fetched from elsewhere",
        "a/b.html: //example.org/a.css: it is fetched from elsewhere",
        "a/b.html: #gone: there is no such place on the page",
        "a/b.html: gone.html: there is no such file",
        "a/b.html: /c.html: it is not relative",
        "a/b.html: ../../c.html: it leaves the site",
        "a/b.html: ../a: it is a folder",
        "c.html: a/b.html#there: there is no such place on the page",
    ]


# --- navigation -----------------------------------------------------------------------------------


def test_sections_are_short() -> None:
    assert len(SECTIONS) <= 6
    assert max(map(len, SECTIONS.values())) <= MOST_IN_A_SECTION


def test_a_page_that_nothing_leads_to_is_named() -> None:
    assert unlisted(["new.md", "index.md", "guides/a.md", "rules/a/b.md"]) == ["new.md"]
    assert in_order(["guides/b.md", "guides/index.md", "ci.md"])["Guides"] == [
        "guides/index.md",
        "guides/b.md",
        "ci.md",
    ]


@pytest.mark.parametrize(
    ("path", "section", "index"),
    [
        ("ci.md", "Guides", ""),
        ("guides/first-message.md", "Guides", ""),
        ("rules/stream/truncated.md", "Rules", "rules/index.md"),
        ("losses/run-id.md", "Rules", "losses/index.md"),
        ("contract/v0.3/message/Message.md", "Contract", "contract/index.md"),
        ("api/python/partwire.md", "Reference", "api/python/index.md"),
        ("decisions/0005-a-break-is-a-new-major.md", "Project", "decisions/index.md"),
        ("requirements.md", "Project", ""),
        ("new.md", "", ""),
    ],
)
def test_every_page_is_in_a_section(path: str, section: str, index: str) -> None:
    assert (section_of(path), index_of(path)) == (section, index)


def test_guides_are_apart_from_references() -> None:
    (guides,) = [
        each["Guides"] for each in configured(["ci.md", "guides/a.md"]) if "Guides" in each
    ]
    assert guides == [{"Step by step": ["guides/a.md"]}, {"By topic": ["ci.md"]}]


# --- pictures and outcomes ------------------------------------------------------------------------


def test_a_picture_has_every_state_and_every_move() -> None:
    moves = [svg.Move("a", "b", "<go>"), svg.Move("b", "b"), svg.Move("b", "c"), svg.Move("a", "c")]
    drawn = svg.picture("p", "A & B", "a to b", ["a", "b", "c"], moves)
    assert drawn.count("marker-end") == len(moves)
    assert re.findall(r"<rect x=\"(\d+)\"", drawn) == ["12", "276", "540"]
    assert '<title id="p-title">A &amp; B</title>' in drawn
    assert "&lt;go&gt;" in drawn
    assert "<script" not in drawn


def test_what_examples_come_to() -> None:
    rules = read_rules()
    bad = {rule: row["examples"]["bad"] for rule, row in rules.items() if "bad" in row["examples"]}
    document = outcome("shape/enum", bad["shape/enum"])
    assert document.command.startswith("partwire validate --type ")
    assert "[shape/enum]" in document.output
    stream = outcome("stream/start-expected", bad["stream/start-expected"])
    assert stream.command == "partwire assemble deltas.jsonl"
    assert [(each.rule, each.place) for each in stream.found] == [
        ("stream/start-expected", "line 1 /kind")
    ]
    call = outcome("usage/invalid-argument", bad["usage/invalid-argument"])
    assert (call.command, [each.rule for each in call.found]) == ("", ["usage/invalid-argument"])


def test_the_file_that_an_example_is() -> None:
    good = read_rules()["stream/start-expected"]["examples"]["good"]
    file = file_of(good)
    assert file is not None
    assert (file.name, file.type) == ("deltas.jsonl", "message.MessageDelta")
    assert [json.loads(line) for line in file.text.splitlines()] == list(file.values)
    assert file_of({**good, "input": {**good["input"], "limits": {}}}) is None
    assert file_of({"command": "partwire validate a.json"}) is None


def test_an_example_of_another_rule_shows_nothing() -> None:
    bad = read_rules()["shape/enum"]["examples"]["bad"]
    assert not outcome("stream/truncated", bad).command


# --- what browsers get ----------------------------------------------------------------------------


def test_pages_are_without_indents_and_styles_without_what_no_page_has(tmp_path: Path) -> None:
    head = "".join(
        f'  <link rel="stylesheet" href="../{name}.css">\n\n'
        for name in ("assets/stylesheets/main", "partwire")
    )
    code = "<pre>\n\n  a\n\n    <b>b</b>\n</pre>"
    for name in ("a/page.html", "index.html"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        up = head if "/" in name else head.replace("../", "")
        path.write_text(f'\n{up}  <p class="x y">\n\n    Text\n  </p>\n{code}\n  <p>\n', "utf-8")
    (tmp_path / "assets" / "stylesheets").mkdir(parents=True)
    (tmp_path / "assets" / "bundle.js").write_text('a.className = "by-script"', "utf-8")
    (tmp_path / "assets" / "stylesheets" / "main.css").write_text(
        "p{a:b}.x .y,.x .z{a:b}.z{a:b}.x:not(.z){a:b}.by-script{a:b}.x:is(.y,.z) .z{a:b}"
        "@media print{.z{a:b}}@media print{.z{a:b}.x{a:b}}[data-md-color-primary=red]{a:b}",
        "utf-8",
    )
    (tmp_path / "partwire.css").write_text(".y{c:d}", "utf-8")
    tidy(tmp_path)
    assert (tmp_path / "partwire.css").read_text("utf-8") == (
        "p{a:b}.x .y{a:b}.x:not(.z){a:b}.by-script{a:b}@media print{.x{a:b}}.y{c:d}"
    )
    assert (tmp_path / "a" / "page.html").read_text("utf-8") == (
        '<link rel="stylesheet" href="../partwire.css">\n'
        f'<p class="x y">\nText\n</p>\n{code}\n<p>\n'
    )
    assert not (tmp_path / "assets" / "stylesheets").exists()


# --- commands -------------------------------------------------------------------------------------


def test_a_command_in_two_groups_is_shown_once() -> None:
    (page,) = (each for each in command_pages.pages(main) if each.path == "cli/archive.md")
    headings = re.findall(r"^#+ (partwire .*)$", page.body, re.MULTILINE)
    assert "partwire archive plan" in headings
    assert "partwire archive assemble" in headings
    assert "partwire archive plan assemble" not in headings
