//! Sky lights: an environment map of the sky dome and the sun as a directional disk.

use std::f32::consts::PI;

use super::{DirectionalLight, EnvironmentLight, EnvironmentMap, EnvironmentOptions, Light};
use renderer_base::color::Rgb;
use renderer_base::math::{sin, sqr};
use renderer_base::sky::{Sky, disk_solid_angle};

/// Number of rows of the sky map, a third of a degree each; even, so that the horizon lies between two rows.
const ROWS: usize = 512;

/// Lights of a sky (those with radiance), with factors for the dome and the sun, and the angular diameter of the sun
/// [rad].
pub fn sky_lights(sky: &Sky, sky_scale: f32, sun_scale: f32, sun_angle: f32) -> Vec<Light> {
    let is_day = sky.is_day();
    let dome = (is_day && sky_scale > 0.0).then(|| dome(sky, sky_scale));
    let sun = (is_day && sun_scale > 0.0).then(|| sun(sky, sun_scale, sun_angle));
    dome.into_iter().chain(sun).collect()
}

fn dome(sky: &Sky, scale: f32) -> Light {
    let options = EnvironmentOptions {
        world_from_map: sky.world_from_map(),
        scale: Rgb::splat(scale),
        ..EnvironmentOptions::default()
    };
    let map = EnvironmentMap::new(sky.map(ROWS), 2 * ROWS, options);
    Light::Environment(EnvironmentLight::Map(map))
}

fn sun(sky: &Sky, scale: f32, angle: f32) -> Light {
    let radiance = sky.sun_radiance(disk_solid_angle(angle));
    // Integral of the cosine over a disk.
    let irradiance = radiance * (scale * PI * sqr(sin(0.5 * angle)));
    Light::Directional(DirectionalLight::new(-sky.sun(), irradiance, angle))
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};

    use super::*;
    use crate::light::LightViewer;
    use renderer_base::sampling::uniform_sphere;

    /// Checks the map against the model, and that light comes from above only.
    #[test]
    fn the_map_of_the_dome_is_the_sky() {
        let up = Vec3::new(0.3, -0.2, 0.9).normalize();
        let sun = Vec3::new(0.8, 0.3, 0.7).normalize();
        let sky = Sky::new(3.0, Rgb::splat(0.3), sun, up);
        let lights = sky_lights(&sky, 2.0, 0.0, 0.01);
        let [dome] = &lights[..] else { panic!("a sky without its sun is one light") };
        let (mut worst, n) = (0.0f32, 200);
        for i in 0..n * n {
            let d = uniform_sphere(Vec2::new((i % n) as f32 + 0.5, (i / n) as f32 + 0.5) / n as f32);
            let (found, exact) = (dome.le_pdf(&LightViewer::at(Vec3::ZERO), d).0, sky.radiance(d) * 2.0);
            let height = d.dot(up);
            if height > 0.01 {
                worst = worst.max((found.g / exact.g - 1.0).abs());
            } else if height < -0.004 {
                assert_eq!(found, Rgb::BLACK);
            }
        }
        assert!(worst < 5e-3, "the map is up to {worst} from the model");
    }

    #[test]
    fn a_sky_has_two_lights_by_day() {
        let sky = |sun: Vec3| Sky::new(3.0, Rgb::splat(0.3), sun.normalize(), Vec3::Y);
        let day = sky(Vec3::new(1.0, 1.0, 0.0));
        let counts =
            [(1.0, 1.0), (0.0, 1.0), (0.0, 0.0)].map(|(dome, sun)| sky_lights(&day, dome, sun, 0.01).len());
        assert_eq!(counts, [2, 1, 0]);
        assert!(sky_lights(&sky(Vec3::new(1.0, -0.1, 0.0)), 1.0, 1.0, 0.01).is_empty());
        // The visible radiance of the sun is the model's, for any angular diameter.
        for angle in [0.005, 0.5] {
            let lights = sky_lights(&day, 0.0, 3.0, angle);
            let expected = day.sun_radiance(disk_solid_angle(angle)) * 3.0;
            let (found, _) = lights[0].le_pdf(&LightViewer::at(Vec3::ZERO), day.sun());
            assert!((found.r / expected.r - 1.0).abs() < 1e-3);
        }
    }
}
