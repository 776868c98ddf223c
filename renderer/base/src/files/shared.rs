//! A shared handle to [`Files`].

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::{DiskFiles, Files};

/// [`Files`] shared by the parts of a scene; the file system of the machine by default.
#[derive(Clone)]
pub struct SharedFiles(Arc<dyn Files>);

impl SharedFiles {
    /// Shares files.
    pub fn new(files: impl Files + 'static) -> SharedFiles {
        SharedFiles(Arc::new(files))
    }
}

impl Default for SharedFiles {
    fn default() -> SharedFiles {
        SharedFiles::new(DiskFiles)
    }
}

impl From<Arc<dyn Files>> for SharedFiles {
    fn from(files: Arc<dyn Files>) -> SharedFiles {
        SharedFiles(files)
    }
}

impl Deref for SharedFiles {
    type Target = dyn Files;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for SharedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
