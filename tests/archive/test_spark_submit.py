"""The recipe of the guide for a cluster: how partwire gets to executors that do not have it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.archive.made import assembled, expected, make, write
from tests.archive.spark_driver import environment
from tests.patience import PATIENCE

pyspark = pytest.importorskip("pyspark", reason="pip install 'partwire[spark]'")

pytestmark = [pytest.mark.slow, pytest.mark.early]

_ROOT = Path(__file__).resolve().parents[2]
_GUIDE = _ROOT / "docs" / "guides" / "assemble-on-spark.md"
_MASTER = "spark://HOST:7077"


def test_the_recipe_of_the_guide_brings_partwire_to_executors(tmp_path: Path) -> None:
    guide = _GUIDE.read_text("utf-8")
    (script,) = re.findall(r'```python title="run.py"\n(.*?)```', guide, re.DOTALL)
    blocks = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
    (recipe,) = (block for block in blocks if _MASTER in block)
    source, target = write(tmp_path / "source", make(51, 40)), tmp_path / "target"
    for said, meant in (
        ("--target partwire-site partwire", f"--no-build-isolation --target partwire-site {_ROOT}"),
        ("pip install", f"{sys.executable} -m pip install -q"),
        (_MASTER, "'local-cluster[2,1,1024]'"),
        ("spark-submit --", f"{Path(pyspark.__file__).parent}/bin/spark-submit --"),
        ("SRC DST", f"{source} {target}"),
    ):
        assert said in recipe
        recipe = recipe.replace(said, meant)
    (tmp_path / "run.py").write_text(script)
    env = environment()
    del env["PYTHONPATH"]  # that of this checkout
    run = subprocess.run(
        ["/bin/sh", "-ec", recipe],
        cwd=tmp_path,
        env={**env, "PYSPARK_DRIVER_PYTHON": sys.executable, "PARTWIRE_NATIVE": "0"},
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert assembled(target) == expected(source, tmp_path)
