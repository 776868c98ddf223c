"""Builds the wheel of Kiln for Python, installs it into a fresh environment, and runs its tests there.

    python3 renderer/python/test.py                  builds, installs, tests
    python3 renderer/python/test.py -k units         arguments go to pytest
    python3 renderer/python/test.py --profile dist   of the wheel that is shipped, not of the build that tests share

The tests take the wheel alone: they run in a folder elsewhere, and compare with the program `kiln` of the same build.
Without pip or its index nothing is tested, which is said.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
WORK = TARGET / "python"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


def run(*words: str | Path, **options) -> None:
    print("+", *words, flush=True)
    subprocess.run([str(word) for word in words], check=True, **options)


def environment(name: str, *packages: str) -> Path:
    """A virtual environment with these packages; the folder of its programs."""
    folder = WORK / name
    if not (folder / "pyvenv.cfg").is_file():
        venv.create(folder, with_pip=True, clear=True)
    python = folder / SCRIPTS / "python"
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    try:
        run(*pip, *packages)
    except subprocess.CalledProcessError:
        print("nothing is tested: pip cannot install", *packages)
        sys.exit(0)
    return folder / SCRIPTS


def main() -> None:
    words = sys.argv[1:]
    profile = "release"
    if words[:1] == ["--profile"]:
        profile, words = words[1], words[2:]
    tools = environment("tools", "maturin>=1.9.4,<2")
    start = time.monotonic()
    run("cargo", "build", "--quiet", "--profile", profile, "--package", "renderer", "--bin", "kiln", cwd=ROOT)
    wheels = WORK / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    run(tools / "maturin", "build", "--quiet", "--profile", profile, "--out", wheels, cwd=HERE)
    (wheel,) = wheels.glob("*.whl")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, built in {time.monotonic() - start:.0f} s")

    clean = environment("clean", "numpy", "pytest")
    python = clean / "python"
    run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--force-reinstall", "--no-deps", wheel)
    elsewhere = WORK / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    program = TARGET / profile / ("kiln.exe" if os.name == "nt" else "kiln")
    variables = {**os.environ, "KILN": str(program), "KILN_ROOT": str(ROOT)}
    variables.pop("PYTHONPATH", None)
    tests = HERE / "tests"
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, *words, cwd=elsewhere, env=variables)


if __name__ == "__main__":
    main()
