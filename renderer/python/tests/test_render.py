"""Scenes and pictures: the same bytes as the program's, arrays, changes, interruption."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import kiln


def test_same_bytes_as_the_program(box, kiln_program, tmp_path):
    passes = ["albedo", "N", "depth", "direct_diffuse", "crypto"]
    picture = kiln.load(box).render(spp=4, size=(48, 32), seed=7, passes=passes)
    picture.save(tmp_path / "a.exr").save(tmp_path / "a.png", exposure=0.5, tone_map="aces")
    options = ["--spp", 4, "--size", "48x32", "--seed", 7, "--exposure", 0.5, "--tone-map", "aces", "--quiet"]
    aovs = [word for name in passes for word in ("--aov", name)]
    kiln_program("render", box, *options, *aovs, "-o", "b.exr", "-o", "b.png")
    for ending in ("exr", "png"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.parametrize("integrator", ["path", "photon", "auto"])
def test_same_bytes_by_all_integrators(integrator, box, kiln_program, tmp_path):
    few = {"integrator.photons": 20000} if integrator == "photon" else {}
    picture = kiln.load(box).render(spp=2, size=(24, 24), integrator=integrator, set=few, threads=1)
    picture.save(tmp_path / "a.exr")
    words = [f"--set={path}={value}" for path, value in few.items()]
    options = ["--spp", 2, "--size", "24x24", "--integrator", integrator, "--quiet"]
    kiln_program("render", box, *options, *words, "-o", "b.exr")
    assert (tmp_path / "a.exr").read_bytes() == (tmp_path / "b.exr").read_bytes()


def test_a_second_picture_is_as_a_first(box):
    """What is kept of a scene changes nothing: seeds, sizes, passes and overrides come and go."""
    scene = kiln.load(box)
    first = scene.render(spp=2, size=(24, 24))
    scene.render(spp=1, size=(16, 16), passes=["albedo"], override={"all": "clay"}, set={"camera.main.fov": 60})
    again = scene.render(spp=2, size=(24, 24), threads=1)
    assert np.array_equal(first.color, again.color)


def test_files_are_linear(box, tmp_path):
    picture = kiln.load(box).render(spp=4, size=(16, 16)).save(tmp_path / "a.png")
    read = kiln.read(tmp_path / "a.png")["color"]
    assert np.allclose(read, picture.color.clip(0, 1), atol=0.01)
    assert kiln.read(tmp_path / "a.png", raw=True)["color"].mean() > read.mean()
    kiln.write(tmp_path / "b.exr", picture.color)
    assert np.array_equal(kiln.read(tmp_path / "b.exr")["color"], picture.color)
    kiln.write(tmp_path / "grey.png", picture.color[:, :, 1])
    assert kiln.read(tmp_path / "grey.png")["color"].shape == (16, 16, 1)
    with pytest.raises(ValueError, match="shape"):
        kiln.write(tmp_path / "c.exr", np.zeros(3))


def test_parts_join(box, kiln_program, tmp_path):
    scene = kiln.load(box)
    for first, end in ((0, 3), (3, 8)):
        part = scene.render(spp=8, size=(24, 24), samples=range(first, end))
        assert part.samples == f"{first}..{end}"
        part.save(tmp_path / f"{first}.part")
    kiln_program("merge", "0.part", "3.part", "-o", "joined.exr", "--quiet")
    scene.render(spp=8, size=(24, 24)).save(tmp_path / "whole.exr")
    assert np.array_equal(kiln.read(tmp_path / "joined.exr")["color"], kiln.read(tmp_path / "whole.exr")["color"])
    with pytest.raises(kiln.Error, match="samples="):
        scene.render(spp=1, size=(8, 8)).save(tmp_path / "no.part")


def test_layers_are_arrays(box):
    picture = kiln.load(box).render(spp=1, size=(20, 10), passes={"albedo": "albedo", "far": "depth"}, transparent=True)
    assert picture.layers == ["color", "albedo", "far"]
    shapes = {name: layer.shape for name, layer in picture.items()}
    assert shapes == {"color": (10, 20, 4), "albedo": (10, 20, 3), "far": (10, 20, 1)}
    assert picture.color.dtype == np.float32 and picture.far is picture["far"]
    assert picture.channels("albedo") == ["R", "G", "B"]
    assert picture.stats["samples"] == 200
    assert picture._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(KeyError, match="render\\(passes"):
        picture["N"]
    with pytest.raises(AttributeError):
        picture.nothing


def test_texts_are_scenes(box, tmp_path):
    text = box.read_text()
    same = kiln.loads(text, folder=box.parent, name=box.name)
    same.render(spp=1, size=(16, 16)).save(tmp_path / "text.exr")
    kiln.load(box).render(spp=1, size=(16, 16)).save(tmp_path / "file.exr")
    assert (tmp_path / "text.exr").read_bytes() == (tmp_path / "file.exr").read_bytes()
    mitsuba = kiln.loads(
        '<scene version="3.0.0"><sensor type="perspective"/><shape type="sphere"><point name="center" z="5"/></shape>'
        '<emitter type="constant"/></scene>'
    )
    assert mitsuba.render(spp=1, size=(8, 8)).color.mean() > 0


def test_models_are_scenes(tmp_path):
    (tmp_path / "triangle.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    scene = kiln.load(tmp_path / "triangle.obj")
    assert scene.render(spp=1, size=(8, 8)).color.shape == (8, 8, 3)


def test_values_are_changed(box):
    scene = kiln.load(box, set={"film.size": (12, 6), "camera.main.fov": 39.5})
    assert scene.size == (12, 6)
    assert scene.render(spp=1).size == (12, 6)
    with warnings.catch_warnings():
        # What a picture changes replaces what its scene has changed.
        warnings.simplefilter("error")
        wide = scene.render(spp=1, set={"camera.main.fov": 80})
        assert scene.render(spp=1, size=(9, 5)).size == (9, 5)
    assert not np.array_equal(wide.color, scene.render(spp=1).color)
    red = scene.render(spp=1, passes=["albedo"], set={"material.white.albedo": (1, 0, 0)})
    assert red.albedo[:, :, 1].max() < 0.5


def test_mistakes_have_places(box):
    with pytest.raises(kiln.Error) as raised:
        kiln.loads("camera main : perspectiv { }\nfilm { sise = (4, 4); }")
    found = {(d.line, d.column, d.severity) for d in raised.value.diagnostics}
    assert found == {(1, 15, "error"), (2, 8, "error")}
    assert all(d.file == "scene.kiln" and d.hint for d in raised.value.diagnostics)
    assert "perspectiv" in str(raised.value)
    with pytest.raises(kiln.Error, match="spp="):
        kiln.load(box).render(spp=0)
    with pytest.raises(kiln.Error, match="no such file"):
        kiln.load("nowhere.kiln")
    with pytest.raises(kiln.Error, match="camera"):
        kiln.load(box).render(spp=1, camera="back")
    with pytest.raises(ValueError, match="step"):
        kiln.load(box).render(samples=range(0, 8, 2))


def test_warnings_are_warnings(box):
    with pytest.warns(kiln.Warning, match="no effect"):
        kiln.load(box, set=["film.size=(4, 4)", "film.size=(8, 8)"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kiln.load(box).render(spp=1, size=(4, 4))


def test_files_of_the_scene_are_spared(box, tmp_path):
    picture = kiln.load(box).render(spp=1, size=(4, 4))
    copy = tmp_path / "sky.exr"
    picture.save(copy)
    lit = kiln.load(box, light=str(copy)).render(spp=1, size=(4, 4))
    with pytest.raises(kiln.Error, match="reads it"):
        lit.save(copy)


def test_progress_is_told_and_can_stop(box):
    told = []
    scene = kiln.load(box)

    def watch(share):
        told.append(share)
        return share == 0

    picture = scene.render(spp=1 << 20, size=(64, 64), progress=watch)
    assert 0 < len(told) and told == sorted(told)
    assert int(picture.samples.split("..")[1]) < 1 << 20
    with pytest.raises(ZeroDivisionError):
        scene.render(spp=1 << 20, size=(64, 64), progress=lambda share: 1 / 0)


def test_others_run_meanwhile(box):
    """The interpreter's lock is free while a picture is rendered."""
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    kiln.load(box).render(spp=1 << 20, size=(64, 64), time=0.5)
    stop.set()
    thread.join()
    assert len(ticks) > 10


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_control_c_stops(box):
    # Who starts this test may ignore the signal, which programs inherit.
    program = "import kiln, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program += f"try:\n    s = kiln.load({str(box)!r})\n    print('go', flush=True)\n"
    program += "    s.render(spp=1 << 20)\nexcept KeyboardInterrupt:\n    print('stopped')\n"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "go\n"
            time.sleep(1.0)
            child.send_signal(signal.SIGINT)
            start = time.monotonic()
            assert child.communicate(timeout=20)[0] == "stopped\n"
            assert time.monotonic() - start < 10
        finally:
            child.kill()
