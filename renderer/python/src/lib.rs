//! Kiln for Python: the native half of the package `kiln`, which is a thin layer over `renderer::session`.
//!
//! The other half, in `kiln/*.py`, has the signatures, the documentation and the conversions of arguments: options of
//! scenes, pictures and bakes cross the border in dictionaries, pixels as numpy arrays. Long work runs in a thread of
//! its own, without Python's lock; see [`work`].
//!
//! The crate's `README.md` lists its rules.

#![deny(unsafe_code, missing_docs)]

mod error;
mod image;
mod request;
mod scene;
mod unit;
mod work;

use pyo3::prelude::*;

/// Large blocks lie in huge pages, as in the program `kiln`.
#[global_allocator]
static ALLOCATOR: renderer::memory::huge_pages::HugePages = renderer::memory::huge_pages::HugePages;

/// The native half of the package `kiln`.
#[pymodule]
mod _kiln {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::image::{read_channels, write_picture};
    #[pymodule_export]
    use crate::scene::{Picture, Scene, bake};
    #[pymodule_export]
    use crate::unit::{Instance, Unit, shipped};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
