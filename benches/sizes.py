#!/usr/bin/env python3
"""Time and memory of large scenes: ten million triangles in one file and in a hundred, a million instances, a hundred
textures.

usage: benches/sizes.py KILN [CASE...] [--triangles 10000000] [--instances 1000000] [--threads N] [--mitsuba] [--keep FOLDER]
       [--flags="--build-quality low"]

For each case: seconds to load (read and check files), to build (shapes, textures, acceleration structure) and to render
one sample per pixel of 256x256; processor time; peak memory of the process, and the part above an empty scene's per
triangle or instance. `--mitsuba` reads the same mesh with Mitsuba 3 (PyPI `mitsuba`; `llvm_ad_rgb` needs libLLVM). Needs numpy."""
import argparse, json, os, resource, shutil, struct, subprocess, sys, tempfile, time, zlib
import numpy

CAMERA = """film { size = (256, 256); }
camera view : perspective { from = (1.5, 1.2, 1.5); to = (0, 0, 0); fov = 40; }
light sky : environment { color = 1; }
"""

def surface(triangles):
    """A wavy square of about `count` triangles: positions and indices."""
    side = max(2, round((triangles / 2) ** 0.5) + 1)
    x, z = numpy.meshgrid(numpy.linspace(-1, 1, side), numpy.linspace(-1, 1, side))
    y = 0.1 * numpy.sin(9 * x) * numpy.cos(7 * z) + 0.002 * numpy.sin(211 * x + 97 * z)
    positions = numpy.stack([x, y, z], axis=-1).reshape(-1, 3).astype("<f4")
    corner = (numpy.arange(side - 1)[:, None] * side + numpy.arange(side - 1)).reshape(-1).astype("<u4")
    triangles = numpy.stack([corner, corner + side, corner + 1, corner + 1, corner + side, corner + side + 1], axis=-1)
    return positions, triangles.reshape(-1, 3)

def write_ply(path, positions, triangles):
    faces = numpy.empty(len(triangles), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, triangles
    with open(path, "wb") as file:
        file.write(f"ply\nformat binary_little_endian 1.0\nelement vertex {len(positions)}\nproperty float x\nproperty float y\n"
                   f"property float z\nelement face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n".encode())
        file.write(positions.tobytes())
        file.write(faces.tobytes())

def write_obj(path, positions, triangles):
    with open(path, "w") as file:
        for p in positions.tolist(): file.write("v %.6f %.6f %.6f\n" % tuple(p))
        for t in (triangles + 1).tolist(): file.write("f %d %d %d\n" % tuple(t))

def write_glb(path, positions, triangles, places=None):
    """`places` are translations, rotations and scales of instances."""
    arrays = [(positions, 5126, "VEC3"), (triangles.reshape(-1), 5125, "SCALAR")]
    node = {"mesh": 0, "name": "mesh"}
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [node],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]}
    if places is not None:
        arrays += [(places[0], 5126, "VEC3"), (places[1], 5126, "VEC4"), (places[2], 5126, "VEC3")]
        node["extensions"] = {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 2, "ROTATION": 3, "SCALE": 4}}}
        document["extensionsUsed"] = document["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
    document["accessors"], document["bufferViews"], offset = [], [], 0
    for index, (array, kind, shape) in enumerate(arrays):
        document["accessors"].append({"bufferView": index, "componentType": kind, "count": len(array), "type": shape})
        if index == 0:
            document["accessors"][0].update(min=positions.min(0).tolist(), max=positions.max(0).tolist())
        document["bufferViews"].append({"buffer": 0, "byteOffset": offset, "byteLength": array.nbytes})
        offset += array.nbytes
    document["buffers"] = [{"byteLength": offset}]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + offset, len(text), 0x4E4F534A) + text)
        file.write(struct.pack("<II", offset, 0x004E4942))
        for array, _, _ in arrays: file.write(array.tobytes())

def write_png(path, texels):
    height, width, _ = texels.shape
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + row.tobytes() for row in texels)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))

def scatter(count):
    """Translations, rotations and scales of instances that fill the square."""
    random = numpy.random.default_rng(1)
    translations = (random.random((count, 3)) * [2, 0.2, 2] - [1, 0, 1]).astype("<f4")
    rotations = random.normal(size=(count, 4))
    rotations = (rotations / numpy.linalg.norm(rotations, axis=1, keepdims=True)).astype("<f4")
    scales = numpy.repeat((0.3 + random.random((count, 1))) / max(1.0, count ** 0.5), 3, axis=1).astype("<f4")
    return translations, rotations, scales

# ---- Cases: each writes its files and returns the scene's text, the unit of the count, and the count.

def empty(folder, args):
    return "shape ground : plane { size = 2; }", "scene", 0

def one_file(kind, write):
    def case(folder, args):
        positions, triangles = surface(args.triangles)
        write(f"{folder}/mesh.{kind}", positions, triangles)
        return f'shape mesh : mesh {{ file = "mesh.{kind}"; }}', "triangle", len(triangles)
    return case

def many_files(folder, args):
    positions, triangles = surface(args.triangles / 100)
    for i in range(100): write_ply(f"{folder}/mesh{i}.ply", positions / 10 + numpy.float32([i % 10 / 5 - 0.9, 0, i // 10 / 5 - 0.9]), triangles)
    return "\n".join(f'shape mesh{i} : mesh {{ file = "mesh{i}.ply"; }}' for i in range(100)), "triangle", 100 * len(triangles)

def instanced(triangles):
    def case(folder, args):
        mesh = surface(triangles) if triangles > 1 else (numpy.float32([[0, 0, 0], [1, 0, 0], [0, 0, 1]]), numpy.uint32([[0, 2, 1]]))
        write_glb(f"{folder}/forest.glb", *mesh, scatter(args.instances))
        return 'import "forest.glb" as forest;', "instance", args.instances
    return case

def declared(folder, args):
    write_ply(f"{folder}/mesh.ply", *surface(200))
    count = args.instances // 10
    translations, _, scales = scatter(count)
    lines = ['shape first : mesh { file = "mesh.ply"; transform = scale(0.001); }']
    lines += [f"shape s{i} : instance {{ of = first; transform = translate({x:.5f}, {y:.5f}, {z:.5f}) * scale({300 * s[0]:.5f}); }}"
              for i, ((x, y, z), s) in enumerate(zip(translations.tolist(), scales.tolist()))]
    return "\n".join(lines), "instance", count

def textures(folder, args):
    random = numpy.random.default_rng(1)
    texels = numpy.kron(random.integers(0, 256, (64, 64, 3), dtype=numpy.uint8), numpy.ones((16, 16, 1), numpy.uint8))
    lines = []
    for i in range(100):
        write_png(f"{folder}/t{i}.png", numpy.roll(texels, 16 * i, axis=1))
        lines.append(f'shape r{i} : rectangle {{ size = 0.18; transform = translate({i % 10 / 5 - 0.9}, 0, {i // 10 / 5 - 0.9}) * '
                     f'rotate((1, 0, 0), -90); material = look(file = "t{i}.png"); }}')
    unit = "group look(string file = \"\", output closure color surface) { image picture(file = file); matte base(albedo = picture.result); surface = base.surface; }"
    return unit + "\n" + "\n".join(lines), "texel", 100 * 1024 * 1024

CASES = {"empty": empty, "ply": one_file("ply", write_ply), "glb": one_file("glb", write_glb), "obj": one_file("obj", write_obj),
         "files": many_files, "instances": instanced(200), "instances1": instanced(1), "declared": declared, "textures": textures}

MITSUBA = """
import sys, time, mitsuba as mi
path, variant = sys.argv[1:]
mi.set_variant(variant)
start, busy = time.time(), time.process_time()
shape = {"type": "ply", "filename": path} if path else {"type": "rectangle"}
scene = mi.load_dict({"type": "scene", "mesh": shape, "sky": {"type": "constant"}, "integrator": {"type": "direct"},
    "sensor": {"type": "perspective", "fov": 40, "to_world": mi.ScalarTransform4f().look_at([1.5, 1.2, 1.5], [0, 0, 0], [0, 1, 0]),
               "film": {"type": "hdrfilm", "width": 256, "height": 256}, "sampler": {"type": "independent", "sample_count": 1}}})
loaded = time.time()
import numpy; numpy.array(mi.render(scene, spp=1))
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(loaded - start, time.time() - loaded, time.process_time() - busy, peak * 1024)
"""

def mitsuba(path, variant):
    run = subprocess.run([sys.executable, "-c", MITSUBA, path, variant], capture_output=True, text=True)
    if run.returncode: return None
    return [float(word) for word in run.stdout.split()[-4:]]

def processors():
    """Processor time of terminated child processes [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

def measure(args, folder):
    stats = f"{folder}/stats.json"
    extra = (["--threads", str(args.threads)] if args.threads else []) + args.flags.split()
    start, busy = time.time(), processors()
    run = subprocess.run([args.kiln, "render", f"{folder}/scene.kiln", "-o", f"{folder}/scene.exr", "--spp", "1", "-q", "--depth", "3",
                          "--stats", stats] + extra, capture_output=True, text=True)
    if run.returncode: raise SystemExit(run.stderr)
    return json.load(open(stats)), time.time() - start, processors() - busy

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln"); parser.add_argument("cases", nargs="*")
    parser.add_argument("--triangles", type=int, default=10_000_000); parser.add_argument("--instances", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int); parser.add_argument("--mitsuba", action="store_true")
    parser.add_argument("--keep", help="folder in which the scenes stay, and are found again"); parser.add_argument("--flags", default="")
    args = parser.parse_args()
    folder = args.keep or tempfile.mkdtemp()
    try:
        base = None
        print("case             load s   build s  render s   whole s  processors s    peak MB  accel MB  bytes for each")
        for name in ["empty"] + [case for case in args.cases or CASES if case != "empty"]:
            own = f"{folder}/{name}"
            if not os.path.exists(f"{own}/case.json"):
                os.makedirs(own, exist_ok=True)
                text, unit, count = CASES[name](own, args)
                open(f"{own}/scene.kiln", "w").write(CAMERA + text)
                json.dump([unit, count], open(f"{own}/case.json", "w"))
            unit, count = json.load(open(f"{own}/case.json"))
            found, whole, busy = measure(args, own)
            stages, peak = found["stages_s"], found["peak_memory_bytes"]
            if base is None: base = peak
            each = f"{(peak - base) / count:.0f} a {unit} ({count})" if count else ""
            print(f"{name:14} {stages['load']:8.2f}  {stages['build'] + stages['compile']:8.2f}  {stages['render']:8.2f}  {whole:8.2f}  {busy:12.2f}  {peak / 1e6:9.0f}"
                  f"  {found['accel_bytes'] / 1e6:8.0f}  {each}", flush=True)
        if args.mitsuba:
            for variant in ["scalar_rgb", "llvm_ad_rgb"]:
                nothing, found = mitsuba("", variant), mitsuba(f"{folder}/ply/mesh.ply", variant)
                if not found: print(f"mitsuba {variant}: not there"); continue
                print(f"mitsuba {variant:12} load and build {found[0]:.2f} s, render {found[1]:.2f} s, processors {found[2]:.2f} s, peak {found[3] / 1e6:.0f} MB, "
                      f"{(found[3] - nothing[3]) / json.load(open(f'{folder}/ply/case.json'))[1]:.0f} bytes a triangle")
    finally:
        if not args.keep: shutil.rmtree(folder)

main()
