//! Point clouds of files, for shaders: attributes by name, and nearest-neighbour searches.
//!
//! A cloud is read from a PLY file, whose `vertex` elements are its points, or from Houdini's ASCII `.geo` files of
//! version 5. Clouds are requested from a [`CloudLoader`], from any thread; [`CloudLoader::load`] reads them and
//! returns the [`CloudStore`], whose searches neither lock nor allocate. [`CloudRows`] are points to be written to such
//! files.

mod column;
mod error;
mod geo;
mod nearest;
mod ply;
mod rows;
mod store;

pub use column::{CloudColumn, ColumnValues};
pub use error::CloudError;
pub use rows::{CloudFormat, CloudRows, ColumnType};
pub use store::{CloudId, CloudLoader, CloudStore};

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use glam::Vec3;

use nearest::CloudItem;
use renderer_base::files::{DiskFiles, Files};
use renderer_base::math::KdTree;

/// Equivalent attribute names of PLY files and of Houdini.
const ALIASES: [[&str; 2]; 3] = [["position", "P"], ["normal", "N"], ["color", "Cd"]];

/// Point cloud with a search tree.
#[derive(Debug)]
pub struct PointCloud {
    path: PathBuf,
    /// Attributes, positions first.
    columns: Vec<CloudColumn>,
    tree: KdTree<CloudItem>,
}

impl PointCloud {
    /// Reads a cloud from a file.
    ///
    /// # Errors
    /// If the file cannot be read, is not a point cloud, or is truncated.
    pub fn load(path: &Path) -> Result<PointCloud, CloudError> {
        PointCloud::load_from(&DiskFiles, path)
    }

    /// Like [`PointCloud::load`], but reads from `files` instead of the disk.
    ///
    /// # Errors
    /// As [`PointCloud::load`].
    pub fn load_from(files: &dyn Files, path: &Path) -> Result<PointCloud, CloudError> {
        let bytes = files
            .read(path)
            .map_err(|source| CloudError::Read { path: path.into(), source })?;
        PointCloud::parse(&bytes, path)
    }

    /// Reads a cloud from the bytes of a file; `path` is used in errors.
    ///
    /// # Errors
    /// As [`PointCloud::load`].
    pub fn parse(bytes: &[u8], path: &Path) -> Result<PointCloud, CloudError> {
        let columns = if bytes.starts_with(geo::MAGIC) {
            geo::read(bytes, path)?
        } else {
            ply::read(bytes, path)?
        };
        Ok(PointCloud::new(path, columns))
    }

    /// Creates a cloud from columns, the first of which holds the positions. Points whose positions are not finite are
    /// never found.
    fn new(path: &Path, columns: Vec<CloudColumn>) -> PointCloud {
        let positions = match columns.first().map(|column| &column.values) {
            Some(ColumnValues::Triples(list)) => &list[..],
            _ => &[],
        };
        let items = (0..)
            .zip(positions)
            .map(|(index, p)| CloudItem { p: Vec3::from_array(*p), index });
        let tree = KdTree::new(items.filter(|item| item.p.is_finite()).collect());
        PointCloud { path: path.into(), columns, tree }
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Attributes, positions first.
    pub fn columns(&self) -> &[CloudColumn] {
        &self.columns
    }

    /// Attribute by name, which may be Houdini's: `P`, `N`, `Cd`.
    pub fn column(&self, name: &str) -> Option<&CloudColumn> {
        let named = |name: &str| self.columns.iter().find(|column| column.name == name);
        named(name).or_else(|| {
            let alias = ALIASES.iter().find(|alias| alias.contains(&name))?;
            alias.iter().find_map(|name| named(name))
        })
    }

    /// Finds the nearest points within a radius; fills `found` with squared distances and point indices, and returns
    /// their number. With `sort` the nearest come first. Among points at equal distances those with lower indices are
    /// preferred.
    #[inline]
    pub fn search(&self, center: Vec3, radius: f32, sort: bool, found: &mut [(f32, u32)]) -> usize {
        nearest::nearest(&self.tree, center, radius, sort, found)
    }

    /// Hashes the contents.
    pub fn hash_points(&self, hasher: &mut impl Hasher) {
        for column in &self.columns {
            column.name.hash(hasher);
            column.values.hash_bits(hasher);
        }
    }

    /// Memory in use [bytes].
    pub fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(|column| column.values.bytes()).sum();
        columns + self.tree.memory()
    }
}
