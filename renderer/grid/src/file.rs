//! Files with grids, of any format.

use std::path::{Path, PathBuf};

use renderer_base::files::{Budget, Files};

use super::element::Element;
use super::error::{GridChoice, GridError, GridFault};
use super::grid::{Grid, GridClass};
use super::nanovdb::{NanoFile, is_nanovdb};
use super::vdb::{VdbFile, is_vdb};
use super::vol::{VolBox, VolFile, is_vol};

/// Name of the default grid of a file.
const DEFAULT_GRID: &str = "density";

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridFormat {
    /// OpenVDB.
    OpenVdb,
    /// NanoVDB.
    NanoVdb,
    /// Mitsuba's `gridvolume`.
    Mitsuba,
}

impl GridFormat {
    /// The format by the extension of a file.
    pub fn from_extension(path: &Path) -> Option<GridFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "vdb" => Some(GridFormat::OpenVdb),
            "nvdb" => Some(GridFormat::NanoVdb),
            "vol" => Some(GridFormat::Mitsuba),
            _ => None,
        }
    }

    /// The format by the first bytes of a file.
    fn of_bytes(data: &[u8]) -> Option<GridFormat> {
        if is_vdb(data) {
            Some(GridFormat::OpenVdb)
        } else if is_nanovdb(data) {
            Some(GridFormat::NanoVdb)
        } else if is_vol(data) {
            Some(GridFormat::Mitsuba)
        } else {
            None
        }
    }

    /// Name of the format.
    pub fn name(self) -> &'static str {
        match self {
            GridFormat::OpenVdb => "OpenVDB",
            GridFormat::NanoVdb => "NanoVDB",
            GridFormat::Mitsuba => "Mitsuba volume",
        }
    }
}

/// Returns whether a file has grids, by its extension.
pub fn is_grid_file(path: &Path) -> bool {
    GridFormat::from_extension(path).is_some()
}

/// A grid of a file.
#[derive(Clone, Debug)]
pub struct GridEntry {
    /// Name; empty if it has none.
    pub name: String,
    /// Type of its values.
    pub element: Option<Element>,
    /// Values of a voxel; 0 if the grid is not read.
    pub channels: usize,
    /// Meaning of its values.
    pub class: GridClass,
    /// Reason why it is not read.
    pub fault: Option<GridFault>,
}

/// A file whose grids are not decoded yet.
#[derive(Debug)]
pub struct GridFile {
    path: PathBuf,
    data: Vec<u8>,
    /// Bounds of the content of all grids that are decoded.
    budget: Budget,
    contents: Contents,
    entries: Vec<GridEntry>,
}

#[derive(Debug)]
enum Contents {
    OpenVdb(VdbFile),
    NanoVdb(NanoFile),
    Mitsuba(VolFile),
}

impl GridFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, has no grids, or is damaged in the descriptions of its grids.
    pub fn read(files: &dyn Files, path: &Path) -> Result<GridFile, GridError> {
        let data = files
            .read(path)
            .map_err(|source| GridError::Read { path: path.to_owned(), source })?;
        GridFile::parse(data, path)
    }

    /// Opens a file that is in memory; `path` is used in errors.
    ///
    /// # Errors
    /// As [`GridFile::read`].
    pub fn parse(data: Vec<u8>, path: &Path) -> Result<GridFile, GridError> {
        let format = GridFormat::of_bytes(&data).ok_or_else(|| GridError::Kind { path: path.to_owned() })?;
        let budget = Budget::new(data.len());
        let (contents, entries) = open(format, &data, &budget).map_err(|fault| fault.of(path))?;
        Ok(GridFile { path: path.to_owned(), data, budget, contents, entries })
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Format of the file.
    pub fn format(&self) -> GridFormat {
        match &self.contents {
            Contents::OpenVdb(_) => GridFormat::OpenVdb,
            Contents::NanoVdb(_) => GridFormat::NanoVdb,
            Contents::Mitsuba(_) => GridFormat::Mitsuba,
        }
    }

    /// The box of one of Mitsuba's volumes; `None` for other formats.
    pub fn vol_box(&self) -> Option<VolBox> {
        match &self.contents {
            Contents::Mitsuba(file) => Some(file.place),
            Contents::OpenVdb(_) | Contents::NanoVdb(_) => None,
        }
    }

    /// The grids in the order of the file.
    pub fn entries(&self) -> &[GridEntry] {
        &self.entries
    }

    /// Index of a grid.
    ///
    /// # Errors
    /// If the file does not have it.
    pub fn find(&self, choice: &GridChoice) -> Result<usize, GridError> {
        let named = |name: &str| self.entries.iter().position(|entry| entry.name == name);
        let found = match choice {
            GridChoice::Main => {
                let is_read = |entry: &GridEntry| entry.fault.is_none();
                named(DEFAULT_GRID)
                    .or_else(|| self.entries.iter().position(is_read))
                    .or((!self.entries.is_empty()).then_some(0))
            }
            GridChoice::Index(index) => Some(*index).filter(|&index| index < self.entries.len()),
            GridChoice::Name(name) => named(name),
        };
        found.ok_or_else(|| GridError::NoGrid {
            path: self.path.clone(),
            asked: choice.clone(),
            known: self.entries.iter().map(|entry| entry.name.clone()).collect(),
        })
    }

    /// Decodes a grid.
    ///
    /// # Errors
    /// If the file does not have it, or it cannot be read.
    pub fn load(&self, choice: &GridChoice) -> Result<Grid, GridError> {
        let index = self.find(choice)?;
        if let Some(fault) = &self.entries[index].fault {
            return Err(fault.clone().of(&self.path));
        }
        let loaded = match &self.contents {
            Contents::OpenVdb(file) => file.load(&self.data, index, &self.budget),
            Contents::NanoVdb(file) => file.load(&self.data, index, &self.budget),
            Contents::Mitsuba(file) => file.load(&self.data, &self.budget),
        };
        loaded.map_err(|fault| fault.of(&self.path))
    }
}

fn open(format: GridFormat, data: &[u8], budget: &Budget) -> Result<(Contents, Vec<GridEntry>), GridFault> {
    Ok(match format {
        GridFormat::OpenVdb => {
            let file = VdbFile::open(data, budget)?;
            let entries = file.grids().iter().map(|grid| entry(&grid.name, &grid.kind)).collect();
            (Contents::OpenVdb(file), entries)
        }
        GridFormat::NanoVdb => {
            let file = NanoFile::open(data)?;
            let entries = file.grids().iter().map(|grid| entry(&grid.name, &grid.kind)).collect();
            (Contents::NanoVdb(file), entries)
        }
        GridFormat::Mitsuba => {
            let file = VolFile::open(data)?;
            let kind = Ok((file.element, file.channels, GridClass::Unknown));
            let entries = vec![entry("", &kind)];
            (Contents::Mitsuba(file), entries)
        }
    })
}

fn entry(name: &str, kind: &Result<(Element, usize, GridClass), GridFault>) -> GridEntry {
    let (element, channels, class) = match kind {
        Ok((element, channels, class)) => (Some(*element), *channels, *class),
        Err(_) => (None, 0, GridClass::Unknown),
    };
    GridEntry {
        name: name.to_owned(),
        element,
        channels,
        class,
        fault: kind.as_ref().err().cloned(),
    }
}
