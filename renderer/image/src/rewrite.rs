//! Rewriting of a file in place, for sources of the user: hard links, owner and attributes stay.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::ImageError;
use super::output::{Staged, stage};

/// Writes `bytes` as the file `path`, which exists. A file with one hard link whose owner can be kept is replaced
/// atomically, as by [`write_whole`](super::write_whole). Other files are overwritten in place, which keeps their links
/// and owner.
///
/// # Errors
/// As for `write_whole`. If the file is written in part, the error names the place of the new content.
pub fn rewrite(path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
    let staged = stage(path, bytes)?;
    if can_be_replaced(&staged) {
        return staged.commit();
    }
    // The new content is already on the disk, so it fits and survives an error.
    write_over(staged.target(), bytes).map_err(|error| staged.keep(staged.error(error)))
}

fn write_over(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).open(target)?;
    io::Write::write_all(&mut file, bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Returns whether the old file has one hard link and the new file the same owner.
#[cfg(unix)]
fn can_be_replaced(staged: &Staged) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (fs::metadata(staged.file()), fs::metadata(staged.target())) {
        (Ok(new), Ok(old)) => (new.uid(), new.gid()) == (old.uid(), old.gid()) && old.nlink() == 1,
        _ => true,
    }
}

#[cfg(not(unix))]
fn can_be_replaced(_: &Staged) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn hard_links_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "a longer text").unwrap();
        fs::hard_link(at("a"), at("b")).unwrap();
        rewrite(&at("a"), b"text").unwrap();
        assert_eq!(fs::read(at("b")).unwrap(), b"text");
        fs::remove_file(at("b")).unwrap();
        rewrite(&at("a"), b"replaced").unwrap();
        assert_eq!(fs::read(at("a")).unwrap(), b"replaced");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
