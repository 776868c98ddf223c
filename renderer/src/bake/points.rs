//! Which points of a texel may speak for it: not those inside solids or under what lies on them, and not those that a wall
//! parts from the texel's middle.
//!
//! A shape is *solid* when its mesh is closed and lets no light through, or when it is black from behind. A point from
//! which most probing rays end on the inside of solids is in one; nobody sees it. A receiver nearly all of which is inside is no mistake but the furniture
//! of a room that was modelled as a box: it is left alone.

use glam::{UVec2, Vec2, Vec3};

use super::connect::connect;
use super::receiver::Site;
use crate::geometry::{Geometry, Interaction, Shape, ShapeId};
use crate::integrator::Context;
use crate::material::{RayKind, Surface};
use crate::math::{Frame, Ray, offset_by_error};
use crate::sampler::Sampler;
use crate::sampling::{cosine_hemisphere, uniform_sphere};
use crate::scene::Scene;

/// Probing rays of a point.
const PROBES: u64 = 8;

/// Where the numbers of probing rays begin: far from those that gather light.
const PROBING: u64 = 1 << 40;

/// How low above a point things are that lie on it, relative to a texel.
const CONTACT: f32 = 0.25;

/// By shape: whether it has an inside that no light reaches.
pub(super) struct Solids(Vec<bool>);

impl Solids {
    /// Looks at all shapes of a scene.
    pub(super) fn find(scene: &Scene, context: &mut Context) -> Solids {
        let shapes = (0u32..).map(ShapeId).zip(scene.shapes());
        let solid = shapes.map(|(id, shape)| match back(scene, id, shape, context) {
            Back::Black => true,
            Back::Scattering => is_closed(shape),
            Back::Transmitting => false,
        });
        Solids(solid.collect())
    }

    fn is_inside(&self, it: &Interaction) -> bool {
        self.0[it.shape.0 as usize] && it.wo.dot(it.ng) < 0.0
    }
}

fn is_closed(shape: &Shape) -> bool {
    match &shape.geometry {
        Geometry::Mesh(mesh) => connect(&mesh.positions, &mesh.triangles).closed,
        Geometry::Sphere => true,
        Geometry::Disk | Geometry::Cylinder => false,
    }
}

/// What a surface does to light that meets its back.
enum Back {
    Black,
    Scattering,
    Transmitting,
}

/// Looks at the back of a shape, in one place.
fn back(scene: &Scene, id: ShapeId, shape: &Shape, context: &mut Context) -> Back {
    let material = scene.material(id);
    if material.may_be_transparent() {
        return Back::Transmitting;
    }
    let point = shape.surface_point(0, Vec2::splat(0.3));
    let it = point.seen_from(-point.ng, id, 0);
    let mut surface = Surface::new();
    material.shade(&it, RayKind::DIFFUSE, 0.0, &mut context.shading, &mut surface);
    if surface.bsdf.has_transmission() {
        return Back::Transmitting;
    }
    let scatters = (0..8).any(|i| {
        let u_lobe = (i as f32 + 0.5) / 8.0;
        surface.bsdf.sample(it.wo, u_lobe, Vec2::new(0.4, 0.6)).is_some()
    });
    if scatters || !surface.emission.is_black() {
        Back::Scattering
    } else {
        Back::Black
    }
}

/// What probing rays say about a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It can be seen.
    Open,
    /// It is in a solid.
    Inside,
    /// Something lies on it.
    Covered,
}

/// Probes a point of a surface; `reach` is the width of what it stands for [m], `key` and
/// `number` tell it from others.
pub(super) fn standing(
    scene: &Scene,
    solids: &Solids,
    site: &Site,
    reach: f32,
    key: UVec2,
    number: u64,
    sampler: &mut Sampler,
) -> Standing {
    let frame = Frame::from_normal(site.ng);
    let (mut inside, mut near, mut behind) = (0, 0, 0);
    for index in 0..PROBES {
        sampler.start(key, PROBING + number * PROBES + index);
        let ray = site.ray(frame.to_world(cosine_hemisphere(sampler.next_2d())));
        if let Some(it) = scene.intersect(&ray) {
            inside += u64::from(solids.is_inside(&it));
            behind += u64::from(it.t < reach && it.wo.dot(it.ng) < 0.0);
            near += u64::from(it.t * ray.direction.dot(site.ng) < CONTACT * reach);
        }
    }
    if 2 * inside >= PROBES {
        Standing::Inside
    } else if near + 1 >= PROBES || 3 * behind >= PROBES {
        // Two walls and a floor hide three quarters. What shows its back so near stands through this surface.
        Standing::Covered
    } else {
        Standing::Open
    }
}

/// The share of directions from a point in space in which nothing shows its inside.
pub(super) fn openness(scene: &Scene, solids: &Solids, p: Vec3, key: UVec2, sampler: &mut Sampler) -> f32 {
    const RAYS: u64 = 64;
    let open = (0..RAYS).filter(|&index| {
        sampler.start(key, PROBING + index);
        let ray = Ray::new(p, uniform_sphere(sampler.next_2d()));
        !scene.intersect(&ray).is_some_and(|it| solids.is_inside(&it))
    });
    open.count() as f32 / RAYS as f32
}

/// Whether nothing that stands on the surface is between two points of it: they are looked at from a little above.
pub(super) fn in_sight(scene: &Scene, a: &Site, b: &Site, context: &mut Context) -> bool {
    let lift = 0.25 * (b.p - a.p).length();
    let (from, to) = (a.p + a.ng * lift, b.p + b.ng * lift);
    let Some(direction) = (to - from).try_normalize() else {
        return true;
    };
    let ray = Ray {
        t_max: (to - from).length(),
        ..Ray::new(from, direction)
    };
    !scene.transmittance(&ray, &mut context.shading).is_black()
}

impl Site {
    /// The ray that leaves in the unit vector `direction`.
    pub(super) fn ray(&self, direction: Vec3) -> Ray {
        Ray::new(
            offset_by_error(self.p, self.p_error, self.ng, direction),
            direction,
        )
    }
}
