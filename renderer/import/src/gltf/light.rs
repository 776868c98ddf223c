//! glTF lights of KHR_lights_punctual, which emit along −z of their node.

use glam::{Affine3A, Vec3};
use gltf::khr_lights_punctual::{Kind as GltfLight, Light};

use renderer_base::color::Rgb;
use renderer_scene::{LUMENS_PER_WATT, LightKind, SpotFalloff};

/// Converts a light with the transform of its node.
///
/// # Errors
/// The reason why the light is invalid.
pub(super) fn light_kind(light: &Light<'_>, place: Affine3A) -> Result<LightKind, &'static str> {
    let strength = Rgb::from(light.color()) * (light.intensity() / LUMENS_PER_WATT);
    let direction = place.transform_vector3(Vec3::NEG_Z).try_normalize();
    let (true, Some(direction)) = (strength.is_finite(), direction) else {
        return Err("has no direction or no finite intensity");
    };
    if [strength.r, strength.g, strength.b].iter().any(|&v| v < 0.0) {
        return Err("has a negative intensity");
    }
    let position = Vec3::from(place.translation);
    Ok(match light.kind() {
        GltfLight::Point => LightKind::Point { position, intensity: strength },
        GltfLight::Directional => LightKind::Directional { direction, irradiance: strength, angle: 0.0 },
        GltfLight::Spot { inner_cone_angle, outer_cone_angle } => {
            let cutoff = outer_cone_angle.clamp(1e-4, std::f32::consts::PI);
            let beam_width = inner_cone_angle.clamp(0.0, cutoff);
            let falloff = SpotFalloff::SquaredCosine;
            LightKind::Spot {
                position,
                direction,
                intensity: strength,
                cutoff,
                beam_width,
                falloff,
                slide: None,
            }
        }
    })
}
