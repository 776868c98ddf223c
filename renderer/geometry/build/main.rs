//! Finds Embree 4, or brings it, and packs it for the program to carry; nothing else.
//!
//! The renderer opens the library at run time (see `accel/embree/library.rs`), so all that the build needs is a path:
//! 1. `EMBREE_DIR`, the folder of an Embree 4 release;
//! 2. else an Embree 4 that the system has;
//! 3. else the one inside the `embreex` wheel of the Python package index, fetched with `pip download`, checked by its
//!    SHA-256 and unpacked once into the user's cache;
//! 4. else the build stops and says what can be done.
//!
//! The path goes to the crate as the environment variable `KILN_EMBREE_LIBRARY`. The program carries a copy of the
//! library (see `pack.rs`), unless it is the system's, which the system's packages take care of.

mod pack;

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// Name of the wheel, and the version of Embree that it contains.
const WHEEL: &str = "embreex==4.4.0.post1";
const WHEEL_EMBREE: &str = "4.4.0";

/// The oldest Embree that serves, as `RTC_VERSION` counts.
const OLDEST: u32 = 40000;

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed=EMBREE_DIR");
    let target = Target::of_build();
    match find(&target).and_then(|found| pack(&found).map(|()| found)) {
        Ok(Found { library, .. }) => {
            // The cache may be emptied between two builds: then this script has to run again.
            println!("cargo::rerun-if-changed={}", library.display());
            println!("cargo::rustc-env=KILN_EMBREE_LIBRARY={}", library.display());
        }
        Err(reason) => {
            for line in format!("{reason}\n{}", ways(&target)).lines() {
                println!("cargo::error={line}");
            }
        }
    }
}

/// The three ways to an Embree, for the user who has none of them.
fn ways(target: &Target) -> String {
    format!(
        "Kiln needs Embree {}.{} or newer. Any one of these will do:\n  \
         1. set EMBREE_DIR to the folder of an Embree 4 release (https://github.com/RenderKit/embree/releases),\n  \
         2. install Embree 4 with the system's packages ({}; Debian 12 has version 3 only, which does not do),\n  \
         3. have Python's pip and a network, and the build fetches the library by itself{}.",
        OLDEST / 10000,
        OLDEST / 100 % 100,
        match target.os.as_str() {
            "macos" => "brew install embree",
            "windows" => "the installer of the release",
            _ => "libembree4-4, embree or embree4 by name",
        },
        if target.wheel.is_some() {
            ""
        } else {
            " (not on this platform: no such package exists)"
        },
    )
}

/// The library, and whether the program carries a copy.
struct Found {
    library: PathBuf,
    carried: bool,
}

/// Packs what was found, where the compiler will look for it.
fn pack(found: &Found) -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let library = found.carried.then_some(found.library.as_path());
    pack::pack(library, &out)
        .map_err(|error| format!("{} cannot be packed: {error}", found.library.display()))
}

fn find(target: &Target) -> Result<Found, String> {
    let carried = |library| Found {
        library,
        carried: true,
    };
    if let Some(dir) = env::var_os("EMBREE_DIR").filter(|dir| !dir.is_empty()) {
        return in_named_folder(Path::new(&dir), target).map(carried);
    }
    if let Some(library) = in_system(target) {
        return Ok(Found {
            library,
            carried: false,
        });
    }
    let Some(wheel) = &target.wheel else {
        return Err(format!(
            "no Embree 4 on this system, and none to fetch for {} {}",
            target.os, target.arch
        ));
    };
    in_cache(target, wheel)
        .map(carried)
        .map_err(|reason| format!("no Embree 4 on this system, and {reason}"))
}

/// Target platform of the compiled program.
struct Target {
    os: String,
    arch: String,
    /// File names that an Embree 4 library goes by, the surest first.
    library_names: &'static [&'static str],
    /// The wheel that carries Embree for this platform.
    wheel: Option<Wheel>,
}

/// A file of the Python package index, the same whatever Python runs pip.
struct Wheel {
    platform: &'static str,
    sha256: &'static str,
    /// Folder of the libraries in the wheel.
    folder: &'static str,
}

impl Target {
    fn of_build() -> Target {
        let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
        let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
        let library_names: &[&str] = match os.as_str() {
            "macos" => &["libembree4.4.dylib", "libembree4.dylib"],
            "windows" => &["embree4.dll"],
            // The number after `.so` is that of the interface: 4 says that it is Embree 4.
            _ => &["libembree4.so.4", "libembree4.so"],
        };
        let wheel = match (os.as_str(), arch.as_str()) {
            ("linux", "x86_64") => Some(Wheel {
                platform: "manylinux_2_28_x86_64",
                sha256: "2cd0f7d5c6342e6247e31f700761689cae7829454d8c6de0c41e62124a023e1f",
                folder: "embreex.libs/",
            }),
            ("macos", "aarch64") => Some(Wheel {
                platform: "macosx_14_0_arm64",
                sha256: "3ed370224566681071f245bbc5104feebee1354097679ab69cb3a70c94633cb3",
                folder: "embreex/.dylibs/",
            }),
            ("macos", "x86_64") => Some(Wheel {
                platform: "macosx_13_0_x86_64",
                sha256: "85d9b232805e95be845ee5d77ddea4e6b21c992b7e60fa7bdf4f578b84797a15",
                folder: "embreex/.dylibs/",
            }),
            ("windows", "x86_64") => Some(Wheel {
                platform: "win_amd64",
                sha256: "3df27becf6a12b59f5a469bc5271622e26387d52a15880edd29aa564246e7176",
                folder: "embreex.libs/",
            }),
            _ => None,
        };
        Target {
            os,
            arch,
            library_names,
            wheel,
        }
    }
}

// ---- 1. A folder that the user names.

/// The library in the folder of a release, or an error: what the user names is not passed over in silence.
fn in_named_folder(dir: &Path, target: &Target) -> Result<PathBuf, String> {
    let folders = ["lib", "lib64", "bin", ""].map(|sub| dir.join(sub));
    let Some(library) = folders.iter().find_map(|folder| library_in(folder, target)) else {
        if let Some(library) = wheel_library_in(dir) {
            return Ok(library);
        }
        let older = folders.iter().any(|folder| has_embree_3(folder));
        return Err(format!(
            "EMBREE_DIR is {}, but there is no {} in it or in its lib, lib64 or bin{}",
            dir.display(),
            target.library_names[0],
            if older { "; what it holds is Embree 3" } else { "" },
        ));
    };
    match header_version(&dir.join("include")) {
        Some(version) if version < OLDEST => Err(format!(
            "EMBREE_DIR is {}, but that is Embree {}.{}.{}",
            dir.display(),
            version / 10000,
            version / 100 % 100,
            version % 100
        )),
        _ => Ok(library),
    }
}

fn library_in(folder: &Path, target: &Target) -> Option<PathBuf> {
    let path = target
        .library_names
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())?;
    // An absolute path: the program may be started from anywhere.
    path.canonicalize().ok()
}

fn has_embree_3(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .into_iter()
        .any(|entry| entry.file_name().to_string_lossy().contains("embree3"))
}

/// `RTC_VERSION` of the header under `include`, where there is one.
fn header_version(include: &Path) -> Option<u32> {
    let header = fs::read_to_string(include.join("embree4/rtcore_config.h")).ok()?;
    let line = header
        .lines()
        .find(|line| line.starts_with("#define RTC_VERSION "))?;
    line.rsplit(' ').next()?.trim().parse().ok()
}

// ---- 2. What the system has.

fn in_system(target: &Target) -> Option<PathBuf> {
    // A system's library is of use only to a program for that system.
    if env::var("HOST") != env::var("TARGET") {
        return None;
    }
    let folders = system_folders(target);
    let library = folders.iter().find_map(|folder| library_in(folder, target))?;
    let include = library.parent()?.join("../include");
    let version = header_version(&include).or_else(|| header_version(Path::new("/usr/include")));
    version.is_none_or(|version| version >= OLDEST).then_some(library)
}

fn system_folders(target: &Target) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let from_list = |name: &str| env::var_os(name).map(|list| env::split_paths(&list).collect::<Vec<_>>());
    for name in ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"] {
        folders.extend(from_list(name).unwrap_or_default());
    }
    let pkg_config = Command::new("pkg-config")
        .args(["--variable=libdir", "embree4"])
        .output();
    if let Ok(output) = pkg_config
        && output.status.success()
        && let Ok(text) = String::from_utf8(output.stdout)
        && !text.trim().is_empty()
    {
        folders.push(text.trim().into());
    }
    match target.os.as_str() {
        "windows" => {
            folders.extend(from_list("PATH").unwrap_or_default());
            folders.push("C:/Program Files/Intel/Embree4/bin".into());
        }
        "macos" => {
            folders.extend(["/opt/homebrew/lib", "/usr/local/lib", "/opt/local/lib"].map(PathBuf::from));
        }
        _ => {
            let multiarch = format!("{}-linux-gnu", target.arch);
            folders.extend(["/usr/local/lib", "/usr/local/lib64", "/usr/lib64"].map(PathBuf::from));
            folders.extend([Path::new("/usr/lib").join(multiarch), "/usr/lib".into()]);
        }
    }
    folders
}

// ---- 3. The wheel.

/// The library in the user's cache, which the wheel fills the first time.
fn in_cache(target: &Target, wheel: &Wheel) -> Result<PathBuf, String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let name = format!("embree-{WHEEL_EMBREE}-{}", wheel.platform);
    let cache = cache_folder(target)
        .unwrap_or_else(|| out.clone())
        .join("kiln")
        .join(name);
    if let Some(library) = wheel_library_in(&cache) {
        return Ok(library);
    }

    let download = out.join("wheel");
    let file = download_wheel(wheel, &download)?;
    check_sha256(&file, wheel.sha256)?;

    // Unpacked beside its place and then renamed: no other build ever sees half of it, and where two builds race,
    // the second finds the first one's.
    let parent = cache.parent().expect("the cache folder has a name");
    let half = parent.join(format!(".embree-{}", std::process::id()));
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what} {}: {error}", cache.display());
    fs::create_dir_all(&half).map_err(|error| failed("cannot create", &error))?;
    let unpacked = unpack(&file, wheel.folder, &half)
        .map_err(|error| failed("cannot unpack the wheel into", &error))
        .and_then(|()| match fs::rename(&half, &cache) {
            Err(error) if wheel_library_in(&cache).is_none() => Err(failed("cannot rename to", &error)),
            _ => Ok(()),
        });
    // Neither matters once the library is in its place, and a leftover does no harm.
    let _ = fs::remove_dir_all(&half);
    let _ = fs::remove_dir_all(&download);
    unpacked?;
    wheel_library_in(&cache).ok_or_else(|| format!("{WHEEL} holds no Embree library"))
}

/// Cache folder of this system, whose contents can be downloaded again.
fn cache_folder(target: &Target) -> Option<PathBuf> {
    let folder = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    for name in ["XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    match target.os.as_str() {
        "windows" => folder("LOCALAPPDATA"),
        "macos" => folder("HOME").map(|home| home.join("Library/Caches")),
        _ => folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache"))),
    }
}

/// The library among the wheel's files, whose names may carry a hash that the library it needs is linked by.
fn wheel_library_in(folder: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let shared = name.contains(".so") || name.contains(".dylib");
        name.starts_with("libembree4") && shared || name == "embree4.dll"
    })
}

/// Fetches the wheel into `folder` with the first pip that works.
fn download_wheel(wheel: &Wheel, folder: &Path) -> Result<PathBuf, String> {
    let pips: [&[&str]; 4] = [
        &["python3", "-m", "pip"],
        &["python", "-m", "pip"],
        &["pip3"],
        &["pip"],
    ];
    let mut reason = String::from("no pip to fetch one with");
    for pip in pips {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        let dest: [OsString; 2] = ["--dest".into(), folder.into()];
        let output = Command::new(pip[0])
            .args(&pip[1..])
            .args([
                "download",
                "--quiet",
                "--disable-pip-version-check",
                "--no-input",
                "--no-deps",
            ])
            // One fixed file per platform, whatever Python runs pip.
            .args([
                "--only-binary=:all:",
                "--python-version",
                "3.11",
                "--implementation",
                "cp",
            ])
            .args(["--platform", wheel.platform, WHEEL])
            .args(dest)
            .output();
        match output {
            Ok(output) if output.status.success() => {
                let mut files = fs::read_dir(folder)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path());
                return files
                    .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
                    .ok_or_else(|| format!("`{} download` left no wheel", pip.join(" ")));
            }
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                let last = text
                    .lines()
                    .rev()
                    .find(|line| !line.trim().is_empty())
                    .unwrap_or("it gave no reason");
                reason = format!("`{} download {WHEEL}` failed: {}", pip.join(" "), last.trim());
            }
            // This one is not on the machine: the next may be.
            Err(_) => {}
        }
    }
    Err(reason)
}

fn check_sha256(file: &Path, expected: &str) -> Result<(), String> {
    let bytes = fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let found: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if found == expected {
        Ok(())
    } else {
        Err(format!(
            "the fetched {} is not the known one: its SHA-256 is {found}, not {expected}",
            file.display()
        ))
    }
}

/// When unpacked files say they were last changed (1980, as in the archive). Cargo runs this script again, and compiles
/// all that depends on it, when the library is newer than the script's last run: that of the present moment always is.
const LONG_AGO: Duration = Duration::from_secs(315_532_800);

/// Unpacks the libraries of the wheel's `from` folder, and its licence, into `to`.
fn unpack(wheel: &Path, from: &str, to: &Path) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(File::open(wheel)?).map_err(io::Error::other)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(io::Error::other)?;
        let name = entry.name().map_err(io::Error::other)?.into_owned();
        let path = PathBuf::from(&name);
        let wanted = name.starts_with(from) || path.ends_with("LICENSE");
        if let (true, false, Some(name)) = (wanted, entry.is_dir(), path.file_name()) {
            let mut file = File::create(to.join(name))?;
            io::copy(&mut entry, &mut file)?;
            file.set_modified(SystemTime::UNIX_EPOCH + LONG_AGO)?;
        }
    }
    Ok(())
}
