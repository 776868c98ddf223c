//! Keys of shapes and imports for subdivision and dicing.

use std::sync::Arc;

use super::context::LoadContext;
use super::field::{Field, Range};
use super::table::{Key, set};
use super::value::{SceneValue, items};
use renderer_scene::{DicingDesc, TessellationDesc};
use renderer_tessellation::{Boundary, Crease, Scheme, UvInterpolation};

/// Values of the keys of a block.
#[derive(Default)]
pub(super) struct TessellationBlock {
    desc: TessellationDesc,
    /// True if a key of dicing or subdivision is given.
    is_given: bool,
}

impl TessellationBlock {
    /// The description; `None` without keys.
    pub(super) fn finish(&self) -> Option<Arc<TessellationDesc>> {
        self.is_given.then(|| Arc::new(self.desc.clone()))
    }

    fn dice(&mut self, dicing: Option<DicingDesc>) {
        self.is_given = true;
        set(&mut self.desc.dicing, dicing);
    }
}

/// Block of shapes that can be tessellated.
pub(super) trait TessellatedBlock: Sized + 'static {
    /// The values of the keys.
    fn tessellation(&mut self) -> &mut TessellationBlock;

    /// Keys of subdivision.
    const SUBDIVISION: &'static [Key<Self>] = &[
        Key {
            name: "subdivision",
            doc: "the polygons are the cage of a smooth surface: `catmull_clark`, or `loop` for triangles; `none` by default",
            set: |block, field, context| {
                let block = block.tessellation();
                let schemes = [
                    ("catmull_clark", Scheme::CatmullClark),
                    ("loop", Scheme::Loop),
                    ("none", Scheme::Polygons),
                ];
                if let Some(scheme) = field.choice(context, &schemes) {
                    block.desc.subdivision.scheme = scheme;
                    block.is_given |= scheme != Scheme::Polygons;
                }
            },
        },
        Key {
            name: "creases",
            doc: "sharp edges of the cage: `{ crease(2.5, 0, 1, 5), crease(10, 3, 2) }`, each with its sharpness and the points \
                  along it, as the file counts them from 0; 10 is infinitely sharp",
            set: |block, field, context| {
                block.tessellation().desc.subdivision.creases = creases(&field, context);
            },
        },
        Key {
            name: "corners",
            doc: "sharp points of the cage: `{ corner(10, 4, 7) }`, each with its sharpness and points",
            set: |block, field, context| {
                let corners = sharp(&field, "corner", "`corner(sharpness, point, ...)`", context);
                let each = corners
                    .into_iter()
                    .flat_map(|(sharpness, points)| points.into_iter().map(move |point| (point, sharpness)));
                block.tessellation().desc.subdivision.corners = each.collect();
            },
        },
        Key {
            name: "holes",
            doc: "polygons that are left out after subdivision, as the file counts them from 0: `{ 4, 5 }`",
            set: |block, field, context| {
                let integer = |expr| Field { key: field.key, expr }.integer(context, 0, u32::MAX.into());
                let holes = items(field.expr).iter().filter_map(integer);
                block.tessellation().desc.subdivision.holes = holes.map(|hole| hole as u32).collect();
            },
        },
        Key {
            name: "boundary",
            doc: "shape of boundaries where a point has one polygon: `corners` (the default) are sharp, `rounded` ones not",
            set: |block, field, context| {
                let options = [("corners", Boundary::Corners), ("rounded", Boundary::Rounded)];
                set(
                    &mut block.tessellation().desc.subdivision.boundary,
                    field.choice(context, &options),
                );
            },
        },
        Key {
            name: "uv_interpolation",
            doc: "where texture coordinates and vertex values are linear: along seams and `boundaries` (the default), at \
                  `corners`, everywhere (`linear`) or nowhere (`smooth`)",
            set: |block, field, context| {
                let options = [
                    ("boundaries", UvInterpolation::Boundaries),
                    ("corners", UvInterpolation::Corners),
                    ("linear", UvInterpolation::Linear),
                    ("smooth", UvInterpolation::Smooth),
                ];
                set(&mut block.tessellation().desc.subdivision.uvs, field.choice(context, &options));
            },
        },
    ];

    /// Keys of dicing.
    const DICING: &'static [Key<Self>] = &[
        Key {
            name: "dicing",
            doc: "length of the edges of triangles in the picture (pixels), for subdivision and displacement; 1 by default",
            set: |block, field, context| {
                block
                    .tessellation()
                    .dice(field.number(context, Range::Positive).map(DicingDesc::Pixels));
            },
        },
        Key {
            name: "level",
            doc: "in place of `dicing`, edges of polygons are divided into 2^level parts",
            set: |block, field, context| {
                let level = field.integer(context, 0, 16);
                block.tessellation().dice(level.map(|level| DicingDesc::Level(level as u32)));
            },
        },
        Key {
            name: "edge_length",
            doc: "in place of `dicing`, length of the edges in the world (m)",
            set: |block, field, context| {
                block
                    .tessellation()
                    .dice(field.number(context, Range::Positive).map(DicingDesc::Length));
            },
        },
    ];
}

fn creases(field: &Field<'_>, context: &mut LoadContext) -> Vec<Crease> {
    let like = "`crease(sharpness, point, point, ...)`";
    let chains = sharp(field, "crease", like, context);
    chains
        .into_iter()
        .map(|(sharpness, points)| Crease { points, sharpness })
        .collect()
}

/// Reads a list of calls `name(sharpness, point, …)`.
fn sharp(field: &Field<'_>, name: &str, like: &str, context: &mut LoadContext) -> Vec<(f32, Vec<u32>)> {
    let least = like.matches(", point").count();
    let mut list = vec![];
    for expr in items(field.expr) {
        let Some(value) = context.value(expr) else {
            return vec![];
        };
        let whole = |value: &SceneValue| match value {
            SceneValue::Number(x) if x.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(x) => {
                Some(*x as u32)
            }
            _ => None,
        };
        let read = match &value {
            SceneValue::Call(called, args) if called == name => match args.as_slice() {
                [SceneValue::Number(sharpness), points @ ..]
                    if *sharpness >= 0.0 && points.len() >= least =>
                {
                    points
                        .iter()
                        .map(whole)
                        .collect::<Option<_>>()
                        .map(|points| (*sharpness as f32, points))
                }
                _ => None,
            },
            _ => None,
        };
        match read {
            Some(read) => list.push(read),
            None => {
                context.error(
                    expr.span,
                    format!(
                        "`{}` is a list of {like}, with a sharpness from 0 and the points' numbers",
                        field.key
                    ),
                );
                return vec![];
            }
        }
    }
    list
}
