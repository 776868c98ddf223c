//! Grid: sparse voxels with a transform.

use std::hash::{Hash as _, Hasher};

use glam::{Affine3A, DAffine3, DMat3, DVec3, IVec3, Mat3A, Vec3, Vec3A};
use renderer_base::math::Bounds;

use super::activity::Activity;
use super::element::Element;
use super::error::GridFault;
use super::tree::Tree;

/// Meaning of a grid's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridClass {
    /// Unspecified.
    #[default]
    Unknown,
    /// Signed distance to a surface, within a narrow band.
    LevelSet,
    /// Density.
    FogVolume,
    /// Components of vectors at the faces of voxels.
    Staggered,
}

impl GridClass {
    /// Name of the class, as in OpenVDB.
    pub fn name(self) -> &'static str {
        match self {
            GridClass::Unknown => "unknown",
            GridClass::LevelSet => "level set",
            GridClass::FogVolume => "fog volume",
            GridClass::Staggered => "staggered",
        }
    }

    pub(crate) fn from_name(name: &str) -> GridClass {
        let all = [GridClass::LevelSet, GridClass::FogVolume, GridClass::Staggered];
        let found = all.into_iter().find(|class| class.name() == name);
        found.unwrap_or_default()
    }
}

/// A box of voxels: lowest and highest.
pub type IndexBounds = [IVec3; 2];

/// Values outside of the voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Border {
    /// The background, which is interpolated with voxels at the border.
    Background,
    /// Up to half a voxel outside of a box, the values of voxels at its border; then the background.
    Clamped(IndexBounds),
}

/// Sparse voxels with a transform.
#[derive(Debug)]
pub struct Grid {
    pub(crate) name: String,
    pub(crate) class: GridClass,
    pub(crate) element: Element,
    pub(crate) tree: Tree,
    pub(crate) activity: Activity,
    pub(crate) not_finite: u64,
    pub(crate) border: Border,
    pub(crate) placement: GridTransform,
}

/// Transform of a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridTransform {
    world_from_index: DAffine3,
    index_from_world: Affine3A,
}

impl GridTransform {
    /// # Errors
    /// If the transform is not finite or has no inverse.
    pub(crate) fn new(world_from_index: DAffine3) -> Result<GridTransform, GridFault> {
        let inverse = world_from_index.inverse();
        let index_from_world = Affine3A {
            matrix3: Mat3A::from_cols_array(&inverse.matrix3.to_cols_array().map(|x| x as f32)),
            translation: inverse.translation.as_vec3a(),
        };
        let is_sound = world_from_index.is_finite()
            && world_from_index.matrix3.determinant() != 0.0
            && index_from_world.is_finite();
        let fault = || GridFault::damaged("its transform has no inverse");
        is_sound.then_some(()).ok_or_else(fault)?;
        Ok(GridTransform { world_from_index, index_from_world })
    }

    /// A transform from its linear part, by rows, and its translation.
    ///
    /// # Errors
    /// As [`GridTransform::new`].
    pub(crate) fn of_rows(rows: [[f64; 3]; 3], translation: DVec3) -> Result<GridTransform, GridFault> {
        GridTransform::new(DAffine3 {
            matrix3: DMat3::from_cols_array_2d(&rows).transpose(),
            translation,
        })
    }
}

impl Grid {
    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Meaning of the values.
    pub fn class(&self) -> GridClass {
        self.class
    }

    /// Type of the numbers in the file.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Values of a voxel, from 1 to 4.
    pub fn channels(&self) -> usize {
        self.tree.channels()
    }

    /// Value of all voxels that the file does not store.
    pub fn background(&self) -> &[f32] {
        self.tree.background()
    }

    /// Active voxels.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Number of non-finite values, which were replaced by the background.
    pub fn not_finite(&self) -> u64 {
        self.not_finite
    }

    /// Transform from index space to world space.
    pub fn world_from_index(&self) -> DAffine3 {
        self.placement.world_from_index
    }

    /// Transform from world space to index space.
    #[inline]
    pub fn index_from_world(&self) -> &Affine3A {
        &self.placement.index_from_world
    }

    /// Edges of a voxel in world space.
    pub fn voxel_size(&self) -> DVec3 {
        let m = self.placement.world_from_index.matrix3;
        DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length())
    }

    /// World-space box outside of which lookups return the background; empty if all voxels are background.
    pub fn world_bounds(&self) -> Bounds {
        let ([low, high], margin) = match (self.border, self.tree.extent()) {
            (Border::Background, Some(extent)) => (extent, 1.0),
            (Border::Clamped(bounds), Some(_)) => (bounds, 0.5),
            (_, None) => return Bounds::EMPTY,
        };
        let (low, high) = (low.as_dvec3() - margin, high.as_dvec3() + margin);
        let corner = |i: usize| {
            let pick = |bit: usize, a: f64, b: f64| if i & bit == 0 { a } else { b };
            let corner = DVec3::new(pick(1, low.x, high.x), pick(2, low.y, high.y), pick(4, low.z, high.z));
            self.placement.world_from_index.transform_point3(corner)
        };
        Bounds::of_points((0..8).map(|i| corner(i).as_vec3())).widened()
    }

    /// Hashes voxels and transform.
    pub fn hash_voxels(&self, hasher: &mut impl Hasher) {
        for x in self.placement.world_from_index.to_cols_array() {
            x.to_bits().hash(hasher);
        }
        matches!(self.border, Border::Clamped(_)).hash(hasher);
        self.tree.hash(hasher);
    }

    /// Memory in use [bytes].
    pub fn bytes(&self) -> usize {
        self.tree.bytes()
    }

    /// The transform of a difference of points.
    #[inline]
    pub(crate) fn index_vector(&self, world: Vec3) -> Vec3 {
        Vec3::from(self.placement.index_from_world.matrix3 * Vec3A::from(world))
    }
}
