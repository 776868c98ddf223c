//! The program's allocator: the system's, with large blocks in huge pages.
//!
//! Rays access vertices, texels and photons in random order. With pages of 4 KiB, most accesses miss the TLB; with
//! pages of 2 MiB, few do. Where `/sys/kernel/mm/transparent_hugepage/enabled` is `madvise`, as on Ubuntu and Fedora,
//! Linux uses them only for blocks with a request (`madvise`). Embree requests its own.

#![expect(unsafe_code, reason = "implements `GlobalAlloc`")]

use std::alloc::{GlobalAlloc, Layout, System};

/// Minimum block size for huge pages [bytes]: smaller blocks hardly contain an aligned huge page.
const MIN_BLOCK: usize = 4 << 20;

/// Size of a huge page [bytes].
const PAGE: usize = 2 << 20;

/// The system's allocator, with large blocks in huge pages.
#[derive(Clone, Copy, Debug)]
pub struct HugePages;

// SAFETY: all blocks are those of the system's allocator, in the layouts that the caller gives.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same rules.
        let block = unsafe { System.alloc(layout) };
        in_huge_pages(block, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same rules.
        let block = unsafe { System.alloc_zeroed(layout) };
        in_huge_pages(block, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the same rules, and the block is the system's.
        unsafe { System.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the same rules, and the block is the system's.
        let block = unsafe { System.realloc(block, layout, size) };
        in_huge_pages(block, size)
    }
}

/// Requests huge pages for a block if it is large, and returns the block. If the system refuses, the block keeps its
/// pages.
#[inline]
fn in_huge_pages(block: *mut u8, size: usize) -> *mut u8 {
    if size >= MIN_BLOCK && !block.is_null() {
        ask(block, size);
    }
    block
}

#[cfg(target_os = "linux")]
#[cold]
fn ask(block: *mut u8, size: usize) {
    use rustix::mm::{Advice, madvise};

    let before = block.align_offset(PAGE);
    let pages = size.saturating_sub(before) / PAGE;
    // SAFETY: the huge pages lie in the block, and advice changes neither what memory holds nor who may use it.
    let asked = unsafe { madvise(block.wrapping_add(before).cast(), pages * PAGE, Advice::LinuxHugepage) };
    // Kernels without huge pages refuse.
    asked.unwrap_or(());
}

#[cfg(not(target_os = "linux"))]
fn ask(_block: *mut u8, _size: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_sizes_keep_what_they_hold() {
        for size in [1, PAGE - 1, MIN_BLOCK - 1, MIN_BLOCK, MIN_BLOCK + 1, 4 * MIN_BLOCK + 4097] {
            let layout = Layout::from_size_align(size, 16).expect("a size that fits");
            let larger = Layout::from_size_align(3 * size, 16).expect("a size that fits");
            // SAFETY: the block is freed in the layout that it has last, and only its bytes are looked at.
            unsafe {
                let block = HugePages.alloc_zeroed(layout);
                assert!(!block.is_null() && *block.add(size - 1) == 0);
                *block = 7;
                *block.add(size - 1) = 9;
                let block = HugePages.realloc(block, layout, larger.size());
                assert!(!block.is_null() && *block.add(size - 1) == 9);
                assert!(size == 1 || *block == 7);
                HugePages.dealloc(block, larger);
            }
        }
    }

    /// The kernel marks the mapping with the flag `hg`.
    #[cfg(target_os = "linux")]
    #[test]
    fn large_blocks_are_asked_for_in_huge_pages() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            return;
        }
        let layout = Layout::from_size_align(64 << 20, 16).expect("a size that fits");
        // SAFETY: the block is freed in its layout.
        let block = unsafe { HugePages.alloc(layout) };
        let middle = block as usize + (32 << 20);
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("the process's mappings");
        // SAFETY: as above.
        unsafe { HugePages.dealloc(block, layout) };

        let holds = |line: &str| {
            let (from, to) = line.split_whitespace().next()?.split_once('-')?;
            let at = |text| usize::from_str_radix(text, 16).ok();
            Some((at(from)?..at(to)?).contains(&middle))
        };
        let mut lines = maps.lines().skip_while(|line| holds(line) != Some(true));
        let flags = lines.find(|line| line.starts_with("VmFlags:"));
        let flags = flags.expect("flags of the block's mapping");
        assert!(flags.split_whitespace().any(|flag| flag == "hg"), "{flags}");
    }
}
