"""The scenes of `cycles.py` built in Blender and rendered by Cycles; `cycles.py` runs this file in a separate process.

All scenes except `suzanne` have the parameters of `tests/references/make.py` and its axes (y up). Reflecting spheres
are meshes of 20,480 triangles with smooth normals. Area lights are Blender's lights, which Cycles samples by solid
angle; their reflecting or black surface is just behind the light. `suzanne` is modelled as Blender's users do (z up,
Principled BSDFs) and is written as glTF by Blender's exporter.

Cycles has its defaults, except for: all bounces, no clamping, no blurred caustics, no denoising, no adaptive sampling,
box filter of one pixel. Its light tree and caustics are enabled."""
import json
import math
import sys
import time

import bpy
import bmesh  # available after the import of bpy
from mathutils import Matrix, Vector

COPPER = ((0.215, 0.919, 1.119), (3.908, 2.446, 2.140))
GOLD = ((0.155, 0.424, 1.384), (3.602, 2.472, 1.916))

# Distance of a light from the surface behind it.
GAP = 1e-4


# ---- Transforms ----

def move(x, y, z):
    return Matrix.Translation((x, y, z))


def turn(axis, degrees):
    return Matrix.Rotation(math.radians(degrees), 4, axis)


def size(x, y, z):
    return Matrix.Diagonal((x, y, z, 1))


def look(origin, target, up=(0, 1, 0)):
    """Blender's cameras and lights face along their -z."""
    origin = Vector(origin)
    back = (origin - Vector(target)).normalized()
    right = Vector(up).cross(back).normalized()
    columns = (right, back.cross(right), back, origin)
    return Matrix([[c[row] for c in columns] for row in range(3)] + [[0, 0, 0, 1]])


# ---- Materials ----

def material(kind, **inputs):
    made = bpy.data.materials.new(kind)
    made.use_nodes = True
    made.node_tree.nodes.clear()
    node = made.node_tree.nodes.new(kind)
    for name, value in inputs.items():
        if name in ("fresnel_type", "distribution"):
            setattr(node, name, value)
        else:
            node.inputs[name].default_value = value
    output = made.node_tree.nodes.new("ShaderNodeOutputMaterial")
    made.node_tree.links.new(node.outputs[0], output.inputs["Surface"])
    return made


def matte(*color):
    return material("ShaderNodeBsdfDiffuse", Color=(*color, 1))


def metal(eta_k, alpha):
    eta, k = eta_k
    return material("ShaderNodeBsdfMetallic", fresnel_type="PHYSICAL_CONDUCTOR", distribution="GGX", IOR=eta, Extinction=k,
                    Roughness=math.sqrt(alpha))


# ---- Shapes ----

def place(name, data, transform, made_of=None):
    made = bpy.data.objects.new(name, data)
    made.matrix_world = transform
    bpy.context.collection.objects.link(made)
    if made_of:
        data.materials.append(made_of)
    return made


def mesh(name, made_of, transform, build):
    data, shape = bpy.data.meshes.new(name), bmesh.new()
    build(shape)
    shape.to_mesh(data)
    return place(name, data, transform, made_of)


def rectangle(name, made_of, transform):
    mesh(name, made_of, transform, lambda shape: bmesh.ops.create_grid(shape, x_segments=1, y_segments=1, size=1))


def cube(name, made_of, transform):
    mesh(name, made_of, transform, lambda shape: bmesh.ops.create_cube(shape, size=2))


def ball(name, made_of, center, radius):
    made = mesh(name, made_of, move(*center), lambda shape: bmesh.ops.create_icosphere(shape, subdivisions=6, radius=radius))
    made.data.shade_smooth()


# ---- Lights and cameras ----

def lamp(kind, transform, energy, **settings):
    """`energy` is a colour; Blender needs its greatest channel as a separate factor."""
    data = bpy.data.lights.new(kind, kind)
    data.energy = max(energy)
    data.color = [channel / max(energy) for channel in energy]
    for name, value in settings.items():
        setattr(data, name, value)
    made = place(kind, data, transform)
    made.visible_camera = True
    return made


def rectangle_lamp(radiance, transform, behind):
    """Emits along +z of `transform`, like rectangles of Kiln and Mitsuba."""
    width, height = (2 * transform.to_scale()[axis] for axis in range(2))
    rectangle("behind", behind, transform)
    rigid = Matrix.LocRotScale(*transform.decompose()[:2], None)
    lamp("AREA", rigid @ move(0, 0, GAP) @ turn("X", 180), [math.pi * width * height * c for c in radiance],
         shape="RECTANGLE", size=width, size_y=height)


def sphere_lamp(radiance, center, radius):
    lamp("POINT", move(*center), [4 * (math.pi * radius) ** 2 * c for c in radiance], shadow_soft_size=radius, use_soft_falloff=False)


def camera(transform, fov, width, height, lens=None):
    scene, data = bpy.context.scene, bpy.data.cameras.new("camera")
    data.sensor_fit, data.angle, data.clip_start, data.clip_end = "HORIZONTAL", math.radians(fov), 0.01, 1000
    if lens:
        radius, distance = lens
        data.dof.use_dof, data.dof.focus_distance = True, distance
        data.dof.aperture_fstop = data.lens * 1e-3 / (2 * radius)
    scene.camera = place("camera", data, transform)
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100


# ---- Scenes ----

def cornell_walls():
    white, green, red = matte(0.885809, 0.698859, 0.666422), matte(0.105421, 0.37798, 0.076425), matte(0.570068, 0.0430135, 0.0443706)
    rectangle("floor", white, move(0, -1, 0) @ turn("X", -90))
    rectangle("ceiling", white, move(0, 1, 0) @ turn("X", 90))
    rectangle("back", white, move(0, 0, -1))
    rectangle("green_wall", green, move(1, 0, 0) @ turn("Y", -90))
    rectangle("red_wall", red, move(-1, 0, 0) @ turn("Y", 90))
    return white


def cornell_box():
    white = cornell_walls()
    rectangle_lamp((18.387, 13.9873, 6.75357), move(0, 0.99, 0.01) @ turn("X", 90) @ size(0.23, 0.19, 0.19), white)
    cube("small_box", white, move(0.335, -0.7, 0.38) @ turn("Y", -17) @ size(0.3, 0.3, 0.3))
    cube("large_box", white, move(-0.33, -0.4, -0.28) @ turn("Y", 18.25) @ size(0.3, 0.61, 0.3))
    camera(look((0, 0, 3.9), (0, 0, 0)), 39.3077, 256, 256)


def cornell_spheres():
    white = cornell_walls()
    rectangle_lamp((80.351, 61.1245, 29.5131), move(0, 0.99, 0.01) @ turn("X", 90) @ size(0.1, 0.1, 0.1), white)
    ball("gold", metal(GOLD, 0), (-0.42, -0.6, -0.3), 0.4)
    ball("glass", material("ShaderNodeBsdfGlass", Color=(1, 1, 1, 1), Roughness=0, IOR=1.5), (0.42, -0.6, 0.25), 0.4)
    camera(look((0, 0, 3.9), (0, 0, 0)), 39.3077, 128, 128)


def veach_plates():
    plates = [(-2.7, 0.2, 30, 0.005), (-3.3, 1.8, 23, 0.02), (-3.8, 3.4, 17, 0.05), (-4.2, 5.0, 11, 0.1)]
    for y, z, tilt, alpha in plates:
        cube("plate", metal(COPPER, alpha), move(0, y, z) @ turn("X", tilt) @ size(4, 0.05, 0.8))
    for x, radius in [(-3.75, 0.03333), (-1.25, 0.1), (1.25, 0.3), (3.75, 0.9)]:
        sphere_lamp([100 * (0.1 / radius) ** 2] * 3, (x, 0, 0), radius)
    rectangle("floor", matte(0.4, 0.4, 0.4), move(0, -4.9, 0) @ turn("X", -90) @ size(30, 30, 30))
    camera(look((0, 2, 15), (0, -1.6, 2.5)), 40, 128, 96)


def two_rooms():
    white, red, green = matte(0.75, 0.75, 0.75), matte(0.6, 0.1, 0.08), matte(0.12, 0.45, 0.15)
    boxes = {"floor": ((0, -0.05, 0), (4, 0.05, 2), white), "roof": ((0, 2.45, 0), (4, 0.05, 2), white),
             "left": ((-2.05, 1.2, 0), (0.05, 1.3, 2), red), "right": ((2.05, 1.2, 0), (0.05, 1.3, 2), green),
             "back": ((0, 1.2, -2.05), (4, 1.3, 0.05), white), "front": ((0, 1.2, 2.05), (4, 1.3, 0.05), white),
             "wall": ((0.2, 1.2, -0.35), (0.05, 1.3, 1.65), white)}
    for name, (center, half, made_of) in boxes.items():
        cube(name, made_of, move(*center) @ size(*half))
    ball("ball", white, (-0.9, 0.4, -1.0), 0.4)
    rectangle_lamp((60, 55, 45), move(1.2, 2.39, -0.8) @ turn("X", 90) @ size(0.3, 0.3, 0.3), matte(0, 0, 0))
    camera(look((-1.85, 1.2, 1.6), (-0.6, 0.9, -1.2)), 70, 128, 96)


def suzanne():
    """Three lights without size over a floor, Suzanne and a golden ball. The spot has a hard edge, because glTF and Blender
    have different falloffs, and Suzanne is subdivided, because renderers differ for coarse meshes with smooth normals."""
    def principled(color, **inputs):
        return material("ShaderNodeBsdfPrincipled", **{"Base Color": (*color, 1), **inputs})
    rectangle("floor", principled((0.5, 0.5, 0.5), Roughness=0.8), size(6, 6, 1))
    monkey = mesh("suzanne", principled((0.7, 0.25, 0.15), Roughness=0.5), move(-0.9, 0, 0.85) @ turn("X", -20) @ turn("Z", 20) @ size(0.9, 0.9, 0.9),
                  lambda shape: bmesh.ops.create_monkey(shape))
    monkey.data.shade_smooth()
    subdivide = monkey.modifiers.new("subdivide", "SUBSURF")
    subdivide.levels = subdivide.render_levels = 2
    ball("ball", principled((1.0, 0.77, 0.34), Metallic=1.0, Roughness=0.2), (1.3, -0.2, 0.8), 0.8)
    lamp("POINT", move(2.5, -2.5, 3.0), (250, 230, 200), shadow_soft_size=0)
    lamp("SPOT", look((-3, -2, 4), (-0.8, 0, 0.5), (0, 0, 1)), (450, 520, 700), shadow_soft_size=0, spot_size=math.radians(40), spot_blend=0)
    lamp("SUN", look((2, 3, 5), (0, 0, 0), (0, 0, 1)), (0.6, 0.56, 0.5), angle=0)
    camera(look((0, -6.5, 2.6), (0, 0, 0.8), (0, 0, 1)), 45, 480, 270)


SCENES = {scene.__name__: scene for scene in (cornell_box, cornell_spheres, veach_plates, two_rooms, suzanne)}


# ---- Rendering ----

def build(name, threads, guiding):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("black")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0
    SCENES[name]()
    scene.render.engine = "CYCLES"
    scene.render.threads_mode, scene.render.threads = "FIXED", threads
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    scene.render.image_settings.exr_codec = "ZIP"
    cycles = scene.cycles
    cycles.device, cycles.use_denoising, cycles.use_adaptive_sampling = "CPU", False, False
    for kind in ("max", "diffuse", "glossy", "transmission"):
        setattr(cycles, f"{kind}_bounces", 1024)
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = cycles.blur_glossy = 0
    cycles.caustics_reflective = cycles.caustics_refractive = cycles.use_light_tree = True
    cycles.pixel_filter_type, cycles.filter_width = "BOX", 1
    cycles.use_guiding = guiding


def render(samples, seed, out):
    """Seconds."""
    scene = bpy.context.scene
    scene.cycles.samples, scene.cycles.seed, scene.render.filepath = samples, seed, out
    start = time.perf_counter()
    bpy.ops.render.render(write_still=True)
    return time.perf_counter() - start


def render_for(seconds, seed, out):
    """Seconds and samples per pixel.

    The time of one sample measures Cycles' work before and after sampling and is subtracted. The number of samples is
    computed from the time of a few, because Cycles' sampling pattern depends on their number."""
    once, samples, took = render(1, seed, out), 1, 0.0
    while took < 0.1 * seconds:
        samples *= 4
        took = render(1 + samples, seed, out) - once
    samples = max(1, round(samples * seconds / took))
    took = render(1 + samples, seed, out) - once
    return took * (1 + samples) / samples, 1 + samples


def main():
    task = json.loads(sys.argv[1])
    build(task["scene"], task["threads"], task["guiding"])
    if "export" in task:
        bpy.ops.export_scene.gltf(filepath=task["export"], export_lights=True, export_cameras=True, export_apply=True)
        return
    seconds, samples = render_for(task["seconds"], task["seed"], task["out"])
    film = bpy.context.scene.render
    print(json.dumps({"seconds": seconds, "samples": samples * film.resolution_x * film.resolution_y}))


if __name__ == "__main__":
    main()
