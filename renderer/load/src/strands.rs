//! Keys of `shape NAME : curves` and `shape NAME : points`, and the geometry that they describe.

use glam::{Vec3, Vec4};
use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::field::{Field, Given, Range};
use super::shape_block::ShapeBlock;
use super::table::{Key, set};
use super::value::SceneValue;
use super::vertex_keys::{VertexSource, file_keys, velocities};
use renderer_geometry::{
    AttributeDomain, CurveBasis, CurveSet, CurveStyle, Curves, CurvesError, MeshAttribute, PointStyle, Points,
};
use renderer_import::{StrandFile, StrandKind, StrandSet, read_strands};
use renderer_scene::{GeometryDesc, VertexKeys};

/// Radius of strands and points that have none.
const DEFAULT_RADIUS: f32 = 0.001;

const KEYS: Key<ShapeBlock> = Key {
    name: "keys",
    doc: "in place of `file`, files at times in frames, as `{ at(0, \"a.ply\"), at(12, \"b.ply\") }`, with the same numbers of \
          strands and points; positions, radii and normals are interpolated linearly, and constant before the first and \
          after the last",
    set: |shape, field, context| shape.keys = file_keys(&field, context),
};

pub(super) const VELOCITIES: Key<ShapeBlock> = Key {
    name: "velocities",
    doc: "`true`: the vertices move by their attributes `vx`, `vy` and `vz`, or `velocity` (m/s), from the film's `frame`; \
          `false` by default",
    set: |shape, field, context| shape.velocities = field.given(field.boolean(context)),
};

const POSITIONS: Key<ShapeBlock> = Key {
    name: "points",
    doc: "positions in place of a file, three numbers each: `(0, 0, 0, 0, 1, 0)`",
    set: |shape, field, context| shape.strands.points = list(field, context),
};

const RADIUS: Key<ShapeBlock> = Key {
    name: "radius",
    doc: "of all points, one number; of the root and the tip of each curve, two; or one for each point; by default that of \
          the file, else 0.001",
    set: |shape, field, context| shape.strands.radius = list(field, context),
};

const COLORS: Key<ShapeBlock> = Key {
    name: "colors",
    doc: "attribute `color`, linear, three numbers for each point, or for each curve",
    set: |shape, field, context| shape.strands.colors = list(field, context),
};

const NORMALS: Key<ShapeBlock> = Key {
    name: "normals",
    doc: "three numbers for each point, for the style `flat` or `oriented_disc`; by default those of the file",
    set: |shape, field, context| shape.strands.normals = list(field, context),
};

pub(super) const CURVES: &[Key<ShapeBlock>] = &[
    Key {
        name: "file",
        doc: "a .hair file, a .ply file with edges, or a text of control points (`x y z radius` a line, an empty line \
              between curves)",
        set: |shape, field, context| shape.strands.file = field.given(field.string(context)),
    },
    KEYS,
    VELOCITIES,
    POSITIONS,
    Key {
        name: "counts",
        doc: "number of points of each curve, with `points`; by default all make one curve",
        set: |shape, field, context| shape.strands.counts = list(field, context),
    },
    RADIUS,
    Key {
        name: "basis",
        doc: "`linear` (the default), `bezier`, `bspline` or `catmull_rom`",
        set: |shape, field, context| {
            let names = [
                ("linear", CurveBasis::Linear),
                ("bezier", CurveBasis::Bezier),
                ("bspline", CurveBasis::BSpline),
                ("catmull_rom", CurveBasis::CatmullRom),
            ];
            set(&mut shape.strands.basis, field.choice(context, &names));
        },
    },
    Key {
        name: "style",
        doc: "`round` (the default), a tube; `ribbon`, which faces each ray; or `flat`, a ribbon across its normals",
        set: |shape, field, context| {
            let names =
                [("round", CurveStyle::Round), ("ribbon", CurveStyle::Ribbon), ("flat", CurveStyle::Flat)];
            set(&mut shape.strands.style, field.choice(context, &names));
        },
    },
    Key {
        name: "pinned",
        doc: "`false` uses the first and the last point of `bspline` and `catmull_rom` curves as phantom points; `true` (the \
              default) begins and ends curves at them",
        set: |shape, field, context| set(&mut shape.strands.pinned, field.boolean(context)),
    },
    NORMALS,
    COLORS,
];

pub(super) const POINTS: &[Key<ShapeBlock>] = &[
    Key {
        name: "file",
        doc: "a .ply file, whose properties `radius`, `red`, `nx` and so on are used, and the others are attributes; or a text \
              of points (`x y z radius` a line)",
        set: |shape, field, context| shape.strands.file = field.given(field.string(context)),
    },
    KEYS,
    VELOCITIES,
    POSITIONS,
    RADIUS,
    Key {
        name: "style",
        doc: "`sphere` (the default); `disc`, which faces each ray; or `oriented_disc`, across its normal",
        set: |shape, field, context| {
            let names = [
                ("sphere", PointStyle::Sphere),
                ("disc", PointStyle::Disc),
                ("oriented_disc", PointStyle::OrientedDisc),
            ];
            set(&mut shape.strands.point_style, field.choice(context, &names));
        },
    },
    NORMALS,
    COLORS,
];

/// Reads one number or a tuple of numbers.
fn list(field: Field<'_>, context: &mut LoadContext) -> Option<Given<Vec<f32>>> {
    let numbers = match context.value(field.expr)? {
        SceneValue::Number(x) => vec![x],
        SceneValue::Tuple(list) => list,
        other => {
            field.mismatch(context, "numbers, as (0, 1, 0)", &other);
            return None;
        }
    };
    let narrow = numbers.into_iter().map(|x| field.in_range(context, x, Range::Any));
    field.given(narrow.collect())
}

/// Curves of a block; `None` after an error.
pub(super) fn curves(
    block: &ShapeBlock,
    declaration: &Declaration,
    context: &mut LoadContext,
) -> Option<(GeometryDesc, VertexSource)> {
    let reading = Reading { block, declaration, what: "curves" };
    let read = |file: Option<&Given<String>>, context: &mut LoadContext| {
        let (set, velocities) = reading.curve_set(file, context)?;
        let curves = reading.valid(Curves::new(set), context)?;
        Some((GeometryDesc::from(curves), velocities))
    };
    reading.source(read, context)
}

/// Points of a block; `None` after an error.
pub(super) fn points(
    block: &ShapeBlock,
    declaration: &Declaration,
    context: &mut LoadContext,
) -> Option<(GeometryDesc, VertexSource)> {
    let reading = Reading { block, declaration, what: "points" };
    let read = |file: Option<&Given<String>>, context: &mut LoadContext| {
        let (points, velocities) = reading.points(file, context)?;
        let points = reading.valid(points, context)?;
        Some((GeometryDesc::from(points), velocities))
    };
    reading.source(read, context)
}

/// Velocities of vertices, if they are given and used [m/s].
type Velocities = Option<Vec<Vec3>>;

/// A block of curves or points that is read.
struct Reading<'a> {
    block: &'a ShapeBlock,
    declaration: &'a Declaration,
    /// Name of the elements, for messages.
    what: &'static str,
}

impl Reading<'_> {
    /// The geometry of the block with the motion of its vertices; `read` reads that of a file, or of the block without one.
    fn source(
        &self,
        read: impl Fn(Option<&Given<String>>, &mut LoadContext) -> Option<(GeometryDesc, Velocities)>,
        context: &mut LoadContext,
    ) -> Option<(GeometryDesc, VertexSource)> {
        let ShapeBlock { keys, velocities, strands, .. } = self.block;
        let what = self.what;
        let moves = velocities.as_ref().filter(|velocities| velocities.value);
        if keys.is_empty() {
            let (geometry, found) = read(strands.file.as_ref(), context)?;
            let vertices = match (moves, found) {
                (None, _) => VertexSource::Constant,
                (Some(_), Some(velocities)) => VertexSource::Velocities(velocities),
                (Some(given), None) => {
                    let error = context
                        .error_at(given.span, format!("the {what} have no velocities"))
                        .hint("they are the properties `vx`, `vy` and `vz` of the vertices of a PLY file");
                    context.push(error);
                    return None;
                }
            };
            return Some((geometry, vertices));
        }
        if let Some(given) = moves {
            context.error(given.span, format!("{what} take either `keys` or `velocities`"));
            return None;
        }
        let mut geometries: Vec<(f64, GeometryDesc)> = vec![];
        for (time, file) in keys {
            geometries.push((*time, read(Some(file), context)?.0));
        }
        let first = geometries[0].1.clone();
        let Some(keys) = VertexKeys::new(geometries) else {
            let span = keys[0].1.span;
            context.error(
                span,
                format!("the {what} of the keys differ in their numbers of strands or points"),
            );
            return None;
        };
        Some((first, VertexSource::Keys(keys)))
    }

    fn curve_set(
        &self,
        file: Option<&Given<String>>,
        context: &mut LoadContext,
    ) -> Option<(CurveSet, Velocities)> {
        let block = &self.block.strands;
        let mut file = self.strands(file, context)?;
        if file.strands.is_empty() {
            file.strands = match &block.counts {
                Some(counts) => counts.value.iter().map(|&count| count as u32).collect(),
                None if file.positions.is_empty() => vec![],
                None => vec![file.positions.len() as u32],
            };
        }
        let (sum, count) = (
            file.strands.iter().map(|&count| u64::from(count)).sum::<u64>(),
            file.positions.len(),
        );
        if sum != count as u64 {
            let message = format!("the curves have {sum} points, but {count} are given");
            context.error(self.declaration.span, message);
            return None;
        }
        self.radii(&mut file, context)?;
        if let Some(colors) = &block.colors {
            let values = colors.value.clone();
            let by_strand =
                values.len() == 3 * file.strands.len() && values.len() != 3 * file.positions.len();
            let domain = if by_strand {
                AttributeDomain::Face
            } else {
                AttributeDomain::Vertex
            };
            add_color(&mut file, domain, values);
        }
        let velocities = velocities(&file.attributes);
        let set = CurveSet {
            basis: block.basis,
            style: block.style,
            strands: file.strands,
            vertices: vertices(&file.positions, &file.radii),
            normals: if block.style == CurveStyle::Flat { file.normals } else { vec![] },
            attributes: file.attributes,
        };
        if !block.pinned {
            return Some((set, velocities));
        }
        // A phantom point has the velocity that continues those of its neighbours, as its position does.
        let velocities = velocities.map(|velocities| {
            let vertices = velocities.iter().map(|v| v.extend(0.0)).collect();
            let pinned = CurveSet { vertices, ..set.clone() }.pinned();
            pinned.vertices.iter().map(|v| v.truncate()).collect()
        });
        Some((set.pinned(), velocities))
    }

    fn points(
        &self,
        file: Option<&Given<String>>,
        context: &mut LoadContext,
    ) -> Option<(Result<Points, CurvesError>, Velocities)> {
        let block = &self.block.strands;
        let mut file = self.strands(file, context)?;
        file.strands = vec![1; file.positions.len()];
        self.radii(&mut file, context)?;
        if let Some(colors) = &block.colors {
            add_color(&mut file, AttributeDomain::Face, colors.value.clone());
        }
        let velocities = velocities(&file.attributes);
        let attributes = file.attributes.into_iter();
        let by_point = |attribute| MeshAttribute { domain: AttributeDomain::Face, ..attribute };
        let normals = if block.point_style == PointStyle::OrientedDisc {
            file.normals
        } else {
            vec![]
        };
        let vertices = vertices(&file.positions, &file.radii);
        let points = Points::new(block.point_style, vertices, normals, attributes.map(by_point).collect());
        Some((points, velocities))
    }

    /// Reports the error of invalid geometry.
    fn valid<T>(&self, geometry: Result<T, CurvesError>, context: &mut LoadContext) -> Option<T> {
        geometry
            .inspect_err(|error| context.error(self.declaration.span, error.to_string()))
            .ok()
    }

    /// Points of a file, or of the block.
    fn strands(&self, file: Option<&Given<String>>, context: &mut LoadContext) -> Option<StrandFile> {
        let ShapeBlock { keys, strands: block, .. } = self.block;
        let what = self.what;
        if let (Some(file), false) = (&block.file, keys.is_empty()) {
            context.error(file.span, format!("{what} take either `file` or `keys`"));
            return None;
        }
        let mut found = match (file, &block.points) {
            (Some(file), None) => {
                let path = context.existing_file(file.span, &file.value)?;
                match read_strands(&*context.file_system, &path) {
                    Ok(found) => found,
                    Err(error) => {
                        let diagnostic = error.hinted(context.error_at(file.span, error.to_string()));
                        context.push(diagnostic);
                        return None;
                    }
                }
            }
            (None, Some(points)) => StrandFile {
                positions: triples(points, "points", context)?,
                ..StrandFile::default()
            },
            (Some(file), Some(_)) => {
                let key = if keys.is_empty() { "file" } else { "keys" };
                context.error(file.span, format!("{what} take either `{key}` or `points`"));
                return None;
            }
            (None, None) => {
                context.error(self.declaration.span, format!("{what} need `file` or `points`"));
                return None;
            }
        };
        if let Some(normals) = &block.normals {
            found.normals = triples(normals, "normals", context)?;
        }
        Some(found)
    }

    /// Sets the radius of each point.
    fn radii(&self, file: &mut StrandFile, context: &mut LoadContext) -> Option<()> {
        let count = file.positions.len();
        let Some(given) = &self.block.strands.radius else {
            if file.radii.is_empty() {
                file.radii = vec![DEFAULT_RADIUS; count];
            }
            if file.radii.len() != count {
                let message = format!("there are {} radii for {count} points", file.radii.len());
                context.error(self.declaration.span, message);
                return None;
            }
            return Some(());
        };
        file.radii = match given.value[..] {
            [same] => vec![same; count],
            [root, tip] if count != 2 => {
                file.strands.iter().flat_map(|&count| tapered(root, tip, count)).collect()
            }
            _ => given.value.clone(),
        };
        if file.radii.len() != count {
            let message =
                format!("`radius` has {} numbers, but takes one, two or {count}", given.value.len());
            context.error(given.span, message);
            return None;
        }
        Some(())
    }
}

/// Geometry of a model's lines, as tubes, or points, as spheres, of a radius [m].
pub(super) fn of_model(set: &StrandSet, radius: f32) -> Result<GeometryDesc, CurvesError> {
    let vertices: Vec<Vec4> = set.positions.iter().map(|p| p.extend(radius)).collect();
    let colors = |domain| match set.colors.is_empty() {
        true => vec![],
        false => vec![color(domain, set.colors.clone())],
    };
    Ok(match set.kind {
        StrandKind::Points => {
            Points::new(PointStyle::Sphere, vertices, vec![], colors(AttributeDomain::Face))?.into()
        }
        StrandKind::Lines => Curves::new(CurveSet {
            basis: CurveBasis::Linear,
            style: CurveStyle::Round,
            strands: set.counts.clone(),
            vertices,
            normals: vec![],
            attributes: colors(AttributeDomain::Vertex),
        })?
        .into(),
    })
}

fn triples(given: &Given<Vec<f32>>, key: &str, context: &mut LoadContext) -> Option<Vec<Vec3>> {
    let (triples, rest) = given.value.as_chunks();
    if !rest.is_empty() {
        let message = format!("`{key}` has {} numbers, but takes three for each point", given.value.len());
        context.error(given.span, message);
        return None;
    }
    Some(triples.iter().map(|&p| Vec3::from_array(p)).collect())
}

/// Radii of a strand from its root to its tip.
fn tapered(root: f32, tip: f32, count: u32) -> impl Iterator<Item = f32> {
    let last = count.saturating_sub(1).max(1) as f32;
    (0..count).map(move |index| root + (tip - root) * (index as f32 / last))
}

fn vertices(positions: &[Vec3], radii: &[f32]) -> Vec<Vec4> {
    positions.iter().zip(radii).map(|(p, &radius)| p.extend(radius)).collect()
}

fn add_color(file: &mut StrandFile, domain: AttributeDomain, values: Vec<f32>) {
    file.attributes.retain(|attribute| attribute.name != "color");
    file.attributes.push(color(domain, values));
}

fn color(domain: AttributeDomain, values: Vec<f32>) -> MeshAttribute {
    MeshAttribute {
        name: "color".to_owned(),
        domain,
        width: 3,
        values,
        properties: vec![],
    }
}
