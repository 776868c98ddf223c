"""Units over arrays: the numbers of `kiln shade`, shapes, closures, mistakes."""

import numpy as np
import pytest

import kiln

NOISE = """
shader octaves(float scale = 4, int count = 3, output color c = 0, output float f = 0)
{
    float amount = 1;
    for (int i = 0; i < count; ++i) { f += amount * noise("perlin", scale * P); amount *= 0.5; }
    c = color(u, v, f);
}
"""


@pytest.mark.parametrize("name", ["brick", "fbm", "voronoi", "wood"])
def test_same_numbers_as_the_program(name, kiln_program, tmp_path):
    if name not in kiln.shaders():
        pytest.skip("not shipped")
    unit = kiln.Unit(name)
    values = unit()(kiln.grid(96, 64))
    for output, value in values.items():
        kiln_program("shade", name, "-g", 96, 64, "-o", output, "out.exr")
        layers = kiln.read(tmp_path / "out.exr")
        image = np.concatenate(list(layers.values()), axis=-1)
        assert np.array_equal(image.reshape(value.shape), value), output


def test_shapes_broadcast():
    instance = kiln.Unit(NOISE)(scale=2, count=1)
    assert instance()["f"].shape == () and instance()["c"].shape == (3,)
    out = instance(u=np.zeros((5, 1)), v=[0, 0.5, 1], P=np.zeros((4, 1, 1, 3)))
    assert out["f"].shape == (4, 5, 3) and out["c"].shape == (4, 5, 3, 3)
    assert out["f"].dtype == np.float32
    assert np.array_equal(out["c"][1, 2, :, 1], np.float32([0, 0.5, 1]))
    assert instance(u=np.zeros(0))["c"].shape == (0, 3)
    with pytest.raises(ValueError, match="last axis"):
        instance(P=np.zeros((5, 2)))
    with pytest.raises(ValueError, match="points have no 'w'"):
        instance(w=1)
    with pytest.raises(ValueError):
        instance(u=np.zeros(3), v=np.zeros(4))


def test_threads_and_order_change_nothing():
    instance = kiln.Unit(NOISE)()
    points = np.random.default_rng(1).uniform(-3, 3, (50_000, 3)).astype(np.float32)
    one, many = instance(P=points, threads=1)["f"], instance(P=points, threads=4)["f"]
    assert np.array_equal(one, many)
    assert np.array_equal(one[::-1], instance(P=points[::-1])["f"])
    alone = [instance(P=point)["f"] for point in points[:40]]
    assert np.array_equal(one[:40], alone)


def test_points_are_those_of_a_square():
    unit = kiln.Unit("shader s(output point p = 0, output normal n = 0, output float d = 0) { p = P; n = Ng; d = Dx(u); }")
    out = unit()(u=0.25, v=[0.5, 1.0])
    assert out["p"].tolist() == [[0.25, 0.5, 1], [0.25, 1, 1]]
    assert out["d"].tolist() == [0, 0]
    tilted = unit()(N=(0, 1, 0), dudx=0.125)
    assert tilted["n"].tolist() == [0, 1, 0] and tilted["d"] == 0.125


def test_values_of_inputs():
    unit = kiln.Unit(
        "shader s(float a[3] = {1, 2, 3}, color c = 0, string t = \"x\", int i = 1, matrix m = 1,"
        " output float sum = 0, output color cc = 0, output string tt = \"\", output matrix mm = 1, output float aa[2] = {0, 0})"
        " { sum = a[0] + a[1] + a[2] + i; cc = c; tt = t; mm = m; aa[1] = a[1]; }"
    )
    out = unit(a=[1, 1, 0.5], c=(0.1, 0.2, 0.3), t="y z", i=True, m=np.arange(16.0).reshape(4, 4))
    values = out()
    assert values["sum"] == 3.5
    assert np.array_equal(values["cc"], np.float32([0.1, 0.2, 0.3]))
    assert values["mm"].shape == (4, 4) and values["mm"][1, 2] == 6
    assert values["aa"].tolist() == [0, 1]
    assert out.texts_at()["tt"] == "y z"
    assert unit(c=0.5)()["cc"].tolist() == [0.5, 0.5, 0.5]
    assert unit({"i": 7}, outputs="sum")() == {"sum": 13}


def test_what_units_take_and_give():
    unit = kiln.Unit("brick")
    assert unit.kind == "shader" and unit.metadata["category"]
    scale = unit.parameters["scale"]
    assert scale.type == "float" and scale.default == 6 and "help" in scale.metadata
    assert list(unit.outputs)[0] == "result"
    assert len(kiln.shaders()) > 50
    some = kiln.shaders("bump")
    assert "bump" in some and some["bump"].help


def test_groups_nest():
    group = kiln.Unit(
        "shader twice(float x = 1, output float y = 0) { y = 2 * x; }"
        "group four(float x = 1, output float y) { twice a(x = x); twice b(x = a.y); y = b.y; }"
    )
    assert group.kind == "group" and group.name == "four"
    assert group(x=3)()["y"] == 12
    first = kiln.Unit("shader a(output float y = 1) {} shader b(output float y = 2) {}", "a")
    assert first()()["y"] == 1


def test_closures_are_text():
    plastic = kiln.Unit("plastic")(albedo=(1, 0, 0))
    text = plastic.closure_at()
    assert "dielectric_bsdf" in text and "(1, 0, 0) * diffuse" in text
    with pytest.raises(KeyError, match="no closure"):
        kiln.Unit("brick")().closure_at()


def test_printed_text_is_in_order(capsys):
    kiln.Unit('shader s(output float y = 0) { printf("%g\\n", u); }')()(u=[1, 2, 3])
    assert capsys.readouterr().out == "1\n2\n3\n"


def test_mistakes_have_places(tmp_path):
    with pytest.raises(kiln.Error) as raised:
        kiln.Unit("shader s(output float y = 0)\n{\n    y = z;\n    y = color(1);\n}")
    assert [d.line for d in raised.value.diagnostics] == [3, 4]
    with pytest.raises(kiln.Error, match="did you mean `brick`"):
        kiln.Unit("brik")
    with pytest.raises(kiln.Error) as raised:
        kiln.Unit("brick").instantiate(scal=4, aspect="wide")
    assert len(raised.value.diagnostics) == 2
    file = tmp_path / "two.ksl"
    file.write_text("shader a(output float y = 1) {}\nshader b(output float y = 2) {}\n")
    assert kiln.Unit(file).name == "b" and kiln.Unit(file, "a").name == "a"
    with pytest.raises(kiln.Error, match="did not come to its end"):
        kiln.Unit("shader s(output float y = 0) { while (1) y += 1; }")()()


def test_previews(kiln_program, tmp_path):
    picture = kiln.preview("plastic", albedo=(1, 0, 0), size=(32, 32), spp=2)
    picture.save(tmp_path / "a.png")
    kiln_program("render", "plastic", "--param", "albedo=(1, 0, 0)", "--size", "32x32", "--spp", 2, "-o", "b.png", "--quiet")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    own = kiln.Unit(NOISE)
    assert kiln.preview(own, {"scale": 8}, size=(16, 16), spp=1).color.shape == (16, 16, 3)
