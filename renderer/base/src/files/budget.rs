//! Reading budget: bounds of the memory and time that the content of a file can cost.
//!
//! A few bytes of a file can expand to many: counts in headers, compressed data, elements with repeated references.
//! Each reader counts the bytes that it allocates before it allocates them, and the bytes that it decodes. Both totals
//! are bounded by a constant and a multiple of the size of the file:
//!
//! | total | bound |
//! |---|---|
//! | memory | 256 MiB + 256 × size |
//! | memory of a picture | 1 MiB + 132,096 × size, at most 4 GiB |
//! | memory of a part of a picture | 256 MiB + 4096 × size |
//! | bytes decoded, each time that they are | 1 GiB + 256 × size |
//!
//! Sound files stay far below: meshes take up to about 50 times their compressed size, and grids up to about 30 times.

use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use crate::memory::{self, OutOfMemory};

/// The most memory of a picture [bytes]: 16k × 16k pixels of four floats.
pub const MAX_PICTURE_BYTES: u64 = 4 << 30;

/// Bytes of a picture for each byte of its file. Deflate packs 1032 bytes into one; at a bit per pixel each of these
/// becomes eight pixels of four floats. Other codecs are less dense.
const MAX_PICTURE_EXPANSION: u64 = 1032 * 8 * 16;

/// Bounds and present totals of a file and of the files that it names.
#[derive(Debug)]
pub struct Budget {
    kind: BudgetKind,
    /// Total size of the files [bytes].
    size: AtomicU64,
    allocated: AtomicU64,
    decoded: AtomicU64,
}

/// Content of a file, which determines the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetKind {
    /// Meshes, grids, scenes.
    Scene,
    /// Pictures.
    Picture,
    /// Sums of samples: at least a byte for a pixel with samples, and none for layers of zeros.
    Part,
}

/// Content that would cost more than the budget of its file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OverBudget {
    /// Memory.
    #[error(
        "{what} would take the memory of the file's content to {}, and {} is the most for a file of {}",
        size_text(*needed), size_text(*most), size_text(*size)
    )]
    Memory {
        /// Name of the content, in the plural.
        what: &'static str,
        /// Total with this content [bytes].
        needed: u64,
        /// Bound [bytes].
        most: u64,
        /// Size of the file [bytes].
        size: u64,
    },
    /// Time, as decoded bytes.
    #[error(
        "{what} would have more than {} decoded, which is the most for a file of {}",
        size_text(*most), size_text(*size)
    )]
    Work {
        /// Name of the content, in the plural.
        what: &'static str,
        /// Bound [bytes].
        most: u64,
        /// Size of the file [bytes].
        size: u64,
    },
    /// The machine has less memory.
    #[error(transparent)]
    Machine(#[from] OutOfMemory),
}

impl BudgetKind {
    /// Bound of the memory of a file of `size` bytes [bytes].
    pub fn memory(self, size: u64) -> u64 {
        match self {
            BudgetKind::Scene => (256 << 20) + size.saturating_mul(256),
            BudgetKind::Picture => {
                ((1 << 20) + size.saturating_mul(MAX_PICTURE_EXPANSION)).min(MAX_PICTURE_BYTES)
            }
            BudgetKind::Part => (256 << 20) + size.saturating_mul(4096),
        }
    }

    /// Bound of the decoded bytes of a file of `size` bytes [bytes].
    fn work(size: u64) -> u64 {
        (1 << 30) + size.saturating_mul(256)
    }
}

impl Default for Budget {
    /// Budget of a scene, mesh or grid whose files are added ([`Budget::add_file`]).
    fn default() -> Budget {
        Budget::new(0)
    }
}

impl Budget {
    /// Budget of a scene, mesh or grid file of `size` bytes.
    pub fn new(size: usize) -> Budget {
        Budget::of(BudgetKind::Scene, size as u64)
    }

    /// Budget of a file of `size` bytes.
    pub fn of(kind: BudgetKind, size: u64) -> Budget {
        Budget {
            kind,
            size: AtomicU64::new(size),
            allocated: AtomicU64::new(0),
            decoded: AtomicU64::new(0),
        }
    }

    /// Adds another file that belongs to the first. Files that are read twice are added once.
    pub fn add_file(&self, size: usize) {
        self.size.fetch_add(size as u64, Ordering::Relaxed);
    }

    /// Starts again at zero: for content that is decoded again for each frame.
    pub fn restart(&self) {
        self.allocated.store(0, Ordering::Relaxed);
        self.decoded.store(0, Ordering::Relaxed);
    }

    /// Counts memory for `count` elements of `each` bytes, before they are allocated.
    ///
    /// # Errors
    /// If the total exceeds the bound, or the machine has less.
    pub fn allocate(&self, what: &'static str, count: usize, each: usize) -> Result<(), OverBudget> {
        /// Size from which the free memory of the machine is queried [bytes].
        const MIN_CHECKED_SIZE: u64 = 1 << 26;
        let bytes = (count as u64).saturating_mul(each as u64);
        let size = self.size.load(Ordering::Relaxed);
        let most = self.kind.memory(size);
        let needed = add(&self.allocated, bytes);
        if needed > most {
            return Err(OverBudget::Memory { what, needed, most, size });
        }
        if bytes > MIN_CHECKED_SIZE {
            memory::check(what, bytes)?;
        }
        Ok(())
    }

    /// Counts `count` elements of `each` bytes that are decoded, before they are.
    ///
    /// # Errors
    /// If the total exceeds the bound.
    pub fn decode(&self, what: &'static str, count: usize, each: usize) -> Result<(), OverBudget> {
        let size = self.size.load(Ordering::Relaxed);
        let most = BudgetKind::work(size);
        match add(&self.decoded, (count as u64).saturating_mul(each as u64)) > most {
            true => Err(OverBudget::Work { what, most, size }),
            false => Ok(()),
        }
    }
}

/// Adds to a total, which stays at its maximum once it is there, and returns the new total.
fn add(total: &AtomicU64, bytes: u64) -> u64 {
    let before = total.fetch_add(bytes.min(u64::MAX >> 16), Ordering::Relaxed);
    before.saturating_add(bytes)
}

/// A size for people: `5.0 kB`.
fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_bounded_by_the_size_of_the_files() {
        let budget = Budget::new(1_000_000);
        for _ in 0..4 {
            assert_eq!(budget.allocate("vertices", 10_000_000, 12), Ok(()));
        }
        let error = budget.allocate("vertices", 10_000_000, 12).unwrap_err();
        assert_eq!(
            error.to_string(),
            "vertices would take the memory of the file's content to 600.0 MB, and 524.4 MB is the most for a file of \
             1.0 MB"
        );
        budget.add_file(1_000_000);
        assert_eq!(budget.allocate("vertices", 1, 12), Ok(()));
        assert!(budget.allocate("vertices", usize::MAX, usize::MAX).is_err());
        assert_eq!(budget.decode("tiles", 1 << 30, 1), Ok(()));
        assert!(budget.decode("tiles", 1 << 30, 1).is_err());
    }
}
