//! Metadata of a file or a grid.

use crate::bytes::Bytes;
use crate::error::GridFault;
use crate::grid::GridClass;

/// Names and texts; values of other types are skipped.
#[derive(Clone, Debug, Default)]
pub(super) struct Metadata {
    texts: Vec<(String, String)>,
}

impl Metadata {
    pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<Metadata, GridFault> {
        let count = bytes.u32()?;
        let mut texts = vec![];
        for _ in 0..count {
            let (name, ty) = (bytes.text()?, bytes.text()?);
            let size = bytes.u32()? as usize;
            let value = bytes.take(size)?;
            if ty == "string" {
                texts.push((name, String::from_utf8_lossy(value).into_owned()));
            }
        }
        Ok(Metadata { texts })
    }

    /// The class of a grid.
    pub(super) fn class(&self) -> GridClass {
        let class = self.texts.iter().find(|(name, _)| name == "class");
        class.map_or(GridClass::Unknown, |(_, class)| GridClass::from_name(class))
    }
}
