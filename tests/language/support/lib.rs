//! Shared by the tests of the language: random units, comparison of compiled code with the interpreter, damaged and long
//! sources, the shipped shaders and the closures of the renderer.

pub mod boxes;
pub mod clock;
pub mod compiled;
pub mod damage;
pub mod generate;
pub mod reference;
pub mod scaled;
pub mod shapes;
pub mod shipped;
pub mod wgsl;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use shading::{Includes, Source};

/// Returns a folder of the tests' data, in `tests`.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// Returns the number in an environment variable.
///
/// # Panics
/// If it is not a number.
pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("it is a number"))
}

/// Finds included files in the folder of the including file, and in another folder.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Includes for Folder {
    fn find(&self, name: &str, _: bool, from: &Source) -> Result<Option<Arc<Source>>, String> {
        let own = Path::new(&from.name).parent().unwrap_or(Path::new(""));
        let paths = [own.join(name), self.0.join(name)];
        let Some(path) = paths.iter().find(|path| path.is_file()) else {
            return Ok(None);
        };
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Ok(Some(Source::new(path.display().to_string(), text)))
    }
}
