"""The manual: its examples run one after the other and print what it says."""

import contextlib
import io
import os
import re

from conftest import ROOT

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_manual_runs(tmp_path, monkeypatch):
    for folder in ("scenes", "shaders"):
        os.symlink(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    page = ROOT / "renderer" / "docs" / "python.md"
    text = page.read_text(encoding="utf-8")
    names, printed = {}, ""
    for block in BLOCK.finditer(text):
        line = text[: block.start(2)].count("\n")
        if block[1] == "python":
            assert printed == "", f"line {line}: this is printed before and not in the page:\n{printed}"
            # The places of errors are those of the page.
            code = compile("\n" * line + block[2], str(page), "exec")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(code, names)
            printed = output.getvalue()
        else:
            assert printed == block[2], f"line {line}"
            printed = ""
    assert printed == ""
    keep = os.environ.get("KILN_KEEP")
    if keep:
        for picture in tmp_path.glob("*.png"):
            picture.rename(os.path.join(keep, picture.name))
