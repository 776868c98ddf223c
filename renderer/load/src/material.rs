//! Declarations `material NAME = unit_or_group(arguments);`, and materials given inline by shapes.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use shading::Span;
use shading::syntax::ast::{Argument, Declaration, Expr, ExprKind};

use super::context::LoadContext;
use super::table::{DeclarationPart, Key, body_of, name_of, read_block, set, takes_only};
use renderer_image::Format;
use renderer_image::texture::TilePattern;
use renderer_scene::MaterialId;
use renderer_scene::{EmissionSides, MaterialDesc};

/// What a material's block sets.
#[derive(Default)]
pub(super) struct MaterialBlock {
    surface: Option<Expr>,
    one_sided: bool,
    culled: bool,
    emission: EmissionSides,
}

/// The keys of `material NAME { … }`.
pub(super) const MATERIAL: &[Key<MaterialBlock>] = &[
    Key {
        name: "surface",
        doc: "the call of a unit or group, where it does not stand after `=`",
        set: |material, field, _| material.surface = Some(field.expr.clone()),
    },
    Key {
        name: "one_sided",
        doc: "`true`: the back of the surface scatters nothing, nor does light scatter through it; what is transparent is so from both sides",
        set: |material, field, context| set(&mut material.one_sided, field.boolean(context)),
    },
    Key {
        name: "culled",
        doc: "`true`: engines do not show the back of the surface; `render` does, but `bake` spends nothing on it",
        set: |material, field, context| set(&mut material.culled, field.boolean(context)),
    },
    Key {
        name: "emission",
        doc: "the sides that emit, if the surface emits: `front` (the default) or `both`",
        set: |material, field, context| {
            let options = [("front", EmissionSides::Front), ("both", EmissionSides::Both)];
            set(&mut material.emission, field.choice(context, &options));
        },
    },
];

/// The material of shapes that have none, with its grey.
const DEFAULT_MATERIAL: (&str, &str, f32) = ("matte", "albedo", 0.5);

/// The materials found so far.
#[derive(Default)]
pub(super) struct Materials {
    pub(super) list: Vec<MaterialDesc>,
    by_name: FxHashMap<String, MaterialId>,
    default: Option<MaterialId>,
}

impl Materials {
    /// Adds a material under its name.
    pub(super) fn declare(&mut self, material: MaterialDesc, context: &mut LoadContext) {
        if let Some(first) = self.by_name.get(&material.name) {
            let first = self.list[first.0 as usize].span;
            let diagnostic = context
                .error_at(
                    material.span,
                    format!("there are two materials `{}`", material.name),
                )
                .at(&context.sources, first, "the other");
            context.push(diagnostic);
            return;
        }
        let name = material.name.clone();
        let id = self.add(material);
        self.by_name.insert(name, id);
    }

    /// Adds a material that nothing else names.
    pub(super) fn add(&mut self, material: MaterialDesc) -> MaterialId {
        self.list.push(material);
        MaterialId(self.list.len() as u32 - 1)
    }

    /// The material of that name.
    pub(super) fn find(&self, name: &str) -> Option<MaterialId> {
        self.by_name.get(name).copied()
    }

    /// The names of all.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The material of a shape that says none.
    pub(super) fn default_material(&mut self, span: Span) -> MaterialId {
        if let Some(id) = self.default {
            return id;
        }
        let (unit, parameter, grey) = DEFAULT_MATERIAL;
        let mut surface = Expr::call(unit, vec![Argument::named(parameter, grey)]);
        surface.set_span(span);
        let id = self.add(MaterialDesc {
            name: "default".to_owned(),
            span,
            surface: Arc::new(surface),
            one_sided: false,
            culled: false,
            emission: EmissionSides::Front,
        });
        self.default = Some(id);
        id
    }

    /// The material that a shape's `material = …` means: a name, or a call that makes one for `owner` alone.
    pub(super) fn of_expr(
        &mut self,
        expr: &Expr,
        owner: &str,
        context: &mut LoadContext,
    ) -> Option<MaterialId> {
        if let ExprKind::Call { .. } = expr.kind {
            let material = MaterialDesc {
                name: format!("{owner}.material"),
                span: expr.span,
                surface: surface_of(expr, context)?,
                one_sided: false,
                culled: false,
                emission: EmissionSides::Front,
            };
            return Some(self.add(material));
        }
        let name = context.name(expr)?;
        let found = self.find(&name);
        if found.is_none() {
            let mut names: Vec<&str> = self.names().collect();
            names.sort_unstable();
            let diagnostic = context
                .error_at(expr.span, format!("there is no material `{name}`"))
                .nearest(&name, names.iter().copied())
                .hint(format!(
                    "declare it with `material {name} = …;`, or write a call: `{name}()`"
                ));
            context.push(diagnostic);
        }
        found
    }
}

/// Reads `material`.
pub(super) fn read_material(declaration: &Declaration, context: &mut LoadContext) -> Option<MaterialDesc> {
    takes_only(
        declaration,
        &[
            DeclarationPart::Name,
            DeclarationPart::Value,
            DeclarationPart::Body,
        ],
        context,
    );
    let name = name_of(declaration, context)?;
    read_definition(declaration, name, context)
}

/// Reads what makes a material: a value, a block, or both.
pub(super) fn read_definition(
    declaration: &Declaration,
    name: String,
    context: &mut LoadContext,
) -> Option<MaterialDesc> {
    let mut block = MaterialBlock::default();
    read_block(
        body_of(declaration),
        "a material",
        &[MATERIAL],
        &mut block,
        context,
    );
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
    Some(MaterialDesc {
        name,
        span: declaration.span,
        surface: surface_of(surface, context)?,
        one_sided: block.one_sided,
        culled: block.culled,
        emission: block.emission,
    })
}

/// Checks the form of a material's surface, and makes the names of image files in it independent of where it is
/// written.
fn surface_of(expr: &Expr, context: &mut LoadContext) -> Option<Arc<Expr>> {
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

/// Whether a name stands for many files.
fn is_tile_pattern(name: &str) -> bool {
    let file = Path::new(name).file_name().and_then(OsStr::to_str);
    file.and_then(TilePattern::parse).is_some()
}

/// Replaces the name of an image file by its path. Names that cannot be files (`ball.glb#image2`) stay.
fn resolve_images(expr: &mut Expr, context: &mut LoadContext) {
    match &mut expr.kind {
        ExprKind::String(name) => {
            if Format::from_extension(Path::new(name.as_str())).is_none() {
                return;
            }
            // Of a name that stands for many files, any may be there: the material's textures are looked for later.
            let path = if is_tile_pattern(name) {
                Some(context.resolve(expr.span, name))
            } else {
                context.existing_file(expr.span, name)
            };
            if let Some(path) = path {
                // A relative one would be looked for in the folders of the scene once more.
                let path = std::path::absolute(&path).unwrap_or(path);
                *name = path.to_string_lossy().into_owned();
            }
        }
        ExprKind::Call { args, .. } | ExprKind::Construct { args, .. } => {
            for arg in args {
                resolve_images(&mut arg.value, context);
            }
        }
        ExprKind::Braces(list) | ExprKind::List(list) | ExprKind::Tuple(list) => {
            for item in list {
                resolve_images(item, context);
            }
        }
        ExprKind::Ternary { then, otherwise, .. } => {
            resolve_images(then, context);
            resolve_images(otherwise, context);
        }
        ExprKind::Binary { left, right, .. } => {
            resolve_images(left, context);
            resolve_images(right, context);
        }
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Name(_)
        | ExprKind::Unary { .. }
        | ExprKind::Assign { .. }
        | ExprKind::Step { .. }
        | ExprKind::Cast { .. }
        | ExprKind::Member { .. }
        | ExprKind::Index { .. } => {}
    }
}
