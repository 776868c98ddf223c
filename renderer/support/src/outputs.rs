//! Output files of a command: checked for writability before the work, and never equal to an input.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::Failure;
use renderer_image::{
    FileId, ImageError, check_place, check_writable, write_elsewhere, write_finished, write_whole_with,
};
use renderer_scene::SceneDesc;

/// Writing mode of a result.
pub enum WriteMode<'a> {
    /// Intermediate result: each file is written completely, or is left unchanged.
    Interim,
    /// Final result: a file that cannot be written in place is written elsewhere. The files of this list were read and
    /// are not replaced.
    Final(&'a [PathBuf]),
}

impl WriteMode<'_> {
    /// Writes a file.
    pub fn write(
        &self,
        path: &Path,
        write: impl Fn(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> Result<(), ImageError> {
        let inputs = match self {
            WriteMode::Interim => return write_whole_with(path, write),
            WriteMode::Final(inputs) => inputs,
        };
        let id = FileId::of(path);
        match inputs.iter().find(|input| FileId::of(input) == id) {
            Some(input) => {
                let reason = format!("this command reads it, as '{}'", input.display());
                Err(write_elsewhere(ImageError::not_writable(path, reason), write))
            }
            None => write_finished(path, write),
        }
    }

    /// Error for a file whose place is taken; a final file is written elsewhere.
    pub fn refuse(
        &self,
        path: &Path,
        reason: &str,
        write: impl Fn(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> ImageError {
        let error = ImageError::not_writable(path, reason);
        match self {
            WriteMode::Interim => error,
            WriteMode::Final(_) => write_elsewhere(error, write),
        }
    }

    /// Writes a file of these bytes.
    pub fn write_bytes(&self, path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
        self.write(path, |file| file.write_all(bytes))
    }
}

/// The failure of files that are not in their places, if there are any.
pub fn check_written(errors: &[ImageError]) -> Result<(), Failure> {
    if errors.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = errors.iter().map(|error| format!("error: {error}")).collect();
    Err(Failure::User(lines.join("\n")))
}

/// The output files of a command.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    list: Vec<Output>,
}

#[derive(Clone, Debug)]
struct Output {
    /// The flag that names it.
    flag: &'static str,
    path: PathBuf,
    id: FileId,
}

impl Outputs {
    /// Adds an image, if it can be written.
    pub fn image(&mut self, flag: &'static str, path: &Path) -> Result<(), Failure> {
        check_writable(path).map_err(|error| Outputs::elsewhere(flag, &error))?;
        self.add(flag, path)
    }

    /// Adds a file that is no image, if it can be written.
    pub fn file(&mut self, flag: &'static str, path: &Path) -> Result<(), Failure> {
        check_place(path).map_err(|error| Outputs::elsewhere(flag, &error))?;
        self.add(flag, path)
    }

    /// Error of an output that cannot be written, with a hint if another place helps.
    fn elsewhere(flag: &str, error: &ImageError) -> Failure {
        Failure::User(match error {
            ImageError::NotWritable { .. } => {
                format!("error: {error}\n  hint: give another place with {flag}")
            }
            _ => format!("error: {error}"),
        })
    }

    /// Adds a file without checking that it is writable: one that may be read first, or whose folder was checked.
    pub fn add(&mut self, flag: &'static str, path: &Path) -> Result<(), Failure> {
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
        self.list.push(Output { flag, path: path.to_owned(), id });
        Ok(())
    }

    /// Fails if an output is a file of the scene that was read or named so far.
    pub fn check_scene_files(&self, desc: &SceneDesc) -> Result<(), Failure> {
        self.check_inputs(&desc.files)?;
        self.check_inputs(desc.file_system.log())
    }

    /// Fails if an output is among `inputs`: a command does not overwrite the files that it reads.
    pub fn check_inputs<P: AsRef<Path>>(&self, inputs: impl IntoIterator<Item = P>) -> Result<(), Failure> {
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
