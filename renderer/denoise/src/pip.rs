//! Downloads by Python's pip, isolated from the working folder and from variables of Python. The build script of
//! `renderer/geometry` includes this file.
//!
//! By default Python searches for pip in the working folder, which may contain downloaded scenes. Settings of pip, such
//! as the index, stay unchanged.

use std::env;
use std::fs;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;

/// Commands that may run pip, in order of preference.
const PIPS: [&[&str]; 4] =
    [&["python3", "-I", "-m", "pip"], &["python", "-I", "-m", "pip"], &["pip3"], &["pip"]];

/// Variables that may name files by relative paths, which begin at the user's working folder.
const PATHS: [&str; 6] = [
    "PIP_CONFIG_FILE",
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_FIND_LINKS",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
];

/// Downloads a wheel into an empty or missing folder, with the first pip that works. The file depends on the platform,
/// not on the version of Python. Returns its path.
///
/// # Errors
/// The error of the last pip, or the absence of pip.
pub(super) fn download(requirement: &str, platform: &str, folder: &Path) -> Result<PathBuf, String> {
    let folder = absolute(folder).map_err(|error| error.to_string())?;
    fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let mut reason = "there is no pip to fetch it with".to_owned();
    for pip in PIPS {
        let mut command = isolated(pip, &folder);
        command
            .args(["download", "--quiet", "--disable-pip-version-check", "--no-input"])
            .args(["--no-deps", "--only-binary=:all:", "--implementation", "cp"])
            .args(["--python-version", "3.11", "--platform", platform])
            .args([requirement, "--dest", "."]);
        // The program is not installed.
        let Ok(output) = command.output() else { continue };
        let name = pip.join(" ");
        if output.status.success() {
            let files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let mut paths = files.map(|entry| entry.path());
            let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
            let wheel = paths.find(is_wheel);
            return wheel.ok_or_else(|| format!("`{name} download` left no wheel"));
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.unwrap_or("it gave no reason").trim();
        reason = format!("`{name} download {requirement}` failed: {last}");
    }
    Err(reason)
}

/// A command in an empty folder, without variables that change where Python finds its modules.
fn isolated(words: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder);
    for (name, value) in env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("PYTHON") {
            command.env_remove(&name);
        } else if PATHS.contains(&&*name_text)
            && Path::new(&value).exists()
            && let Ok(path) = absolute(&value)
        {
            command.env(&name, path);
        }
    }
    command
}
