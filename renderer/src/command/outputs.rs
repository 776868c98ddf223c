//! Output files of a command: checked for writability before the work, and never equal to an input.

use std::path::{Path, PathBuf};

use super::Failure;
use renderer_image::{FileId, ImageError, check_place, check_writable};
use renderer_scene::SceneDesc;

/// All output files of a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    list: Vec<Output>,
}

#[derive(Clone, Debug)]
struct Output {
    /// The flag that asks for it.
    flag: &'static str,
    path: PathBuf,
    id: FileId,
}

impl Outputs {
    /// Adds an image, if it can be written.
    pub(super) fn image(&mut self, flag: &'static str, path: &Path) -> Result<(), Failure> {
        check_writable(path).map_err(|error| Outputs::elsewhere(flag, &error))?;
        self.add(flag, path)
    }

    /// Adds a file that is no image, if it can be written.
    pub(super) fn file(&mut self, flag: &'static str, path: &Path) -> Result<(), Failure> {
        check_place(path).map_err(|error| Outputs::elsewhere(flag, &error))?;
        self.add(flag, path)
    }

    /// An output that cannot be written where it is to go. A place that nobody asked for can be one that takes no files.
    fn elsewhere(flag: &str, error: &ImageError) -> Failure {
        Failure::User(match error {
            ImageError::NotWritable { .. } => {
                format!("error: {error}\n  hint: give another place with {flag}")
            }
            _ => format!("error: {error}"),
        })
    }

    /// Adds a file without a trial: one that is read if it is there, or whose folder has been tried.
    pub(super) fn add(&mut self, flag: &'static str, path: &Path) -> Result<(), Failure> {
        let id = FileId::of(path);
        if let Some(other) = self.list.iter().find(|other| other.id == id) {
            let flags = if other.flag == flag {
                format!("{flag} twice")
            } else {
                format!("{} and {flag}", other.flag)
            };
            return Err(Failure::User(format!(
                "error: '{}' is asked for by {flags}\n  hint: give each output a file of its own",
                path.display()
            )));
        }
        self.list.push(Output {
            flag,
            path: path.to_owned(),
            id,
        });
        Ok(())
    }

    /// Fails when one of them is a file of the scene that has been read or named so far.
    pub(super) fn spare_files(&self, desc: &SceneDesc) -> Result<(), Failure> {
        self.spare(&desc.files)?;
        self.spare(desc.file_system.log())
    }

    /// Fails when one of them is among `inputs`: what a command reads it does not write over.
    pub(super) fn spare<P: AsRef<Path>>(&self, inputs: impl IntoIterator<Item = P>) -> Result<(), Failure> {
        for input in inputs {
            let id = FileId::of(input.as_ref());
            if let Some(output) = self.list.iter().find(|output| output.id == id) {
                let (flag, path) = (output.flag, output.path.display());
                return Err(Failure::User(format!(
                    "error: cannot write '{path}' ({flag}): this command reads it, as '{}'\n  \
                     hint: give {flag} another place",
                    input.as_ref().display()
                )));
            }
        }
        Ok(())
    }
}
