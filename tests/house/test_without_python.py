"""partwire without Python at hand: the container image, and the command line as one file."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

CONTAINER = "Containerfile"

pytestmark = pytest.mark.early


def instructions(root: Path) -> list[tuple[str, str]]:
    """Return what the file of the image says: instruction, its words on one line."""
    text = (root / CONTAINER).read_text("utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_is_small_and_nobodys(root: Path) -> None:
    said = instructions(root)
    stages = [rest for word, rest in said if word == "FROM"]
    assert len(stages) == 2
    assert all(re.match(r"python:3\.\d+-slim\b", each) for each in stages)
    last = dict(said[max(at for at, (word, _) in enumerate(said) if word == "FROM") :])
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", last["USER"])
    assert json.loads(last["ENTRYPOINT"]) == ["partwire"]
    assert "RUN" not in last
    assert "PYTHONDONTWRITEBYTECODE=1" in last["ENV"]


def test_the_image_is_made_of_what_the_package_is_built_from(root: Path) -> None:
    lines = (root / ".dockerignore").read_text("utf-8").splitlines()
    kept = {line[1:] for line in lines if line.startswith("!")}
    assert "*" in lines
    for path in kept:
        assert (root / path).exists(), path
    (steps,) = (rest for word, rest in instructions(root) if word == "RUN")
    assert set(re.findall(r"/src/([\w./-]+)", steps)) <= kept


@pytest.mark.slow
def test_the_steps_of_the_image_install_a_command(root: Path, tmp_path: Path) -> None:
    """As shell, since a machine of tests seldom has docker; CI runs .ci/container as well."""
    source = tmp_path / "src"
    lines = (root / ".dockerignore").read_text("utf-8").splitlines()
    for path in (line[1:] for line in lines if line.startswith("!")):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).symlink_to(root / path)
    (steps,) = (rest for word, rest in instructions(root) if word == "RUN")
    folder = tmp_path / "partwire"
    script = steps.replace("/src", str(source)).replace("/opt/partwire", str(folder))
    script = script.replace("/tmp/pins.txt", str(tmp_path / "pins.txt"))
    script = script.replace("python -m venv", f"{shlex.quote(sys.executable)} -m venv")
    done = subprocess.run(
        ["sh", "-euc", script], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    try_command(folder / "bin" / "partwire", tmp_path)


@pytest.mark.slow
def test_the_command_line_is_one_file(root: Path, tmp_path: Path) -> None:
    """Built anew, moved, and run in an empty folder without a Python in PATH."""
    done = subprocess.run(
        ["make", "--no-print-directory", "executable", f"PYTHON={sys.executable}"],
        cwd=root, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    file = tmp_path / "bin" / "partwire"
    file.parent.mkdir()
    file.write_bytes((root / "dist" / "partwire").read_bytes())
    file.chmod(0o755)
    assert file.stat().st_size < 50_000_000
    try_command(file, tmp_path)


DELTAS = (
    {"kind": "start", "payload": {"modelId": "m", "requestId": "r"}},
    {"kind": "text", "payload": {"textDelta": "Hello"}},
    {"kind": "done", "payload": {"finishReason": "stop"}},
)


def try_command(command: Path, tmp_path: Path) -> None:
    """Run a command in an empty folder, with nothing of this environment."""
    folder = tmp_path / "empty"
    folder.mkdir()

    def run(*words: str, text: str = "", status: int = 0) -> str:
        done = subprocess.run(
            [command, *words], input=text, cwd=folder, env={"TMPDIR": str(tmp_path)},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == status, (words, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stdout

    assert run("--version").startswith("partwire, version ")
    when = {"runId": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
    deltas = [{**each, **when, "seq": seq} for seq, each in enumerate(DELTAS)]
    lines = "".join(json.dumps(each) + "\n" for each in deltas)
    run("validate", "--type", "message.MessageDelta", "-", text=lines)
    run("validate", "--type", "message.MessageDelta", "-", text='{"kind":1}', status=1)
    message = json.loads(run("assemble", "-", text=lines))
    assert message["parts"][0]["payload"]["text"] == "Hello"
    assert json.loads(run("schema", "show", "message.Message"))["title"].startswith("message")
    assert "stream/truncated" in run("explain", "stream/truncated")
    (folder / "old.json").write_text('{"type": "string"}')
    (folder / "new.json").write_text('{"type": "integer"}')
    run("compat", "old.json", "new.json", status=1)
    assert {path.name for path in folder.iterdir()} == {"old.json", "new.json"}
