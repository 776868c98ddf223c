//! Probe points of a medium: uniform over its bounds, and at several scales around landmarks of the scene.

use glam::{Vec2, Vec3};

use super::space::MediumSpace;
use renderer_base::math::{exp, ln, unit_vector};
use renderer_base::sampler::mix;
use renderer_geometry::camera::CameraView;

/// Minimum distance of probe points from a landmark, relative to the medium's diagonal.
const MIN_DISTANCE: f32 = 1e-4;

/// Points where media are likely: shapes, lights, and the camera frustum.
pub(crate) struct Landmarks {
    points: Vec<Vec3>,
    camera: CameraView,
}

/// Probe points, in the space of the majorant grid.
pub(super) struct SearchPoints<'a> {
    pub(super) space: &'a MediumSpace,
    pub(super) landmarks: &'a Landmarks,
}

impl Landmarks {
    /// Landmarks at these points and at the camera.
    pub(crate) fn new(mut points: Vec<Vec3>, camera: CameraView) -> Landmarks {
        points.push(camera.world_from_camera.translation.into());
        Landmarks { points, camera }
    }

    fn pick(&self, bits: u64) -> Vec3 {
        self.points[(bits % self.points.len() as u64) as usize]
    }

    /// A ray of the camera.
    fn view(&self, film: Vec2) -> Option<(Vec3, Vec3)> {
        let [camera_from_film, _] = self.camera.projected_space("NDC")?;
        let at = |depth| camera_from_film.project_point3(film.extend(depth));
        let [near, far] = [at(0.0), at(0.5)].map(|p| self.camera.world_from_camera.transform_point3(p));
        let direction = (far - near).try_normalize()?;
        near.is_finite().then_some((near, direction))
    }
}

impl SearchPoints<'_> {
    /// Point of an index; `None` if it is outside the medium.
    pub(super) fn at(&self, index: u64) -> Option<Vec3> {
        let [u, v, w, x] = numbers(index);
        let diagonal = self.space.diagonal();
        // Log-uniform from the minimum distance to the diagonal.
        let distance = diagonal * exp((1.0 - w) * ln(MIN_DISTANCE));
        let world = match index % 4 {
            0 => return Some(self.space.spread(index / 4)),
            1 => self.landmarks.pick(mix(index)) + direction(u, v) * distance,
            2 => {
                let [from, to] = [1, 2].map(|salt| self.landmarks.pick(mix(index ^ salt << 56)));
                from.lerp(to, u)
            }
            _ => {
                let (origin, along) = self.landmarks.view(Vec2::new(u, v))?;
                origin + along * if x < 0.5 { distance } else { w * diagonal }
            }
        };
        let p = self.space.point(world);
        self.space.bounds.contains(p).then_some(p)
    }
}

impl MediumSpace {
    /// Quasirandom points in the bounds.
    // Roberts 2018, "The Unreasonable Effectiveness of Quasirandom Sequences": the generalised golden ratio.
    pub(crate) fn spread(&self, index: u64) -> Vec3 {
        const STEP: [f64; 3] = [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_97];
        let u = STEP.map(|step| (0.5 + index as f64 * step).fract() as f32);
        let bounds = &self.bounds;
        bounds.min + Vec3::from(u) * (bounds.max - bounds.min)
    }
}

/// Random numbers of an index, in `[0,1)`.
fn numbers(index: u64) -> [f32; 4] {
    let bits = mix(index ^ 0x006d_616a_6f72_616e);
    [0, 16, 32, 48].map(|shift| ((bits >> shift & 0xffff) as f32 + 0.5) / 65536.0)
}

/// A unit vector, uniform over the sphere.
fn direction(u: f32, v: f32) -> Vec3 {
    let z = 1.0 - 2.0 * u;
    let around = unit_vector(v * std::f32::consts::TAU);
    (around * (1.0 - z * z).max(0.0).sqrt()).extend(z)
}
