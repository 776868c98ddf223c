#!/usr/bin/env python3
"""Lookups of 4 GB of textures with and without a memory bound: equal bytes, and the extra time.

usage: benches/texture_memory.py KILN [--gigabytes 4] [--bound 256M] [--side 2048] [--turns 3]

Needs OpenImageIO (PyPI `openimageio`) and space for temporary files with the pictures: tiled TIFFs with mip levels, 4096
texels wide. `in rows` reads every texel under the points, row by row, like a render; `scattered` reads random texels,
whose tiles are rarely in memory; `filtered` reads mip levels, like a renderer."""
import argparse, os, shutil, statistics, subprocess, tempfile, time
import numpy, OpenImageIO as oiio

WIDTH = 4096
BYTES = WIDTH * WIDTH * 3 * 4 // 3  # with mip levels

def pictures(folder, count):
    """Eight different pictures, each in several files."""
    generator = numpy.random.default_rng(1)
    texels = generator.integers(0, 256, (WIDTH, WIDTH, 3), dtype=numpy.uint8)
    for i in range(count):
        if i >= 8:
            shutil.copyfile(f"{folder}/t{i % 8}.tif", f"{folder}/t{i}.tif")
            continue
        image = oiio.ImageBuf(oiio.ImageSpec(WIDTH, WIDTH, 3, "uint8"))
        image.set_pixels(oiio.ROI(), numpy.roll(texels, 131 * i, axis=1))
        spec = oiio.ImageSpec()
        spec.attribute("compression", "none")
        spec.attribute("maketx:constant_color_detect", 0)
        if not oiio.ImageBufAlgo.make_texture(oiio.MakeTxTexture, image, f"{folder}/t{i}.tif", spec):
            raise SystemExit(oiio.geterror())

def choice(low, high, options):
    """Statements that look up picture `i` in [low, high) by name."""
    if high - low == 1:
        return f'c = texture("t{low}.tif", s, t{options});'
    middle = (low + high) // 2
    return f"if (i < {middle}) {{ {choice(low, middle, options)} }} else {{ {choice(middle, high, options)} }}"

def shader(count, place, options):
    return f"""shader look(output color c = 0)
{{
    float across = 8 * u, down = {count / 8} * v;
    int i = clamp(int(across) + 8 * int(down), 0, {count - 1});
    float s = across - floor(across), t = down - floor(down);
    {place}
    {choice(0, count, options)}
}}"""

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln"); parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--bound", default="256M"); parser.add_argument("--side", type=int, default=2048)
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    count = max(8, round(args.gigabytes * 1e9 / BYTES / 8) * 8)
    folder = tempfile.mkdtemp()
    try:
        pictures(folder, count)
        print(f"{count} pictures, {count * BYTES / 1e9:.1f} GB, {args.side}x{args.side} lookups each time")
        cases = [("in rows", "", ', "interp", "closest", "width", 0'),
                 ("scattered", "s = hashnoise(u, v); t = hashnoise(v, u + 1);", ', "interp", "closest", "width", 0'),
                 ("filtered", "", "")]
        for name, place, options in cases:
            open(f"{folder}/look.osl", "w").write(shader(count, place, options))
            seconds, busy, outputs = {}, {}, {}
            bounds = ["64G", args.bound]
            for turn in range(args.turns):
                for bound in bounds:
                    out = f"{folder}/{bound}.exr"
                    start = time.time()
                    run = subprocess.run(["/usr/bin/time", "-f", "%U %S %M", args.kiln, "shade", "--texture-memory", bound, "-g", str(args.side),
                                          str(args.side), "-o", "c", out, "look.osl"], cwd=folder, capture_output=True, text=True)
                    if run.returncode: raise SystemExit(run.stderr)
                    seconds.setdefault(bound, []).append(time.time() - start)
                    user, system, kilobytes = (float(word) for word in run.stderr.split()[-3:])
                    busy.setdefault(bound, []).append(user + system)
                    outputs[bound] = open(out, "rb").read(), kilobytes / 1e3
            whole, bounded = (f"{statistics.median(seconds[bound]):6.2f} s ({statistics.median(busy[bound]):6.2f} s of processors, "
                              f"{outputs[bound][1]:5.0f} MB)" for bound in bounds)
            same = outputs[bounds[0]][0] == outputs[bounds[1]][0]
            print(f"{name:10} {whole} without a bound, {bounded} under {args.bound}, {'the same bytes' if same else 'OTHER BYTES'}", flush=True)
    finally:
        shutil.rmtree(folder)

main()
