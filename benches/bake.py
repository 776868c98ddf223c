#!/usr/bin/env python3
"""Lightmaps: time to equal error compared with Blender's Cycles, for the same model, UVs and texels.

    python3.13 -m venv bpy && bpy/bin/pip install bpy==5.3.0
    cargo build --release
    bpy/bin/python benches/bake.py [SCENE...] [--resolution 256] [--samples 16,64,256] [--cycles-samples 64,256,1024]

Kiln bakes a scene with all light (`--include both`). Blender opens its `scene.glb`, in world space with the lightmap's
UVs and diffuse materials, makes emitters one-sided as in Kiln, and bakes diffuse light without colour, which is
irradiance / π, for all objects in one image. Only the time of Blender's bake call counts, without loading; for Kiln,
the times of `--stats` for preparation (charts, photons), gathering and finishing.

The reference is Kiln's path-traced bake with --reference rays per texel, so that systematic differences count as
errors. Texels within one texel of a chart's border are excluded, because programs sample them differently.
`error` is the root of the mean squared relative error of irradiance, clamped at the 99th percentile; `mean` is the mean
of all texels relative to the reference; `work` is error² × time relative to Kiln's run of least work."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# The name of cycles.py in this folder collides with Blender's add-on.
sys.path = [place for place in sys.path if os.path.abspath(place) != HERE]
SCENES = os.path.join(HERE, "../scenes")


def bake_in_blender(task):
    import bpy
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=task["model"])
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.threads_mode, scene.render.threads = "FIXED", task["threads"]
    scene.cycles.samples, scene.cycles.seed = task["samples"], task["seed"]
    scene.cycles.use_adaptive_sampling = scene.cycles.use_denoising = False
    scene.cycles.max_bounces = scene.cycles.diffuse_bounces = 64
    scene.cycles.sample_clamp_indirect = 0
    scene.render.bake.use_pass_color = False
    scene.render.bake.margin = 0
    scene.render.bake.use_clear = False
    lights = {name: rgb for name, rgb in task["lamps"]}
    image = bpy.data.images.new("lightmap", task["size"][0], task["size"][1], float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    objects = [o for o in bpy.data.objects if o.type == "MESH"]
    for thing in objects:
        thing.data.uv_layers.active = thing.data.uv_layers[-1]
        thing.select_set(True)
        for slot in thing.material_slots:
            nodes, links = slot.material.node_tree.nodes, slot.material.node_tree.links
            base = next(n for n in nodes if n.type == "BSDF_PRINCIPLED").inputs["Base Color"].default_value[:]
            nodes.clear()
            out, diffuse = nodes.new("ShaderNodeOutputMaterial"), nodes.new("ShaderNodeBsdfDiffuse")
            diffuse.inputs["Color"].default_value = base
            surface = diffuse.outputs[0]
            if thing.name in lights:
                add, emission = nodes.new("ShaderNodeAddShader"), nodes.new("ShaderNodeEmission")
                rgb = lights[thing.name]
                emission.inputs["Color"].default_value = (*[v / max(rgb) for v in rgb], 1)
                front, times = nodes.new("ShaderNodeNewGeometry"), nodes.new("ShaderNodeMath")
                times.operation = "MULTIPLY_ADD"
                links.new(front.outputs["Backfacing"], times.inputs[0])
                times.inputs[1].default_value, times.inputs[2].default_value = -max(rgb), max(rgb)
                links.new(times.outputs[0], emission.inputs["Strength"])
                links.new(surface, add.inputs[0])
                links.new(emission.outputs[0], add.inputs[1])
                surface = add.outputs[0]
            links.new(surface, out.inputs["Surface"])
            texture = nodes.new("ShaderNodeTexImage")
            texture.image = image
            nodes.active = texture
    bpy.context.view_layer.objects.active = objects[0]
    start = time.perf_counter()
    bpy.ops.object.bake(type="DIFFUSE", pass_filter={"DIRECT", "INDIRECT"})
    seconds = time.perf_counter() - start
    import numpy
    pixels = numpy.empty(len(image.pixels), numpy.float32)
    image.pixels.foreach_get(pixels)
    numpy.save(task["out"], pixels.reshape(task["size"][1], task["size"][0], 4)[::-1, :, :3] * numpy.pi)
    print(json.dumps({"seconds": seconds}))


def read_exr(path):
    import bpy
    import numpy
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    pixels = numpy.empty(len(image.pixels), numpy.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(image.size[1], image.size[0], -1)[::-1]


def kiln(args, scene, folder, *flags):
    stats = folder + ".json"
    subprocess.run([args.kiln, "bake", scene, "-o", folder, "--quiet", "--stats", stats, "--include", "both", "--resolution",
                    str(args.resolution), "--threads", str(args.threads), "--textures", "0", *flags], check=True)
    told = json.load(open(stats))
    return sum(told["stages_s"][stage] for stage in ["prepare", "gather", "finish"]), read_exr(folder + "/irradiance.exr")[..., :3]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", default=["cornell_box", "two_rooms"])
    parser.add_argument("--resolution", type=int, default=256)
    parser.add_argument("--samples", default="16,64,256")
    parser.add_argument("--cycles-samples", default="64,256,1024")
    parser.add_argument("--reference", type=int, default=16384)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kiln", default=os.path.join(HERE, "../target/release/kiln"))
    args = parser.parse_args()
    import numpy
    for name in args.scenes:
        with tempfile.TemporaryDirectory() as at:
            scene = name if os.path.exists(name) else os.path.join(SCENES, name + ".kiln")
            _, truth = kiln(args, scene, at + "/truth", "--integrator", "path", "--samples", str(args.reference))
            kinds = (read_exr(at + "/truth/coverage.png")[..., 0] * 255).round()
            inner = kinds == 255
            for axis in (0, 1):
                inner &= numpy.roll(inner, 1, axis) & numpy.roll(inner, -1, axis)
            lamps = json.loads(subprocess.run([sys.executable, __file__, "--lamps", at + "/truth/model.glb"], capture_output=True, text=True, check=True).stdout)
            limit = numpy.quantile(truth[inner].max(-1), 0.99)
            want = numpy.minimum(truth[inner], limit)

            def tell(label, seconds, found, rows):
                got = numpy.minimum(found[inner], limit)
                error = float(numpy.sqrt((((got - want).mean(-1)) ** 2).mean()) / want.mean())
                rows.append((label, seconds, error, float(got.mean() / want.mean())))

            rows = []
            for samples in args.samples.split(","):
                for integrator in ["photon", "path"]:
                    for filtered in [[], ["--denoise=bilateral"]]:
                        label = f"kiln {integrator} {samples}{' denoised' if filtered else ''}"
                        tell(label, *kiln(args, scene, f"{at}/k", "--integrator", integrator, "--samples", samples, "--seed", "7", *filtered), rows)
            for samples in args.cycles_samples.split(","):
                task = {"model": at + "/truth/scene.glb", "threads": args.threads, "samples": int(samples), "seed": 3, "lamps": lamps,
                        "size": [truth.shape[1], truth.shape[0]], "out": at + "/cycles.npy"}
                told = subprocess.run([sys.executable, __file__, "--blender", json.dumps(task)], capture_output=True, text=True)
                if told.returncode:
                    sys.exit(told.stderr)
                tell(f"cycles {samples}", json.loads(told.stdout.splitlines()[-1])["seconds"], numpy.load(at + "/cycles.npy"), rows)
            least = min(error ** 2 * seconds for label, seconds, error, _ in rows if label.startswith("kiln"))
            print(f"{name}, {args.resolution}² texels: run, seconds, error, mean, work")
            for label, seconds, error, mean in rows:
                print(f"  {label:28} {seconds:8.2f} {error:9.5f} {mean:7.4f} {error ** 2 * seconds / least:9.2f}", flush=True)


def lamps(path):
    import struct
    data = open(path, "rb").read()
    told = json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])
    found = []
    for node in told["nodes"]:
        if "mesh" not in node:
            continue
        material = told["materials"][told["meshes"][node["mesh"]]["primitives"][0]["material"]]
        rgb = material.get("emissiveFactor", [0, 0, 0])
        strength = material.get("extensions", {}).get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1)
        if max(rgb) > 0:
            found.append([node["name"], [v * strength for v in rgb]])
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--blender"]:
        bake_in_blender(json.loads(sys.argv[2]))
    elif sys.argv[1:2] == ["--lamps"]:
        lamps(sys.argv[2])
    else:
        main()
