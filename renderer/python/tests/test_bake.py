"""Bakes: the same files as the program's, and their arrays."""

import numpy as np
import pytest

import kiln


def test_same_files_as_the_program(box, kiln_program, tmp_path):
    options = dict(resolution=32, samples=4, order=2, integrator="path", features=["albedo"])
    shares = []
    bake = kiln.bake(kiln.load(box), tmp_path / "a", **options, progress=shares.append)
    words = ["--resolution", 32, "--samples", 4, "--order", 2, "--integrator", "path", "--aov", "albedo", "--quiet"]
    kiln_program("bake", box, "-o", "b", *words)
    names = {file.name for file in bake.files}
    assert names == {file.name for file in (tmp_path / "b").iterdir()}
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert shares[-1] == 1


def test_images_are_arrays(box):
    bake = kiln.load(box).bake(resolution=32, samples=4, integrator="path")
    assert bake["irradiance"].shape == (32, 32, 3) and bake["irradiance"].dtype == np.float32
    assert bake["irradiance"].max() > 0
    assert bake.manifest["atlas"]["width"] == 32 and bake.stats["points"] > 0
    assert (bake.folder / "model.glb").is_file()
    with pytest.raises(KeyError, match="irradiance"):
        bake["nothing"]


def test_probes_stand_where_they_are_put(box):
    points = np.array([[0, 0, 0], [0.5, 0.5, 0.5]], np.float32)
    bake = kiln.bake(box, target="probes", probe_points=points, samples=8, integrator="path")
    assert np.allclose([probe["position"] for probe in bake.probes["probes"]], points)


def test_mistakes(box):
    with pytest.raises(kiln.Error, match="resolution="):
        kiln.bake(box, resolution=1)
    with pytest.raises(kiln.Error):
        kiln.bake(box, include="none")
