//! Memory limits: free and peak memory of the process, and refusal of work that does not fit.

use std::fs;
use std::path::Path;

use thiserror::Error;

/// Work that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what} take about {} of memory, and {} are free", gigabytes(*.needed), gigabytes(*.free))]
pub struct OutOfMemory {
    /// What needs it, in the plural.
    pub what: String,
    /// Estimate [bytes].
    pub needed: u64,
    /// What is free [bytes].
    pub free: u64,
}

/// Refuses work that needs more than is free. Where the system does not tell, everything is taken to fit.
///
/// # Errors
/// When it does not fit.
pub fn check(what: impl Into<String>, needed: u64) -> Result<(), OutOfMemory> {
    match free() {
        Some(free) if needed > free => Err(OutOfMemory {
            what: what.into(),
            needed,
            free,
        }),
        _ => Ok(()),
    }
}

/// The most memory that the process had at a time [bytes], where the system tells.
pub fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

/// How much textures may take where nothing is said [bytes]: half of what is free; no bound where the system does not
/// tell.
pub fn for_textures() -> usize {
    free().map_or(usize::MAX, |free| usize::try_from(free / 2).unwrap_or(usize::MAX))
}

/// A size as people write it: `256M`, `1.5G`, `4GB`; bytes without a unit.
///
/// # Errors
/// What is wrong with it.
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

/// A size for people: `1.5 GB`.
pub fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

/// Bytes that the process can still use without being killed for it: what the machine has, swap included, within the
/// limits of the process and of its control group. `None` where the system does not tell.
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

/// Control groups, version 2 and version 1. A cache of files counts as used and can be had all the same.
fn free_in_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let free = |folder: &Path, limit: &str, used: &str, cache: &str| {
        let number = |name: &str| {
            fs::read_to_string(folder.join(name))
                .ok()?
                .trim()
                .parse::<u64>()
                .ok()
        };
        let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cached = stat
            .lines()
            .find_map(|line| line.strip_prefix(cache)?.trim().parse().ok());
        Some(number(limit)?.saturating_sub(number(used)?.saturating_sub(cached.unwrap_or(0))))
    };
    let one = |line: &str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let path = path.trim_start_matches('/');
        match controllers {
            "" => {
                let folder = Path::new("/sys/fs/cgroup").join(path);
                free(&folder, "memory.max", "memory.current", "inactive_file ")
            }
            "memory" => {
                let folder = Path::new("/sys/fs/cgroup/memory").join(path);
                free(
                    &folder,
                    "memory.limit_in_bytes",
                    "memory.usage_in_bytes",
                    "total_inactive_file ",
                )
            }
            _ => None,
        }
    };
    groups.lines().filter_map(one).min()
}

/// What `ulimit -v` leaves.
fn free_in_process() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
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
            assert!(
                error.starts_with("all bytes there are take about 18446744073.7 GB"),
                "{error}"
            );
        }
    }

    #[test]
    fn lines_of_meminfo() {
        let text = "MemTotal:       24684084 kB\nMemAvailable:   20124928 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(20_124_928 * 1024));
        assert_eq!(kilobytes(text, "SwapFree:"), None);
    }
}
