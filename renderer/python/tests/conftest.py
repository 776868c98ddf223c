"""What the tests share: the program of the same build, and the folders of the repository."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("KILN_ROOT", Path(__file__).resolve().parents[3]))


@pytest.fixture
def box() -> Path:
    """The Cornell box."""
    return ROOT / "scenes" / "cornell_box.kiln"


@pytest.fixture
def kiln_program(tmp_path):
    """Runs the program `kiln` in an empty folder."""
    program = os.environ.get("KILN", ROOT / "target" / "release" / "kiln")

    def run(*words) -> None:
        done = subprocess.run([str(program), *map(str, words)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return run
