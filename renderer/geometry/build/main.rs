//! Finds Embree 4, or downloads it, and packs it for embedding in the program.
//!
//! Search order:
//! 1. `EMBREE_DIR`, the folder of an Embree 4 release;
//! 2. an Embree 4 of the system;
//! 3. the one in the `embreex` wheel of the Python package index, fetched with `pip download`, checked by its
//!    SHA-256 and unpacked once into the user's cache.
//!
//! Otherwise the build fails with instructions. The program contains a copy of the library (see `pack.rs`), unless the
//! library is in a standard folder of the system. The program contains no path of the build.

mod pack;
#[path = "../../denoise/src/pip.rs"]
mod pip;
mod wheel;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pack::{Carried, TEXTS};
use wheel::{WHEEL, Wheel, write_old};

/// Oldest supported version of Embree, as `RTC_VERSION`.
const MIN_VERSION: u32 = 40000;

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=../denoise/src/pip.rs");
    println!("cargo::rerun-if-env-changed=EMBREE_DIR");
    let target = Target::of_build();
    let packed = find(&target).and_then(|found| {
        // The script runs again if the cache was emptied between two builds.
        println!("cargo::rerun-if-changed={}", found.library.display());
        pack(&found)
    });
    if let Err(reason) = packed {
        for line in format!("{reason}\n{}", ways(&target)).lines() {
            println!("cargo::error={line}");
        }
    }
}

/// Instructions for the three sources of Embree.
fn ways(target: &Target) -> String {
    format!(
        "Kiln needs Embree {}.{} or newer. Any one of these will do:\n  \
         1. set EMBREE_DIR to the folder of an Embree 4 release (https://github.com/RenderKit/embree/releases),\n  \
         2. install Embree 4 with the system's packages ({}; Debian 12 has version 3 only, which does not do),\n  \
         3. have Python's pip and a network, and the build fetches the library by itself{}.",
        MIN_VERSION / 10000,
        MIN_VERSION / 100 % 100,
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

/// The library, and the embedded copy; `None` if the program loads it from the system.
struct Found {
    library: PathBuf,
    carried: Option<Carried>,
}

/// Packs the library into the output folder of the build.
fn pack(found: &Found) -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    pack::pack(found.carried.as_ref(), &out)
        .map_err(|error| format!("{} cannot be packed: {error}", found.library.display()))
}

fn find(target: &Target) -> Result<Found, String> {
    if let Some(dir) = env::var_os("EMBREE_DIR").filter(|dir| !dir.is_empty()) {
        return copied(in_named_folder(Path::new(&dir), target)?);
    }
    if let Some(library) = in_system(target) {
        return match library.parent().is_some_and(|folder| is_standard(folder, target)) {
            true => Ok(Found { library, carried: None }),
            false => copied(library),
        };
    }
    let Some(wheel) = target.wheel else {
        return Err(format!(
            "no Embree 4 on this system, and none to fetch for {} {}",
            target.os, target.arch
        ));
    };
    in_cache(target, wheel).map_err(|reason| format!("no Embree 4 on this system, and {reason}"))
}

/// An embedded library.
fn copied(library: PathBuf) -> Result<Found, String> {
    let carried = Carried::of(&library);
    let carried = carried.map_err(|error| format!("{} cannot be read: {error}", library.display()))?;
    Ok(Found { library, carried: Some(carried) })
}

/// Target platform of the compiled program.
struct Target {
    os: String,
    arch: String,
    /// File names of an Embree 4 library, the most specific first.
    library_names: &'static [&'static str],
    /// The wheel that carries Embree for this platform.
    wheel: Option<&'static Wheel>,
}

impl Target {
    fn of_build() -> Target {
        let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
        let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
        let library_names: &[&str] = match os.as_str() {
            "macos" => &["libembree4.4.dylib", "libembree4.dylib"],
            "windows" => &["embree4.dll"],
            // The number after `.so` is the version of the interface.
            _ => &["libembree4.so.4", "libembree4.so"],
        };
        let wheel = Wheel::of(&os, &arch);
        Target { os, arch, library_names, wheel }
    }
}

// ---- 1. A folder that the user names.

/// The library in the folder of a release; a missing library is an error.
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
        Some(version) if version < MIN_VERSION => Err(format!(
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
    let line = header.lines().find(|line| line.starts_with("#define RTC_VERSION "))?;
    line.rsplit(' ').next()?.trim().parse().ok()
}

// ---- 2. What the system has.

fn in_system(target: &Target) -> Option<PathBuf> {
    // The library of the build system serves only native builds.
    if env::var("HOST") != env::var("TARGET") {
        return None;
    }
    let folders = system_folders(target);
    let library = folders.iter().find_map(|folder| library_in(folder, target))?;
    let include = library.parent()?.join("../include");
    let version = header_version(&include).or_else(|| header_version(Path::new("/usr/include")));
    version.is_none_or(|version| version >= MIN_VERSION).then_some(library)
}

fn system_folders(target: &Target) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let from_list = |name: &str| env::var_os(name).map(|list| env::split_paths(&list).collect::<Vec<_>>());
    for name in ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"] {
        folders.extend(from_list(name).unwrap_or_default());
    }
    let pkg_config = Command::new("pkg-config").args(["--variable=libdir", "embree4"]).output();
    if let Ok(output) = pkg_config
        && output.status.success()
        && let Ok(text) = String::from_utf8(output.stdout)
        && !text.trim().is_empty()
    {
        folders.push(text.trim().into());
    }
    if target.os == "windows" {
        folders.extend(from_list("PATH").unwrap_or_default());
    }
    folders.extend(standard_folders(target));
    folders
}

/// Folders that the program also searches.
fn standard_folders(target: &Target) -> Vec<PathBuf> {
    let paths = match target.os.as_str() {
        "windows" => return vec!["C:/Program Files/Intel/Embree4/bin".into()],
        "macos" => {
            return ["/opt/homebrew/lib", "/usr/local/lib", "/opt/local/lib"].map(Into::into).into();
        }
        _ => ["/usr/local/lib", "/usr/local/lib64", "/usr/lib64", "/usr/lib"],
    };
    let multiarch = format!("/usr/lib/{}-linux-gnu", target.arch);
    paths.map(PathBuf::from).into_iter().chain([multiarch.into()]).collect()
}

fn is_standard(folder: &Path, target: &Target) -> bool {
    let is_same = |standard: &PathBuf| standard.canonicalize().is_ok_and(|standard| standard == folder);
    standard_folders(target).iter().any(is_same)
}

// ---- 3. The wheel.

/// The library in the user's cache, which the first build fills from the wheel. The program also searches the cache.
fn in_cache(target: &Target, wheel: &Wheel) -> Result<Found, String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let cache = cache_folder(target).unwrap_or_else(|| out.clone()).join("kiln");
    let folder = cache.join(wheel.cache_name());
    let libraries = match wheel.read(&folder) {
        Some(libraries) => libraries,
        None => {
            fetch(wheel, &out, &folder)?;
            let damaged = || format!("{} does not hold {WHEEL}", folder.display());
            wheel.read(&folder).ok_or_else(damaged)?
        }
    };
    let carried = Carried::new(libraries, Some(wheel.cache_name()));
    // The folder contains each file of the embedded copy, so that the program writes no files.
    for (name, bytes) in TEXTS {
        let path = folder.join(name);
        if !path.exists() {
            write_old(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
    }
    Ok(Found {
        library: folder.join(wheel.library()),
        carried: Some(carried),
    })
}

/// Downloads the wheel and unpacks it to a temporary folder, which is renamed to `folder`, so that other builds never
/// see a partial folder.
fn fetch(wheel: &Wheel, out: &Path, folder: &Path) -> Result<(), String> {
    let download = out.join("wheel");
    let _ = fs::remove_dir_all(&download);
    let file = pip::download(WHEEL, wheel.platform, &download)?;
    let half = folder.with_file_name(format!(".embree-{}", std::process::id()));
    let failed = |error: std::io::Error| format!("cannot create {}: {error}", folder.display());
    fs::create_dir_all(&half).map_err(failed)?;
    let renamed = wheel.unpack(&file, &half).and_then(|()| {
        // The existing folder is damaged, or another build has just created it.
        if wheel.read(folder).is_none() {
            let _ = fs::remove_dir_all(folder);
        }
        match fs::rename(&half, folder) {
            Err(error) if wheel.read(folder).is_none() => Err(failed(error)),
            _ => Ok(()),
        }
    });
    // Errors are harmless.
    let _ = fs::remove_dir_all(&half);
    let _ = fs::remove_dir_all(&download);
    renamed
}

/// Cache folder of this system, whose contents can be downloaded again.
fn cache_folder(target: &Target) -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    for name in ["XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    match target.os.as_str() {
        "windows" => folder("LOCALAPPDATA"),
        "macos" => folder("HOME").map(|home| home.join("Library/Caches")),
        _ => folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache"))),
    }
}

/// The library among the files of the wheel; names may contain a hash.
fn wheel_library_in(folder: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let shared = name.contains(".so") || name.contains(".dylib");
        name.starts_with("libembree4") && shared || name == "embree4.dll"
    })
}
