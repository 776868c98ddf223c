#!/usr/bin/env python3
"""Texture lookups of `kiln shade` compared with OpenImageIO's TextureSystem, on the same files.

usage: benches/textures.py KILN [--verbose | --speed]

Needs OpenImageIO (PyPI `openimageio`). A lookup agrees within 2 % of the picture's range. Prints the share of agreeing
lookups and the largest difference for each case; fails below 99 %.

`--speed` prints microseconds per lookup instead: of `kiln shade` on one thread, including its shader, and of OpenImageIO
called from Python, one call per lookup. The lookup of a single texel shows the overhead of a call."""
import json, os, subprocess, sys, tempfile, time
import OpenImageIO as oiio

GRID = 24
SHADER = """
shader lookup(string file = "", float sx = 1, float sy = 1, float scale = 1, float offset = 0,
              output color value = 0, output float alpha = 0)
{
    float s = scale * (u + 0.2 * v) + offset, t = scale * (v - 0.1 * u) + offset;
    value = texture(file, s, t, sx, 0.3 * sx, -0.2 * sy, sy, %s "alpha", alpha);
}
"""
CASES = [  # name, options of the shader, attributes of TextureOpt
    ("defaults", "", {}),
    ("linear", '"interp", "linear",', {"interpmode": "Bilinear"}),
    ("cubic", '"interp", "cubic",', {"interpmode": "Bicubic"}),
    ("closest", '"interp", "closest",', {"interpmode": "Closest"}),
    ("periodic", '"wrap", "periodic",', {"swrap": "Periodic", "twrap": "Periodic"}),
    ("mirror", '"wrap", "mirror",', {"swrap": "Mirror", "twrap": "Mirror"}),
    ("clamp and black", '"swrap", "clamp", "twrap", "black",', {"swrap": "Clamp", "twrap": "Black"}),
    ("blur", '"blur", 0.05,', {"sblur": 0.05, "tblur": 0.05}),
    ("blur along s", '"sblur", 0.08,', {"sblur": 0.08}),
    ("width", '"width", 3,', {"swidth": 3.0, "twidth": 3.0}),
    ("no filter", '"width", 0,', {"swidth": 0.0, "twidth": 0.0}),
    ("second channel, fill", '"firstchannel", 1, "fill", 0.5,', {"firstchannel": 1, "fill": 0.5}),
]
FOOTPRINTS = [(1e-4, 1e-4), (4e-3, 4e-3), (0.05, 0.05), (0.1, 0.002), (0.002, 0.3), (2, 2)]

def option(values):
    opt = oiio.TextureOpt()
    for key, value in values.items():
        if key in ("swrap", "twrap"): value = getattr(oiio.Wrap, value)
        if key == "interpmode": value = getattr(oiio.InterpMode, value)
        setattr(opt, key, value)
    return opt

def pictures(folder):
    noise = os.path.join(folder, "noise.tif")
    subprocess.check_call(["oiiotool", "--pattern", "noise:type=uniform:min=0:max=1", "256x128", "3", "-d", "uint8", "-o", noise])
    smooth = os.path.join(folder, "smooth.exr")
    subprocess.check_call(["oiiotool", "--pattern", "fill:topleft=0,1,0,1:topright=1,0,0,.5:bottomleft=0,0,1,1:bottomright=1,1,1,0",
                           "200x300", "4", "-d", "half", "-o", smooth])
    for source, name in ((noise, "noise.tx"), (smooth, "smooth.tx.exr")):
        subprocess.check_call(["maketx", source, "-o", os.path.join(folder, name)], stdout=subprocess.DEVNULL)
    return [os.path.join(folder, n) for n in ("noise.tx", "smooth.tx.exr")]

def speed(kiln):
    """Microseconds per lookup for each case."""
    side = 512
    with tempfile.TemporaryDirectory() as folder:
        system = oiio.TextureSystem(False)
        picture = pictures(folder)[0]
        print("one lookup                       Kiln   OpenImageIO from Python   (us)")
        for name, words, attributes in CASES:
            shader = os.path.join(folder, "lookup.osl")
            open(shader, "w").write(SHADER % words)
            stats = os.path.join(folder, "stats.json")
            options = option(attributes)
            for sx, sy in FOOTPRINTS[:3]:
                set_ = [w for k, v in dict(file=picture, sx=sx, sy=sy).items() for w in ("--param", k, str(v))]
                subprocess.check_call([kiln, "shade", *set_, "-t", "1", "-g", str(side), str(side), "--iters", "4", f"--stats={stats}",
                                       "-o", "value", "null", shader], stdout=subprocess.DEVNULL)
                kiln_us = json.load(open(stats))["ns_per_point"] / 1e3
                places = [((x + 0.2 * y) / 300, (y - 0.1 * x) / 300) for y in range(300) for x in range(300)]
                start = time.perf_counter()
                for s, t in places:
                    system.texture(picture, options, s, t, sx, 0.3 * sx, -0.2 * sy, sy, 4)
                oiio_us = (time.perf_counter() - start) / len(places) * 1e6
                print(f"{name:22} {sx:6} {kiln_us:8.3f} {oiio_us:10.3f}", flush=True)

def main():
    if "--speed" in sys.argv: return speed(sys.argv[1])
    kiln, verbose = sys.argv[1], "--verbose" in sys.argv
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        system = oiio.TextureSystem(False)
        system.attribute("gray_to_rgb", 1)
        for picture in pictures(folder):
            for name, words, attributes in CASES:
                shader = os.path.join(folder, "lookup.osl")
                open(shader, "w").write(SHADER % words)
                agree = total = 0; worst = 0.0
                for scale, offset in ((1, 0), (2.5, -0.7)):
                    for sx, sy in FOOTPRINTS:
                        out = os.path.join(folder, "out.exr"); alpha = os.path.join(folder, "alpha.exr")
                        set_ = [w for k, v in dict(file=picture, sx=sx, sy=sy, scale=scale, offset=offset).items() for w in ("--param", k, str(v))]
                        subprocess.check_call([kiln, "shade", *set_, "-g", str(GRID), str(GRID), "--center", "-o", "value", out, "-o", "alpha", alpha, shader],
                                              stdout=subprocess.DEVNULL)
                        have = oiio.ImageBuf(out).get_pixels(oiio.FLOAT); have_a = oiio.ImageBuf(alpha).get_pixels(oiio.FLOAT)
                        for y in range(GRID):
                            for x in range(GRID):
                                u, v = (x + 0.5) / GRID, (y + 0.5) / GRID
                                s = scale * (u + 0.2 * v) + offset; t = scale * (v - 0.1 * u) + offset
                                want = system.texture(picture, option(attributes), s, t, sx, 0.3 * sx, -0.2 * sy, sy, 4)
                                got = [*have[y][x][:3], have_a[y][x][0]]
                                far = max(abs(float(a) - float(b)) for a, b in zip(want, got))
                                total += 1; agree += far <= 0.02; worst = max(worst, far)
                                if verbose and far > 0.02: print(f"  {name} {sx} {sy} scale {scale} at {s:.4f} {t:.4f}: {want} and {got}")
                failed |= agree < 0.99 * total
                print(f"{os.path.basename(picture):14} {name:22} {100 * agree / total:6.2f} % agree, largest difference {worst:.4f}", flush=True)
    sys.exit(failed)

main()
