//! Luminaires of point and spot lights: the IES file of a `profile`, and the direction of the axis.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use shading::Span;

use super::context::LoadContext;
use super::field::{Field, Given};
use renderer_geometry::camera::look_at;
use renderer_import::load_ies;
use renderer_scene::Luminaire;

/// Reads the IES file that a key names.
pub(super) fn read_luminaire(field: Field<'_>, context: &mut LoadContext) -> Option<Arc<Luminaire>> {
    let name = field.string(context)?;
    let path = context.existing_file(field.span(), &name)?;
    match load_ies(&*context.file_system, &path) {
        Ok(luminaire) => Some(Arc::new(luminaire)),
        Err(error) => {
            let diagnostic = error.hinted(context.error_at(field.span(), error.to_string()));
            context.push(diagnostic);
            None
        }
    }
}

/// Keys that aim a light.
#[derive(Default)]
pub(super) struct Aim {
    pub(super) to: Option<Given<Vec3>>,
    pub(super) direction: Option<Given<Vec3>>,
    pub(super) up: Option<Given<Vec3>>,
}

impl Aim {
    /// Keys that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = (&'static str, Span)> {
        let keys = [("to", self.to), ("direction", self.direction), ("up", self.up)];
        keys.into_iter().filter_map(|(key, given)| Some((key, given?.span)))
    }

    /// Direction of the axis of a light at `position`, unit length.
    pub(super) fn axis(&self, position: Vec3, context: &mut LoadContext) -> Option<Vec3> {
        let Some(to) = self.to else {
            return Some(self.direction.map_or(Vec3::NEG_Y, |direction| direction.value));
        };
        let direction = (to.value - position).try_normalize();
        if direction.is_none() {
            context.error(to.span, "the light is aimed at the point where it is");
        }
        direction
    }

    /// Up direction: by default +y, or −z if the axis is vertical.
    pub(super) fn up_for(&self, axis: Vec3, context: &mut LoadContext) -> Vec3 {
        match self.up {
            Some(up) => {
                if look_at(Vec3::ZERO, axis, up.value).is_err() {
                    context.error(up.span, "`up` is along the axis of the light");
                }
                up.value
            }
            None if axis.cross(Vec3::Y).length_squared() > 1e-8 => Vec3::Y,
            None => Vec3::NEG_Z,
        }
    }

    /// Transform of a light with its axis along −z and +y up.
    pub(super) fn pose(&self, position: Vec3, context: &mut LoadContext) -> Option<Affine3A> {
        let axis = self.axis(position, context)?;
        let up = self.up_for(axis, context);
        // The difference of far points would round the axis.
        let turn = look_at(Vec3::ZERO, axis, up).ok()?;
        Some(Affine3A { translation: position.into(), ..turn })
    }
}
