#!/usr/bin/env python3
"""Lightmap charts of `kiln bake` compared with those of xatlas on the same triangles: texel density, stretch, number.

    cargo build --release
    PYTHON_WITH_XATLAS_AND_NUMPY benches/unwrap.py MODEL… [--resolution 1024]

Densities are for a square texture with `--resolution` texels per side; the gap between charts is four texels. Kiln's time
is that of a whole bake with one ray per texel; that of xatlas is only the unwrapping."""
import argparse
import json
import os
import struct
import subprocess
import tempfile
import time

import numpy as np
import xatlas

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SCENE = 'material grey = matte(albedo = 0.5);\nlight sky : environment {{ color = 1; }}\n{}\n'
GUTTER = 4


def read_glb(path):
    """Positions, triangles and lightmap coordinates of each mesh."""
    data = open(path, "rb").read()
    length = struct.unpack("<I", data[12:16])[0]
    document, binary = json.loads(data[20:20 + length]), data[28 + length:]

    def accessor(index):
        it = document["accessors"][index]
        kind = {5126: np.float32, 5125: np.uint32}[it["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[it["type"]]
        start = document["bufferViews"][it["bufferView"]]["byteOffset"]
        return np.frombuffer(binary, kind, it["count"] * width, start).reshape(-1, width)

    meshes = []
    for mesh in document["meshes"]:
        primitive = mesh["primitives"][0]
        attributes = primitive["attributes"]
        normals = accessor(attributes["NORMAL"]) if "NORMAL" in attributes else None
        triangles = accessor(primitive["indices"]).reshape(-1, 3)
        meshes.append((accessor(attributes["POSITION"]), triangles, normals, accessor(attributes["TEXCOORD_1"])))
    return meshes


def components(triangles, count):
    """Number of sets of triangles connected by vertices."""
    parent = list(range(count))

    def root(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for a, b, c in triangles.tolist():
        parent[root(b)] = root(a)
        parent[root(c)] = root(a)
    return len({root(v) for v in set(triangles[:, 0].tolist())})


def measure(pieces):
    """Charts; area in texels and in the world; the mean ratio of longest to shortest scale."""
    charts, flat_area, area, ratio = 0, 0.0, 0.0, 0.0
    for positions, triangles, places in pieces:
        p, q = positions.astype(np.float64)[triangles], places.astype(np.float64)[triangles]
        e1, e2 = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
        world = 0.5 * np.linalg.norm(np.cross(e1, e2), axis=1)
        good = world > 1e-9 * world.sum() / len(world)
        e1, e2, q, world = e1[good], e2[good], q[good], world[good]
        length = np.linalg.norm(e1, axis=1)
        shape = np.zeros((len(length), 2, 2))
        shape[:, 0, 0], shape[:, 0, 1], shape[:, 1, 1] = length, (e1 * e2).sum(1) / length, 2 * world / length
        flat = np.stack([q[:, 1] - q[:, 0], q[:, 2] - q[:, 0]], axis=2)
        scales = np.linalg.svd(flat @ np.linalg.inv(shape), compute_uv=False)
        ratio += (world * np.minimum(scales[:, 0] / np.maximum(scales[:, 1], 1e-9), 100)).sum()
        area += world.sum()
        flat_area += 0.5 * np.abs(np.linalg.det(flat)).sum()
        charts += components(triangles, len(positions))
    return charts, flat_area, area, ratio / area


def report(name, pieces, size, resolution, seconds):
    charts, flat_area, area, ratio = measure(pieces)
    used = flat_area / (size[0] * size[1])
    density = resolution * np.sqrt(used / area)
    print(f"    {name:7s} {charts:5d} charts, {100 * used:4.1f} % used, {density:9.2f} texels a metre, "
          f"scales {ratio:.2f} : 1, {seconds:6.1f} s", flush=True)


def kiln(args, model, folder):
    scene = os.path.join(folder, "scene.kiln")
    path = json.dumps(os.path.abspath(model))
    is_scene = model.endswith((".glb", ".gltf"))
    shape = f"import {path} as model;" if is_scene else f"shape model : mesh {{ file = {path}; material = grey; }}"
    open(scene, "w").write(SCENE.format(shape))
    output = os.path.join(folder, "out")
    start = time.time()
    subprocess.run([args.kiln, "bake", scene, "-o", output, "--resolution", str(args.resolution), "--samples", "1",
                    "--include", "direct", "--integrator", "path", "--sides", "front", "--quiet"], check=True)
    seconds = time.time() - start
    atlas = json.load(open(os.path.join(output, "bake.json")))["atlas"]
    return read_glb(os.path.join(output, "scene.glb")), (atlas["width"], atlas["height"]), seconds


def with_xatlas(args, meshes):
    start = time.time()
    atlas = xatlas.Atlas()
    welded = []
    for positions, triangles, normals, _ in meshes:
        vertices = positions if normals is None else np.concatenate([positions, normals], 1)
        unique, index = np.unique(vertices, axis=0, return_inverse=True)
        faces = index.reshape(-1)[triangles].astype(np.uint32)
        parts = [unique[:, :3], faces] + ([] if normals is None else [unique[:, 3:]])
        atlas.add_mesh(*map(np.ascontiguousarray, parts))
        welded.append(unique[:, :3])
    pack = xatlas.PackOptions()
    pack.resolution, pack.padding, pack.bilinear = args.resolution, GUTTER, True
    atlas.generate(xatlas.ChartOptions(), pack)
    size = (atlas.width, atlas.height)
    pieces = []
    for index, positions in enumerate(welded):
        source, triangles, uv = atlas[index]
        pieces.append((positions[source], triangles, uv * size))
    return pieces, size, time.time() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--resolution", type=int, default=1024)
    parser.add_argument("--kiln", default=os.path.join(ROOT, "target/release/kiln"))
    args = parser.parse_args()
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            meshes, size, seconds = kiln(args, model, folder)
        print(f"{os.path.basename(model)}: {sum(len(mesh[1]) for mesh in meshes)} triangles")
        report("Kiln", [(p, t, uv * size) for p, t, _, uv in meshes], size, args.resolution, seconds)
        pieces, size, seconds = with_xatlas(args, meshes)
        report("xatlas", pieces, size, args.resolution, seconds)


if __name__ == "__main__":
    main()
