//! Errors of files with grids.

use std::io;
use std::path::{Path, PathBuf};

use renderer_base::files::OverBudget;
use renderer_base::memory::OutOfMemory;

/// Error of a file with grids. Every variant names the file.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// The system failed to read the file.
    #[error("cannot read '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file has no grids.
    #[error("'{}' is not a file of OpenVDB, NanoVDB or Mitsuba's volumes", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
    },
    /// The file, or one of its grids, cannot be read.
    #[error("volume '{}' {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The reason.
        fault: GridFault,
    },
    /// The file has no grid of that name or number.
    #[error("{} is not in '{}', {}", .asked.subject(), path.display(), listed(.known))]
    NoGrid {
        /// The file.
        path: PathBuf,
        /// The requested grid.
        asked: GridChoice,
        /// Names of the file's grids.
        known: Vec<String>,
    },
}

/// Reason why a file, or a grid of it, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridFault {
    /// The file ends early.
    #[error("is cut short: it ends in {element}")]
    Truncated {
        /// Part of the file in which it ends.
        element: &'static str,
    },
    /// The file contradicts itself.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// The file is sound, or may be, but of a kind that is not read.
    #[error("is not supported: {0}")]
    Unsupported(String),
    /// The grid does not fit into memory.
    #[error("is too large: {0}")]
    TooLarge(#[from] OutOfMemory),
    /// The content costs more than a file of this size may.
    #[error("is too large: {0}")]
    OverBudget(#[from] OverBudget),
}

/// Selects a grid of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum GridChoice {
    /// The grid `density`, else the first that can be read.
    #[default]
    Main,
    /// By its index.
    Index(usize),
    /// By its name.
    Name(String),
}

impl GridChoice {
    fn subject(&self) -> String {
        match self {
            GridChoice::Main => "a grid".to_owned(),
            GridChoice::Index(index) => format!("grid {index}"),
            GridChoice::Name(name) => format!("grid `{name}`"),
        }
    }
}

/// The end of a sentence that lists the grids of a file.
fn listed(names: &[String]) -> String {
    /// Bound of the names that are listed.
    const MAX_NAMES: usize = 20;
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match &quoted[..] {
        [] => "which has no grids".to_owned(),
        [one] => format!("which has {one}"),
        [first @ .., last] if quoted.len() <= MAX_NAMES => {
            format!("which has {} and {last}", first.join(", "))
        }
        _ => format!(
            "which has {} and {} more",
            quoted[..MAX_NAMES].join(", "),
            quoted.len() - MAX_NAMES
        ),
    }
}

impl GridFault {
    pub(crate) fn damaged(reason: impl Into<String>) -> GridFault {
        GridFault::Damaged(reason.into())
    }

    pub(crate) fn unsupported(reason: impl Into<String>) -> GridFault {
        GridFault::Unsupported(reason.into())
    }

    /// The error for a file.
    pub(crate) fn of(self, path: &Path) -> GridError {
        GridError::Fault { path: path.to_owned(), fault: self }
    }
}

impl GridError {
    /// The file it is about.
    pub fn path(&self) -> &Path {
        match self {
            GridError::Read { path, .. }
            | GridError::Kind { path }
            | GridError::Fault { path, .. }
            | GridError::NoGrid { path, .. } => path,
        }
    }
}
