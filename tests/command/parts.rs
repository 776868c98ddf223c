//! Part files: merged ranges, resumed renders, and errors. The bytes are always those of a single run.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::{
    HANG, bytes, done, files, killed, kiln, message, refused, run, scene_folder, signal, timed, wait_for,
};

const SCENE: &str = "film { size = (24, 18); filter = gaussian(0.5); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
camera side : perspective { from = (4, 1, 0); to = (0, 0.5, 0); }
sampler { spp = 24; }
light sky : environment { color = (0.3, 0.4, 0.6); }
material white = matte(albedo = 0.7);
material gold = metal(alpha = 0.2);
material lamp = emitter(radiance = (9, 8, 6));
shape floor : plane { size = 6; material = white; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = gold; }
shape bulb : sphere { center = (1, 2, 0); radius = 0.2; material = lamp; }
";

/// Render settings, each with photon maps or pilot decisions of its own.
const SETTINGS: [&str; 5] = [
    "--integrator path",
    "--integrator photon --set integrator.photons=4000 --set integrator.caustic_photons=4000",
    "--integrator photon --set integrator.progressive=true --set integrator.photons=2000",
    "--integrator auto",
    "--integrator photon --set integrator.photons=4000 --aov components,crypto,depth,N,albedo,object_id,variance,samples \
     --aov gloss=C<RG>.*L --aov blocked=shadow;C<RD>L --light-groups each --transparent",
];

#[test]
fn merged_ranges_equal_a_single_run() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    for (i, settings) in SETTINGS.iter().enumerate() {
        // Enough samples for pilots, of which the first are rendered.
        let render = format!("render a.kiln {settings} --spp 1024");
        done(at, &format!("{render} --samples 0..24 -o straight{i}.exr -o straight{i}.part"));
        for (threads, range) in [(1, "0..5"), (2, "5..6"), (3, "6..16"), (1, "16..24")] {
            done(
                at,
                &format!("{render} --threads {threads} --samples {range} -o {i}_{range}.part"),
            );
        }
        let orders = [["0..5", "5..6", "6..16", "16..24"], ["16..24", "5..6", "0..5", "6..16"]];
        for order in orders {
            let parts = order.map(|range| format!("{i}_{range}.part")).join(" ");
            done(at, &format!("merge {parts} -o joined.exr -o joined{i}.part"));
            assert!(bytes(at, "joined.exr") == bytes(at, &format!("straight{i}.exr")), "{settings}");
            assert!(
                bytes(at, &format!("joined{i}.part")) == bytes(at, &format!("straight{i}.part")),
                "{settings}"
            );
        }
        // Merged parts of merged parts.
        done(at, &format!("merge {i}_6..16.part {i}_5..6.part -o some.part --allow-gaps -q"));
        done(at, &format!("merge {i}_16..24.part some.part {i}_0..5.part -o joined.exr"));
        assert!(bytes(at, "joined.exr") == bytes(at, &format!("straight{i}.exr")), "{settings}");
        fs::remove_file(at.join("some.part")).unwrap();
    }
}

/// With branches, a camera ray counts as several samples. Ranges may then end within a camera ray, or contain none.
#[test]
fn ranges_that_divide_camera_rays_merge() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    // Paths of the small scene are not split.
    let split = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenes/cornell_box.kiln");
    fs::copy(split, at.join("box.kiln")).unwrap();
    for settings in ["box.kiln --integrator path --size 64x64", "a.kiln --integrator photon --size 48x36"] {
        let render = format!("render {settings} --spp 128");
        done(at, &format!("{render} -o straight.exr --stats s.json"));
        let mut parts = String::new();
        for range in ["0..27", "27..28", "28..101", "101..128"] {
            done(at, &format!("{render} --samples {range} -o {range}.part"));
            parts += &format!("{range}.part ");
        }
        done(at, &format!("merge {parts} -o joined.exr"));
        assert!(bytes(at, "joined.exr") == bytes(at, "straight.exr"), "{settings}");
        let stats: serde_json::Value = serde_json::from_slice(&bytes(at, "s.json")).unwrap();
        let [spp, counts] = ["spp", "samples_per_camera_ray"].map(|name| stats[name].as_u64().unwrap());
        assert_eq!(spp, 128);
        assert!(counts > 1, "{settings}: nothing was cut");
        for range in ["0..27", "27..28", "28..101", "101..128"] {
            fs::remove_file(at.join(format!("{range}.part"))).unwrap();
        }
    }
}

/// Number of times that a render is killed: five, or the value of `KILN_KILLS`.
fn kills() -> u64 {
    let kills = std::env::var("KILN_KILLS").ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(5)
}

#[test]
fn killed_and_resumed_renders_equal_a_single_run() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    for (i, settings) in SETTINGS.iter().chain(&["--noise 0.0025"]).enumerate() {
        // Enough samples for a few passes.
        let spp = if settings.contains("progressive") { 60 } else { 500 };
        let render = format!("render a.kiln {settings} --spp {spp} --size 48x36");
        let whole = timed(at, &format!("{render} -o straight.exr"));
        let kept = format!("kept{i}.part");
        let keeping = format!("{render} --checkpoint {kept} --checkpoint-every 0.01s --resume -o victim.exr");
        // Fractions of the run time at which the render is killed, different for each setting. The first is early
        // enough even if the machine becomes faster meanwhile; a few kills together reach the last passes.
        let share = |n: u64| 0.1 + 0.01 * i as f64 + 0.07 * (n % 5) as f64;
        let kills = (0..kills()).map(|n| killed(at, &keeping, whole.mul_f64(share(n))));
        let kills = kills.filter(|killed| *killed).count();
        assert!(kills > 0, "{settings}: nothing was killed");
        done(at, &format!("{keeping} -o resumed.exr"));
        assert!(bytes(at, "resumed.exr") == bytes(at, "straight.exr"), "{settings}");
        // The checkpoint is a part, so that merging it gives the picture.
        done(at, &format!("merge {kept} -o of_checkpoint.exr"));
        assert!(bytes(at, "of_checkpoint.exr") == bytes(at, "straight.exr"), "{settings}");
    }
}

#[test]
fn more_samples_are_added_to_a_finished_render() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    // A render of few samples has fewer branches, and a resumed render keeps their number.
    done(at, "render a.kiln --spp 8 --checkpoint few.part -o a.exr");
    done(at, "render a.kiln --spp 100 --checkpoint few.part --resume -o b.exr");
    done(at, "render a.kiln --spp 64 --checkpoint c.part -o a.exr");
    done(at, "render a.kiln --spp 100 --checkpoint c.part --resume -o b.exr");
    done(at, "render a.kiln --spp 100 -o c.exr");
    assert!(bytes(at, "b.exr") == bytes(at, "c.exr"));
    // A signal does not lose the added samples.
    #[cfg(unix)]
    {
        // The number of samples changes what pilots choose.
        let fixed = "--integrator path --set integrator.split=1 --set integrator.light_samples=1";
        let render = format!(
            "render a.kiln {fixed} --spp 100000000 --checkpoint d.part --checkpoint-every 0.1s -o d.exr"
        );
        let child = kiln(at, &render).stderr(Stdio::piped()).spawn().unwrap();
        wait_for("the checkpoint", || at.join("d.part").exists());
        signal(&child, "TERM");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(143));
        assert!(
            message(&output).contains("--resume continues from 'd.part'"),
            "{}",
            message(&output)
        );
        let info = String::from_utf8(run(at, "info d.part").stdout).unwrap();
        let sample_count = info
            .lines()
            .find_map(|line| line.trim().strip_prefix("samples"))
            .unwrap()
            .trim();
        let sample_count: u64 = sample_count.strip_prefix("0..").unwrap().parse().unwrap();
        done(
            at,
            &format!(
                "render a.kiln {fixed} --spp {} --checkpoint d.part --resume -o d.exr",
                sample_count + 64
            ),
        );
        done(at, &format!("render a.kiln {fixed} --spp {} -o e.exr", sample_count + 64));
        assert!(bytes(at, "d.exr") == bytes(at, "e.exr"));
    }
}

#[test]
fn mismatched_parts_are_refused() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --samples 0..8 -o a.part");
    done(at, "render a.kiln --samples 12..16 -o b.part");
    done(at, "render a.kiln --samples 4..13 -o c.part");
    refused(
        at,
        "merge a.part b.part -o m.exr",
        &["8..12 are missing", "'a.part' and 'b.part'", "--allow-gaps"],
    );
    refused(at, "merge b.part -o m.exr", &["0..12 are missing", "before 'b.part'"]);
    refused(
        at,
        "merge b.part a.part c.part -o m.exr",
        &["'a.part' and 'c.part' both have the samples 4..8"],
    );
    refused(at, "merge a.part a.part -o m.exr", &["both have the samples 0..8"]);
    refused(at, "merge a.part b.part -o a.part --allow-gaps", &["reads it"]);
    let output = run(at, "merge a.part b.part -o gap.exr --allow-gaps --exposure 1");
    let message = message(&output);
    assert!(
        output.status.success() && message.contains("--exposure has no effect"),
        "{message}"
    );

    let others = [
        ("--seed 3", "seed is 3 there, 0 here"),
        ("--size 24x19", "size is 24x19 there"),
        ("--crop 0,0,9,9", "crop is 0,0,9,9 there"),
        ("--camera side", "camera is another"),
        ("--depth 3", "depth is 3 there"),
        ("--integrator photon", "integrator is photon there"),
        ("--set film.filter=tent(1)", "filter is tent(1) there, "),
        ("--set light.sky.color=(0.3,0.4,0.5)", "scene is another"),
        ("--light neutral", "scene is another"),
    ];
    for (flags, words) in others {
        done(at, &format!("render a.kiln {flags} --samples 8..12 -o other.part"));
        refused(at, "merge a.part other.part -o m.exr", &["does not belong", words]);
        fs::remove_file(at.join("other.part")).unwrap();
        // Also for a checkpoint, and for a part that would be overwritten.
        done(at, &format!("render a.kiln {flags} --spp 4 --checkpoint other.part -o o.exr"));
        let words = words.split(" is ").next().unwrap();
        refused(
            at,
            "render a.kiln --checkpoint other.part --resume -o p.exr",
            &["does not belong", words],
        );
        refused(at, "render a.kiln -o other.part", &["would be lost", words]);
        fs::remove_file(at.join("other.part")).unwrap();
    }
    refused(
        at,
        "render a.kiln --checkpoint a.part -o p.exr",
        &["holds the samples 0..8", "--resume"],
    );
    refused(
        at,
        "render a.kiln --spp 4 --checkpoint a.part --resume -o p.exr",
        &["holds the samples 0..8, of 0..4"],
    );
    refused(
        at,
        "render a.kiln --samples 2..9 --checkpoint a.part --resume -o p.exr",
        &["0..8, of 2..9"],
    );
    refused(at, "render a.kiln --samples 2..4 -o a.part", &["would be lost", "0..8"]);
    refused(
        at,
        "render a.kiln --samples 20..30 -o p.part",
        &["more than the 24 samples", "--spp"],
    );
    refused(
        at,
        "render a.kiln --checkpoint a.kiln --resume -o p.exr",
        &["not a part of a picture"],
    );
    refused(at, "render a.kiln --checkpoint none/c.part -o p.exr", &["does not exist"]);
    refused(at, "render a.kiln --checkpoint x.part -o x.part", &["--checkpoint"]);
    refused(at, "merge a.kiln -o m.exr", &["not a part"]);
    refused(at, "merge none.part -o m.exr", &["none.part"]);
    refused(
        at,
        "merge a.part -o none/m.exr",
        &["does not exist", "hint: give another place with -o"],
    );
}

#[test]
fn a_part_with_more_samples_than_a_timed_run_is_preserved_with_a_warning() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --spp 2000 -o a.part");
    let before = bytes(at, "a.part");
    let timed = "render a.kiln --spp 100000000 --time 0.001s -o a.part -o a.png --stats s.json";
    let output = run(at, timed);
    let text = message(&output);
    assert!(output.status.success(), "{text}");
    for words in ["'a.part' is unchanged", "the samples 0..2000", "--checkpoint a.part --resume"] {
        assert!(text.contains(words), "{text}");
    }
    assert!(bytes(at, "a.part") == before);
    assert!(at.join("a.png").exists());
    let stats = String::from_utf8(bytes(at, "s.json")).unwrap();
    assert!(stats.contains("is unchanged"), "{stats}");
    let output = run(at, &format!("{timed} -q"));
    assert!(!message(&output).contains("kept"), "{}", message(&output));
    // The command that the hint proposes.
    done(at, "render a.kiln --spp 2001 --checkpoint a.part --resume -o b.png");
}

#[test]
fn damaged_parts_are_refused() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --spp 4 -o a.part");
    done(at, "render a.kiln --spp 8 --samples 4..8 -o b.part");
    let whole = bytes(at, "a.part");
    let mut damaged = vec![];
    for cut in [0, 5, 16, 24, 40, 300, whole.len() / 2, whole.len() - 1] {
        damaged.push(whole[..cut].to_vec());
    }
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        damaged.push(bytes);
    }
    damaged.push([&whole[..], b"more"].concat());
    for bytes in damaged {
        fs::write(at.join("d.part"), bytes).unwrap();
        refused(at, "merge b.part d.part -o m.exr", &["d.part"]);
        let info = run(at, "info d.part");
        assert!(info.status.code().is_some_and(|code| code < 2));
    }
}

/// Opening a pipe blocks until another process opens its other end.
#[cfg(unix)]
#[test]
fn pipes_are_refused() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let made = std::process::Command::new("mkfifo").arg(at.join("pipe.part")).status();
    assert!(made.is_ok_and(|status| status.success()));
    for args in [
        "info pipe.part",
        "merge pipe.part -o m.exr",
        "render a.kiln --checkpoint pipe.part --resume -o m.exr",
        "render a.kiln -o pipe.part",
    ] {
        let mut child = kiln(at, args).stderr(Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() && start.elapsed() < HANG {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args}: {}", message(&output));
        assert!(message(&output).contains("pipe.part"), "{args}: {}", message(&output));
    }
}

#[test]
fn a_removed_folder_does_not_end_a_render() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    fs::create_dir(at.join("kept")).unwrap();
    let args = "render a.kiln --spp 100000000 --threads 1 --time 4s --checkpoint kept/c.part --checkpoint-every 0.1s -o o.exr";
    let child = kiln(at, args).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the checkpoint", || at.join("kept/c.part").exists());
    fs::rename(at.join("kept"), at.join("gone")).unwrap();
    let output = child.wait_with_output().unwrap();
    let message = message(&output);
    // The picture is written; a message and the exit status report the missing checkpoint.
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("the render continues") && message.contains("kept/c.part"),
        "{message}"
    );
    assert!(at.join("o.exr").exists());
    done(at, "merge gone/c.part -o last.exr");
}

#[test]
fn a_checkpoint_in_use_by_another_render_is_preserved() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --samples 0..8 --seed 3 -o other.part");
    let args = "render a.kiln --spp 100000000 --threads 1 --time 4s --checkpoint c.part --checkpoint-every 0.1s -o o.exr";
    let child = kiln(at, args).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the checkpoint", || at.join("c.part").exists());
    let others = bytes(at, "other.part");
    fs::rename(at.join("other.part"), at.join("c.part")).unwrap();
    let output = child.wait_with_output().unwrap();
    let message = message(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("another render keeps the samples 0..8 there"), "{message}");
    assert!(bytes(at, "c.part") == others && at.join("o.exr").exists());
}

#[test]
fn parts_are_updated_during_the_render() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let args = "render a.kiln --spp 100000000 --threads 1 --time 5s --write-every 0.1s -o o.exr -o o.part";
    let mut child = kiln(at, args).stderr(Stdio::null()).spawn().unwrap();
    let mut seen = vec![];
    while child.try_wait().unwrap().is_none() {
        let info = String::from_utf8(run(at, "info o.part").stdout).unwrap();
        let samples = info.lines().find(|line| line.contains("samples")).map(str::to_owned);
        if samples.is_some() && seen.last() != samples.as_ref() {
            seen.extend(samples);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(seen.len() > 3, "{seen:?}");
    assert!(files(at).keys().all(|name| !name.ends_with(".tmp")));
}

/// Names of many shapes make a header of several megabytes.
#[test]
fn long_headers_round_trip() {
    use renderer::part::{LayerNames, Part, PartReader, write};

    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --samples 0..4 --aov crypto_object -o a.part");
    let part = at.join("a.part");
    let Part { mut header, film, .. } = PartReader::open(&part).unwrap().read().unwrap();
    let names = (0..60_000).map(|i| format!("a rather long name of a shape in a large scene, {i}"));
    header.layers = LayerNames { manifests: vec![names.collect()], ..header.layers };
    write(&part, &header, &film, None).unwrap();
    assert!(fs::metadata(&part).unwrap().len() > 3 << 20);
    assert_eq!(*PartReader::open(&part).unwrap().header(), header);
    done(at, "merge a.part -o o.exr");
}

/// Files that appear at the path of a checkpoint or part during the render are preserved.
#[test]
fn files_that_appear_during_a_render_are_preserved() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let text = fs::read_to_string(at.join("a.kiln")).unwrap();
    done(at, "render a.kiln --samples 0..4 -o other.part --seed 7");
    let newer = fs::read(at.join("other.part")).unwrap();
    let newer = [b"kiln part v9\n\0\0\0", &newer[16..]].concat();
    for foreign in [b"my thesis".to_vec(), newer, fs::read(at.join("other.part")).unwrap()] {
        fs::write(at.join("a.kiln"), &text).unwrap();
        let line = "render a.kiln --spp 1000000 --time 2s -o o.part --checkpoint c --checkpoint-every 0.1s -q --threads 1";
        let mut child = kiln(at, line).spawn().unwrap();
        wait_for("a checkpoint", || at.join("c").exists());
        for name in ["c", "o.part"] {
            let _ = fs::remove_file(at.join(name));
            fs::write(at.join(name), &foreign).unwrap();
        }
        assert_eq!(child.wait().unwrap().code(), Some(1));
        for name in ["c", "o.part"] {
            assert!(fs::read(at.join(name)).unwrap() == foreign, "{name} was replaced");
        }
        // The work is saved under other names.
        for name in ["c-1", "o-1.part"] {
            done(at, &format!("info {name}"));
            fs::remove_file(at.join(name)).unwrap();
        }
        fs::remove_file(at.join("c")).unwrap();
        fs::remove_file(at.join("o.part")).unwrap();
    }
}

/// Headers that no render writes: wrong numbers of pixels, very many ranges.
#[test]
fn crafted_parts_are_refused() {
    use renderer::image::Rect;
    use renderer::part::{Part, PartReader, Ranges, write};

    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --samples 0..4 -o a.part");
    done(at, "render a.kiln --samples 4..8 -o b.part");
    let Part { header, film, .. } = PartReader::open(&at.join("b.part")).unwrap().read().unwrap();
    for crop in [Rect::of_size(8, 18), Rect::of_size(24, 9), Rect::of_size(24, 19)] {
        let mut header = header.clone();
        header.crop = crop;
        write(&at.join("x.part"), &header, &film, None).unwrap();
        for order in ["a.part x.part", "x.part a.part"] {
            refused(at, &format!("merge {order} -o o.exr --allow-gaps"), &["x.part"]);
        }
    }
    let mut header = header;
    header.size = [48, 18];
    write(&at.join("x.part"), &header, &film, None).unwrap();
    refused(at, "merge a.part x.part -o o.exr", &["x.part", "other pixels"]);

    let list = (0..40_000).map(|i| 4 * i..4 * i + 1).collect();
    header.samples = Ranges::disjoint(list).unwrap();
    write(&at.join("y.part"), &header, &film, None).unwrap();
    let start = Instant::now();
    assert!(run(at, "info y.part").status.code().is_some_and(|code| code < 2));
    assert!(
        run(at, "merge y.part a.part -o o.exr")
            .status
            .code()
            .is_some_and(|code| code < 2)
    );
    assert!(start.elapsed() < HANG, "{:?}", start.elapsed());
}
