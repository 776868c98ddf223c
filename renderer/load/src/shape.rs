//! Declarations `shape NAME : KIND { … }`.

use shading::Span;
use shading::syntax::ast::Declaration;

use super::attributes::{self, read_attributes};
use super::catcher::{CATCHER, catcher};
use super::context::LoadContext;
use super::field::{Given, Range};
use super::light_links::LinkBlock;
use super::motion::{MOTION, motion};
use super::shape_block::{MeshEdits, ShapeBlock};
use super::strands::{CURVES, POINTS, VELOCITIES, curves, points};
use super::table::{Key, body_of, header_of, kind_of, read_block, set};
use super::tessellation::TessellatedBlock;
use super::vertex_keys::{FileKey, VertexSource, file_keys};
use renderer_scene::{GeometryDesc, LightLinks};

impl LinkBlock for ShapeBlock {
    fn links(&mut self) -> &mut LightLinks {
        &mut self.links
    }
}

/// Keys of all shapes.
pub(super) const ANY: &[Key<ShapeBlock>] = &[
    Key {
        name: "material",
        doc: "a material's name, or a call: `matte(albedo = 0.5)`; by default the materials of the mesh file, or a \
              grey matte one",
        set: |shape, field, _| shape.material = Some(field.expr.clone()),
    },
    Key {
        name: "transform",
        doc: "world from object; none by default",
        set: |shape, field, context| set(&mut shape.transform, field.transform(context)),
    },
    Key {
        name: "motion",
        doc: MOTION,
        set: |shape, field, context| shape.motion = motion(&field, context),
    },
    Key {
        name: "flip_normals",
        doc: "`true` turns the surface inside out",
        set: |shape, field, context| set(&mut shape.flip_normals, field.boolean(context)),
    },
    Key {
        name: "catcher",
        doc: CATCHER,
        set: |shape, field, context| shape.catcher = catcher(&field, context),
    },
    attributes::key(),
];

const RADIUS: Key<ShapeBlock> = Key {
    name: "radius",
    doc: "1 by default",
    set: |shape, field, context| set(&mut shape.radius, field.number(context, Range::Positive)),
};

pub(super) const SPHERE: &[Key<ShapeBlock>] = &[
    Key {
        name: "center",
        doc: "(0, 0, 0) by default",
        set: |shape, field, context| set(&mut shape.center, field.point(context)),
    },
    RADIUS,
];

pub(super) const PLANE: &[Key<ShapeBlock>] = &[Key {
    name: "size",
    doc: "the side of the square; 2 by default",
    set: |shape, field, context| set(&mut shape.size, field.number(context, Range::Positive)),
}];

pub(super) const RECTANGLE: &[Key<ShapeBlock>] = &[Key {
    name: "size",
    doc: "extent in x and y, one number or two; 2 by default",
    set: |shape, field, context| set(&mut shape.size2, field.size2(context)),
}];

pub(super) const DISK: &[Key<ShapeBlock>] = &[RADIUS];

pub(super) const CUBE: &[Key<ShapeBlock>] = &[Key {
    name: "size",
    doc: "extent in x, y and z, one number or three; 2 by default",
    set: |shape, field, context| set(&mut shape.size3, field.size3(context)),
}];

const HEIGHT: Key<ShapeBlock> = Key {
    name: "height",
    doc: "1 by default",
    set: |shape, field, context| set(&mut shape.height, field.number(context, Range::Positive)),
};

pub(super) const CYLINDER: &[Key<ShapeBlock>] = &[RADIUS, HEIGHT];

pub(super) const CONE: &[Key<ShapeBlock>] = &[
    RADIUS,
    Key {
        name: "top_radius",
        doc: "radius at the top, less than `radius`; 0, a point, by default",
        set: |shape, field, context| {
            shape.top_radius = field.given(field.number(context, Range::NotNegative));
        },
    },
    HEIGHT,
];

pub(super) const MESH: &[Key<ShapeBlock>] = &[
    Key {
        name: "file",
        doc: "a PLY, OBJ, STL, .serialized, glTF or GLB file; required without `keys`",
        set: |shape, field, context| shape.file = field.given(field.string(context)),
    },
    Key {
        name: "keys",
        doc: "in place of `file`, files at times in frames, as `{ at(0, \"a.ply\"), at(12, \"b.ply\") }`: each has one mesh, all \
              with the same triangles; vertices are interpolated linearly, and constant before the first and after the last",
        set: |shape, field, context| shape.keys = file_keys(&field, context),
    },
    VELOCITIES,
    Key {
        name: "part",
        doc: "index of the mesh in the file, from 0; by default the first of a .serialized file, and all of any other",
        set: |shape, field, context| {
            shape.part = field.given(field.integer(context, 0, u32::MAX.into()));
        },
    },
    Key {
        name: "face_normals",
        doc: "`true` ignores the file's vertex normals, so that the surface looks faceted; `false` by default",
        set: |shape, field, context| set(&mut shape.edits.face_normals, field.boolean(context)),
    },
    Key {
        name: "smooth",
        doc: "`true` gives vertex normals to a mesh whose file has none: those of the faces around each vertex, weighted \
              by their angles; `false` by default, so that it looks faceted",
        set: |shape, field, context| set(&mut shape.edits.smooth, field.boolean(context)),
    },
    Key {
        name: "flip_uvs",
        doc: "`true` turns texture coordinates upside down: v becomes 1 - v; `false` by default",
        set: |shape, field, context| set(&mut shape.edits.flip_uvs, field.boolean(context)),
    },
];

pub(super) const INSTANCE: &[Key<ShapeBlock>] = &[Key {
    name: "of",
    doc: "the name of a shape or of an import; `transform` is relative to its placement; required",
    set: |shape, field, context| shape.of = field.given(context.name(field.expr)),
}];

/// Declaration of a shape, before names and files are resolved.
pub(super) struct ShapeDeclaration {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) source: ShapeSource,
    pub(super) block: ShapeBlock,
}

/// Source of a shape's geometry.
pub(super) enum ShapeSource {
    Geometry(GeometryDesc, VertexSource),
    File(MeshFile),
    InstanceOf(Given<String>),
}

/// Mesh file of a shape, with the part to use, its edits and its motion.
#[derive(Clone)]
pub(super) struct MeshFile {
    pub(super) file: Given<String>,
    pub(super) part: Option<Given<u64>>,
    pub(super) edits: MeshEdits,
    pub(super) keys: Vec<FileKey>,
    /// Location of the key `velocities`, if it is true.
    pub(super) velocities: Option<Span>,
}

/// Kinds of shapes.
#[derive(Clone, Copy)]
enum ShapeKeyword {
    Sphere,
    Plane,
    Rectangle,
    Disk,
    Cube,
    Cylinder,
    Cone,
    Mesh,
    Curves,
    Points,
    Instance,
}

pub(super) fn read_shape(declaration: &Declaration, context: &mut LoadContext) -> Option<ShapeDeclaration> {
    let name = header_of(declaration, context)?;
    let kinds = [
        ("sphere", ShapeKeyword::Sphere),
        ("plane", ShapeKeyword::Plane),
        ("rectangle", ShapeKeyword::Rectangle),
        ("disk", ShapeKeyword::Disk),
        ("cube", ShapeKeyword::Cube),
        ("cylinder", ShapeKeyword::Cylinder),
        ("cone", ShapeKeyword::Cone),
        ("mesh", ShapeKeyword::Mesh),
        ("curves", ShapeKeyword::Curves),
        ("points", ShapeKeyword::Points),
        ("instance", ShapeKeyword::Instance),
    ];
    let kind = kind_of(declaration, None, &kinds, context)?;
    let (what, own) = match kind {
        ShapeKeyword::Sphere => ("a sphere", SPHERE),
        ShapeKeyword::Plane => ("a plane", PLANE),
        ShapeKeyword::Rectangle => ("a rectangle", RECTANGLE),
        ShapeKeyword::Disk => ("a disk", DISK),
        ShapeKeyword::Cube => ("a cube", CUBE),
        ShapeKeyword::Cylinder => ("a cylinder", CYLINDER),
        ShapeKeyword::Cone => ("a cone", CONE),
        ShapeKeyword::Mesh => ("a mesh", MESH),
        ShapeKeyword::Curves => ("curves", CURVES),
        ShapeKeyword::Points => ("points", POINTS),
        ShapeKeyword::Instance => ("an instance", INSTANCE),
    };
    let mut block = ShapeBlock {
        attributes: read_attributes(body_of(declaration), context),
        ..ShapeBlock::default()
    };
    let (subdivision, dicing): (&[_], &[_]) = match kind {
        ShapeKeyword::Mesh => (ShapeBlock::SUBDIVISION, ShapeBlock::DICING),
        ShapeKeyword::Plane | ShapeKeyword::Rectangle | ShapeKeyword::Cube => (&[], ShapeBlock::DICING),
        _ => (&[], &[]),
    };
    let tables = [own, subdivision, dicing, ANY, ShapeBlock::LINKS];
    read_block(body_of(declaration), what, &tables, &mut block, context);
    let constant = |geometry: GeometryDesc| ShapeSource::Geometry(geometry, VertexSource::Constant);
    let source = match kind {
        ShapeKeyword::Sphere => constant(GeometryDesc::Sphere { center: block.center, radius: block.radius }),
        ShapeKeyword::Plane => constant(GeometryDesc::Plane { size: block.size }),
        ShapeKeyword::Rectangle => constant(GeometryDesc::Rectangle { size: block.size2 }),
        ShapeKeyword::Disk => constant(GeometryDesc::Disk { radius: block.radius }),
        ShapeKeyword::Cube => constant(GeometryDesc::Cube { size: block.size3 }),
        ShapeKeyword::Cylinder => {
            constant(GeometryDesc::Cylinder { radius: block.radius, height: block.height })
        }
        ShapeKeyword::Cone => constant(cone(&block, context)?),
        ShapeKeyword::Mesh => ShapeSource::File(MeshFile {
            file: match block.keys.first() {
                None => required(block.file.take(), "file", what, declaration, context)?,
                Some((_, first)) => {
                    if let Some(file) = &block.file {
                        context.error(file.span, "a mesh takes either `file` or `keys`");
                        return None;
                    }
                    first.clone()
                }
            },
            part: block.part.take(),
            edits: block.edits,
            keys: std::mem::take(&mut block.keys),
            velocities: block.velocities.filter(|velocities| velocities.value).map(|given| given.span),
        }),
        ShapeKeyword::Curves => {
            let (geometry, vertices) = curves(&block, declaration, context)?;
            ShapeSource::Geometry(geometry, vertices)
        }
        ShapeKeyword::Points => {
            let (geometry, vertices) = points(&block, declaration, context)?;
            ShapeSource::Geometry(geometry, vertices)
        }
        ShapeKeyword::Instance => {
            ShapeSource::InstanceOf(required(block.of.take(), "of", what, declaration, context)?)
        }
    };
    Some(ShapeDeclaration { name, span: declaration.span, source, block })
}

/// The cone of a block.
fn cone(block: &ShapeBlock, context: &mut LoadContext) -> Option<GeometryDesc> {
    let ShapeBlock { radius, height, .. } = *block;
    let top = block.top_radius.map_or(0.0, |top| top.value);
    if let Some(given) = block.top_radius
        && top >= radius
    {
        let error = context
            .error_at(given.span, format!("`top_radius` is {top}, not less than `radius`, {radius}"))
            .hint(
                "turn a cone that opens upwards: `transform = translate(0, 0, 1) * rotate((1, 0, 0), 180)`",
            );
        context.push(error);
        return None;
    }
    Some(GeometryDesc::Cone { radius, top, height })
}

fn required<T>(
    given: Option<T>,
    key: &str,
    what: &str,
    declaration: &Declaration,
    context: &mut LoadContext,
) -> Option<T> {
    let written = body_of(declaration).iter().any(|entry| entry.key.joined() == key);
    if given.is_none() && !written {
        context.error(declaration.span, format!("{what} needs `{key}`"));
    }
    given
}
