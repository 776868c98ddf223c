//! Arguments of `kiln render` and `kiln merge`.

use super::case::Case;
use super::case::Differs::{By, File, New, Says, Status};

pub(crate) const RENDER: &[Case] = &[
    (
        "at",
        "render a.kiln -o o.exr --at 1.5s",
        "render a.kiln -o o.exr --at soon",
        Status(0, 2),
    ),
    (
        "animation",
        "render a.kiln -o o.exr --at 1",
        "render a.kiln -o o.exr --animation walk",
        Status(0, 1),
    ),
    (
        "frames",
        "render a.kiln -o o.#.exr",
        "render a.kiln -o o.#.exr --frames 1-2",
        New("o.2.exr"),
    ),
    (
        "folders",
        "render i.kiln -o o.exr",
        "render i.kiln -o o.exr -I inc",
        Status(1, 0),
    ),
    (
        "undefine",
        "render i.kiln -o o.exr -I inc",
        "render i.kiln -o o.exr -I inc -U OSL_VERSION",
        Status(0, 1),
    ),
    (
        "subdivide",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --subdivide 1",
        Status(0, 1),
    ),
    (
        "dicing_scale",
        "render a.kiln -o o.exr --dicing-scale 2",
        "render a.kiln -o o.exr --dicing-scale 0",
        Status(0, 1),
    ),
    (
        "texture_memory",
        "render a.kiln -o o.exr --texture-memory 1M",
        "render a.kiln -o o.exr --texture-memory much",
        Status(0, 2),
    ),
    (
        "build_quality",
        "render a.kiln -o o.exr --stats s.json",
        "render a.kiln -o o.exr --stats s.json --build-quality low",
        By(|a, b| {
            a.file("o.exr") == b.file("o.exr")
                && a.number("s.json", "accel_bytes") != b.number("s.json", "accel_bytes")
        }),
    ),
    (
        "define",
        "render m.xml -o o.exr",
        "render m.xml -o o.exr --define tone=0.9",
        File("o.exr"),
    ),
    (
        "strict",
        "render m.xml -o o.exr",
        "render m.xml -o o.exr --strict",
        Status(0, 1),
    ),
    ("scene", "render a.kiln -o o.exr", "render sheet.kiln -o o.exr", File("o.exr")),
    (
        "output",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr -o p.png",
        New("p.png"),
    ),
    (
        "aov",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --aov depth,N --aov gloss=C<RG>.*L",
        Says("o.exr", "gloss.R"),
    ),
    (
        "light_groups",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --light-groups each",
        Says("o.exr", "light_"),
    ),
    (
        "transparent",
        "render a.kiln -o o.png",
        "render a.kiln -o o.png --transparent",
        File("o.png"),
    ),
    (
        "overrides",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --override camera=show_normals",
        File("o.exr"),
    ),
    ("spp", "render a.kiln -o o.exr", "render a.kiln -o o.exr --spp 5", File("o.exr")),
    (
        "size",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --size 9x7",
        File("o.exr"),
    ),
    (
        "crop",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --crop 1,1,5,4",
        File("o.exr"),
    ),
    (
        "integrator",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --integrator photon",
        File("o.exr"),
    ),
    (
        "light",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --light studio",
        File("o.exr"),
    ),
    (
        "photon_map",
        "render a.kiln -o o.exr --integrator photon --set integrator.photons=1000",
        "render a.kiln -o o.exr --integrator photon --set integrator.photons=1000 --photon-map m",
        New("m"),
    ),
    (
        "depth",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --depth 1",
        File("o.exr"),
    ),
    (
        "seed",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --seed 9",
        File("o.exr"),
    ),
    (
        "threads",
        "render a.kiln -o o.exr --stats s.json",
        "render a.kiln -o o.exr --stats s.json --threads 3",
        By(|a, b| {
            a.file("o.exr") == b.file("o.exr")
                && a.number("s.json", "threads") != 3.0
                && b.number("s.json", "threads") == 3.0
        }),
    ),
    (
        "time",
        "render a.kiln -o o.exr --spp 3000 --stats s.json",
        "render a.kiln -o o.exr --spp 3000 --stats s.json --time 0.001s",
        By(|a, b| a.number("s.json", "spp") == 3000.0 && b.number("s.json", "spp") < 3000.0),
    ),
    (
        "samples",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --samples 1..3",
        File("o.exr"),
    ),
    (
        "noise",
        "render a.kiln -o o.exr --spp 64",
        "render a.kiln -o o.exr --spp 64 --noise 0.2",
        File("o.exr"),
    ),
    (
        "quality",
        "render a.kiln -o o.exr --stats s.json",
        "render a.kiln -o o.exr --stats s.json --quality high",
        By(|a, b| a.number("s.json", "spp") != b.number("s.json", "spp")),
    ),
    (
        "min_spp",
        "render a.kiln -o o.exr --noise 0.5 --stats s.json",
        "render a.kiln -o o.exr --noise 0.5 --stats s.json --min-spp 64",
        By(|a, b| a.number("s.json", "spp") < 64.0 && b.number("s.json", "spp") >= 64.0),
    ),
    (
        "checkpoint",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --checkpoint c.part",
        New("c.part"),
    ),
    (
        "checkpoint_every",
        "render a.kiln -o o.exr --checkpoint c.part --checkpoint-every 1m",
        "render a.kiln -o o.exr --checkpoint c.part --checkpoint-every often",
        Status(0, 2),
    ),
    (
        "resume",
        "render a.kiln -o o.exr --spp 2 --checkpoint c.part; render a.kiln -o o.exr --checkpoint c.part",
        "render a.kiln -o o.exr --spp 2 --checkpoint c.part; render a.kiln -o o.exr --checkpoint c.part --resume",
        Status(1, 0),
    ),
    (
        "write_every",
        "render a.kiln -o o.exr --write-every 1m",
        "render a.kiln -o o.exr --write-every often",
        Status(0, 2),
    ),
    (
        "camera",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --camera above",
        File("o.exr"),
    ),
    (
        "exposure",
        "render a.kiln -o o.png",
        "render a.kiln -o o.png --exposure -2",
        File("o.png"),
    ),
    (
        "tone_map",
        "render a.kiln -o o.png",
        "render a.kiln -o o.png --tone-map agx",
        File("o.png"),
    ),
    (
        "denoise",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --denoise=soft",
        Status(0, 2),
    ),
    (
        "preview",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --preview tev=127.0.0.1:1",
        By(|a, b| !a.err.contains("preview") && b.err.contains("preview: no viewer at 127.0.0.1:1")),
    ),
    (
        "params",
        "render checker -o o.exr --size 16x16 --spp 1",
        "render checker -o o.exr --size 16x16 --spp 1 --param columns=3",
        File("o.exr"),
    ),
    (
        "variations",
        "render checker -o o.exr --size 16x16 --spp 1",
        "render checker -o o.exr --size 16x16 --spp 1 --variations columns=3,4",
        File("o.exr"),
    ),
    (
        "on",
        "render checker -o o.exr --size 16x16 --spp 1",
        "render checker -o o.exr --size 16x16 --spp 1 --on cube",
        File("o.exr"),
    ),
    (
        "show",
        "render checker -o o.exr --size 16x16 --spp 1",
        "render checker -o o.exr --size 16x16 --spp 1 --show mask",
        File("o.exr"),
    ),
    (
        "example",
        "render ramp -o o.exr --size 16x16 --spp 1",
        "render ramp -o o.exr --size 16x16 --spp 1 --example",
        File("o.exr"),
    ),
    (
        // `watch::a_changed_file_is_rendered_again` tests the effect.
        "watch",
        "render checker -o o.exr --size 16x16 --spp 1",
        "render checker -o o.exr --size 16x16 --spp 1 --watch",
        Status(0, 1),
    ),
    (
        "progress",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --progress openjd",
        By(|a, b| a.out.is_empty() && b.out.contains("openjd_progress: 100\n")),
    ),
    (
        "set",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --set camera.main.fov=20",
        File("o.exr"),
    ),
    (
        "stats",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --stats s.json",
        New("s.json"),
    ),
    (
        "quiet",
        "render sheet.kiln -o o.exr",
        "render sheet.kiln -o o.exr --quiet",
        By(|a, b| a.err.contains("warning") && b.err.is_empty() && b.status == 0),
    ),
    (
        "verbose",
        "render a.kiln -o o.exr",
        "render a.kiln -o o.exr --verbose",
        By(|a, b| b.err.lines().count() > a.err.lines().count() + 4),
    ),
];

pub(crate) const MERGE: &[Case] = &[
    (
        "frames",
        "render a.kiln -o a.1.part; merge a.1.part -o o.#.exr",
        "render a.kiln -o a.1.part; merge a.#.part -o o.#.exr --frames 1",
        New("o.1.exr"),
    ),
    (
        "parts",
        "render a.kiln -o a.part --samples 0..2; merge a.part -o o.exr",
        "render a.kiln -o a.part --samples 0..2; render a.kiln -o b.part --samples 2..4; merge a.part b.part -o o.exr",
        File("o.exr"),
    ),
    (
        "output",
        "render a.kiln -o a.part; merge a.part -o o.exr",
        "render a.kiln -o a.part; merge a.part -o o.exr -o p.png",
        New("p.png"),
    ),
    (
        "allow_gaps",
        "render a.kiln -o a.part --samples 2..4; merge a.part -o o.exr",
        "render a.kiln -o a.part --samples 2..4; merge a.part -o o.exr --allow-gaps",
        Status(1, 0),
    ),
    (
        "exposure",
        "render a.kiln -o a.part; merge a.part -o o.png",
        "render a.kiln -o a.part; merge a.part -o o.png --exposure -2",
        File("o.png"),
    ),
    (
        "tone_map",
        "render a.kiln -o a.part; merge a.part -o o.png",
        "render a.kiln -o a.part; merge a.part -o o.png --tone-map aces",
        File("o.png"),
    ),
    (
        "denoise",
        "render a.kiln -o a.part; merge a.part -o o.exr",
        "render a.kiln -o a.part; merge a.part -o o.exr --denoise=soft",
        Status(0, 2),
    ),
    (
        "quiet",
        "render a.kiln -o a.part; merge a.part -o o.exr",
        "render a.kiln -o a.part; merge a.part -o o.exr --quiet",
        By(|a, b| !a.err.is_empty() && b.err.is_empty()),
    ),
];
