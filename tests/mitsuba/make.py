#!/usr/bin/env python3
"""Scenes in Mitsuba 3's format, one for each feature that Kiln reads, and the pictures that Mitsuba makes of them.

    python make.py [NAME...] [--spp N]

needs PyPI mitsuba==3.9.1 and numpy (variant `scalar_rgb`, which needs nothing else). Writes NAME.xml, the files in
`data/`, NAME.exr (mean of 16 batches) and NAME_var.exr (variance of that mean), linear Rec.709, 16 bits.
"""
import argparse, os, struct, sys, zlib
import numpy as np
import mitsuba as mi

mi.set_variant("scalar_rgb")
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")

# ---- Files of the scenes.

def image(name, pixels):
    mi.Bitmap(pixels).write(os.path.join(DATA, name))

def ply(name, vertices, faces, properties, face_properties=()):
    with open(os.path.join(DATA, name), "w") as f:
        f.write(f"ply\nformat ascii 1.0\nelement vertex {len(vertices)}\n")
        f.writelines(f"property float {p}\n" for p in properties)
        f.write(f"element face {len(faces)}\nproperty list uchar int vertex_indices\n")
        f.writelines(f"property float {p}\n" for p in face_properties)
        f.write("end_header\n")
        f.writelines(" ".join(f"{v:.6g}" for v in row) + "\n" for row in vertices)
        for face in faces:
            indices, values = face if face_properties else (face, ())
            f.write(" ".join(map(str, [len(indices), *indices])) + "".join(f" {v:.6g}" for v in values) + "\n")

def serialized(name, meshes):
    """Version 4: each mesh deflated on its own, a table of 64-bit offsets at the end."""
    blob, offsets = b"", []
    for title, positions, normals, uvs, triangles in meshes:
        flags = 0x1000 | (0x0001 if normals is not None else 0) | (0x0002 if uvs is not None else 0)
        body = struct.pack("<I", flags) + title.encode() + b"\0" + struct.pack("<QQ", len(positions), len(triangles))
        for array in (positions, normals, uvs):
            if array is not None:
                body += np.asarray(array, "<f4").tobytes()
        body += np.asarray(triangles, "<u4").tobytes()
        offsets.append(len(blob))
        blob += struct.pack("<HH", 0x041C, 4) + zlib.compress(body)
    blob += b"".join(struct.pack("<Q", offset) for offset in offsets) + struct.pack("<I", len(meshes))
    with open(os.path.join(DATA, name), "wb") as f:
        f.write(blob)

def vol(name, values, low=(0, 0, 0), high=(1, 1, 1)):
    z, y, x, channels = values.shape
    with open(os.path.join(DATA, name), "wb") as f:
        f.write(b"VOL\3" + struct.pack("<5i6f", 1, x, y, z, channels, *low, *high) + values.astype("<f4").tobytes())

def sphere_mesh(n, m):
    theta, phi = np.meshgrid(np.linspace(0, np.pi, n), np.linspace(0, 2 * np.pi, m), indexing="ij")
    p = np.stack([np.sin(theta) * np.cos(phi), np.cos(theta), -np.sin(theta) * np.sin(phi)], -1).reshape(-1, 3)
    uv = np.stack([phi / (2 * np.pi), theta / np.pi], -1).reshape(-1, 2)
    t = []
    for i in range(n - 1):
        for j in range(m - 1):
            a, b, c, d = i * m + j, i * m + j + 1, (i + 1) * m + j, (i + 1) * m + j + 1
            t += [[a, c, d]] * (i < n - 2) + [[a, d, b]] * (i > 0)
    return p, uv, np.array(t)

def files():
    os.makedirs(DATA, exist_ok=True)
    random = np.random.default_rng(1)
    colors = random.integers(20, 255, (6, 8, 3), dtype=np.uint8)
    image("colors.png", colors)
    image("colors.jpg", np.kron(colors, np.ones((8, 8, 1), np.uint8)))
    y, x = np.mgrid[0:32, 0:32] / 32
    heights = 0.5 + 0.25 * np.sin(2 * np.pi * 2 * x) + 0.25 * np.sin(2 * np.pi * y)
    image("heights.exr", heights[..., None].astype(np.float32))
    slope = np.stack([-0.35 * np.cos(2 * np.pi * 2 * x), -0.35 * np.cos(2 * np.pi * y), np.ones_like(x)], -1)
    normals = slope / np.linalg.norm(slope, axis=-1, keepdims=True)
    image("normals.exr", (0.5 + 0.5 * normals).astype(np.float32))
    image("normals.png", np.round(255 * (0.5 + 0.5 * normals)).astype(np.uint8))
    image("mask.png", (255 * (random.random((8, 8, 1)) > 0.4)).astype(np.uint8))
    image("rough.png", random.integers(30, 200, (8, 8, 1), dtype=np.uint8))
    sky = np.zeros((16, 32, 3), np.float32)
    sky[:8] = np.linspace(0.2, 1, 8)[:, None, None] * np.array([0.5, 0.7, 1.0])
    sky[8:] = np.array([0.2, 0.15, 0.1])
    sky[4, 6] = (30, 25, 20)
    image("sky.exr", np.kron(sky, np.ones((4, 4, 1), np.float32)))
    image("slide.png", np.kron(random.integers(0, 255, (6, 8, 3), dtype=np.uint8), np.ones((4, 4, 1), np.uint8)))
    p, uv, t = sphere_mesh(9, 17)
    color = np.clip(0.5 + 0.5 * p, 0, 1)
    ply("ball.ply", np.hstack([p, p, uv]), t, ["x", "y", "z", "nx", "ny", "nz", "u", "v"])
    ply("plain.ply", p, t, ["x", "y", "z"])
    # Vertices in the order whose front is the inside, opposite to the normals.
    ply("inward.ply", np.hstack([p, p]), [face[::-1] for face in t], ["x", "y", "z", "nx", "ny", "nz"])
    ply("painted.ply", np.hstack([p, p, color]), [(f, random.random(3)) for f in t],
        ["x", "y", "z", "nx", "ny", "nz", "r", "g", "b"], ["r", "g", "b"])
    with open(os.path.join(DATA, "ball.obj"), "w") as f:
        f.writelines("v %.6g %.6g %.6g\n" % tuple(v) for v in p)
        f.writelines("vt %.6g %.6g\n" % tuple(v) for v in uv)
        f.write("o first\n")
        for i, face in enumerate(t):
            f.write("o second\nusemtl other\n" * (i == len(t) // 2))
            f.write("f " + " ".join(f"{k + 1}/{k + 1}" for k in face) + "\n")
    serialized("balls.serialized", [("plain", p, None, None, t), ("smooth", 0.7 * p, p, uv, t)])
    with open(os.path.join(DATA, "green.spd"), "w") as f:
        f.write("# wavelength, value\n" + "".join(f"{w} {v}\n" for w, v in [(380, 0.1), (480, 0.2), (530, 0.8), (600, 0.3), (720, 0.1)]))
    z, y, x = np.mgrid[0:12, 0:10, 0:9] / 8 - 0.6
    density = np.clip(1 - 1.2 * np.sqrt(x * x + y * y + z * z) + 0.4 * np.sin(9 * x + 4 * y) * np.cos(7 * z), 0, 1)
    vol("smoke.vol", density[..., None], (-0.6, -0.7, -0.5), (0.7, 0.6, 0.6))
    vol("tint.vol", np.random.default_rng(2).uniform(0.3, 1, (3, 4, 5, 3)))
    with open(os.path.join(DATA, "part.xml"), "w") as f:
        f.write('<scene version="3.0.0">\n  <bsdf type="twosided" id="included"><bsdf type="diffuse">'
                '<rgb name="reflectance" value="$tone"/></bsdf></bsdf>\n'
                '  <shape type="sphere"><point name="center" value="1.2 0.5 -0.6"/><float name="radius" value="0.5"/>'
                '<ref id="included"/></shape>\n</scene>\n')

# ---- Scenes.

CAMERA = '''<sensor type="perspective">
    <float name="fov" value="40"/>
    <transform name="to_world"><lookat origin="0.4, 1.9, 4.6" target="0, 0.75, 0" up="0, 1, 0"/></transform>
    <film type="hdrfilm"><integer name="width" value="48"/><integer name="height" value="36"/><rfilter type="box"/></film>
    <sampler type="independent"><integer name="sample_count" value="64"/></sampler>
  </sensor>'''
FLOOR = '''<shape type="rectangle">
    <transform name="to_world"><rotate x="1" angle="-90"/><scale value="4"/></transform>
    <bsdf type="diffuse"><rgb name="reflectance" value="0.4 0.35 0.3"/></bsdf>
  </shape>'''
LAMP = '''<shape type="rectangle">
    <transform name="to_world"><scale value="0.8"/><rotate x="1" angle="90"/><translate x="-1" y="4" z="1.5"/></transform>
    <emitter type="area"><rgb name="radiance" value="9 8 7"/></emitter>
  </shape>
  <emitter type="constant"><rgb name="radiance" value="0.25 0.3 0.35"/></emitter>'''
PATH = '<integrator type="path"/>'

def scene(*body, integrator=PATH, camera=CAMERA, floor=FLOOR, lamp=LAMP, head=""):
    parts = [head, integrator, camera, floor, lamp, *body]
    return '<scene version="3.0.0">\n  ' + "\n  ".join(part for part in parts if part) + "\n</scene>\n"

def ball(bsdf, shape='<shape type="sphere"><point name="center" value="0 1 0"/>', **more):
    return scene(f"{shape}\n    {bsdf}\n  </shape>", **more)

def bsdf(kind, *parts):
    return f'<bsdf type="{kind}">{"".join(parts)}</bsdf>'

def value(tag, name, v):
    return f'<{tag} name="{name}" value="{v}"/>'

def texture(name, file, *parts, kind="bitmap"):
    return f'<texture type="{kind}" name="{name}">{value("string", "filename", "data/" + file)}{"".join(parts)}</texture>'

def two(inner):
    return bsdf("twosided", inner)

RED = bsdf("diffuse", value("rgb", "reflectance", "0.7 0.2 0.15"))
MESH = '<shape type="{}">{}<transform name="to_world"><scale value="0.9"/><translate y="1"/></transform>'
MIRROR, TWICE = 'x="-1"', 'value="2"'
UV = '<transform name="to_uv"><scale x="2" y="1.5"/><rotate z="1" angle="30"/><translate x="0.2" y="0.1"/></transform>'

def camera(inner="", kind="perspective", to_world='<lookat origin="0.4, 1.9, 4.6" target="0, 0.75, 0" up="0, 1, 0"/>', film="", rfilter='<rfilter type="box"/>', size=(48, 36)):
    return (f'<sensor type="{kind}">{inner}<transform name="to_world">{to_world}</transform>'
            f'<film type="hdrfilm">{value("integer", "width", size[0])}{value("integer", "height", size[1])}{film}{rfilter}</film></sensor>')

def scenes():
    s = {}
    # bsdfs
    s["diffuse_sides"] = scene('<shape type="rectangle"><transform name="to_world"><translate x="-1" y="1"/></transform>' + RED + '</shape>',
        '<shape type="rectangle"><transform name="to_world"><rotate y="1" angle="180"/><translate x="1.1" y="1"/></transform>' + RED + '</shape>')
    s["dielectric"] = ball(bsdf("dielectric", value("string", "int_ior", "water"), value("float", "ext_ior", 1.0), value("rgb", "specular_transmittance", "0.9 0.7 0.5")))
    s["thindielectric"] = ball(bsdf("thindielectric", value("float", "int_ior", 1.8), value("rgb", "specular_reflectance", "0.5 0.9 0.7")))
    for name, d in (("ggx", "ggx"), ("beckmann", "beckmann")):
        s[f"roughdielectric_{name}"] = ball(bsdf("roughdielectric", value("string", "distribution", d), value("float", "alpha", 0.25), value("string", "int_ior", "bk7")))
        s[f"roughconductor_{name}"] = ball(bsdf("roughconductor", value("string", "distribution", d), value("float", "alpha_u", 0.1), value("float", "alpha_v", 0.4), value("string", "material", "Cu")))
        s[f"roughplastic_{name}"] = ball(bsdf("roughplastic", value("string", "distribution", d), value("float", "alpha", 0.3), value("rgb", "diffuse_reflectance", "0.2 0.5 0.7"), value("boolean", "nonlinear", "true" if d == "ggx" else "false")))
    s["roughplastic_thin"] = ball(bsdf("roughplastic", value("string", "distribution", "ggx"), value("float", "alpha", 0.2), value("float", "int_ior", 1.0), value("float", "ext_ior", 1.5), value("rgb", "diffuse_reflectance", "0.2 0.5 0.7")))
    s["conductor"] = ball(bsdf("conductor", value("string", "material", "Au"), value("rgb", "specular_reflectance", "1 0.8 0.9")))
    s["conductor_eta"] = ball(bsdf("conductor", value("rgb", "eta", "0.2 0.9 1.1"), value("rgb", "k", "3.9 2.4 2.1")))
    s["conductor_none"] = ball(bsdf("roughconductor", value("float", "alpha", 0.2)))
    s["rough_texture"] = ball(bsdf("roughconductor", texture("alpha", "rough.png", value("boolean", "raw", "true")), value("string", "material", "Al"), value("string", "distribution", "ggx")))
    s["plastic"] = ball(bsdf("plastic", value("rgb", "diffuse_reflectance", "0.7 0.3 0.1"), value("float", "int_ior", 1.6), value("boolean", "nonlinear", "true")))
    s["plastic_linear"] = ball(bsdf("plastic", value("rgb", "diffuse_reflectance", "0.7 0.3 0.1"), value("rgb", "specular_reflectance", "0.3 0.6 0.9")))
    s["principled"] = ball(bsdf("principled", value("rgb", "base_color", "0.7 0.4 0.2"), value("float", "roughness", 0.4), value("float", "anisotropic", 0.5), value("float", "metallic", 0.3), value("float", "spec_tint", 0.4), value("float", "sheen", 0.5), value("float", "sheen_tint", 0.3), value("float", "clearcoat", 0.7), value("float", "clearcoat_gloss", 0.4), value("float", "flatness", 0.3)))
    s["principled_plain"] = ball(bsdf("principled", value("rgb", "base_color", "0.2 0.4 0.7"), value("float", "roughness", 0.6), value("float", "specular", 0.8)))
    s["principled_back"] = scene('<shape type="rectangle"><transform name="to_world"><rotate y="1" angle="160"/><translate y="1"/></transform>' + bsdf("principled", value("float", "spec_trans", "0.0"), value("rgb", "base_color", "0.7 0.4 0.2")) + '</shape>')
    s["principled_glass"] = ball(bsdf("principled", value("rgb", "base_color", "0.8 0.9 0.7"), value("float", "roughness", 0.3), value("float", "spec_trans", 0.8), value("float", "eta", 1.4)))
    s["principledthin"] = scene('<shape type="rectangle"><transform name="to_world"><rotate y="1" angle="25"/><translate y="1"/></transform>' + bsdf("principledthin", value("rgb", "base_color", "0.7 0.6 0.2"), value("float", "roughness", 0.4), value("float", "spec_trans", 0.5), value("float", "diff_trans", 0.8), value("float", "eta", 1.6), value("float", "sheen", 0.4), value("float", "spec_tint", 0.3), value("float", "flatness", 0.4)) + '</shape>')
    s["twosided"] = scene('<shape type="rectangle"><transform name="to_world"><translate x="-1.1" y="1"/></transform>' + bsdf("twosided", RED, bsdf("diffuse")) + '</shape>',
        '<shape type="rectangle"><transform name="to_world"><rotate y="1" angle="200"/><translate x="1.1" y="1"/></transform>' + bsdf("twosided", RED, bsdf("roughplastic", value("float", "alpha", 0.1))) + '</shape>')
    s["twosided_nested"] = scene('<shape type="rectangle"><transform name="to_world"><rotate y="1" angle="200"/><translate y="1"/></transform>' + bsdf("twosided", bsdf("diffuse"), bsdf("twosided", RED, bsdf("conductor"))) + '</shape>')
    s["mask"] = scene('<shape type="rectangle"><transform name="to_world"><translate y="1"/></transform>' + bsdf("mask", texture("opacity", "mask.png", value("string", "filter_type", "nearest"), value("boolean", "raw", "true")), two(RED)) + '</shape>')
    s["mask_half"] = scene('<shape type="rectangle"><transform name="to_world"><rotate y="1" angle="150"/><translate y="1"/></transform>' + bsdf("mask", value("float", "opacity", 0.3), RED) + '</shape>')
    s["blendbsdf"] = ball(bsdf("blendbsdf", texture("weight", "rough.png"), RED, bsdf("roughconductor", value("string", "material", "Ag"), value("float", "alpha", 0.1))))
    s["blend_sides"] = scene('<shape type="rectangle"><transform name="to_world"><rotate y="1" angle="160"/><translate y="1"/></transform>' + bsdf("blendbsdf", value("float", "weight", 0.6), RED, bsdf("dielectric")) + '</shape>')
    s["bumpmap"] = ball(bsdf("bumpmap", value("boolean", "use_shadowing_function", "false"), texture("arbitrary", "heights.exr", value("boolean", "raw", "true")), value("float", "scale", 0.15), bsdf("roughplastic", value("float", "alpha", 0.2))), shape=MESH.format("ply", value("string", "filename", "data/ball.ply")))
    s["normalmap"] = ball(bsdf("normalmap", value("boolean", "use_shadowing_function", "false"), texture("normalmap", "normals.exr", value("boolean", "raw", "true")), RED), shape=MESH.format("ply", value("string", "filename", "data/ball.ply")))
    deep = texture("arbitrary", "heights.exr", value("boolean", "raw", "true"))
    s["bumpmap_shadowed"] = ball(bsdf("bumpmap", deep, value("float", "scale", 0.4), RED), shape=MESH.format("ply", value("string", "filename", "data/ball.ply")))
    s["bumpmap_shiny"] = ball(bsdf("bumpmap", deep, value("float", "scale", 0.15), bsdf("roughplastic", value("float", "alpha", 0.2))), shape=MESH.format("ply", value("string", "filename", "data/ball.ply")))
    fine = '<transform name="to_uv"><scale value="9"/></transform>'
    s["bumpmap_fine"] = ball(bsdf("bumpmap", texture("arbitrary", "heights.exr", value("boolean", "raw", "true"), fine), value("float", "scale", 0.05), bsdf("conductor")), shape=MESH.format("ply", value("string", "filename", "data/ball.ply")))
    s["bumpmap_frosted"] = ball(bsdf("bumpmap", deep, value("float", "scale", 0.3), bsdf("roughdielectric", value("float", "alpha", 0.3))))
    s["normalmap_nearest"] = ball(bsdf("normalmap", texture("normalmap", "normals.exr", value("boolean", "raw", "true"), value("string", "filter_type", "nearest"), fine), bsdf("roughconductor", value("float", "alpha", 0.2))), shape=MESH.format("ply", value("string", "filename", "data/ball.ply")))
    s["normalmap_encoded"] = ball(bsdf("normalmap", value("boolean", "use_shadowing_function", "false"), texture("normalmap", "normals.png"), RED), shape='<shape type="rectangle"><transform name="to_world"><rotate x="1" angle="-20"/><translate y="1"/></transform>')
    s["alpha_checkerboard"] = ball(bsdf("roughconductor", '<texture type="checkerboard" name="alpha">' + value("float", "color0", 0.1) + value("float", "color1", 0.4) + UV + '</texture>'))
    s["normalmap_shadowed"] = ball(bsdf("normalmap", texture("normalmap", "normals.exr", value("boolean", "raw", "true")), RED), shape=MESH.format("ply", value("string", "filename", "data/ball.ply")))
    s["normalmap_blend"] = ball(bsdf("blendbsdf", value("float", "weight", 0.4), bsdf("normalmap", texture("normalmap", "normals.exr", value("boolean", "raw", "true")), RED), bsdf("roughconductor", value("float", "alpha", 0.3))), shape=MESH.format("ply", value("string", "filename", "data/ball.ply")))
    s["null"] = ball(bsdf("null"))
    # media
    medium = lambda sigma_t, *more: f'<medium type="homogeneous" name="interior">{sigma_t}{value("float", "albedo", 0)}{"".join(more)}</medium>'
    constant = '<volume type="constvolume" name="sigma_t">' + value("rgb", "value", "0.3 2 4") + '</volume>'
    slab = '<shape type="cube"><transform name="to_world"><scale x="0.5" y="0.7" z="{}"/><rotate y="1" angle="{}"/><translate x="{}" y="0.8"/></transform>'
    s["media"] = scene('<shape type="sphere"><point name="center" value="0 0.7 0"/><float name="radius" value="0.6"/>' + bsdf("dielectric") + medium(value("rgb", "sigma_t", "0.6 0.1 0.05"), value("float", "scale", 3)) + '</shape>',
        slab.format(0.05, 30, -1.3) + bsdf("roughdielectric", value("float", "alpha", 0.2)) + medium(constant, value("float", "scale", 3)) + '</shape>',
        slab.format(0.3, -20, 1.3) + bsdf("null") + medium(value("float", "sigma_t", 1.5)) + '</shape>', integrator='<integrator type="volpath"/>')
    # scattering media
    fog = lambda name, sigma_t, albedo, *more: f'<medium type="homogeneous" {name}>{value("float", "sigma_t", sigma_t)}{value("rgb", "albedo", albedo)}{"".join(more)}</medium>'
    hg = lambda g: '<phase type="hg">' + value("float", "g", g) + '</phase>'
    mixed = lambda weight, *two_phases: f'<phase type="blendphase">{weight}{"".join(two_phases)}</phase>'
    grid = lambda name, file, place, *more: f'<volume type="gridvolume" name="{name}">{value("string", "filename", "data/" + file)}<transform name="to_world">{place}</transform>{"".join(more)}</volume>'
    smoke = lambda scale, *parts: f'<medium type="heterogeneous" name="interior">{value("float", "scale", scale)}{"".join(parts)}</medium>'
    air = '<ref id="air" name="{}"/>'
    box = lambda scale, x, inner: f'<shape type="cube"><transform name="to_world"><scale value="{scale}"/><translate x="{x}" y="{scale + 0.01}"/></transform>{inner}</shape>'
    globe = lambda radius, center, inner: f'<shape type="sphere"><point name="center" value="{center}"/>{value("float", "radius", radius)}{inner}</shape>'
    volpath = dict(integrator='<integrator type="volpath"/>')
    weight = value("float", "weight", 0.3)
    s["fog"] = scene(fog('id="air"', 0.8, "0.95 0.9 0.8", mixed(weight, hg(0.7), hg(-0.3))), box(0.9, 0, bsdf("null") + air.format("interior")),
        globe(0.4, "-0.3 0.9 0", bsdf("null") + fog('name="interior"', 5, "0.9 0.7 0.5", '<phase type="rayleigh"/>') + air.format("exterior")), globe(0.3, "0.4 0.6 0.3", bsdf("dielectric") + air.format("exterior")), globe(0.2, "0.3 1.3 0", bsdf("dielectric")), **volpath)
    around = lambda inner: inner.replace("</shape>", air.format("exterior") + "</shape>")
    s["fog_everywhere"] = scene(fog('id="air"', 0.15, "0.95 0.9 0.8", hg(0.4)), around(globe(0.6, "0.5 0.7 0", bsdf("dielectric") + fog('name="interior"', 2, "0.3 0.6 0.9"))), around(globe(0.5, "-0.8 0.5 0", RED)),
        camera=CAMERA.replace("</sensor>", '<ref id="air"/></sensor>'), lamp=around('<shape type="rectangle"><transform name="to_world"><rotate x="1" angle="90"/><translate x="-1" y="4" z="1.5"/></transform><emitter type="area"><rgb name="radiance" value="9 8 7"/></emitter></shape>'), **volpath)
    glow = '<emitter type="area"><rgb name="radiance" value="6 4 3"/></emitter>'
    s["fog_lamps"] = scene(box(0.9, 0, bsdf("null") + fog('name="interior"', 1.2, "0.95 0.9 0.8", hg(0.5))), globe(0.15, "-0.4 1.2 0", glow), '<emitter type="point"><point name="position" value="1.3 2.1 1"/><rgb name="intensity" value="1.6 2.4 3.2"/></emitter>', lamp="", integrator='<integrator type="volpath"><integer name="max_depth" value="6"/></integrator>')
    s["smoke"] = scene(box(0.8, -0.85, bsdf("null") + smoke(9, grid("sigma_t", "smoke.vol", '<scale value="1.5"/><translate x="-1.6" y="0.1" z="-0.75"/>'), grid("albedo", "tint.vol", '<scale value="1"/><translate x="-1.5" y="0.3" z="-0.5"/>', value("string", "wrap_mode", "mirror")), hg(0.4))),
        box(0.8, 0.85, bsdf("roughdielectric", value("float", "alpha", 0.3), value("float", "int_ior", 1.2)) + smoke(9, grid("sigma_t", "smoke.vol", '<rotate y="1" angle="25"/><translate x="0.85" y="0.8"/>', value("boolean", "use_grid_bbox", "true")), value("float", "albedo", 0.9))), **volpath)
    s["smoke_steps"] = scene(box(0.8, -0.85, bsdf("null") + smoke(6, grid("sigma_t", "tint.vol", '<scale value="1.2"/><translate x="-1.4" y="0.2" z="-0.6"/>', value("string", "filter_type", "nearest")), value("float", "albedo", 0.9), mixed(grid("weight", "smoke.vol", '<scale value="1.2"/><translate x="-1.4" y="0.2" z="-0.6"/>'), hg(0.8), hg(-0.4)))),
        box(0.8, 0.85, bsdf("null") + smoke(1, '<volume type="constvolume" name="sigma_t">' + value("float", "value", 4) + '<transform name="to_world"><rotate y="1" angle="30"/><translate x="0.6" y="0.2"/></transform></volume>', value("rgb", "albedo", "0.9 0.6 0.3"))), integrator='<integrator type="volpathmis"/>')
    # textures
    s["bitmap"] = scene('<shape type="rectangle"><transform name="to_world"><translate y="1"/></transform>' + bsdf("diffuse", texture("reflectance", "colors.png")) + '</shape>')
    s["bitmap_nearest"] = scene('<shape type="rectangle"><transform name="to_world"><translate y="1"/></transform>' + bsdf("diffuse", texture("reflectance", "colors.png", value("string", "filter_type", "nearest"), value("string", "wrap_mode", "mirror"), UV)) + '</shape>')
    s["bitmap_clamp"] = scene('<shape type="rectangle"><transform name="to_world"><translate y="1"/></transform>' + bsdf("diffuse", texture("reflectance", "colors.jpg", value("string", "wrap_mode", "clamp"), value("boolean", "raw", "true"), UV)) + '</shape>')
    s["checkerboard"] = ball(bsdf("diffuse", '<texture type="checkerboard" name="reflectance">' + value("rgb", "color0", "0.8 0.2 0.1") + value("rgb", "color1", "0.1 0.2 0.7") + UV + '</texture>'))
    s["vertex_colors"] = ball(bsdf("diffuse", '<texture type="mesh_attribute" name="reflectance">' + value("string", "name", "vertex_color") + '</texture>'), shape=MESH.format("ply", value("string", "filename", "data/painted.ply")))
    s["face_colors"] = ball(bsdf("diffuse", '<texture type="mesh_attribute" name="reflectance">' + value("string", "name", "face_color") + '</texture>'), shape=MESH.format("ply", value("string", "filename", "data/painted.ply")))
    # shapes
    s["obj"] = ball(bsdf("diffuse", texture("reflectance", "colors.png")), shape=MESH.format("obj", value("string", "filename", "data/ball.obj")))
    s["obj_face_normals"] = ball(bsdf("roughconductor", value("float", "alpha", 0.2)), shape=MESH.format("obj", value("string", "filename", "data/ball.obj") + value("boolean", "face_normals", "true") + value("boolean", "flip_tex_coords", "false")))
    s["ply_smooth"] = ball(bsdf("roughconductor", value("float", "alpha", 0.2)), shape=MESH.format("ply", value("string", "filename", "data/plain.ply")))
    inward = '<shape type="ply">' + value("string", "filename", "data/inward.ply") + '<transform name="to_world"><scale value="{}"/><translate x="{}" y="{}" z="{}"/></transform>{}</shape>'
    s["ply_inward"] = scene(inward.format(0.8, 0, 0.8, 0, bsdf("roughdielectric", value("float", "alpha", 0.2))), inward.format(0.3, -1.2, 0.4, 0.8, '<emitter type="area"><rgb name="radiance" value="2 1.5 1"/></emitter>'), inward.format(0.4, 1.1, 0.4, 0.6, bsdf("diffuse")))
    s["ply_flipped"] = ball(RED, shape=MESH.format("ply", value("string", "filename", "data/ball.ply") + value("boolean", "flip_normals", "true")))
    s["ply_mirrored"] = ball(RED, shape='<shape type="ply">' + value("string", "filename", "data/ball.ply") + value("boolean", "face_normals", "true") + '<transform name="to_world"><scale x="-0.9" y="0.9" z="0.9"/><translate y="1"/></transform>')
    s["ply_mirrored_smooth"] = ball(RED, shape='<shape type="ply">' + value("string", "filename", "data/plain.ply") + '<transform name="to_world"><rotate x="1" y="0.5" angle="30"/><scale x="-0.9" y="0.7" z="0.9"/><translate y="1"/></transform>')
    s["serialized"] = scene(*[f'<shape type="serialized">{value("string", "filename", "data/balls.serialized")}{value("integer", "shape_index", i)}<transform name="to_world"><scale value="0.8"/><translate x="{2 * i - 1}" y="0.9"/></transform>{bsdf("roughplastic", texture("diffuse_reflectance", "colors.png") if i else "")}</shape>' for i in (0, 1)])
    s["cylinder"] = scene('<shape type="cylinder"><point name="p0" value="-1.2 0.4 0.3"/><point name="p1" value="1 1.4 -0.5"/><float name="radius" value="0.5"/>' + two(bsdf("diffuse", texture("reflectance", "colors.png"))) + '</shape>')
    s["cube_disk"] = scene('<shape type="cube"><transform name="to_world"><scale x="0.5" y="0.7" z="0.6"/><rotate y="1" angle="30"/><translate x="-1" y="0.7"/></transform>' + bsdf("diffuse", texture("reflectance", "colors.png")) + '</shape>',
        '<shape type="disk"><transform name="to_world"><scale value="0.8"/><rotate y="1" angle="-20"/><translate x="1" y="1"/></transform>' + bsdf("diffuse", texture("reflectance", "colors.png")) + '</shape>')
    s["anisotropic_cube"] = scene('<shape type="cube"><transform name="to_world"><scale value="0.7"/><rotate y="1" angle="30"/><translate y="0.9"/></transform>' + bsdf("roughconductor", value("float", "alpha_u", 0.1), value("float", "alpha_v", 0.5)) + '</shape>')
    s["sphere_texture"] = ball(bsdf("diffuse", texture("reflectance", "colors.png")), shape='<shape type="sphere"><transform name="to_world"><rotate x="1" angle="-90"/><translate y="1"/></transform>')
    mirrored = lambda kind, x, inner: f'<shape type="{kind}"><transform name="to_world"><scale x="-0.7" y="0.7" z="0.7"/><translate x="{x}" y="1"/></transform>{inner}</shape>'
    s["mirrored_shapes"] = scene(mirrored("sphere", -1.5, RED), mirrored("cylinder", 0, RED), mirrored("sphere", 1.5, bsdf("diffuse", texture("reflectance", "colors.png")) + '<boolean name="flip_normals" value="true"/>'),
        '<shape type="shapegroup" id="group">' + mirrored("sphere", 0, RED) + '</shape><shape type="instance"><transform name="to_world"><scale x="-0.6" y="0.6" z="0.6"/><translate y="1.6"/></transform><ref id="group"/></shape>')
    s["flipped_lamps"] = scene('<shape type="sphere"><boolean name="flip_normals" value="true"/><point name="center" value="0 1 0"/><float name="radius" value="8"/><emitter type="area"><rgb name="radiance" value="0.5 0.4 0.3"/></emitter></shape>', f'<shape type="sphere"><point name="center" value="0 0.8 0"/><float name="radius" value="0.8"/>{RED}</shape>', lamp="")
    raw = '<texture type="rawconstant" name="reflectance">' + value("vector", "value", "0.7 0.4 0.1") + '</texture>'
    grey = '<texture type="rawconstant" name="reflectance">' + value("float", "value", 0.6) + '</texture>'
    s["merge"] = scene('<shape type="merge">' + "".join(f'<shape type="ply">{value("string", "filename", "data/ball.ply")}<transform name="to_world"><scale value="0.8"/><translate x="{x}" y="0.9"/></transform>{bsdf("diffuse", albedo)}</shape>' for x, albedo in [(-1, raw), (1, grey)]) + '</shape>')
    s["instances"] = scene('<shape type="shapegroup" id="group"><shape type="ply">' + value("string", "filename", "data/ball.ply") + '<transform name="to_world"><scale value="0.4"/></transform>' + RED + '</shape><shape type="sphere"><point name="center" value="0 0.6 0"/><float name="radius" value="0.25"/></shape></shape>',
        *[f'<shape type="instance"><transform name="to_world"><rotate z="1" angle="{40 * i}"/><translate x="{i}" y="0.8"/></transform><ref id="group"/></shape>' for i in (-1, 0, 1)])
    # emitters
    ball_only = f'<shape type="sphere"><point name="center" value="0 0.8 0"/><float name="radius" value="0.8"/>{RED}</shape>'
    at = '<transform name="to_world"><lookat origin="-2, 3, 2" target="0, 0.5, 0" up="0, 1, 0"/></transform>'
    s["area_texture"] = scene(ball_only, lamp='<shape type="rectangle"><transform name="to_world"><rotate y="1" angle="40"/><translate x="-1.4" y="1.2" z="-1"/></transform><emitter type="area">' + texture("radiance", "colors.png") + '</emitter></shape>')
    s["area_on_surface"] = scene('<shape type="sphere"><point name="center" value="0 1 0"/>' + bsdf("roughconductor", value("float", "alpha", 0.1)) + '<emitter type="area"><rgb name="radiance" value="0.3 0.5 0.2"/></emitter></shape>')
    s["point"] = scene(ball_only, lamp='<emitter type="point"><point name="position" value="-1 3 2"/><rgb name="intensity" value="8 7 6"/></emitter>')
    s["spot"] = scene(ball_only, lamp=f'<emitter type="spot">{at}<rgb name="intensity" value="30 28 20"/>{value("float", "cutoff_angle", 25)}{value("float", "beam_width", 10)}</emitter>')
    turned = '<transform name="to_uv"><translate x="0.3" y="0.2"/><rotate z="1" angle="30"/><scale x="3" y="2"/></transform>'
    s["spot_texture"] = scene(ball_only, lamp=f'<emitter type="spot">{at}<rgb name="intensity" value="30 28 20"/>{texture("texture", "slide.png")}{value("float", "cutoff_angle", 30)}</emitter>')
    placed = lambda scale: at.replace("<lookat", f'<scale {scale}/><lookat')
    raw_slide = lambda name: texture(name, "slide.png", value("boolean", "raw", "true"))
    s["spot_mirrored"] = scene(ball_only, lamp=f'<emitter type="spot">{placed(MIRROR)}<rgb name="intensity" value="30 28 20"/>{raw_slide("texture")}{value("float", "cutoff_angle", 30)}</emitter>')
    s["projector_scaled"] = scene(ball_only, lamp=f'<emitter type="projector">{placed(TWICE)}{raw_slide("irradiance")}{value("float", "fov", 35)}{value("float", "scale", 20)}</emitter>')
    s["directional_scaled"] = scene(ball_only, lamp=f'<emitter type="directional">{placed(TWICE)}</emitter>')
    s["directional"] = scene(ball_only, lamp='<emitter type="directional"><vector name="direction" value="1 -2 -1"/><rgb name="irradiance" value="2 1.5 1"/></emitter>')
    s["directional_to_world"] = scene(ball_only, lamp=f'<emitter type="directional">{at}<rgb name="irradiance" value="2 1.5 1"/></emitter>')
    s["directionalarea"] = scene(ball_only, lamp='<shape type="rectangle"><transform name="to_world"><scale value="1.2"/><rotate x="1" angle="90"/><rotate z="1" angle="-15"/><translate x="-0.5" y="4"/></transform><emitter type="directionalarea"><rgb name="radiance" value="2 2 1"/></emitter></shape><emitter type="constant"><rgb name="radiance" value="0.1"/></emitter>', integrator='<integrator type="ptracer"/>')
    s["directionalarea_path"] = scene(ball_only, lamp='<shape type="rectangle"><transform name="to_world"><rotate x="1" angle="90"/><translate y="4"/></transform><emitter type="directionalarea"/></shape><emitter type="constant"><rgb name="radiance" value="0.1"/></emitter>')
    s["envmap"] = scene(ball_only, ball(bsdf("conductor")).split("\n  ")[-1] and '<shape type="sphere"><point name="center" value="1.5 0.5 0.8"/><float name="radius" value="0.5"/>' + bsdf("conductor") + '</shape>', lamp='<emitter type="envmap">' + value("string", "filename", "data/sky.exr") + value("float", "scale", 1.5) + '</emitter>')
    s["envmap_turned"] = scene(ball_only, '<shape type="sphere"><point name="center" value="1.5 0.5 0.8"/><float name="radius" value="0.5"/>' + bsdf("conductor") + '</shape>', lamp='<emitter type="envmap">' + value("string", "filename", "data/sky.exr") + '<transform name="to_world"><rotate x="1" angle="20"/><rotate y="1" angle="130"/></transform></emitter>')
    s["spot_texture_turned"] = scene(ball_only, lamp=f'<emitter type="spot">{at}<rgb name="intensity" value="30 28 20"/>{texture("texture", "slide.png", turned, value("string", "wrap_mode", "mirror"))}{value("float", "cutoff_angle", 30)}</emitter>')
    s["projector_turned"] = scene(ball_only, lamp=f'<emitter type="projector">{at}{texture("irradiance", "slide.png", turned)}{value("float", "fov", 35)}{value("float", "scale", 40)}</emitter>')
    s["projector"] = scene(ball_only, lamp=f'<emitter type="projector">{at}{texture("irradiance", "slide.png")}{value("float", "fov", 35)}{value("float", "scale", 40)}</emitter>')
    for kind in ("sunsky", "sky", "sun"):
        s[kind] = scene(ball_only, lamp=f'<emitter type="sunsky"><vector name="sun_direction" value="1 1 0.6"/>{value("float", "turbidity", 4)}{value("rgb", "albedo", "0.2 0.3 0.2")}' + {"sunsky": "", "sky": value("float", "sun_scale", 0), "sun": value("float", "sky_scale", 0)}[kind] + '<transform name="to_world"><rotate x="1" angle="-90"/></transform></emitter>')
    # sensors and films
    subject = [f'<shape type="sphere"><point name="center" value="0 1 0"/>{RED}</shape>', '<shape type="cube"><transform name="to_world"><scale value="0.3"/><translate x="1.4" y="0.3" z="1.4"/></transform></shape>']
    s["fov_y"] = scene(*subject, camera=camera(value("float", "fov", 35) + value("string", "fov_axis", "y")))
    s["fov_larger"] = scene(*subject, camera=camera(value("float", "fov", 50) + value("string", "fov_axis", "larger"), size=(30, 44)))
    s["fov_diagonal"] = scene(*subject, camera=camera(value("float", "fov", 60) + value("string", "fov_axis", "diagonal")))
    s["focal_length"] = scene(*subject, camera=camera(value("string", "focal_length", "40mm") + value("float", "near_clip", 4) + value("float", "far_clip", 6)))
    s["principal_point"] = scene(*subject, camera=camera(value("float", "fov", 40) + value("float", "principal_point_offset_x", 0.2) + value("float", "principal_point_offset_y", -0.1)))
    s["lookat_without_up"] = scene(*subject, camera=camera(value("float", "fov", 50), to_world='<lookat origin="0.4, 1.9, 4.6" target="0, 0.75, 0"/>'))
    s["thinlens"] = scene(*subject, camera=camera(value("float", "fov", 40) + value("float", "aperture_radius", 0.15) + value("float", "focus_distance", 4), kind="thinlens"))
    s["orthographic"] = scene(*subject, camera=camera(kind="orthographic", to_world='<scale x="2" y="2" z="1"/><lookat origin="1, 3, 5" target="0, 0.75, 0" up="0, 1, 0"/>'))
    s["crop"] = scene(*subject, camera=camera(value("float", "fov", 40), film=value("integer", "crop_offset_x", 10) + value("integer", "crop_offset_y", 6) + value("integer", "crop_width", 24) + value("integer", "crop_height", 20)))
    for kind, inner in (("tent", ""), ("gaussian", value("float", "stddev", 0.6)), ("mitchell", ""), ("catmullrom", ""), ("lanczos", "")):
        s[f"filter_{kind}"] = scene(*subject, camera=camera(value("float", "fov", 40), rfilter=f'<rfilter type="{kind}">{inner}</rfilter>'))
    # integrators
    s["direct"] = scene(*subject, integrator='<integrator type="direct"/>')
    s["depth_three"] = scene(*subject, integrator='<integrator type="volpath"><integer name="max_depth" value="3"/><integer name="rr_depth" value="8"/></integrator>')
    s["hide_emitters"] = scene(*subject, '<shape type="sphere"><point name="center" value="-1.2 1.6 0.6"/><float name="radius" value="0.4"/><emitter type="area"><rgb name="radiance" value="3"/></emitter></shape>', integrator='<integrator type="path"><boolean name="hide_emitters" value="true"/></integrator>')
    # text
    s["text"] = scene('<shape type="sphere"><point name="center" x="-1" y="$height" z="0"/><float name="radius" value="$size"/><ref id="copy"/></shape>',
        '<shape type="cube"><transform name="to_world"><matrix value="0.4 0.1 0 0.4  0 0.5 0 0.5  0.1 0 0.3 0.7  0 0 0 1"/></transform><ref id="paint"/></shape>',
        '<include filename="part.xml"/>',
        head='<default name="height" value="0.7"/><default name="size" value="0.$height2"/><default name="height2" value="7"/><default name="tone" value="0.2 0.6 0.3"/><path value="data"/><bsdf type="diffuse" id="paint"><rgb name="reflectance" value="0.6, 0.2, 0.5"/></bsdf><alias id="paint" as="copy"/>'.replace('<default name="size" value="0.$height2"/><default name="height2" value="7"/>', '<default name="height2" value="7"/><default name="size" value="0.$height2"/>'))
    # spectra
    spectrum = lambda i, inner: f'<shape type="sphere"><point name="center" value="{1.1 * i - 1.65} 0.5 0"/><float name="radius" value="0.5"/><bsdf type="diffuse">{inner}</bsdf></shape>'
    s["spectra"] = scene(spectrum(0, value("spectrum", "reflectance", "0.3")), spectrum(1, value("spectrum", "reflectance", "400:0.1, 500:0.2, 600:0.8, 700:0.7")), spectrum(2, '<spectrum name="reflectance" filename="data/green.spd"/>'), spectrum(3, value("rgb", "reflectance", "0.2 0.1 0.6")),
        lamp='<shape type="rectangle"><transform name="to_world"><rotate x="1" angle="90"/><translate y="4"/></transform><emitter type="area"><spectrum name="radiance" value="400:2, 550:6, 700:9"/></emitter></shape><emitter type="constant"><spectrum type="d65" name="radiance"><float name="scale" value="0.3"/></spectrum></emitter>')
    panel = lambda x, inner: f'<shape type="rectangle"><transform name="to_world"><scale value="0.5"/><translate x="{x}" y="0.8"/></transform>{inner}</shape>'
    d65 = '<spectrum type="d65" name="radiance">' + texture("inner", "colors.png") + '</spectrum>'
    board = '<texture type="checkerboard" name="radiance">' + value("spectrum", "color0", 0.9) + value("spectrum", "color1", "450:0.2, 650:0.9") + '</texture>'
    s["colors"] = scene(panel(-1.2, f'<emitter type="area">{board}</emitter>'), panel(0, bsdf("roughconductor", value("rgb", "alpha", "0.05 0.1 0.9"))), panel(1.2, f'<emitter type="area">{d65}</emitter>'))
    return s

def render(name, spp):
    loaded = mi.load_file(os.path.join(HERE, f"{name}.xml"))
    batches = np.stack([np.array(mi.render(loaded, spp=spp, seed=100 + i)) for i in range(16)]).astype(np.float64)[..., :3]
    for suffix, pixels in (("", batches.mean(0)), ("_var", batches.var(0, ddof=1) / 16)):
        bitmap = mi.Bitmap(pixels.astype(np.float32)).convert(mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.Float32, False)
        bitmap.write(os.path.join(HERE, f"{name}{suffix}.exr"))

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--spp", type=int, default=64, help="samples of each of the 16 batches")
    arguments = parser.parse_args()
    files()
    for name, text in scenes().items():
        if arguments.names and name not in arguments.names:
            continue
        with open(os.path.join(HERE, f"{name}.xml"), "w") as f:
            f.write(text)
        try:
            render(name, arguments.spp)
            print(name, flush=True)
        except Exception as error:
            print(f"{name}: {error}", file=sys.stderr, flush=True)
