//! `--watch` of `kiln render`, `kiln shade` and `kiln bake`: a change of an input file repeats the command.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use renderer::image::read;
use tempfile::TempDir;

use crate::program::{copy_program, kiln, refused, wait_for};

/// A process, killed on drop; `errors.txt` contains its messages.
struct Running(Child);

impl Running {
    fn start(at: &Path, line: &str) -> Running {
        Running::spawn(at, kiln(at, line))
    }

    fn spawn(at: &Path, mut command: Command) -> Running {
        let errors = fs::File::create(at.join("errors.txt")).unwrap();
        Running(command.stdout(Stdio::null()).stderr(errors).spawn().unwrap())
    }

    /// Sends the signal of Ctrl-C; returns the exit status.
    fn interrupt(&mut self) -> Option<i32> {
        let pid = self.0.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status();
        assert!(sent.unwrap().success());
        self.0.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns whether the program has reported something.
fn says(at: &Path, text: &str) -> bool {
    fs::read_to_string(at.join("errors.txt")).is_ok_and(|all| all.contains(text))
}

/// The value of the first pixel of an image, if the file exists.
fn value(at: &Path, file: &str) -> f32 {
    read(&at.join(file)).map_or(-1.0, |image| image.data[0])
}

/// Names of the files in a folder.
fn names(at: &Path) -> Vec<String> {
    let entries = fs::read_dir(at).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn a_changed_file_is_rendered_again() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let write = |value: &str| {
        let text =
            format!("#include \"value.h\"\nshader watched(output color result = 0) {{ result = {value}; }}");
        fs::write(at.join("new"), text).unwrap();
        // Editors save by renaming.
        fs::rename(at.join("new"), at.join("watched.ksl")).unwrap();
    };
    fs::write(at.join("value.h"), "#define VALUE 0.5\n").unwrap();
    write("0.25");
    let running = Running::start(at, "render watched.ksl -o out.exr --spp 4 --size 16x16 --watch");
    let shows = |value: f32| {
        read(&at.join("out.exr")).is_ok_and(|image| image.data.iter().all(|v| (v - value).abs() < 1e-3))
    };
    wait_for("the first picture", || shows(0.25));
    write("VALUE");
    wait_for("the changed one", || shows(0.5));
    fs::write(at.join("value.h"), "#define VALUE 0.75\n").unwrap();
    wait_for("that of the included file", || shows(0.75));
    write("nothing");
    wait_for("the error", || says(at, "`nothing`"));
    write("0.125");
    wait_for("the mended one", || shows(0.125) && says(at, "waiting for a change"));
    drop(running);

    // Sheets, and a program that is interrupted while it waits.
    let sheet = "render watched.ksl:watched -o sheet.exr --spp 2 --size 160x160 --watch --param x=1 --variations y=1,2";
    write("x * y");
    let text = fs::read_to_string(at.join("watched.ksl")).unwrap();
    let text = text.replace("shader watched(", "shader watched(float x = 0, float y = 0, ");
    fs::write(at.join("watched.ksl"), &text).unwrap();
    let mut running = Running::start(at, sheet);
    wait_for("the sheet", || says(at, "waiting for a change"));
    let shown = || read(&at.join("sheet.exr")).map(|sheet| sheet.rgb(100, 100).r).unwrap_or(-1.0);
    assert!((shown() - 1.0).abs() < 1e-3, "{}", shown());
    fs::write(at.join("watched.ksl"), text.replace("x * y", "0.5 * x * y")).unwrap();
    wait_for("the changed sheet", || (shown() - 0.5).abs() < 1e-3);
    assert_eq!(running.interrupt(), Some(130));
    refused(at, "render checker --watch", &["no file that could change"]);
}

#[cfg(unix)]
#[test]
fn a_changed_file_is_shaded_again() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let set = |value: &str| fs::write(at.join("value.h"), format!("#define VALUE {value}\n")).unwrap();
    let text = "#include \"value.h\"\nshader watched(float k = 1, output float r = 0) { r = k * VALUE; }";
    fs::write(at.join("watched.ksl"), text).unwrap();
    set("0.25");
    // Files of serialised groups are watched, too.
    fs::write(at.join("group"), "param float k 1 ; shader watched.ksl w ;").unwrap();
    let mut running = Running::start(at, "shade --group group -g 8 8 -o r r.exr --watch");
    wait_for("the image", || value(at, "r.exr") == 0.25 && says(at, "r.exr after"));
    let before = names(at);
    set("nothing");
    wait_for("the error", || says(at, "`nothing`"));
    assert_eq!((value(at, "r.exr"), names(at)), (0.25, before));
    set("0.5");
    wait_for("the mended one", || value(at, "r.exr") == 0.5);
    fs::write(at.join("group"), "param float k 4 ; shader watched.ksl w ;").unwrap();
    wait_for("that of the changed group", || value(at, "r.exr") == 2.0);
    assert_eq!(running.interrupt(), Some(130));
    refused(at, "shade checker --watch", &["no file that could change"]);
}

#[cfg(unix)]
#[test]
fn a_changed_scene_is_baked_again() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let write = |albedo: &str| {
        let text = format!(
            "light sky : environment {{ color = 1; }}
            material grey = matte(albedo = {albedo});
            shape floor : rectangle {{ size = (2, 2); material = grey; }}\n"
        );
        fs::write(at.join("scene.kiln"), text).unwrap();
    };
    let samples = || {
        let text = fs::read_to_string(at.join("b/bake.json")).unwrap_or_default();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        (json["complete"] == true).then(|| json["settings"]["samples"].as_u64())
    };
    write("0.25");
    let line = "bake scene.kiln -o b --resolution 8 --samples 24 --integrator path --aov albedo --watch";
    let mut running = Running::start(at, line);
    let is_there = |albedo: f32| {
        (value(at, "b/surface_albedo.exr") - albedo).abs() < 1e-3 && samples() == Some(Some(24))
    };
    wait_for("the bake", || is_there(0.25) && says(at, "waiting for a change"));
    assert!(says(at, "a draft of 16 rays is written"));
    let before = names(&at.join("b"));
    write("nothing");
    wait_for("the error", || says(at, "`nothing`"));
    assert!(is_there(0.25) && names(&at.join("b")) == before);
    write("0.5");
    wait_for("the mended one", || is_there(0.5));
    assert_eq!(names(&at.join("b")), before);
    assert_eq!(running.interrupt(), Some(130));
}

const PLAIN: &str = "shader watched(output color result = 0) { result = VALUE; }";

/// A process that renders a file repeatedly, and the value of its picture.
#[cfg(unix)]
struct Rendering<'a> {
    _running: Running,
    at: &'a Path,
}

#[cfg(unix)]
impl Rendering<'_> {
    fn start<'a>(at: &'a Path, file: &str) -> Rendering<'a> {
        let line = format!("render {file} -o out.exr --spp 2 --size 4x4 --watch");
        let rendering = Rendering { _running: Running::start(at, &line), at };
        wait_for("the first picture", || says(at, "waiting for a change"));
        rendering
    }

    fn shows(&self, expected: f32) {
        let is_shown = || (value(self.at, "out.exr") - expected).abs() < 1e-3;
        wait_for(&format!("the picture of {expected}"), is_shown);
    }
}

#[cfg(unix)]
fn write_plain(path: &Path, value: f32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, PLAIN.replace("VALUE", &value.to_string())).unwrap();
}

#[cfg(unix)]
#[test]
fn recreated_folders_are_watched() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let file = at.join("deep/sub/watched.ksl");
    write_plain(&file, 0.25);
    let rendering = Rendering::start(at, "deep/sub/watched.ksl");
    fs::remove_dir_all(at.join("deep")).unwrap();
    wait_for("the error", || says(at, "deep/sub/watched.ksl"));
    for value in [0.5, 0.75] {
        write_plain(&file, value);
        rendering.shows(value);
    }
    drop(rendering);

    // The working folder of the program.
    let inner = at.join("inner");
    write_plain(&inner.join("watched.ksl"), 0.25);
    let rendering = Rendering::start(&inner, "watched.ksl");
    fs::rename(&inner, at.join("old")).unwrap();
    write_plain(&inner.join("watched.ksl"), 0.5);
    rendering.shows(0.5);
}

#[cfg(unix)]
#[test]
fn files_behind_links_are_watched() {
    use std::os::unix::fs::symlink;

    let folder = TempDir::new().unwrap();
    let at = folder.path();
    write_plain(&at.join("first/watched.ksl"), 0.25);
    write_plain(&at.join("second/watched.ksl"), 0.5);
    let link = |to: &str| {
        let _ = fs::remove_file(at.join("now"));
        symlink(to, at.join("now")).unwrap();
    };
    link("first");
    symlink("now/watched.ksl", at.join("link.ksl")).unwrap();
    let rendering = Rendering::start(at, "link.ksl");
    write_plain(&at.join("first/watched.ksl"), 0.75);
    rendering.shows(0.75);
    link("second");
    rendering.shows(0.5);
    write_plain(&at.join("second/watched.ksl"), 0.125);
    rendering.shows(0.125);
}

/// A folder in which the system reports no changes.
#[cfg(unix)]
#[test]
fn files_in_folders_that_cannot_be_listed_are_watched() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
    use std::os::unix::process::CommandExt as _;

    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let set_mode =
        |name: &str, mode| fs::set_permissions(at.join(name), PermissionsExt::from_mode(mode)).unwrap();
    let set_value =
        |value: &str| fs::write(at.join("closed/value.h"), format!("#define VALUE {value}\n")).unwrap();
    fs::create_dir(at.join("closed")).unwrap();
    copy_program(&at.join("kiln"));
    fs::write(at.join("watched.ksl"), format!("#include \"closed/value.h\"\n{PLAIN}")).unwrap();
    set_value("0.25");
    let line = "render watched.ksl -o out.exr --spp 2 --size 4x4 --watch";
    let mut command = Command::new(at.join("kiln"));
    command
        .args(line.split(' '))
        .current_dir(at)
        .env("XDG_CACHE_HOME", at.join("cache"));
    set_mode("", 0o1777);
    set_mode("closed", 0o311);
    // Root can list all folders.
    if fs::metadata(at).unwrap().uid() == 0 {
        command.uid(65534).gid(65534);
    }
    let running = Running::spawn(at, command);
    wait_for("the first picture", || says(at, "waiting for a change"));
    set_value("0.5");
    wait_for("the changed one", || (value(at, "out.exr") - 0.5).abs() < 1e-3);
    drop(running);
    set_mode("closed", 0o755);
}
