"""Runs all checks of the Python client: python clients/python/tests/run.py [PYTEST ARGUMENTS]

Makes an environment in `.cache/python` from `requirements.lock`, if it is not there, and runs ruff,
mypy, pyright and pytest in it. The part for CrewAI, which needs older packages, has an environment
of its own, from `requirements-crewai.lock`. Writes JUnit XML to `.cache/reports/python.xml` and
`python-crewai.xml`. The server has to be built. `--generate` writes what is generated instead: see
scripts/generate.py. `--client` runs the tests of the client itself alone, and needs few packages.
Any Python runs this file; it finds one from 3.10 on, which the variable PYTHON may name.
"""

from __future__ import print_function  # an old Python reaches the sentence about its age

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(HERE))
CACHE = os.path.join(ROOT, ".cache")
REPORT = os.path.join(CACHE, "reports", "python.xml")
LOCK = os.path.join(HERE, "requirements.lock")
CREWAI_LOCK = os.path.join(HERE, "requirements-crewai.lock")
OF_CREWAI = [
    "src/nous_memory/crewai.py",
    "tests/fakes_crewai.py",
    "tests/test_crewai.py",
    "examples/crewai_memory.py",
]
# The tests of the client itself, and the packages of requirements.lock that they need.
OF_CLIENT = [
    "tests/test_%s.py" % name for name in ("client", "follow", "generated", "local", "retries")
]
PACKAGES_OF_CLIENT = [
    "anyio", "attrs", "certifi", "exceptiongroup", "h11", "httpcore", "httpx", "idna",
    "iniconfig", "msgspec", "outcome", "packaging", "pluggy", "pygments", "pytest", "ruff",
    "sniffio", "sortedcontainers", "tomli", "trio", "typing-extensions",
]  # fmt: skip
NO_TESTS = 5  # pytest's word for arguments that name none
OLDEST = (3, 10)
NAMES = ["python3.13", "python3.14", "python3.12", "python3.11", "python3.10", "python3", "python"]
ASK = "import sys, ensurepip, venv; print('%d.%d.%d' % sys.version_info[:3])"


def fail(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(1)


def version_of(program):
    """Returns the version of a Python as numbers, or None if it does not run or makes no venv."""
    try:
        said = subprocess.check_output([program, "-c", ASK], stderr=subprocess.STDOUT)
    except (OSError, subprocess.CalledProcessError):
        return None
    try:
        return tuple(int(part) for part in said.decode().strip().split("."))
    except ValueError:
        return None


def found_python():
    """Returns a Python from 3.10 on, with its version."""
    given = os.environ.get("PYTHON")
    pyenv = os.path.join(
        os.environ.get("PYENV_ROOT", os.path.join(os.path.expanduser("~"), ".pyenv")), "versions"
    )
    versions = sorted(os.listdir(pyenv), reverse=True) if os.path.isdir(pyenv) else []
    of_pyenv = [os.path.join(pyenv, name, "bin", "python") for name in versions]
    for program in [given] if given else NAMES + of_pyenv + [sys.executable]:
        version = version_of(program)
        if version is not None and version >= OLDEST:
            return program, version
    fail(
        "The Python client needs Python 3.10 or newer with its module venv (on Debian the package "
        "python3-venv): install one, or name it by the variable PYTHON."
    )
    return "", ()


def part_of(lock, packages):
    """Returns the part of a lock's text that pins some packages."""
    pins = re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.M)
    return "".join(pin for pin in pins if pin.partition("==")[0] in packages)


def environment(program, version, lock=LOCK, packages=None):
    """Returns the folder of the programs of an environment with some packages of a lock, or all."""
    with open(lock) as file:
        text = file.read()
    if packages is not None:
        text = part_of(text, packages)
    named = hashlib.sha256(text.encode()).hexdigest()[:12]
    name = "%d.%d.%d-%s" % (version + (named,))
    place = os.path.join(CACHE, "python", name)
    programs = os.path.join(place, "Scripts" if os.name == "nt" else "bin")
    done = os.path.join(place, "done")
    if not os.path.exists(done):
        print("Python client: makes its environment in %s" % place)
        shutil.rmtree(place, ignore_errors=True)
        python = os.path.join(programs, "python")
        pip = [
            python,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
            "--no-deps",
        ]
        must([program, "-m", "venv", place])
        pins = os.path.join(place, "requirements.lock")
        with open(pins, "w") as file:
            file.write(text)
        must(pip + ["--require-hashes", "--only-binary", ":all:", "-r", pins])
        with open(done, "w"):
            pass
    return programs


def must(command, **options):
    code = subprocess.call(command, **options)
    if code != 0:
        fail("This failed with %d: %s" % (code, " ".join(command)))


def node():
    """Returns the path of the Node that runs the server and pyright."""
    program = shutil.which("node") if hasattr(shutil, "which") else None
    if program is None:
        fail(
            "The tests of the Python client start the server: put Node 24.15 or newer on the PATH."
        )
    return program


def main(arguments):
    program, version = found_python()
    node()
    is_client = arguments[:1] == ["--client"]
    if is_client:
        arguments = OF_CLIENT + arguments[1:]
    programs = environment(program, version, packages=PACKAGES_OF_CLIENT if is_client else None)
    python = os.path.join(programs, "python")
    if arguments[:1] == ["--generate"]:
        generator = os.path.join(HERE, "scripts", "generate.py")
        surroundings = dict(os.environ, PYTHONPATH=os.path.join(HERE, "src"))
        return subprocess.call([python, generator] + arguments[1:], env=surroundings)
    if not os.path.isdir(os.path.dirname(REPORT)):
        os.makedirs(os.path.dirname(REPORT))
    paths = [programs, os.environ.get("PATH", "")]
    surroundings = dict(
        os.environ,
        PATH=os.pathsep.join(paths),
        PYTHONPATH=os.path.join(HERE, "src"),
        PYTHONDONTWRITEBYTECODE="1",
        # The package has the program of its own version, and does not ask for newer ones.
        PYRIGHT_PYTHON_IGNORE_WARNINGS="1",
    )
    cache = os.path.join(CACHE, "python")
    # Each commit of a server syncs: its data is in memory, if there is room.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    data = tempfile.mkdtemp(prefix="nous-python-", dir=memory)
    # CrewAI makes a folder, by default in that of the user.
    surroundings["CREWAI_STORAGE_DIR"] = data + "-own"
    checks = [
        ("ruff format", ["ruff", "format", "--check", "--quiet", "--no-cache", "."]),
        ("ruff check", ["ruff", "check", "--quiet", "--no-cache", "."]),
        ("mypy", ["mypy", "--no-error-summary", "--cache-dir", os.path.join(cache, "mypy")]),
        ("pyright", ["pyright", "--pythonpath", python]),
        (
            "pytest",
            [
                "pytest",
                "-q",
                "--junit-xml=" + REPORT,
                "--basetemp=" + data,
                "-o",
                "cache_dir=" + os.path.join(cache, "pytest"),
            ]
            + arguments,
        ),
    ]
    if is_client:
        checks = [check for check in checks if check[0] == "pytest"]
    elif version < (3, 11):
        print("mypy, pyright: not run; Pydantic AI, which files import, needs Python 3.11")
        checks = [check for check in checks if check[0] not in ("mypy", "pyright")]
    runs = [(name, python, command) for name, command in checks]
    if version < (3, 14) and not is_client:
        crewai = os.path.join(environment(program, version, CREWAI_LOCK), "python")
        types = ["--no-error-summary", "--cache-dir", os.path.join(cache, "mypy-crewai")]
        # CrewAI warns of itself.
        tests = ["-q", "-W", "default", "--disable-warnings", "--basetemp=" + data + "-crewai"]
        tests += ["--junit-xml=" + REPORT.replace(".xml", "-crewai.xml"), "-p", "no:cacheprovider"]
        runs.append(("mypy with CrewAI", crewai, ["mypy"] + types + OF_CREWAI))
        runs.append(("pytest with CrewAI", crewai, ["pytest"] + tests + arguments))
    elif not is_client:
        print("CrewAI: not tried; it needs Python 3.13 or older")
    failed = []
    for name, program, command in runs:
        begun = time.time()
        code = subprocess.call([program, "-m"] + command, cwd=HERE, env=surroundings)
        if command[0] == "pytest" and arguments and code == NO_TESTS:
            code = 0
        took = time.time() - begun
        print("%s: %s in %.1f s" % (name, "ok" if code == 0 else "FAILED", took))
        sys.stdout.flush()
        if code != 0:
            failed.append(name)
    for folder in (data, data + "-crewai", data + "-own"):
        shutil.rmtree(folder, ignore_errors=True)
    said = "failed: %s" % ", ".join(failed) if failed else "all checks passed"
    print("Python client on %s: %s" % (".".join(map(str, version)), said))
    print("Report: %s" % os.path.relpath(REPORT, ROOT))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
