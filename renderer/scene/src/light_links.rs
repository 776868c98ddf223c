//! Light linking: the shapes that a light illuminates, the shapes that cast its shadows, and the rays that it is visible to.

use std::ops::BitOr;

use shading::Span;

use crate::shape_pattern::names_shape;

/// Links of a light or of an emissive shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LightLinks {
    /// Shapes that the light illuminates directly. Light that has been scattered once illuminates all shapes.
    pub receivers: ShapeFilter,
    /// Shapes that block the light.
    pub blockers: ShapeFilter,
    /// Rays and lobes that receive the light.
    pub visible_to: LightVisibility,
}

/// Selection of shapes by names.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ShapeFilter {
    /// Every shape.
    #[default]
    All,
    /// Shapes with one of the names.
    Only(Vec<ShapePattern>),
    /// Shapes with none of the names.
    Except(Vec<ShapePattern>),
}

/// Name of a shape or an import, or a pattern of names with `*` and `?`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapePattern {
    /// Text of the pattern.
    pub text: String,
    /// Source location.
    pub span: Span,
}

impl ShapePattern {
    /// Returns whether the pattern names a shape, or an import to which it belongs.
    pub fn matches(&self, name: &str) -> bool {
        names_shape(&self.text, name)
    }
}

impl ShapeFilter {
    /// Returns whether the filter selects a shape of this name.
    pub fn selects(&self, name: &str) -> bool {
        match self {
            ShapeFilter::All => true,
            ShapeFilter::Only(patterns) => patterns.iter().any(|pattern| pattern.matches(name)),
            ShapeFilter::Except(patterns) => !patterns.iter().any(|pattern| pattern.matches(name)),
        }
    }

    /// Returns whether the filter selects the medium of the scene, which has no name.
    pub fn selects_unnamed(&self) -> bool {
        !matches!(self, ShapeFilter::Only(_))
    }

    /// Patterns of the filter.
    pub fn patterns(&self) -> &[ShapePattern] {
        match self {
            ShapeFilter::All => &[],
            ShapeFilter::Only(patterns) | ShapeFilter::Except(patterns) => patterns,
        }
    }
}

/// Set of the rays and lobes that receive a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LightVisibility(u8);

impl LightVisibility {
    /// No ray.
    pub const NONE: LightVisibility = LightVisibility(0);
    /// Camera rays, straight through transparent surfaces too.
    pub const CAMERA: LightVisibility = LightVisibility(1);
    /// Diffuse reflection, and light that leaves an object after subsurface scattering.
    pub const DIFFUSE: LightVisibility = LightVisibility(2);
    /// Reflection by microfacets of any roughness, and by mirrors.
    pub const GLOSSY: LightVisibility = LightVisibility(4);
    /// Transmission: diffuse, by microfacets, and refraction.
    pub const TRANSMISSION: LightVisibility = LightVisibility(8);
    /// Scattering by media.
    pub const VOLUME: LightVisibility = LightVisibility(16);
    /// Every ray.
    pub const ALL: LightVisibility = LightVisibility(31);

    /// The members by their names.
    pub const NAMES: [(&'static str, LightVisibility); 5] = [
        ("camera", LightVisibility::CAMERA),
        ("diffuse", LightVisibility::DIFFUSE),
        ("glossy", LightVisibility::GLOSSY),
        ("transmission", LightVisibility::TRANSMISSION),
        ("volume", LightVisibility::VOLUME),
    ];

    /// Returns whether the set has all members of another one.
    #[inline]
    pub fn contains(self, other: LightVisibility) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether all scattered rays are in the set.
    #[inline]
    pub fn has_all_scattering(self) -> bool {
        self.0 | LightVisibility::CAMERA.0 == LightVisibility::ALL.0
    }
}

impl Default for LightVisibility {
    fn default() -> LightVisibility {
        LightVisibility::ALL
    }
}

impl BitOr for LightVisibility {
    type Output = LightVisibility;

    fn bitor(self, other: LightVisibility) -> LightVisibility {
        LightVisibility(self.0 | other.0)
    }
}
