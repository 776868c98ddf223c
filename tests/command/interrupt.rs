//! Signals: partial results, preserved files, time to exit.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::program::{HANG, PROGRAM, done, kiln, message, scene_folder, signal, wait_for};
use renderer::image::read;

const SCENE: &str = "film { size = (8, 6); }
camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }
light sky : environment { color = 1; }
material grey = matte(albedo = 0.5);
shape ball : sphere { radius = 1; material = grey; }
shape floor : plane { size = 8; material = grey; transform = translate(0, -1, 0); }
";

fn start(folder: &Path, args: &str) -> Child {
    kiln(folder, args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
}

/// Returns whether this process was started with SIGHUP ignored.
fn is_deaf_to_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

/// Returns whether the program has installed its signal handlers.
fn is_listening(child: &Child) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{}/status", child.id())) else {
        return true;
    };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        // The bit of SIGTERM, which Rust's own runtime does not handle.
        .is_some_and(|mask| mask >> 14 & 1 == 1)
}

/// The exit status and the messages; fails if the program hangs.
fn ended(child: Child) -> (Option<i32>, String) {
    let start = Instant::now();
    let output: Output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < HANG, "it took {:?}", start.elapsed());
    (output.status.code(), message(&output))
}

fn no_temporaries(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.starts_with(".kiln-"), "{name} is left");
    }
}

#[test]
fn every_signal_writes_the_picture() {
    for (name, expected) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        if name == "HUP" && is_deaf_to_hangup() {
            // The tests may run under `nohup`, whose children inherit the ignored signal.
            continue;
        }
        let folder = scene_folder(SCENE);
        let at = folder.path();
        let child = start(at, "render a.kiln --spp 1000000000 -o o.exr");
        wait_for("listening", || is_listening(&child));
        // Time for a few passes.
        std::thread::sleep(Duration::from_millis(1500));
        signal(&child, name);
        if name != "INT" {
            // A shell and the system may both send the signal.
            let _ = Command::new("kill")
                .args([&format!("-{name}"), &child.id().to_string()])
                .stderr(Stdio::null())
                .status();
        }
        let (status, message) = ended(child);
        assert_eq!(status, Some(expected), "{name}: {message}");
        assert!(
            message.contains("finishing") && message.contains("samples per pixel"),
            "{message}"
        );
        let image = read(&at.join("o.exr")).unwrap();
        assert!(image.data.iter().any(|&v| v > 0.1), "{name}: a black picture");
        no_temporaries(at);
    }
}

#[test]
fn before_the_first_sample_the_old_picture_is_preserved() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, "render a.kiln --spp 1 -o o.exr");
    let old = fs::read(at.join("o.exr")).unwrap();
    for line in [
        // A single sample per pixel, photon maps and unwrapping all take long.
        "render a.kiln --size 8192x8192 --spp 1 -o o.exr",
        "render a.kiln --integrator photon --set integrator.photons=50000000 -o o.exr",
        "bake a.kiln --resolution 1024 --samples 10000000 -o out",
        "bake a.kiln --resolution 64 --set integrator.photons=50000000 -o out --checkpoint c",
    ] {
        let child = start(at, line);
        wait_for("listening", || is_listening(&child));
        std::thread::sleep(Duration::from_millis(300));
        signal(&child, "TERM");
        let (status, message) = ended(child);
        assert_eq!(status, Some(143), "{line}: {message}");
        assert!(message.contains("nothing was written"), "{line}: {message}");
        assert_eq!(fs::read(at.join("o.exr")).unwrap(), old, "{line}");
        assert!(!at.join("out").exists(), "{line}");
        no_temporaries(at);
    }
}

#[test]
fn an_interrupted_bake_preserves_its_work() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let bake = "bake a.kiln --resolution 64 --samples 40000 --integrator path --checkpoint c";
    let child = start(at, &format!("{bake} -o out"));
    let kept = |least: u64| fs::metadata(at.join("c")).is_ok_and(|c| c.len() > least);
    wait_for("a record", || kept(100));
    signal(&child, "TERM");
    let (status, message) = ended(child);
    assert_eq!(status, Some(143), "{message}");
    assert!(message.contains("--resume") && !at.join("out").exists(), "{message}");
}

#[test]
fn the_second_signal_ends_immediately() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    // Each later pass takes seconds.
    let child = start(at, "render a.kiln --size 1500x1500 --spp 1000 -o o.exr");
    wait_for("listening", || is_listening(&child));
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(20));
    let _ = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .stderr(Stdio::null())
        .status();
    let (status, message) = ended(child);
    assert_eq!(status, Some(130), "{message}");
    no_temporaries(at);
}

#[test]
fn programs_with_ignored_hangup_survive_it() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let line = format!("trap '' HUP; exec {PROGRAM} render a.kiln --spp 1000000000 -o o.exr");
    let child = Command::new("sh")
        .args(["-c", &line])
        .current_dir(at)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("listening", || is_listening(&child));
    signal(&child, "HUP");
    std::thread::sleep(Duration::from_millis(1500));
    signal(&child, "TERM");
    let (status, message) = ended(child);
    // The process survived SIGHUP and still had samples to render.
    assert_eq!(status, Some(143), "{message}");
    assert!(at.join("o.exr").exists() && !message.contains("ended at once"), "{message}");
}
