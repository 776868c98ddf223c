//! Declarations `light NAME : KIND { … }`.

use std::sync::Arc;

use glam::{Mat3, Vec3};
use shading::syntax::ast::{Declaration, Expr, ExprKind};

use super::context::LoadContext;
use super::field::{Field, Given, Range};
use super::projector::{
    COLOR_SPACE, INTERPOLATION, S_OF_UV, SlideBlock, T_OF_UV, WRAP, read_projector, up_for,
};
use super::radiance_map::read_map;
use super::sheet::read_directional_area;
use super::studio;
use super::table::{DeclarationPart, Key, body_of, kind_of, name_of, read_block, set, takes_only};
use super::value::SceneValue;
use crate::camera::look_at;
use crate::color::Rgb;
use crate::image::Image;
use crate::light::MapRows;
use crate::math::{cos, rotation_y};
use crate::scene::desc::{LightDesc, LightKind, SpotFalloff, SpotSlide};
use crate::sky::{SUN_ANGLE, Sky, TURBIDITY};

/// What the block of an environment sets.
pub(super) struct EnvironmentBlock {
    map: Option<Arc<Image>>,
    color: Rgb,
    ground: Option<Rgb>,
    scale: f32,
    rotate: Mat3,
    rows: MapRows,
    portals: Vec<Given<String>>,
}

/// The keys of `environment` lights.
pub(super) const ENVIRONMENT: &[Key<EnvironmentBlock>] = &[
    Key {
        name: "map",
        doc: "a latitude-longitude image (EXR, HDR, PNG, JPEG), its top row at +y, its centre column at +z; none by default",
        set: |light, field, context| light.map = read_map(field, context),
    },
    Key {
        name: "color",
        doc: "factor of the map, or the radiance (W/sr/m2) where there is no map; 1 by default",
        set: |light, field, context| set(&mut light.color, field.color(context)),
    },
    Key {
        name: "ground",
        doc: "the radiance from straight below; `color` then is that from straight above, with all between; the same \
              by default; not with a map",
        set: |light, field, context| light.ground = field.color(context),
    },
    Key {
        name: "scale",
        doc: "a further factor; 1 by default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "rotate",
        doc: "turns the map: degrees about +y, or a transform that rotates or mirrors, world from map",
        set: |light, field, context| set(&mut light.rotate, rotation(field, context)),
    },
    Key {
        name: "rows",
        doc: "where the rows of the map are: `centers` of equal bands (the default), or from pole to pole, the first at +y \
              and the last at -y: `poles`, as Mitsuba 3 has it",
        set: |light, field, context| {
            let rows = [("centers", MapRows::Centers), ("poles", MapRows::Poles)];
            set(&mut light.rows, field.choice(context, &rows));
        },
    },
    Key {
        name: "portals",
        doc: "shapes, as `window` or `(window, door)`, through which its light reaches a room: rectangles in the openings that \
              face into the room. They are not seen and stop no light; samples go through them, so that a room that is lit \
              through windows has less noise. None by default",
        set: |light, field, context| light.portals = names(&field, context),
    },
];

/// What the block of a studio sets.
pub(super) struct StudioBlock {
    scale: f32,
    rotate: Mat3,
}

/// The keys of `studio` lights.
pub(super) const STUDIO: &[Key<StudioBlock>] = &[
    Key {
        name: "scale",
        doc: "a factor; at 1, the default, white that faces the key light is nearly white in the picture",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "rotate",
        doc: "turns it: degrees about +y, or a transform that rotates; by default it is set up for what faces +z",
        set: |light, field, context| set(&mut light.rotate, rotation(field, context)),
    },
];

/// What the block of a sky sets.
pub(super) struct SkyBlock {
    turbidity: f32,
    albedo: Rgb,
    up: Vec3,
    sun_direction: Vec3,
    sky_scale: f32,
    sun_scale: f32,
    sun_angle: f32,
}

/// The keys of `sky` lights.
pub(super) const SKY: &[Key<SkyBlock>] = &[
    Key {
        name: "sun_direction",
        doc: "where the sun stands: a vector towards it, as `sun_at(...)` gives one; (0.4, 0.7, 0.6) by default; there \
              is no light when it is below the horizon",
        set: |light, field, context| set(&mut light.sun_direction, field.direction(context)),
    },
    Key {
        name: "turbidity",
        doc: "how hazy the air is, from 1 (pure) to 10; 3, a clear day, by default",
        set: |light, field, context| {
            let (purest, haziest) = TURBIDITY;
            set(
                &mut light.turbidity,
                field.number(context, Range::Within(purest, haziest)),
            );
        },
    },
    Key {
        name: "albedo",
        doc: "what the ground reflects, which brightens the sky; 0.3 by default",
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
        doc: "the angle in degrees that the sun fills: a wider one has softer shadows and sends the same light; 0.5358 \
              by default",
        set: |light, field, context| {
            set(
                &mut light.sun_angle,
                field.number(context, Range::Within(0.01, 180.0)),
            );
        },
    },
];

/// What the block of a light at a point sets.
pub(super) struct PointBlock {
    position: Vec3,
    intensity: Rgb,
    scale: f32,
    to: Option<Given<Vec3>>,
    direction: Option<Given<Vec3>>,
    cutoff: f32,
    beam_width: Option<Given<f32>>,
    falloff: SpotFalloff,
    up: Option<Given<Vec3>>,
    slide: SlideBlock,
}

/// The keys of `point` and `spot` lights.
pub(super) const POINT: &[Key<PointBlock>] = &[
    Key {
        name: "position",
        doc: "where it is; (0, 0, 0) by default",
        set: |light, field, context| set(&mut light.position, field.point(context)),
    },
    Key {
        name: "intensity",
        doc: "radiant intensity (W/sr), of a spot along its axis; 1 by default",
        set: |light, field, context| set(&mut light.intensity, field.color(context)),
    },
    Key {
        name: "scale",
        doc: "factor of the intensity; 1 by default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
];

/// The further keys of `spot` lights.
pub(super) const SPOT: &[Key<PointBlock>] = &[
    Key {
        name: "to",
        doc: "a point that it is aimed at",
        set: |light, field, context| light.to = field.given(field.point(context)),
    },
    Key {
        name: "direction",
        doc: "instead of `to`: where it points; (0, -1, 0) by default",
        set: |light, field, context| light.direction = field.given(field.direction(context)),
    },
    Key {
        name: "cutoff",
        doc: "half-angle in degrees beyond which there is no light; 20 by default",
        set: |light, field, context| {
            set(
                &mut light.cutoff,
                field.number(context, Range::Between(0.0, 180.0)),
            );
        },
    },
    Key {
        name: "beam_width",
        doc: "half-angle in degrees up to which the intensity is whole; three quarters of `cutoff` by default",
        set: |light, field, context| {
            light.beam_width = field.given(field.number(context, Range::NotNegative));
        },
    },
    Key {
        name: "falloff",
        doc: "how it fades between the two: `linear` in the angle (the default), or `squared_cosine` as in glTF",
        set: |light, field, context| {
            let options = [
                ("linear", SpotFalloff::Linear),
                ("squared_cosine", SpotFalloff::SquaredCosine),
            ];
            set(&mut light.falloff, field.choice(context, &options));
        },
    },
    Key {
        name: "map",
        doc: "a picture (EXR, HDR, PNG, JPEG) that it shines through, a factor of the intensity, as wide and as high as the \
              cone of `cutoff`, which then is less than 90; none by default",
        set: |light, field, context| light.slide.read_map(field, context),
    },
    Key {
        name: "colorspace",
        doc: COLOR_SPACE,
        set: |light, field, context| light.slide.read_color_space(field, context),
    },
    Key {
        name: "wrap",
        doc: WRAP,
        set: |light, field, context| light.slide.read_wrap(field, context),
    },
    Key {
        name: "interpolation",
        doc: INTERPOLATION,
        set: |light, field, context| light.slide.read_interpolation(field, context),
    },
    Key {
        name: "s_of_uv",
        doc: S_OF_UV,
        set: |light, field, context| light.slide.read_row(0, field, context),
    },
    Key {
        name: "t_of_uv",
        doc: T_OF_UV,
        set: |light, field, context| light.slide.read_row(1, field, context),
    },
    Key {
        name: "up",
        doc: "the direction that is up in the picture on a wall; (0, 1, 0) by default, (0, 0, -1) where it shines straight \
              up or down",
        set: |light, field, context| light.up = field.given(field.direction(context)),
    },
];

/// What the block of a directional light sets.
pub(super) struct DirectionalBlock {
    direction: Vec3,
    irradiance: Rgb,
    scale: f32,
    angle: f32,
}

/// The keys of `directional` lights.
pub(super) const DIRECTIONAL: &[Key<DirectionalBlock>] = &[
    Key {
        name: "direction",
        doc: "where the light goes; (0, -1, 0) by default",
        set: |light, field, context| set(&mut light.direction, field.direction(context)),
    },
    Key {
        name: "irradiance",
        doc: "irradiance (W/m2) on a surface that faces it; 1 by default",
        set: |light, field, context| set(&mut light.irradiance, field.color(context)),
    },
    Key {
        name: "scale",
        doc: "factor of the irradiance; 1 by default",
        set: |light, field, context| set(&mut light.scale, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "angle",
        doc: "the angle in degrees that the light fills in the sky, as a disk that casts soft shadows and can be seen; \
              the sun has 0.53; 0, the default, for parallel light",
        set: |light, field, context| {
            set(&mut light.angle, field.number(context, Range::Within(0.0, 180.0)));
        },
    },
];

/// The kinds of lights.
#[derive(Clone, Copy)]
enum LightKeyword {
    Environment,
    Studio,
    Sky,
    Point,
    Spot,
    Projector,
    DirectionalArea,
    Directional,
}

/// A light, before the names in it are looked up.
pub(super) struct LightDeclaration {
    pub(super) light: LightDesc,
    /// The shapes that are its portals.
    pub(super) portals: Vec<Given<String>>,
}

/// The names that a light gives of its portals.
pub(super) struct PendingPortals {
    /// Which of the lights.
    pub(super) light: usize,
    pub(super) names: Vec<Given<String>>,
}

/// One name or several.
fn names(field: &Field, context: &mut LoadContext) -> Vec<Given<String>> {
    let list = match &field.expr.kind {
        ExprKind::Tuple(list) | ExprKind::List(list) => list.as_slice(),
        _ => std::slice::from_ref(field.expr),
    };
    let name = |expr: &Expr| {
        Some(Given {
            value: context.name(expr)?,
            span: expr.span,
        })
    };
    list.iter().filter_map(name).collect()
}

/// Reads `light`.
pub(super) fn read_light(declaration: &Declaration, context: &mut LoadContext) -> Option<LightDeclaration> {
    takes_only(
        declaration,
        &[
            DeclarationPart::Name,
            DeclarationPart::Kind,
            DeclarationPart::Body,
        ],
        context,
    );
    let name = name_of(declaration, context)?;
    let kinds = [
        ("environment", LightKeyword::Environment),
        ("studio", LightKeyword::Studio),
        ("sky", LightKeyword::Sky),
        ("point", LightKeyword::Point),
        ("spot", LightKeyword::Spot),
        ("projector", LightKeyword::Projector),
        ("directional_area", LightKeyword::DirectionalArea),
        ("directional", LightKeyword::Directional),
    ];
    let mut portals = vec![];
    let kind = match kind_of(declaration, None, &kinds, context)? {
        LightKeyword::Environment => read_environment(declaration, &mut portals, context),
        LightKeyword::Studio => read_studio(declaration, context),
        LightKeyword::Sky => read_sky(declaration, context),
        LightKeyword::Point => {
            let light = read_point(declaration, "a point light", &[POINT], context);
            LightKind::Point {
                position: light.position,
                intensity: light.intensity * light.scale,
            }
        }
        LightKeyword::Spot => read_spot(declaration, context)?,
        LightKeyword::Projector => read_projector(declaration, context)?,
        LightKeyword::DirectionalArea => read_directional_area(declaration, context),
        LightKeyword::Directional => read_directional(declaration, context),
    };
    let light = LightDesc {
        name,
        span: declaration.span,
        kind,
    };
    Some(LightDeclaration { light, portals })
}

fn read_environment(
    declaration: &Declaration,
    portals: &mut Vec<Given<String>>,
    context: &mut LoadContext,
) -> LightKind {
    let mut light = EnvironmentBlock {
        map: None,
        color: Rgb::WHITE,
        ground: None,
        scale: 1.0,
        rotate: Mat3::IDENTITY,
        rows: MapRows::Centers,
        portals: vec![],
    };
    read_block(
        body_of(declaration),
        "an environment light",
        &[ENVIRONMENT],
        &mut light,
        context,
    );
    *portals = light.portals;
    let Some(ground) = light.ground else {
        return LightKind::Environment {
            map: light.map,
            radiance: light.color * light.scale,
            world_from_map: light.rotate,
            rows: light.rows,
            portals: vec![],
        };
    };
    let map = Some(Arc::new(gradient(light.color, ground)));
    LightKind::Environment {
        map,
        radiance: Rgb::splat(light.scale),
        world_from_map: light.rotate,
        rows: MapRows::Centers,
        portals: vec![],
    }
}

fn read_studio(declaration: &Declaration, context: &mut LoadContext) -> LightKind {
    let mut light = StudioBlock {
        scale: 1.0,
        rotate: Mat3::IDENTITY,
    };
    read_block(
        body_of(declaration),
        "a studio light",
        &[STUDIO],
        &mut light,
        context,
    );
    LightKind::Environment {
        map: Some(Arc::new(studio::map())),
        radiance: Rgb::splat(light.scale),
        world_from_map: light.rotate,
        rows: MapRows::Centers,
        portals: vec![],
    }
}

fn read_sky(declaration: &Declaration, context: &mut LoadContext) -> LightKind {
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
        context.warning(
            declaration.span,
            "the sun is below the horizon: this sky gives no light",
        );
    }
    LightKind::Sky {
        sky,
        sky_scale: light.sky_scale,
        sun_scale: light.sun_scale,
        sun_angle: light.sun_angle.to_radians(),
    }
}

/// A map that goes from `above` to `below`, linear in the height of the direction.
fn gradient(above: Rgb, below: Rgb) -> Image {
    const ROWS: usize = 64;
    Image::from_fn(4, ROWS, |_, row| {
        let theta = (row as f32 + 0.5) / ROWS as f32 * std::f32::consts::PI;
        below.lerp(above, 0.5 + 0.5 * cos(theta))
    })
}

fn read_point(
    declaration: &Declaration,
    what: &str,
    tables: &[&[Key<PointBlock>]],
    context: &mut LoadContext,
) -> PointBlock {
    let mut light = PointBlock {
        position: Vec3::ZERO,
        intensity: Rgb::WHITE,
        scale: 1.0,
        to: None,
        direction: None,
        cutoff: 20.0,
        beam_width: None,
        falloff: SpotFalloff::Linear,
        up: None,
        slide: SlideBlock::default(),
    };
    read_block(body_of(declaration), what, tables, &mut light, context);
    light
}

fn read_spot(declaration: &Declaration, context: &mut LoadContext) -> Option<LightKind> {
    let before = context.errors();
    let light = read_point(declaration, "a spot light", &[SPOT, POINT], context);
    if context.errors() > before {
        return None;
    }
    let direction = match light.to {
        Some(to) => {
            let direction = (to.value - light.position).try_normalize();
            if direction.is_none() {
                context.error(to.span, "the spot light is aimed at the point where it is");
            }
            direction?
        }
        None => light.direction.map_or(Vec3::NEG_Y, |direction| direction.value),
    };
    let beam_width = light.beam_width.map_or(0.75 * light.cutoff, |beam| beam.value);
    if let Some(beam) = light.beam_width
        && beam.value > light.cutoff
    {
        context.error(
            beam.span,
            format!(
                "`beam_width` is {}, more than `cutoff`, {}",
                beam.value, light.cutoff
            ),
        );
    }
    let slide = light.slide.finished().map(|slide| SpotSlide {
        slide,
        up: light.up.map_or(up_for(direction), |up| up.value),
    });
    if slide.is_some() && light.cutoff >= 90.0 {
        let message = format!(
            "a spot light with a `map` has a `cutoff` of less than 90, not {}",
            light.cutoff
        );
        context.error(declaration.span, message);
    }
    if let Some(up) = light.up
        && look_at(Vec3::ZERO, direction, up.value).is_err()
    {
        context.error(up.span, "`up` is along the axis of the spot light");
    }
    Some(LightKind::Spot {
        position: light.position,
        direction,
        intensity: light.intensity * light.scale,
        cutoff: light.cutoff.to_radians(),
        beam_width: beam_width.to_radians(),
        falloff: light.falloff,
        slide,
    })
}

fn read_directional(declaration: &Declaration, context: &mut LoadContext) -> LightKind {
    let mut light = DirectionalBlock {
        direction: Vec3::NEG_Y,
        irradiance: Rgb::WHITE,
        scale: 1.0,
        angle: 0.0,
    };
    read_block(
        body_of(declaration),
        "a directional light",
        &[DIRECTIONAL],
        &mut light,
        context,
    );
    LightKind::Directional {
        direction: light.direction,
        irradiance: light.irradiance * light.scale,
        angle: light.angle.to_radians(),
    }
}

fn rotation(field: Field<'_>, context: &mut LoadContext) -> Option<Mat3> {
    match context.value(field.expr)? {
        SceneValue::Number(degrees) => {
            let degrees = field.in_range(context, degrees, Range::Any)?;
            Some(rotation_y(degrees.to_radians()))
        }
        SceneValue::Transform(_) => {
            let matrix = Mat3::from(field.transform(context)?.matrix3);
            let product = matrix * matrix.transpose();
            if !product.abs_diff_eq(Mat3::IDENTITY, 1e-4) {
                context.error(
                    field.span(),
                    "`rotate` is a transform that does more than rotate and mirror",
                );
                return None;
            }
            Some(matrix)
        }
        other => {
            field.mismatch(context, "degrees, or a rotation", &other);
            None
        }
    }
}
