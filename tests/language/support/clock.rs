//! Processor time and memory of a test.

/// Processor time of this thread, in seconds; 0 if the system does not measure it.
pub fn thread_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

/// Peak of the process's resident memory since the last call of [`reset_peak`], in bytes; 0 if the system does not
/// measure it.
pub fn peak_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

/// Resets the peak of resident memory.
pub fn reset_peak() {
    // Without this file, the peak is that of the whole test, which is an upper bound.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
