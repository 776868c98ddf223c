//! Lights from their declarations.

use std::sync::Arc;

use glam::{Affine3A, Vec2};
use shading::Diagnostic;

use crate::light::{
    Beam, DirectionalAreaLight, DirectionalLight, EnvironmentLight, EnvironmentMap, EnvironmentOptions,
    Falloff, Light, LuminaireLight, Moving, PointLight, Portal, PortalLight, ProjectorLight,
    ProjectorTexture, SpotLight, sky_lights,
};
use crate::material::RenderingSpace;
use crate::scene::{Background, LightName};
use renderer_base::color::Rgb;
use renderer_base::math::tan;
use renderer_geometry::camera::{CameraError, PoseMotion, look_at};
use renderer_image::Image;
use renderer_scene::{LightKind, LightLinks, SceneDesc, Shutter, SlideDesc, SpotFalloff, SpotSlide};

/// Lights of a description that are not shapes.
pub(super) struct SceneLights {
    pub(super) lights: Vec<Light>,
    /// Environments whose radiance a shader computes.
    pub(super) backgrounds: Vec<Background>,
    pub(super) names: Vec<LightName>,
    pub(super) links: Vec<Option<Arc<LightLinks>>>,
}

/// Lights that are not shapes, as far as changes of materials use them.
#[derive(Debug)]
pub(in crate::scene) struct DeclaredLights {
    /// Environments whose radiance a shader computes.
    pub(in crate::scene) backgrounds: Vec<Background>,
    pub(in crate::scene) count: usize,
}

impl SceneLights {
    /// Lights in rendering space.
    ///
    /// # Errors
    /// If a light cannot be placed.
    pub(super) fn new(
        desc: &SceneDesc,
        space: RenderingSpace,
        shutter: &Shutter,
    ) -> Result<SceneLights, Diagnostic> {
        let (mut lights, mut backgrounds, mut names, mut links) = (vec![], vec![], vec![], vec![]);
        for light in &desc.lights {
            let keys = light.motion.as_ref().map(|motion| motion.sampled(shutter));
            // A moving light is described in a space of its own.
            let kind = match keys {
                Some(_) => light.kind.clone(),
                None => space.light(&light.kind),
            };
            backgrounds.extend(background(&kind, lights.len()));
            let built = lights_of(&kind)
                .and_then(|built| match &keys {
                    Some(keys) => moving(built, space, keys),
                    None => Ok(built),
                })
                .map_err(|error| Diagnostic::error(error.to_string()).at(&desc.sources, light.span, ""))?;
            lights.extend(built);
            links.resize(lights.len(), light.links.clone());
            names.resize_with(lights.len(), || LightName {
                name: light.name.as_str().into(),
                group: light.group.clone(),
            });
        }
        Ok(SceneLights { lights, backgrounds, names, links })
    }
}

/// Environment of a declaration whose light has this index, if a shader computes its radiance.
fn background(kind: &LightKind, light: usize) -> Option<Background> {
    let LightKind::Background { shader, radiance, world_from_map, columns, portals } = kind else {
        return None;
    };
    Some(Background {
        light,
        material: *shader,
        columns: *columns as usize,
        options: EnvironmentOptions {
            world_from_map: *world_from_map,
            scale: *radiance,
            ..EnvironmentOptions::default()
        },
        portals: portals.iter().copied().map(Portal::from).collect(),
    })
}

/// Lights of a declaration: for a sky the dome and the sun, if they emit.
fn lights_of(kind: &LightKind) -> Result<Vec<Light>, CameraError> {
    let light = match kind {
        LightKind::Sky { sky, sky_scale, sun_scale, sun_angle } => {
            return Ok(sky_lights(sky, *sky_scale, *sun_scale, *sun_angle));
        }
        LightKind::Environment { map, radiance, world_from_map, rows, portals } => {
            let environment = match map {
                None => EnvironmentLight::Constant(*radiance),
                Some(image) => {
                    let options = EnvironmentOptions {
                        world_from_map: *world_from_map,
                        rows: *rows,
                        scale: *radiance,
                    };
                    EnvironmentLight::Map(EnvironmentMap::new(texels(image), image.width, options))
                }
            };
            match portals.as_slice() {
                [] => Light::Environment(environment),
                _ => Light::Portals(Box::new(PortalLight::new(
                    environment,
                    portals.iter().copied().map(Portal::from).collect(),
                ))),
            }
        }
        // Replaced when the shader can run.
        LightKind::Background { .. } => Light::Environment(EnvironmentLight::Constant(Rgb::BLACK)),
        LightKind::Point { position, intensity } => {
            Light::Point(PointLight { position: *position, intensity: *intensity })
        }
        LightKind::Spot {
            position,
            direction,
            intensity,
            cutoff,
            beam_width,
            falloff,
            slide,
        } => {
            let falloff = match falloff {
                SpotFalloff::Linear => Falloff::LinearAngle { beam: *beam_width, cutoff: *cutoff },
                SpotFalloff::SquaredCosine => Falloff::SquaredCosine { inner: *beam_width, outer: *cutoff },
            };
            match slide {
                None => Light::Spot(SpotLight {
                    position: *position,
                    axis: *direction,
                    intensity: *intensity,
                    falloff,
                }),
                Some(SpotSlide { slide, up }) => {
                    let pose = look_at(*position, *position + *direction, *up)?;
                    let beam = Beam::Spot { intensity: *intensity, falloff };
                    let half = Vec2::splat(tan(*cutoff));
                    projector(&pose, half, slide, beam)?
                }
            }
        }
        LightKind::Luminaire { world_from_light, scale, luminaire } => {
            Light::Luminaire(Box::new(LuminaireLight::new(world_from_light, *scale, luminaire.clone())?))
        }
        LightKind::Projector { world_from_light, fov, fov_axis, radiance, slide } => {
            let size = Vec2::new(slide.map.width as f32, slide.map.height as f32);
            let beam = Beam::Wall { radiance: *radiance };
            projector(world_from_light, fov_axis.half_size(size, *fov), slide, beam)?
        }
        LightKind::DirectionalArea { world_from_sheet, size, outline, irradiance } => Light::DirectionalArea(
            DirectionalAreaLight::new(world_from_sheet, *size * 0.5, *outline, *irradiance),
        ),
        LightKind::Directional { direction, irradiance, angle } => {
            Light::Directional(DirectionalLight::new(*direction, *irradiance, *angle))
        }
    };
    Ok(vec![light])
}

/// Lights moved by matrices at uniform times of the shutter interval.
fn moving(lights: Vec<Light>, space: RenderingSpace, keys: &[Affine3A]) -> Result<Vec<Light>, CameraError> {
    let keys: Vec<Affine3A> = keys.iter().map(|key| space.transform_to_rendering(key)).collect();
    let motion = PoseMotion::new(&keys)?;
    let moving = |light| Light::Moving(Box::new(Moving::new(light, motion.clone())));
    Ok(lights.into_iter().map(moving).collect())
}

fn projector(pose: &Affine3A, half: Vec2, slide: &SlideDesc, beam: Beam) -> Result<Light, CameraError> {
    let slide = ProjectorTexture::new(texels(&slide.map), slide.map.width, slide.lookup);
    let light = ProjectorLight::new(pose, half, slide, beam)?;
    Ok(Light::Projector(Box::new(light)))
}

fn texels(image: &Image) -> Vec<Rgb> {
    (0..image.height)
        .flat_map(|y| (0..image.width).map(move |x| image.rgb(x, y)))
        .collect()
}
