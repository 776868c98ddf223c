//! Declarations `material NAME = unit_or_group(arguments);`, and inline materials of shapes.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::Span;
use shading::graph::GroupUse;
use shading::syntax::ast::{Argument, Declaration, Expr, ExprKind};

use super::context::LoadContext;
use super::group::{GROUP, group};
use super::table::{DeclarationPart, Key, body_of, name_of, read_block, set, takes_only};
use super::value::SceneValue;
use renderer_image::Format;
use renderer_image::texture::TilePattern;
use renderer_scene::MaterialId;
use renderer_scene::{DisplacementMode, EmissionSides, MaterialDesc, Nesting, Priority};

/// Values of a material's block.
#[derive(Default)]
pub(super) struct MaterialBlock {
    surface: Option<Expr>,
    one_sided: bool,
    culled: bool,
    emission: EmissionSides,
    group: Option<Arc<str>>,
    displacement: Option<Expr>,
    displacement_mode: DisplacementMode,
    interior: Option<Expr>,
    priority: Option<Priority>,
    nesting: Nesting,
}

/// Keys of `material NAME { … }`.
pub(super) const MATERIAL: &[Key<MaterialBlock>] = &[
    Key {
        name: "surface",
        doc: "the call of a unit or group, if it is not after `=`",
        set: |material, field, _| material.surface = Some(field.expr.clone()),
    },
    Key {
        name: "one_sided",
        doc: "`true`: the back of the surface does not scatter, and no light scatters through the surface; \
              straight-through transparency works from both sides",
        set: |material, field, context| set(&mut material.one_sided, field.boolean(context)),
    },
    Key {
        name: "culled",
        doc: "`true`: engines do not show the back of the surface; `render` shows it, `bake` omits it",
        set: |material, field, context| set(&mut material.culled, field.boolean(context)),
    },
    Key {
        name: "emission",
        doc: "the sides that emit: `front` (the default), `both` or `neither`",
        set: |material, field, context| {
            let options = [
                ("front", EmissionSides::Front),
                ("both", EmissionSides::Both),
                ("neither", EmissionSides::Neither),
            ];
            set(&mut material.emission, field.choice(context, &options));
        },
    },
    Key {
        name: "group",
        doc: GROUP,
        set: |material, field, context| material.group = group(&field, context),
    },
    Key {
        name: "displacement",
        doc: "the call of a displacement shader, which moves the surface: meshes, planes, rectangles and cubes are divided into \
              triangles of about a pixel, or as their keys `level`, `dicing` and `edge_length` say",
        set: |material, field, _| material.displacement = Some(field.expr.clone()),
    },
    Key {
        name: "displacement_mode",
        doc: "`true` (the default) moves the surface, `bump` only bends its normals, `both` also bends them by detail that is \
              smaller than triangles",
        set: |material, field, context| {
            let options = [
                ("true", DisplacementMode::True),
                ("bump", DisplacementMode::Bump),
                ("both", DisplacementMode::Both),
            ];
            let is_true = context.value(field.expr) == Some(SceneValue::Bool(true));
            let mode = if is_true {
                Some(DisplacementMode::True)
            } else {
                field.choice(context, &options)
            };
            set(&mut material.displacement_mode, mode);
        },
    },
    Key {
        name: "interior",
        doc: "interior medium, which replaces media of the surface's shader: the call of a volume shader",
        set: |material, field, _| material.interior = Some(field.expr.clone()),
    },
    Key {
        name: "priority",
        doc: "priority of the interior among overlapping bodies: the highest one determines medium and index (0 to \
              1000, by default 0); of equal ones, the smallest refracting body displaces the others, and media mix",
        set: |material, field, context| {
            let priority = field.integer(context, 0, 1000);
            material.priority = priority.map(|value| Priority(value as i32)).or(material.priority);
        },
    },
    Key {
        name: "relative_ior",
        doc: "`true`: indices of refraction are relative to the other side of the surface, whatever its medium; \
              otherwise they are relative to a vacuum, and glass in water refracts less",
        set: |material, field, context| {
            if let Some(is_relative) = field.boolean(context) {
                material.nesting = if is_relative { Nesting::Relative } else { Nesting::Absolute };
            }
        },
    },
];

/// Default material of shapes: unit, parameter and its grey value.
const DEFAULT_MATERIAL: (&str, &str, f32) = ("matte", "albedo", 0.5);

/// Materials found so far.
#[derive(Default)]
pub(super) struct Materials {
    pub(super) list: Vec<MaterialDesc>,
    by_name: FxHashMap<String, MaterialId>,
    default: Option<MaterialId>,
}

impl Materials {
    /// Adds a named material; reports a second one of the same name.
    pub(super) fn declare(&mut self, material: MaterialDesc, context: &mut LoadContext) {
        if let Some(first) = self.by_name.get(&material.name) {
            let first = self.list[first.0 as usize].span;
            let diagnostic = context
                .error_at(material.span, format!("there are two materials `{}`", material.name))
                .at(&context.sources, first, "the other");
            context.push(diagnostic);
            return;
        }
        let name = material.name.clone();
        let id = self.add(material);
        self.by_name.insert(name, id);
    }

    /// Adds a material without registering its name.
    pub(super) fn add(&mut self, material: MaterialDesc) -> MaterialId {
        self.list.push(material);
        MaterialId(self.list.len() as u32 - 1)
    }

    pub(super) fn find(&self, name: &str) -> Option<MaterialId> {
        self.by_name.get(name).copied()
    }

    /// Names of all materials.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Id of the default material, which is created at first use.
    pub(super) fn default_material(&mut self, span: Span) -> MaterialId {
        if let Some(id) = self.default {
            return id;
        }
        let (unit, parameter, grey) = DEFAULT_MATERIAL;
        let mut surface = Expr::call(unit, vec![Argument::named(parameter, grey)]);
        surface.set_span(span);
        let id = self.add(MaterialDesc::of_call(
            "default".to_owned(),
            span,
            Arc::new(surface),
            GroupUse::Surface,
        ));
        self.default = Some(id);
        id
    }

    /// Adds the shader of an environment, `owner`.
    pub(super) fn background(
        &mut self,
        expr: &Expr,
        owner: &str,
        context: &mut LoadContext,
    ) -> Option<MaterialId> {
        self.add_call(format!("{owner}.shader"), expr, GroupUse::Background, context)
    }

    /// Adds the shader of a custom camera, `owner`.
    pub(super) fn camera(
        &mut self,
        expr: &Expr,
        owner: &str,
        context: &mut LoadContext,
    ) -> Option<MaterialId> {
        self.add_call(format!("{owner}.shader"), expr, GroupUse::Camera, context)
    }

    /// Adds the medium that fills a scene.
    pub(super) fn medium(&mut self, expr: &Expr, context: &mut LoadContext) -> Option<MaterialId> {
        self.add_call("scene.medium".to_owned(), expr, GroupUse::Volume, context)
    }

    fn add_call(
        &mut self,
        name: String,
        expr: &Expr,
        usage: GroupUse,
        context: &mut LoadContext,
    ) -> Option<MaterialId> {
        let surface = surface_of(expr, context)?;
        Some(self.add(MaterialDesc::of_call(name, expr.span, surface, usage)))
    }

    /// Material of a shape's `material = …`: a name, or a call that creates one for `owner` alone.
    pub(super) fn of_expr(
        &mut self,
        expr: &Expr,
        owner: &str,
        context: &mut LoadContext,
    ) -> Option<MaterialId> {
        if let ExprKind::Call { .. } = expr.kind {
            let (name, surface) = (format!("{owner}.material"), surface_of(expr, context)?);
            return Some(self.add(MaterialDesc::of_call(name, expr.span, surface, GroupUse::Surface)));
        }
        let name = context.name(expr)?;
        let found = self.find(&name);
        if found.is_none() {
            let mut names: Vec<&str> = self.names().collect();
            names.sort_unstable();
            let diagnostic = context
                .error_at(expr.span, format!("there is no material `{name}`"))
                .nearest(&name, names.iter().copied())
                .hint(format!("declare it with `material {name} = …;`, or write a call: `{name}()`"));
            context.push(diagnostic);
        }
        found
    }
}

pub(super) fn read_material(declaration: &Declaration, context: &mut LoadContext) -> Option<MaterialDesc> {
    takes_only(
        declaration,
        &[DeclarationPart::Name, DeclarationPart::Value, DeclarationPart::Body],
        context,
    );
    let name = name_of(declaration, context)?;
    read_definition(declaration, name, context)
}

/// Reads a material's definition: a value, a block, or both.
pub(super) fn read_definition(
    declaration: &Declaration,
    name: String,
    context: &mut LoadContext,
) -> Option<MaterialDesc> {
    let mut block = MaterialBlock::default();
    read_block(body_of(declaration), "a material", &[MATERIAL], &mut block, context);
    let surface = match (&declaration.value, &block.surface) {
        (Some(_), Some(second)) => {
            context.error(second.span, "the surface is already given after `=`");
            return None;
        }
        (Some(surface), None) => surface,
        (None, Some(surface)) => surface,
        (None, None) => {
            let diagnostic = context
                .error_at(declaration.span, format!("the material `{name}` has no surface"))
                .hint(format!("write `material {name} = matte(albedo = 0.5);`"));
            context.push(diagnostic);
            return None;
        }
    };
    let mut call = |expr: Option<&Expr>| match expr {
        Some(expr) => surface_of(expr, context).map(Some),
        None => Some(None),
    };
    Some(MaterialDesc {
        name,
        span: declaration.span,
        surface: call(Some(surface))??,
        usage: GroupUse::Surface,
        one_sided: block.one_sided,
        culled: block.culled,
        emission: block.emission,
        group: block.group,
        displacement: call(block.displacement.as_ref())?,
        displacement_mode: block.displacement_mode,
        interior: call(block.interior.as_ref())?,
        priority: block.priority,
        nesting: block.nesting,
    })
}

/// Checks the form of a material's surface, and makes image file names in it independent of the directory of its text.
pub(super) fn surface_of(expr: &Expr, context: &mut LoadContext) -> Option<Arc<Expr>> {
    let mut surface = expr.clone();
    match &mut surface.kind {
        ExprKind::Name(_) => {}
        ExprKind::Call { args, .. } => {
            for arg in args {
                resolve_images(&mut arg.value, context);
            }
        }
        _ => {
            let diagnostic = context
                .error_at(expr.span, "a material is a unit or a group with its arguments")
                .hint("as in `matte(albedo = (0.8, 0.7, 0.6))`");
            context.push(diagnostic);
            return None;
        }
    }
    Some(Arc::new(surface))
}

/// Returns whether a file name is a tile pattern.
fn is_tile_pattern(name: &str) -> bool {
    let file = Path::new(name).file_name().and_then(OsStr::to_str);
    file.and_then(TilePattern::parse).is_some()
}

/// Replaces image file names by paths. Names that cannot be files (`ball.glb#image2`) stay.
fn resolve_images(expr: &mut Expr, context: &mut LoadContext) {
    if let ExprKind::String(name) = &mut expr.kind
        && Format::from_extension(Path::new(name.as_str())).is_some()
    {
        // Any tile of a pattern may exist: the texture system looks for them later.
        let path = if is_tile_pattern(name) {
            Some(context.resolve(expr.span, name))
        } else {
            context.existing_file(expr.span, name)
        };
        if let Some(path) = path {
            // A relative path would be looked up in the scene's directories again.
            let path = std::path::absolute(&path).unwrap_or(path);
            *name = path.to_string_lossy().into_owned();
        }
    }
    expr.for_each_operand_mut(&mut |operand| resolve_images(operand, context));
}
