//! Search of `#include`d files: in the folder of the including file, then in the folders of the command line (`-I`).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shading::{Includes, Source};

use renderer_base::files::SharedFiles;

/// Folders that are searched for included files.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    list: Vec<PathBuf>,
    files: SharedFiles,
}

impl Folders {
    /// Creates a search list of folders, in this order, among `files`.
    pub fn new(list: Vec<PathBuf>, files: SharedFiles) -> Folders {
        Folders { list, files }
    }
}

/// Header that every OSL source includes implicitly if a folder has it.
const STANDARD: &str = "stdosl.h";

impl Includes for Folders {
    fn find(&self, name: &str, quoted: bool, from: &Source) -> Result<Option<Arc<Source>>, String> {
        let own = Path::new(&from.name).parent().unwrap_or(Path::new(""));
        let mut folders: Vec<&Path> = self.list.iter().map(PathBuf::as_path).collect();
        folders.insert(if quoted { 0 } else { folders.len() }, own);
        for folder in folders {
            let path = folder.join(name);
            match self.files.source_text(&path) {
                Ok(text) => return Ok(Some(Source::new(path.display().to_string(), text))),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(None)
    }

    fn standard(&self) -> Option<Arc<Source>> {
        let read = |folder: &PathBuf| {
            let path = folder.join(STANDARD);
            let bytes = self.files.read(&path).ok()?;
            Some(Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes)))
        };
        self.list.iter().find_map(read)
    }
}
