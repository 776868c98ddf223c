//! Arguments of `kiln bake`.

use super::case::Case;
use super::case::Differs::{By, File, New, Status};

pub(crate) const BAKE: &[Case] = &[
    (
        "at",
        "bake a.kiln -o o BAKE --at 1.5s",
        "bake a.kiln -o o BAKE --at soon",
        Status(0, 2),
    ),
    (
        "animation",
        "bake a.kiln -o o BAKE --at 1",
        "bake a.kiln -o o BAKE --animation walk",
        Status(0, 1),
    ),
    (
        "part",
        "bake a.kiln BAKE -o o",
        "bake a.kiln BAKE --part 1/2 --checkpoint c",
        By(|a, b| {
            a.files.contains_key("o/bake.json")
                && !b.files.contains_key("o/bake.json")
                && b.files.contains_key("c")
        }),
    ),
    (
        "folders",
        "bake i.kiln -o out BAKE",
        "bake i.kiln -o out BAKE -I inc",
        Status(1, 0),
    ),
    (
        "undefine",
        "bake i.kiln -o out BAKE -I inc",
        "bake i.kiln -o out BAKE -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "subdivide",
        "bake a.kiln -o out BAKE",
        "bake a.kiln -o out BAKE --subdivide 1",
        Status(0, 1),
    ),
    (
        "dicing_scale",
        "bake a.kiln -o out BAKE --dicing-scale 2",
        "bake a.kiln -o out BAKE --dicing-scale 0",
        Status(0, 1),
    ),
    (
        "texture_memory",
        "bake a.kiln -o out BAKE --texture-memory 1M",
        "bake a.kiln -o out BAKE --texture-memory much",
        Status(0, 2),
    ),
    (
        "build_quality",
        "bake a.kiln -o out BAKE --build-quality low",
        "bake a.kiln -o out BAKE --build-quality lowest",
        Status(0, 2),
    ),
    (
        "define",
        "bake m.xml -o d BAKE",
        "bake m.xml -o d BAKE --define tone=0.9",
        By(|a, b| a.files != b.files),
    ),
    ("strict", "bake m.xml -o d BAKE", "bake m.xml -o d BAKE --strict", Status(0, 1)),
    (
        "scene",
        "bake a.kiln -o o BAKE",
        "bake sheet.kiln -o o BAKE",
        File("o/scene.glb"),
    ),
    (
        "output",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o p BAKE",
        By(|a, b| a.file("o/bake.json") == b.file("p/bake.json")),
    ),
    (
        "target",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --target vertex",
        File("o/scene.glb"),
    ),
    (
        "engine",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --for godot",
        New("o/godot.tscn"),
    ),
    (
        "frames",
        "bake a.kiln -o o.# BAKE",
        "bake a.kiln -o o.# BAKE --frames 1-2",
        New("o.2/bake.json"),
    ),
    (
        "image_format",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --image-format ktx2",
        New("o/irradiance.ktx2"),
    ),
    (
        "include",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --include both",
        File("o/irradiance.exr"),
    ),
    (
        "sides",
        "bake lit.kiln -o o BAKE --include both",
        "bake lit.kiln -o o BAKE --include both --sides front",
        File("o/bake.json"),
    ),
    (
        "order",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --order 2",
        File("o/bake.json"),
    ),
    (
        "samples",
        "bake a.kiln -o o --resolution 32 --integrator path",
        "bake a.kiln -o o --resolution 32 --integrator path --samples 3",
        File("o/irradiance.exr"),
    ),
    (
        "resolution",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o --samples 2 --integrator path --resolution 48",
        File("o/irradiance.exr"),
    ),
    (
        "texels_per_unit",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o --samples 2 --integrator path --texels-per-unit 5",
        File("o/irradiance.exr"),
    ),
    (
        "max_size",
        "bake a.kiln -o o --samples 2 --integrator path --texels-per-unit 12",
        "bake a.kiln -o o --samples 2 --integrator path --texels-per-unit 12 --max-size 48",
        New("o/irradiance.1.exr"),
    ),
    (
        "pages",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --pages 2",
        New("o/irradiance.1.exr"),
    ),
    (
        "lights",
        "bake a.kiln -o o BAKE --include both",
        "bake a.kiln -o o BAKE --include both --lights ball",
        File("o/irradiance.exr"),
    ),
    (
        "unlit",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --unlit",
        New("o/unlit.glb"),
    ),
    (
        "keep",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --keep",
        New("o/kept.light"),
    ),
    (
        // `watch::a_changed_scene_is_baked_again` tests the effect.
        "watch",
        "bake a.kiln -o o BAKE --checkpoint c",
        "bake a.kiln -o o BAKE --checkpoint c --watch",
        Status(0, 2),
    ),
    (
        "viewer",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --viewer",
        New("o/index.html"),
    ),
    (
        "textures",
        "bake tiles.kiln -o o BAKE",
        "bake tiles.kiln -o o BAKE --textures 0",
        File("o/model.glb"),
    ),
    (
        "dilation",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --dilation 1",
        File("o/irradiance.exr"),
    ),
    (
        "no_unwrap",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --no-unwrap",
        Status(0, 1),
    ),
    (
        "denoise",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --denoise bilateral",
        File("o/irradiance.exr"),
    ),
    (
        "aov",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --aov albedo,N",
        New("o/surface_albedo.exr"),
    ),
    (
        "from",
        "bake a.kiln -o o BAKE --aov N",
        "bake a.kiln -o o --resolution 32 --aov N --from ball --to back",
        By(|a, b| a.files.contains_key("o/irradiance.exr") && !b.files.contains_key("o/irradiance.exr")),
    ),
    (
        "to",
        "bake a.kiln -o o --resolution 32 --aov N --from ball --cage-distance 2 --to floor",
        "bake a.kiln -o o --resolution 32 --aov N --from ball --cage-distance 2 --to back",
        File("o/surface_N.exr"),
    ),
    (
        "cage",
        "bake a.kiln -o o --resolution 32 --aov height --from ball --to light",
        "bake a.kiln -o o --resolution 32 --aov height --from ball --to light --cage floor",
        File("o/surface_height.exr"),
    ),
    (
        "cage_distance",
        "bake a.kiln -o o --resolution 32 --aov height --from ball --to back --cage-distance 0.1",
        "bake a.kiln -o o --resolution 32 --aov height --from ball --to back --cage-distance 3",
        File("o/surface_height.exr"),
    ),
    (
        "ao_samples",
        "bake a.kiln -o o --resolution 32 --include none --aov ao",
        "bake a.kiln -o o --resolution 32 --include none --aov ao --ao-samples 5",
        File("o/surface_ao.exr"),
    ),
    (
        "ao_distance",
        "bake a.kiln -o o --resolution 32 --include none --aov ao",
        "bake a.kiln -o o --resolution 32 --include none --aov ao --ao-distance 0.1",
        File("o/surface_ao.exr"),
    ),
    (
        "curvature_samples",
        "bake a.kiln -o o --resolution 32 --include none --aov curvature",
        "bake a.kiln -o o --resolution 32 --include none --aov curvature --curvature-samples 5",
        File("o/surface_curvature.exr"),
    ),
    (
        "curvature_radius",
        "bake a.kiln -o o --resolution 32 --include none --aov curvature",
        "bake a.kiln -o o --resolution 32 --include none --aov curvature --curvature-radius 0.4",
        File("o/surface_curvature.exr"),
    ),
    (
        "layout",
        "bake a.kiln -o o BAKE --layout channels",
        "bake a.kiln -o o BAKE --layout coefficients",
        New("o/sh_L00.exr"),
    ),
    (
        "probe_spacing",
        "bake a.kiln -o o --target probes --samples 2 --integrator path",
        "bake a.kiln -o o --target probes --samples 2 --integrator path --probe-spacing 0.7",
        File("o/probes.json"),
    ),
    (
        "probe_points",
        "bake a.kiln -o o --target probes --samples 2 --integrator path",
        "bake a.kiln -o o --target probes --samples 2 --integrator path --probe-points points.txt",
        File("o/probes.json"),
    ),
    (
        // Photon maps are the default, regardless of the scene's integrator.
        "integrator",
        "bake a.kiln -o o --resolution 32 --samples 2 --set integrator.photons=1000",
        "bake a.kiln -o o --resolution 32 --samples 2 --integrator path",
        By(|a, b| {
            a.setting("integrator") == "\"photon\""
                && b.setting("integrator") == "\"path\""
                && a.file("o/irradiance.exr") != b.file("o/irradiance.exr")
        }),
    ),
    (
        "depth",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --depth 3",
        File("o/irradiance.exr"),
    ),
    (
        "seed",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --seed 9",
        File("o/irradiance.exr"),
    ),
    (
        "threads",
        "bake a.kiln -o o BAKE --stats s.json",
        "bake a.kiln -o o BAKE --stats s.json --threads 3",
        By(|a, b| {
            a.file("o/irradiance.exr") == b.file("o/irradiance.exr")
                && a.number("s.json", "threads") != 3.0
                && b.number("s.json", "threads") == 3.0
        }),
    ),
    (
        "checkpoint",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --checkpoint c",
        New("c"),
    ),
    (
        "resume",
        "bake a.kiln -o p BAKE --checkpoint c; bake a.kiln -o o BAKE --checkpoint c",
        "bake a.kiln -o p BAKE --checkpoint c; bake a.kiln -o o BAKE --checkpoint c --resume",
        Status(1, 0),
    ),
    (
        "set",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --set material.grey.albedo=0.9",
        File("o/irradiance.exr"),
    ),
    (
        "stats",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --stats s.json",
        New("s.json"),
    ),
    (
        "quiet",
        "bake sheet.kiln -o o BAKE",
        "bake sheet.kiln -o o BAKE --quiet",
        By(|a, b| a.err.contains("warning") && b.err.is_empty() && b.status == 0),
    ),
    (
        "light",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --light studio",
        File("o/irradiance.exr"),
    ),
    (
        "verbose",
        "bake a.kiln -o o BAKE",
        "bake a.kiln -o o BAKE --verbose",
        By(|a, b| b.err.lines().count() > a.err.lines().count() + 3),
    ),
];
