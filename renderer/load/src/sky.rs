//! Declarations `light NAME : sky { … }`.

use glam::Vec3;
use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::field::Range;
use super::table::{Key, body_of, read_block, set};
use renderer_base::color::Rgb;
use renderer_base::sky::{SUN_ANGLE, Sky, TURBIDITY};
use renderer_scene::LightKind;

/// Values of a sky's block.
pub(super) struct SkyBlock {
    turbidity: f32,
    albedo: Rgb,
    up: Vec3,
    sun_direction: Vec3,
    sky_scale: f32,
    sun_scale: f32,
    sun_angle: f32,
}

/// Keys of `sky` lights.
pub(super) const SKY: &[Key<SkyBlock>] = &[
    Key {
        name: "sun_direction",
        doc: "vector towards the sun, such as `sun_at(...)`; (0.4, 0.7, 0.6) by default; no light if it is below the \
              horizon",
        set: |light, field, context| set(&mut light.sun_direction, field.direction(context)),
    },
    Key {
        name: "turbidity",
        doc: "haziness of the air, from 1 (pure) to 10; 3, a clear day, by default",
        set: |light, field, context| {
            let (purest, haziest) = TURBIDITY;
            set(&mut light.turbidity, field.number(context, Range::Within(purest, haziest)));
        },
    },
    Key {
        name: "albedo",
        doc: "albedo of the ground, which brightens the sky; 0.3 by default",
        set: |light, field, context| set(&mut light.albedo, field.reflectance(context)),
    },
    Key {
        name: "up",
        doc: "towards the zenith; (0, 1, 0) by default",
        set: |light, field, context| set(&mut light.up, field.direction(context)),
    },
    Key {
        name: "sky_scale",
        doc: "factor of the sky's radiance; 1 by default, 0 for the sun alone",
        set: |light, field, context| set(&mut light.sky_scale, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "sun_scale",
        doc: "factor of the sun's radiance; 1 by default, 0 for the sky alone",
        set: |light, field, context| set(&mut light.sun_scale, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "sun_angle",
        doc: "angular diameter of the sun in degrees: a larger one has softer shadows and the same irradiance; 0.5358 \
              by default",
        set: |light, field, context| {
            set(&mut light.sun_angle, field.number(context, Range::Within(0.01, 180.0)));
        },
    },
];

/// Reads the block of a sky.
pub(super) fn read_sky(declaration: &Declaration, context: &mut LoadContext) -> LightKind {
    let mut light = SkyBlock {
        turbidity: 3.0,
        albedo: Rgb::splat(0.3),
        up: Vec3::Y,
        sun_direction: Vec3::new(0.4, 0.7, 0.6).normalize(),
        sky_scale: 1.0,
        sun_scale: 1.0,
        sun_angle: SUN_ANGLE,
    };
    read_block(body_of(declaration), "a sky light", &[SKY], &mut light, context);
    let sky = Sky::new(light.turbidity, light.albedo, light.sun_direction, light.up);
    if !sky.is_day() {
        context.warning(declaration.span, "the sun is below the horizon: this sky gives no light");
    }
    LightKind::Sky {
        sky,
        sky_scale: light.sky_scale,
        sun_scale: light.sun_scale,
        sun_angle: light.sun_angle.to_radians(),
    }
}
