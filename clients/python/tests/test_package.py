"""The wheel and the source archive hold what they should, and the wheel works."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def python(*arguments: str | Path, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=HERE,
        env={**os.environ, **variables},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_packages_are_built_and_the_wheel_works(tmp_path: Path) -> None:
    python("-m", "build", "--no-isolation", "--outdir", tmp_path, PYTHONPATH="")
    wheel, archive = next(tmp_path.glob("*.whl")), next(tmp_path.glob("*.tar.gz"))
    checked = python("-m", "twine", "check", "--strict", wheel, archive)
    assert checked.count("PASSED") == 2
    with zipfile.ZipFile(wheel) as found:
        names = {name for name in found.namelist() if ".dist-info" not in name}
    files = (path for path in (HERE / "src").rglob("*") if path.is_file())
    sources = {path.relative_to(HERE / "src").as_posix() for path in files}
    assert names == {name for name in sources if "__pycache__" not in name}
    assert "nous_memory/py.typed" in names
    with tarfile.open(archive) as found_archive:
        held = {name.split("/", 1)[1] for name in found_archive.getnames() if "/" in name}
    assert {"README.md", "LICENSE", "pyproject.toml", "src/nous_memory/py.typed"} <= held
    assert not any(name.startswith("tests") for name in held)
    # The wheel alone is imported, with a client and without any extra.
    with zipfile.ZipFile(wheel) as found:
        found.extractall(tmp_path / "site")
    program = (
        "import sys, nous_memory; print(nous_memory.__file__, nous_memory.__version__); "
        "assert not {'langgraph', 'langchain_core', 'agents', 'pydantic', 'pydantic_ai', "
        "'llama_index', 'autogen_core', 'crewai'} & set(sys.modules)"
    )
    said = python("-c", program, PYTHONPATH=str(tmp_path / "site"))
    assert said.startswith(str(tmp_path))
    assert said.split()[-1] in wheel.name


def test_the_licence_is_that_of_the_project() -> None:
    assert (HERE / "LICENSE").read_bytes() == (HERE.parent.parent / "LICENSE").read_bytes()


def test_the_lock_has_a_hash_for_every_package() -> None:
    for name in ("requirements.lock", "requirements-crewai.lock"):
        lock = (HERE / name).read_text("utf-8")
        packages = [line for line in lock.splitlines() if "==" in line and not line.startswith(" ")]
        assert len(packages) > 50
        assert all(line.endswith("\\") for line in packages)
        assert lock.count("--hash=sha256:") >= len(packages)
