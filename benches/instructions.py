#!/usr/bin/env python3
"""Instructions of shaders and small renders, compared between two builds. Counts do not depend on the load of the machine,
so that a change of a few per cent is seen, for example after code moved to another crate.

usage: benches/instructions.py OLD NEW [--shaders FOLDER] [--scenes FOLDER] [--limit 1.03]

Counts are those of valgrind's callgrind, which reports the same processor features on all machines with AVX2, so that the
dispatch of libraries is the same, too. Each count is the difference of two runs, of more and of fewer points or samples, and
so excludes loading and compilation. Exits with an error if a count exceeds the old one by more than the limit."""
import argparse, math, os, re, subprocess, sys, tempfile

SHADERS = ["trivial", "fbm8", "cfbm8", "matinv", "worley"]
SCENES = ["cornell_box", "veach_plates", "glass", "light_shafts", "material_ball"]

def instructions(command, folder):
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    process = subprocess.run(valgrind + command, cwd=folder, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", process.stderr)
    if process.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)} failed:\n{process.stderr}")
    return int(found[1])

def difference(command, folder):
    """Instructions of `command(2)` beyond those of `command(1)`."""
    few, many = (instructions(command(times), folder) for times in (1, 2))
    return many - few

def shade(kiln, name):
    return lambda times: [kiln, "shade", f"{name}.osl", "--res", "64", "64", "--iters", str(8 * times), "-t", "1", "-o", "Cout", "null"]

def render(kiln, name, output):
    return lambda times: [kiln, "render", f"{name}.kiln", "--size", "32x24", "--spp", str(4 * times), "--threads", "1", "--quiet", "-o", output]

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old"); parser.add_argument("new")
    parser.add_argument("--shaders"); parser.add_argument("--scenes", default="scenes"); parser.add_argument("--limit", type=float, default=1.03)
    args = parser.parse_args()
    kilns = [os.path.abspath(kiln) for kiln in (args.old, args.new)]
    ratios = {}
    def compare(name, counts):
        old, new = counts
        ratios[name] = new / old
        print(f"{name:14} {old:14,} {new:14,} {new / old:6.3f}", flush=True)
    for name in SHADERS if args.shaders else []:
        compare(name, [difference(shade(kiln, name), args.shaders) for kiln in kilns])
    with tempfile.TemporaryDirectory() as temporary:
        for name in SCENES:
            compare(name, [difference(render(kiln, name, f"{temporary}/out.exr"), args.scenes) for kiln in kilns])
    print(f"geometric mean {math.exp(sum(map(math.log, ratios.values())) / len(ratios)):.3f}")
    slower = [name for name, ratio in ratios.items() if ratio > args.limit]
    if slower: sys.exit(f"more instructions than before: {', '.join(slower)}")

main()
