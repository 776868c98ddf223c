//! The installed program: a single file that runs for any user, in any folder, without the build's downloads, and
//! without the C library's elementary functions.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{PROGRAM, copy_program, message};
use flate2::read::GzDecoder;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSymbol as _};
use renderer::accel::{Bundle, carried};
use tempfile::TempDir;

/// A folder with a scene and a program; `None` if the program contains no Embree because the system's packages provide
/// it.
struct Installed {
    root: TempDir,
    bundle: &'static Bundle,
}

impl Installed {
    fn new() -> Option<Installed> {
        let bundle = carried()?;
        let root = TempDir::new().unwrap();
        let installed = Installed { root, bundle };
        fs::create_dir(installed.path("bin")).unwrap();
        for folder in ["home", "tmp", "out"] {
            fs::create_dir(installed.path(folder)).unwrap();
            // The folder is writable for other users.
            fs::set_permissions(installed.path(folder), PermissionsExt::from_mode(0o1777)).unwrap();
        }
        fs::set_permissions(installed.root.path(), PermissionsExt::from_mode(0o755)).unwrap();
        fs::write(
            installed.path("a.kiln"),
            "film { size = (4, 4); }\ncamera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }\n\
             light sky : environment { }\nshape ball : sphere { radius = 1; }\n",
        )
        .unwrap();
        copy_program(&installed.path("bin/kiln"));
        Some(installed)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A command that renders the scene, with only a home folder and a folder for temporary files.
    fn render(&self, program: &str, home: &Path, temporary: &Path) -> Command {
        let mut command = Command::new(self.path(program));
        command
            .env_clear()
            .env("HOME", home)
            .env("TMPDIR", temporary)
            .current_dir(self.path("out"))
            .args(["render", "../a.kiln", "--spp", "1", "-o", "a.exr"]);
        command
    }

    /// A command that renders the scene without a home or temporary folder, so that it cannot unpack its embedded
    /// files.
    fn render_without_folders(&self, program: &str) -> Command {
        self.render(program, Path::new("/dev/null"), Path::new("/dev/null"))
    }

    /// Files that the program has unpacked for its user.
    fn unpacked(&self) -> Vec<PathBuf> {
        let cache = self.path("home/.cache/kiln");
        let Ok(folders) = fs::read_dir(cache) else {
            return vec![];
        };
        let mut files: Vec<PathBuf> = folders
            .flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap())
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        files
    }
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}

fn succeeds(mut command: Command) {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
}

/// An absolute library path of the build would let its owner on another machine substitute a library.
#[test]
fn the_program_names_no_library_of_the_build() {
    let program = fs::read(PROGRAM).unwrap();
    assert!(contains(&program, b"libembree4.so.4"));
    assert!(!contains(&program, b"/libembree4"), "a path of a library");
}

#[test]
fn a_copy_of_the_program_works_without_the_builders_cache() {
    let Some(installed) = Installed::new() else { return };
    let (home, temporary) = (installed.path("home"), installed.path("tmp"));
    // Several processes start at the same time, as on the machines of a farm; none may read a partial file.
    let programs: Vec<_> = (0..3)
        .map(|i| {
            let mut command = installed.render("bin/kiln", &home, &temporary);
            command.args(["-o", &format!("{i}.exr")]);
            command.stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for program in programs {
        let output = program.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    }
    let files = installed.unpacked();
    let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert!(names.contains(&"LICENSE-APACHE") && names.contains(&"NOTICE"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");

    // An unpacked library is not written again; a library with other contents is replaced before use.
    let library = files.iter().find(|file| file.to_str().unwrap().contains("libembree4")).unwrap();
    let (size, time) = (
        fs::metadata(library).unwrap().len(),
        fs::metadata(library).unwrap().modified().unwrap(),
    );
    succeeds(installed.render("bin/kiln", &home, &temporary));
    assert_eq!(fs::metadata(library).unwrap().modified().unwrap(), time);
    fs::write(library, "cut short").unwrap();
    succeeds(installed.render("bin/kiln", &home, &temporary));
    assert_eq!(fs::metadata(library).unwrap().len(), size);
    let content = fs::read(library).unwrap();
    let mut changed = content.clone();
    changed[size as usize / 2] ^= 1;
    fs::write(library, changed).unwrap();
    let library_file = fs::File::options().write(true).open(library).unwrap();
    library_file.set_modified(time).unwrap();
    drop(library_file);
    succeeds(installed.render("bin/kiln", &home, &temporary));
    assert!(fs::read(library).unwrap() == content);
    // The program neither loads a library from a folder that other users can write nor unpacks one there.
    fs::write(library, "of others").unwrap();
    fs::set_permissions(library.parent().unwrap(), PermissionsExt::from_mode(0o777)).unwrap();
    succeeds(installed.render("bin/kiln", &home, &temporary));
    assert_eq!(fs::read(library).unwrap(), b"of others");
    assert_eq!(fs::read_dir(temporary).unwrap().count(), 0, "something stayed");
}

#[test]
fn users_without_a_home_can_run_it() {
    let Some(installed) = Installed::new() else { return };
    let (nowhere, temporary) = (Path::new("/nonexistent"), installed.path("tmp"));
    let mut command = installed.render("bin/kiln", nowhere, &temporary);
    // If the tests may, as another user without access to the files of this one.
    if is_root() {
        command.uid(65534).gid(65534);
    }
    succeeds(command);
    assert_eq!(fs::read_dir(temporary).unwrap().count(), 0, "something stayed");
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    status.lines().any(|line| line.starts_with("Uid:\t0\t"))
}

/// The library is found in each of the folders, by its usual name or by its name in the wheel.
#[test]
fn a_library_next_to_the_program_is_found() {
    let Some(installed) = Installed::new() else { return };
    let libraries = installed.path("libraries");
    fs::create_dir(&libraries).unwrap();
    for file in installed.bundle.files {
        fs::write(libraries.join(file.name), file.unpack().unwrap()).unwrap();
    }
    let own_name = installed.bundle.files[0].name;
    let library = &libraries.join(own_name);
    for (folder, name) in [("bin", own_name), ("lib", "libembree4.so.4"), ("lib/kiln", own_name)] {
        let folder = installed.path(folder);
        let was_there = folder.exists();
        fs::create_dir_all(&folder).unwrap();
        let output = installed.render_without_folders("bin/kiln").output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let link = |from: &Path, name: &str| symlink(from, folder.join(name)).unwrap();
        link(library, name);
        for file in installed.bundle.files {
            if file.name.starts_with("libtbb") {
                link(&libraries.join(file.name), file.name);
            }
        }
        succeeds(installed.render_without_folders("bin/kiln"));
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_symlink() {
                fs::remove_file(path).unwrap();
            }
        }
        if !was_there {
            fs::remove_dir_all(&folder).unwrap();
        }
    }
    let mut command = installed.render_without_folders("bin/kiln");
    command.env("EMBREE_DIR", libraries);
    succeeds(command);
}

/// Folders such as `/tmp`, where other users can add files.
#[test]
fn a_library_in_a_shared_folder_is_not_loaded() {
    let Some(installed) = Installed::new() else { return };
    fs::write(installed.path("bin/libembree4.so.4"), "of others").unwrap();
    fs::set_permissions(installed.path("bin"), PermissionsExt::from_mode(0o1777)).unwrap();
    let output = installed.render_without_folders("bin/kiln").output().unwrap();
    let message = message(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("bin can be written by other users"), "{message}");
}

#[test]
fn a_failure_lists_all_searched_folders_in_order() {
    let Some(installed) = Installed::new() else { return };
    fs::write(installed.path("bin/libembree4.so.4"), "no library").unwrap();
    let mut command = installed.render_without_folders("bin/kiln");
    command.env("EMBREE_DIR", "/nowhere");
    let output = command.output().unwrap();
    let message = message(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    let mut from = 0;
    for words in [
        "in EMBREE_DIR: no libembree4.so.4 in /nowhere/lib",
        "beside the program",
        "bin/libembree4.so.4: ",
        "in ../lib of the program: no libembree4.so.4 in ",
        "/lib/kiln",
        "unpacked from the program: /dev/null/.cache/kiln/",
        "unpacked from the program: /dev/null",
        "in the system's folders: libembree4.so.4",
        "set EMBREE_DIR",
    ] {
        let place = message[from..].find(words);
        from += place.unwrap_or_else(|| panic!("`{words}` is not in its place in:\n{message}"));
    }
    assert!(!installed.path("out/a.exr").exists());
}

#[test]
fn an_unpacked_archive_works_in_any_folder() {
    let Some(installed) = Installed::new() else { return };
    let mut command = Command::new(installed.path("bin/kiln"));
    let output = command
        .current_dir(installed.path("out"))
        .args(["archive", "-o", "kiln.tar.gz"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    // The archive of a program does not depend on the time.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let mut command = Command::new(installed.path("bin/kiln"));
    command.current_dir(installed.path("out"));
    succeeds({
        command.args(["archive", "-o", "again.tar.gz"]);
        command
    });
    let bytes = |name: &str| fs::read(installed.path("out").join(name)).unwrap();
    assert!(bytes("kiln.tar.gz") == bytes("again.tar.gz"));
    let file = fs::File::open(installed.path("out/kiln.tar.gz")).unwrap();
    tar::Archive::new(GzDecoder::new(file))
        .unpack(installed.path("elsewhere"))
        .unwrap();
    let mut folders = fs::read_dir(installed.path("elsewhere")).unwrap();
    let folder = folders.next().unwrap().unwrap().path();
    assert!(folders.next().is_none());
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "LICENSE-SKY", "README.md", "lib/kiln/NOTICE"] {
        let mut text = String::new();
        fs::File::open(folder.join(file)).unwrap().read_to_string(&mut text).unwrap();
        assert!(!text.is_empty(), "{file}");
    }
    let program = folder.join("bin/kiln");
    succeeds(installed.render_without_folders(program.to_str().unwrap()));

    let wrong = Command::new(installed.path("bin/kiln"))
        .args(["archive", "-o", "kiln.zip"])
        .current_dir(installed.path("out"))
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(message(&wrong).contains(".tar.gz"), "{}", message(&wrong));
}

#[test]
fn bits_do_not_depend_on_the_c_library() {
    const ELEMENTARY: [&str; 29] = [
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc",
        "exp", "exp10", "exp2", "expm1", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin",
        "sincos", "sinh", "tan", "tanh", "tgamma",
    ];
    // Functions that dependencies call: `exr` for textures with DWA compression, `image` to write HDR, `indicatif` for
    // its bars, `naga` for constant expressions of code for rasterisers, and `opensubdiv-rs` for masks at irregular points. Lints keep Kiln's own code from calling
    // any.
    const OF_OTHERS: [&str; 35] = [
        "acos", "acosf", "asin", "asinf", "atan", "atan2", "atan2f", "atanf", "cos", "cosf", "cosh", "coshf",
        "exp", "exp2", "exp2f", "expf", "hypot", "hypotf", "log", "log1p", "log1pf", "log2", "log2f", "logf",
        "pow", "powf", "sin", "sincosf", "sinf", "sinh", "sinhf", "tan", "tanf", "tanh", "tanhf",
    ];
    let program = fs::read(PROGRAM).unwrap();
    let program: ElfFile64<'_> = ElfFile64::parse(&*program).unwrap();
    let asked: Vec<&str> = program
        .dynamic_symbols()
        .filter(|symbol| symbol.is_undefined())
        .map(|symbol| symbol.name().unwrap())
        .collect();
    assert!(asked.contains(&"malloc"), "{asked:?}");
    for name in asked {
        let double = name.strip_suffix('f').unwrap_or(name);
        let is_elementary = ELEMENTARY.contains(&double) || ELEMENTARY.contains(&name);
        assert!(
            !is_elementary || OF_OTHERS.contains(&name),
            "`{name}` of the C library is called: `math/elementary.rs` has one that does not differ"
        );
    }
}
