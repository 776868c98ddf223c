//! Memory limits: free and peak memory of the process, and refusal of work that does not fit.

pub mod huge_pages;

use std::fs;
use std::path::Path;

use thiserror::Error;

/// Work that does not fit into memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what} take about {} of memory, and {} are free", gigabytes(*.needed), gigabytes(*.free))]
pub struct OutOfMemory {
    /// Name of the things that need the memory, in the plural.
    pub what: String,
    /// Estimate [bytes].
    pub needed: u64,
    /// Free memory [bytes].
    pub free: u64,
}

/// Refuses work that needs more than the free memory. Without a known amount, all work fits.
///
/// # Errors
/// If the work does not fit.
pub fn check(what: impl Into<String>, needed: u64) -> Result<(), OutOfMemory> {
    match free() {
        Some(free) if needed > free => Err(OutOfMemory { what: what.into(), needed, free }),
        _ => Ok(()),
    }
}

/// Peak resident memory of the process [bytes]; `None` if the system does not report it.
pub fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// Default memory limit of textures [bytes]: half of the free memory, or no limit if that is unknown.
pub fn for_textures() -> usize {
    free().map_or(usize::MAX, |free| usize::try_from(free / 2).unwrap_or(usize::MAX))
}

/// Parses a size such as `256M`, `1.5G` or `4GB`; bytes without a unit.
///
/// # Errors
/// Returns a description of the mistake.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let number = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match lower[number.len()..].trim_end_matches('b').trim_end_matches('i') {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1024.0 * 1024.0,
        "g" => 1024.0 * 1024.0 * 1024.0,
        "t" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err("write a size such as 256M or 4G".to_owned()),
    };
    match number.trim().parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok((value * scale) as u64),
        _ => Err("write a size such as 256M or 4G".to_owned()),
    }
}

/// Formats a size: `1.5 GB`.
pub fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

/// Memory that the process can still allocate [bytes], swap included, within the limits of the process and of its
/// control group; `None` if unknown.
fn free() -> Option<u64> {
    [free_in_machine(), free_in_group(), free_in_process()]
        .into_iter()
        .flatten()
        .min()
}

fn free_in_machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    Some(kilobytes(&text, "MemAvailable:")? + kilobytes(&text, "SwapFree:").unwrap_or(0))
}

/// The value of a line `NAME  N kB` [bytes].
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// Free memory under control groups: the minimum over the process's group and its ancestors, since a limit holds for
/// all groups beneath (Slurm limits the job, not the task).
fn free_in_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups
        .lines()
        .filter_map(|line| free_in_hierarchy(line, Path::new("/sys/fs/cgroup")))
        .min()
}

/// Files of one version of control groups: memory limit, memory use, and the key of reclaimable file cache in
/// `memory.stat`, which counts as used.
struct GroupFiles {
    folder: &'static str,
    limit: &'static str,
    used: &'static str,
    cache: &'static str,
}

const VERSION_1: GroupFiles = GroupFiles {
    folder: "memory",
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    cache: "total_inactive_file ",
};

const VERSION_2: GroupFiles = GroupFiles {
    folder: "",
    limit: "memory.max",
    used: "memory.current",
    cache: "inactive_file ",
};

/// Free memory under the groups of one line of `/proc/self/cgroup`; groups not below `mount` are a container's own.
fn free_in_hierarchy(line: &str, mount: &Path) -> Option<u64> {
    let (_, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let files = match controllers {
        "" => VERSION_2,
        _ if controllers.split(',').any(|name| name == "memory") => VERSION_1,
        _ => return None,
    };
    let mount = mount.join(files.folder);
    let group = mount.join(path.trim_start_matches('/'));
    let groups = group.ancestors().take_while(|group| group.starts_with(&mount));
    groups.filter_map(|group| files.free(group)).min()
}

impl GroupFiles {
    fn free(&self, group: &Path) -> Option<u64> {
        let number = |name: &str| {
            let text = fs::read_to_string(group.join(name)).ok()?;
            text.trim().parse::<u64>().ok()
        };
        let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let cached = stat.lines().find_map(|line| line.strip_prefix(self.cache)?.trim().parse().ok());
        let used = number(self.used)?.saturating_sub(cached.unwrap_or(0));
        Some(number(self.limit)?.saturating_sub(used))
    }
}

/// Free address space under `ulimit -v` [bytes]; `None` without such a limit, or if unknown.
pub fn free_in_process() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(limit.saturating_sub(kilobytes(&status, "VmSize:")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(check("nothing", 0), Ok(()));
        if free().is_some() {
            let error = check("all bytes there are", u64::MAX).unwrap_err().to_string();
            assert!(error.starts_with("all bytes there are take about 18446744073.7 GB"), "{error}");
        }
    }

    #[test]
    fn the_limit_of_a_group_above_counts() {
        let folder = tempfile::tempdir().unwrap();
        let group = |path: &str, files: &[(&str, &str)]| {
            let group = folder.path().join(path);
            fs::create_dir_all(&group).unwrap();
            for (name, text) in files {
                fs::write(group.join(name), text).unwrap();
            }
        };
        let stat = ("memory.stat", "anon 5\ninactive_file 100\ntotal_inactive_file 300\n");
        group("job/task", &[("memory.max", "max\n"), ("memory.current", "7\n")]);
        group("job", &[("memory.max", "1000\n"), ("memory.current", "400\n"), stat]);
        group("memory/job/task", &[]);
        let (limit, used) = ("memory.limit_in_bytes", "memory.usage_in_bytes");
        group("memory/job", &[(limit, "900\n"), (used, "500\n"), stat]);
        let free = |line: &str| free_in_hierarchy(line, folder.path());
        assert_eq!(free("0::/job/task"), Some(700));
        assert_eq!(free("4:memory:/job/task"), Some(700));
        assert_eq!(free("4:cpu,memory:/job/task"), Some(700));
        assert_eq!(free("4:cpu:/job/task"), None);
        assert_eq!(free("0::/"), None);
        // A container may see its own group as the root, under a name from outside.
        group("memory", &[(limit, "800\n"), (used, "200\n")]);
        assert_eq!(free("4:memory:/docker/0123"), Some(600));
    }

    #[test]
    fn lines_of_meminfo() {
        let text = "MemTotal:       24684084 kB\nMemAvailable:   20124928 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(20_124_928 * 1024));
        assert_eq!(kilobytes(text, "SwapFree:"), None);
    }
}
