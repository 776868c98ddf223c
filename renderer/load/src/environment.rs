//! Declarations `light NAME : environment { … }`.

use std::sync::Arc;

use glam::Mat3;
use shading::syntax::ast::{Declaration, Expr, ExprKind};

use super::context::LoadContext;
use super::field::{Field, Given, Range};
use super::radiance_map::read_map;
use super::table::{Key, body_of, read_block, set};
use super::value::SceneValue;
use renderer_base::color::Rgb;
use renderer_base::math::{cos, rotation_y};
use renderer_image::Image;
use renderer_scene::LightKind;
use renderer_scene::MapRows;
use renderer_scene::MaterialId;

/// Values of an environment's block.
pub(super) struct EnvironmentBlock {
    map: Option<Arc<Image>>,
    shader: Option<Expr>,
    resolution: u32,
    color: Rgb,
    ground: Option<Rgb>,
    scale: f32,
    rotate: Mat3,
    rows: MapRows,
    portals: Vec<Given<String>>,
}

/// Keys of `environment` lights.
pub(super) const ENVIRONMENT: &[Key<EnvironmentBlock>] = &[
    Key {
        name: "map",
        doc: "a latitude-longitude image (EXR, HDR, PNG, JPEG), its top row at +y, its centre column at +z; none by default",
        set: |light, field, context| light.map = read_map(field, context),
    },
    Key {
        name: "shader",
        doc: "the call of a unit or group whose emission (`emission()` or `background()`) is the radiance, in place of \
              a map: `P` and `I` are the unit vector towards the sky, `u` and `v` its position on a latitude-longitude \
              map; `background` shaders are for this use only",
        set: |light, field, _| light.shader = Some(field.expr.clone()),
    },
    Key {
        name: "resolution",
        doc: "columns of the map that is computed from the shader, with half the number of rows; 1024 by default",
        set: |light, field, context| {
            if let Some(columns) = field.integer(context, 2, 16384) {
                light.resolution = columns as u32;
            }
        },
    },
    Key {
        name: "color",
        doc: "factor of the map or the shader, or the radiance (W/sr/m2) without a map; 1 by default",
        set: |light, field, context| set(&mut light.color, field.color(context)),
    },
    Key {
        name: "ground",
        doc: "the radiance from straight below; `color` is then the radiance from straight above, with a gradient \
              between them; equal to `color` by default; not with a map",
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
        doc: "position of the map's rows: `centers` of equal bands (the default), or `poles`: from pole to pole, the \
              first at +y and the last at -y, as in Mitsuba 3",
        set: |light, field, context| {
            let rows = [("centers", MapRows::Centers), ("poles", MapRows::Poles)];
            set(&mut light.rows, field.choice(context, &rows));
        },
    },
    Key {
        name: "portals",
        doc: "shapes, as `window` or `(window, door)`, through which the light enters a room: rectangles in the \
              openings that face into the room. They are invisible and block no light; light samples go through them, \
              so that a room that is lit through windows has less noise. None by default",
        set: |light, field, context| light.portals = names(&field, context),
    },
];

/// Reads the block of an environment light, with the names of its portals and the call of its shader.
pub(super) fn read_environment(
    declaration: &Declaration,
    portals: &mut Vec<Given<String>>,
    shader: &mut Option<Expr>,
    context: &mut LoadContext,
) -> LightKind {
    let mut light = EnvironmentBlock {
        map: None,
        shader: None,
        resolution: 1024,
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
    if light.shader.is_some() {
        *shader = light.shader;
        return LightKind::Background {
            shader: MaterialId(u32::MAX),
            radiance: light.color * light.scale,
            world_from_map: light.rotate,
            columns: light.resolution,
            portals: vec![],
        };
    }
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

/// Creates an environment map with a gradient from `above` to `below`, linear in the y component of the direction.
fn gradient(above: Rgb, below: Rgb) -> Image {
    const ROWS: usize = 64;
    Image::from_fn(4, ROWS, |_, row| {
        let theta = (row as f32 + 0.5) / ROWS as f32 * std::f32::consts::PI;
        below.lerp(above, 0.5 + 0.5 * cos(theta))
    })
}

/// Reads one name or a list of names.
fn names(field: &Field, context: &mut LoadContext) -> Vec<Given<String>> {
    let list = match &field.expr.kind {
        ExprKind::Tuple(list) | ExprKind::List(list) => list.as_slice(),
        _ => std::slice::from_ref(field.expr),
    };
    let name = |expr: &Expr| Some(Given { value: context.name(expr)?, span: expr.span });
    list.iter().filter_map(name).collect()
}

/// Reads the rotation of a map.
pub(super) fn rotation(field: Field<'_>, context: &mut LoadContext) -> Option<Mat3> {
    match context.value(field.expr)? {
        SceneValue::Number(degrees) => {
            let degrees = field.in_range(context, degrees, Range::Any)?;
            Some(rotation_y(degrees.to_radians()))
        }
        SceneValue::Transform(_) => {
            let matrix = Mat3::from(field.transform(context)?.matrix3);
            let product = matrix * matrix.transpose();
            if !product.abs_diff_eq(Mat3::IDENTITY, 1e-4) {
                context.error(field.span(), "`rotate` is a transform that does more than rotate and mirror");
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
