//! Full disks, as limits on the size of files: a repeated bake is replaced as a whole or not at all, and a checkpoint
//! that cannot be written ends no bake.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::program::{PROGRAM, cache, done, files, message, same, scene_folder};

const SCENE: &str = "camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
light sky : environment { color = (1, 1, 1); }
material m = matte(albedo = 0.5);
shape s : sphere { radius = 0.6; material = m; }
";

const BAKE: &str =
    "bake a.kiln -o out --integrator path --include both --order 2 --samples 1 --resolution 64";

/// Runs the program with a limit on the size of the files that it writes [KiB].
fn limited(at: &Path, limit: u64, args: &str) -> Output {
    let line = format!("trap '' XFSZ; ulimit -f {limit}; exec '{PROGRAM}' {args}");
    let mut command = Command::new("bash");
    command.args(["-c", &line]).current_dir(at);
    command.env("TMPDIR", at).env("XDG_CACHE_HOME", cache());
    command.output().expect("bash starts")
}

/// Size of the largest file in a folder [KiB].
fn largest(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len());
    sizes.max().unwrap() / 1024 + 1
}

#[test]
fn a_failed_bake_leaves_the_earlier_one_complete() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, BAKE);
    fs::write(at.join("a.kiln"), SCENE.replace("(1, 1, 1)", "(3, 1, 0)")).unwrap();
    let before = files(at);
    // The limit allows most files, but not the largest one.
    let output = limited(at, largest(&at.join("out")) / 2, BAKE);
    let text = message(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("cannot write") && text.contains("'out' is unchanged"), "{text}");
    same(&files(at), &before, BAKE);
    done(at, BAKE);
    assert_ne!(files(at)["out/irradiance.exr"], before["out/irradiance.exr"]);
}

#[test]
fn a_bake_continues_without_its_checkpoint() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    done(at, &format!("{BAKE} --checkpoint whole.c"));
    let whole = files(at);
    fs::remove_dir_all(at.join("out")).unwrap();
    let least = whole.iter().filter(|(name, _)| name.starts_with("out/"));
    let limit = least.map(|(_, bytes)| bytes.len() as u64).max().unwrap() / 1024 + 1;
    assert!(
        limit * 1024 < whole["whole.c"].len() as u64,
        "the checkpoint must be the largest file"
    );
    let line = format!("{BAKE} --checkpoint c");
    let output = limited(at, limit, &line);
    let text = message(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.matches("the bake continues").count(), 1, "{text}");
    let mut after = files(at);
    let cut = after.remove("c").unwrap();
    assert!(!cut.is_empty() && cut.len() < whole["whole.c"].len());
    same(&after, &whole, &line);
    // The checkpoint ends with a complete chunk.
    done(at, &format!("{line} --resume"));
    // A share writes only the checkpoint.
    let output = limited(at, 1, &format!("{BAKE} --part 1/2 --checkpoint share").replace("-o out ", ""));
    assert_eq!(output.status.code(), Some(1), "{}", message(&output));
}
