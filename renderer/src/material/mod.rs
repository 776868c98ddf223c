//! Materials: the only bridge between the renderer and the shading language.
//!
//! A surface point becomes globals, the shader instance makes a closure tree of them, and the tree becomes lobes,
//! emission and transparency. Nothing but this module and the building of scenes imports from the `shading` crate.

mod closures;
mod flatten;
mod globals;
mod host;
pub mod library;

use std::sync::Arc;

use glam::{Vec2, Vec3};
use shading::ShaderInstance;
use shading::builtins::Global;

use crate::bsdf::Bsdf;
use crate::color::Rgb;
use crate::geometry::{Interaction, ShapeId};
use flatten::Flattener;

/// What the rest of the renderer passes on to shaders and gets from them without looking inside.
pub use shading::{RayKind, Report, ShadingContext};

pub use closures::closure_registry;
pub use host::Host;

/// Index of a material in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MaterialId(pub u32);

/// What a surface is.
#[derive(Clone, Debug)]
pub struct Material {
    instance: Arc<ShaderInstance>,
    abilities: Abilities,
    /// Whether the shader may look at how wide a sample is: without coordinates there is nothing to derive.
    wants_footprint: bool,
    /// The emission, where it is the same everywhere.
    constant_emission: Option<Rgb>,
    one_sided: bool,
    two_sided_emission: bool,
}

/// Which sides of a surface do something.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sides {
    /// Whether the back scatters nothing.
    pub one_sided: bool,
    /// Whether the back emits as the front does.
    pub two_sided_emission: bool,
}

/// What a shader may make, whatever the point.
#[derive(Clone, Copy, Debug, Default)]
struct Abilities {
    emits: bool,
    transparent: bool,
}

/// What a shader made of a point. It is large: make one and let it be filled again and again.
#[derive(Clone, Debug)]
pub struct Surface {
    /// How it scatters, what passes straight through included.
    pub bsdf: Bsdf,
    /// Radiance towards the viewer.
    pub emission: Rgb,
    /// The share of light that passes straight through.
    pub transparency: Rgb,
    /// Lobes that found no room.
    pub dropped: u32,
}

impl Surface {
    /// Nothing: black and empty.
    #[inline]
    pub fn new() -> Surface {
        Surface {
            bsdf: Bsdf::new(Vec3::Z, Vec3::Z),
            emission: Rgb::BLACK,
            transparency: Rgb::BLACK,
            dropped: 0,
        }
    }
}

impl Default for Surface {
    fn default() -> Surface {
        Surface::new()
    }
}

impl Material {
    /// A material of the closure that `instance` makes. The instance belongs to a system with [`closure_registry`] and a
    /// [`Host`], whose textures are loaded.
    pub fn new(instance: Arc<ShaderInstance>, sides: Sides, context: &mut ShadingContext) -> Material {
        let known = instance.statistics();
        let abilities = closures::abilities(known.closures.iter().copied());
        let looks_around = !instance.is_constant();
        let reads = |global| known.reads_globals.contains(global);
        let wants_footprint = known.asks_host
            || [Global::P, Global::I, Global::U, Global::V]
                .into_iter()
                .any(reads);
        let mut material = Material {
            instance,
            abilities,
            wants_footprint,
            constant_emission: None,
            one_sided: sides.one_sided,
            two_sided_emission: sides.two_sided_emission,
        };
        if !abilities.emits {
            material.constant_emission = Some(Rgb::BLACK);
        } else if !looks_around {
            material.constant_emission = material.emission_everywhere(context);
        }
        material
    }

    /// The emission of a shader that looks at nothing but what kind of ray comes from which side, if it is always the
    /// same where it counts.
    fn emission_everywhere(&self, context: &mut ShadingContext) -> Option<Rgb> {
        let front = somewhere();
        let back = Interaction {
            wo: -front.wo,
            ..front
        };
        let sides = if self.two_sided_emission {
            &[front, back][..]
        } else {
            &[front][..]
        };
        let first = self.emission_at(&front, context);
        let differs = sides.iter().any(|point| {
            RayKind::NAMES
                .iter()
                .any(|&(_, kind)| self.emission_for(point, kind, context) != first)
        });
        (!differs).then_some(first)
    }

    /// Fills `surface` with what the shader makes of a point that a ray of kind `ray_kind` found; `footprint` is the width
    /// of what the sample stands for there [m].
    #[inline]
    pub fn shade(
        &self,
        it: &Interaction,
        ray_kind: RayKind,
        footprint: f32,
        context: &mut ShadingContext,
        surface: &mut Surface,
    ) {
        let footprint = if self.wants_footprint { footprint } else { 0.0 };
        let globals = globals::globals(it, ray_kind, footprint);
        Flattener::new(it, surface).add_tree(self.instance.run(&globals, context));
        surface.bsdf.set_one_sided(self.one_sided);
        if it.wo.dot(it.ng) <= 0.0 && !self.two_sided_emission {
            surface.emission = Rgb::BLACK;
        }
    }

    /// The radiance that leaves a point towards the viewer, for a ray that samples lights.
    pub fn emission_at(&self, it: &Interaction, context: &mut ShadingContext) -> Rgb {
        self.emission_for(it, RayKind::SHADOW, context)
    }

    fn emission_for(&self, it: &Interaction, ray_kind: RayKind, context: &mut ShadingContext) -> Rgb {
        let mut surface = Surface::new();
        self.shade(it, ray_kind, 0.0, context, &mut surface);
        surface.emission
    }

    /// The share of light that passes straight through a point.
    pub fn transparency_at(&self, it: &Interaction, context: &mut ShadingContext) -> Rgb {
        let mut surface = Surface::new();
        self.shade(it, RayKind::SHADOW, 0.0, context, &mut surface);
        surface.transparency
    }

    /// Whether it may emit somewhere.
    #[inline]
    pub fn may_emit(&self) -> bool {
        self.abilities.emits
    }

    /// Whether light may pass straight through it somewhere.
    #[inline]
    pub fn may_be_transparent(&self) -> bool {
        self.abilities.transparent
    }

    /// The radiance that it emits on the side of its normal, where that is known to be the same everywhere.
    #[inline]
    pub fn constant_emission(&self) -> Option<Rgb> {
        self.constant_emission
    }

    /// Whether the back emits as the front does.
    #[inline]
    pub fn two_sided_emission(&self) -> bool {
        self.two_sided_emission
    }
}

/// A point for shaders that look at none.
fn somewhere() -> Interaction {
    Interaction {
        p: Vec3::ZERO,
        p_error: 0.0,
        wo: Vec3::Z,
        ng: Vec3::Z,
        n: Vec3::Z,
        uv: Vec2::ZERO,
        dpdu: Vec3::X,
        dpdv: Vec3::Y,
        t: 0.0,
        time: 0.0,
        shape: ShapeId(0),
        primitive: 0,
    }
}
