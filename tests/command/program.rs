//! Runs the program `kiln` in a folder, for command line tests.

#![allow(dead_code, reason = "some platforms use only a part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use renderer::color::Rgb;
use renderer::image::{Image, NamedChannels};
use tempfile::TempDir;

/// Path of the program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_kiln");

/// Time after which a command counts as hanging. At least twenty times the usual time of any command here, so that a slow
/// or busy processor does not reach it.
pub(crate) const HANG: Duration = Duration::from_secs(300);

/// The program's cache folder in tests, which do not use the user's cache.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// Copies the program in another process: a file that is open for writing cannot be run, and processes that other tests
/// start meanwhile would inherit the open file.
pub(crate) fn copy_program(to: &Path) {
    let copied = Command::new("cp").arg(PROGRAM).arg(to).status();
    assert!(copied.unwrap().success());
}

/// The program in a folder, without arguments.
pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).env("XDG_CACHE_HOME", cache());
    command
}

/// A command line, split at blanks.
pub(crate) fn kiln(folder: &Path, args: &str) -> Command {
    let mut command = program(folder);
    command.args(args.split_whitespace());
    command
}

/// A temporary folder with text files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// A temporary folder with a scene `a.kiln`.
pub(crate) fn scene_folder(scene: &str) -> TempDir {
    folder(&[("a.kiln", scene)])
}

/// Writes an image of 4 × 2 pixels with a horizontal ramp from `value` up.
pub(crate) fn write_ramp(path: &Path, value: f32) {
    let image = Image::from_fn(4, 2, |x, _| Rgb::splat(value + 0.1 * x as f32));
    renderer::image::write(path, &image, &Default::default()).unwrap();
}

/// Returns whether the program finds Open Image Denoise. The first call installs it into [`cache`]; if that fails,
/// tests that need it check nothing.
pub(crate) fn has_denoiser() -> bool {
    static HAS_DENOISER: OnceLock<bool> = OnceLock::new();
    *HAS_DENOISER.get_or_init(|| {
        let installed = run(Path::new("."), "denoise --fetch").status.success();
        if !installed {
            eprintln!("skipped: Open Image Denoise cannot be installed");
        }
        installed
    })
}

pub(crate) fn run(folder: &Path, args: &str) -> Output {
    kiln(folder, args).output().expect("the program starts")
}

/// Standard error of the program.
pub(crate) fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Expects success.
pub(crate) fn done(folder: &Path, args: &str) {
    let output = run(folder, args);
    assert!(output.status.success(), "kiln {args}\n{}", message(&output));
}

/// Expects success and returns the run time, the unit for fractions of a run on any machine.
pub(crate) fn timed(folder: &Path, args: &str) -> Duration {
    let start = Instant::now();
    done(folder, args);
    start.elapsed()
}

/// Starts the program, kills it after `wait`, and returns whether it was still running.
pub(crate) fn killed(folder: &Path, args: &str, wait: Duration) -> bool {
    let mut child = kiln(folder, args).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while start.elapsed() < wait && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let killed = child.try_wait().unwrap().is_none() && child.kill().is_ok();
    child.wait().unwrap();
    killed
}

/// Sends a signal, such as `TERM`, to a program.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

pub(crate) fn wait_for(what: &str, mut ready: impl FnMut() -> bool) {
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < HANG, "{what} never happened");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Expects exit status 1, a message with all of `words`, and unchanged files.
pub(crate) fn refused(folder: &Path, args: &str, words: &[&str]) {
    let before = files(folder);
    let output = run(folder, args);
    let message = message(&output);
    assert_eq!(output.status.code(), Some(1), "kiln {args}\n{message}");
    for word in words {
        assert!(message.contains(word), "kiln {args}: `{word}` is not in:\n{message}");
    }
    same(&files(folder), &before, args);
}

pub(crate) fn bytes(at: &Path, name: &str) -> Vec<u8> {
    fs::read(at.join(name)).unwrap()
}

pub(crate) fn plane<'a>(file: &'a NamedChannels, name: &str) -> &'a [f32] {
    let found = file.planes.iter().find(|(known, _)| known == name);
    &found.unwrap_or_else(|| panic!("no channel {name}")).1
}

/// The files in a folder and its subfolders, by path.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut list = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() {
            let inner = files(&path);
            list.extend(inner.into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else if path.is_file() {
            list.insert(name, fs::read(path).unwrap());
        }
    }
    list
}

/// Expects two sets of files to be equal.
pub(crate) fn same(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert!(found.keys().eq(expected.keys()), "{what}: {:?}", found.keys());
    for (name, bytes) in found {
        assert!(*bytes == expected[name], "{what}: {name} differs");
    }
}
