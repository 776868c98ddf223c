//! Declarations to a description: each keyword has its reader, then names are resolved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Affine3A;
use shading::syntax::ast::{Declaration, ExprKind, Item};
use shading::{Diagnostic, Diagnostics, Source, Span};

use super::context::Context;
use super::film::{read_film, read_integrator, read_sampler};
use super::import::{Kind, Models, Texts, imported_file, model_file};
use super::material::{Materials, read_definition, read_material};
use super::resolve::{Groups, Pending};
use super::shape::{ShapeDeclaration, ShapeSource, read_shape};
use super::table::{Given, Key, Part, body_of, read_block, takes_only};
use super::{alias_of, camera, light};
use crate::geometry::Mesh;
use crate::scene::desc::{
    CameraDesc, EmissionSides, FilmDesc, FilterDesc, GeometryDesc, IntegratorDesc, LightDesc, LightKind, MaterialDesc, MaterialId, Placed,
    SamplerDesc, SceneDesc, ShapeDesc,
};
use crate::scene::import::{Model, ModelMaterial};
use crate::scene::text::quote;

/// The keywords that declarations begin with.
const KEYWORDS: [&str; 9] =
    ["import", "film", "sampler", "integrator", "camera", "material", "shape", "light", "assign"];

/// What the block of an import sets.
pub(super) struct ImportBlock {
    transform: Affine3A,
    cameras: bool,
    lights: bool,
}

/// The keys of `import "FILE" as NAME { … }` of a model.
pub(super) const IMPORT: &[Key<ImportBlock>] = &[
    Key {
        name: "transform",
        doc: "places the model: world from the model's world; none by default",
        set: |import, field, context| {
            if let Some(transform) = field.transform(context) {
                import.transform = transform;
            }
        },
    },
    Key {
        name: "cameras",
        doc: "`false` leaves the model's cameras out",
        set: |import, field, context| {
            if let Some(cameras) = field.boolean(context) {
                import.cameras = cameras;
            }
        },
    },
    Key {
        name: "lights",
        doc: "`false` leaves the model's lights out",
        set: |import, field, context| {
            if let Some(lights) = field.boolean(context) {
                import.lights = lights;
            }
        },
    },
];

/// A description being made.
pub(super) struct Builder {
    context: Context,
    models: Models,
    materials: Materials,
    groups: Groups,
    desc: SceneDesc,
}

impl Builder {
    pub(super) fn new(path: &Path, models: Models, context: Context) -> Builder {
        let desc = SceneDesc {
            sources: context.sources.clone(),
            file: path.to_owned(),
            texture_directories: vec![],
            film: FilmDesc {
                size: Placed { value: [1280, 720], span: Span::default() },
                crop: None,
                filter: FilterDesc::DEFAULT,
            },
            sampler: SamplerDesc::default(),
            integrator: IntegratorDesc::default(),
            cameras: vec![],
            shapes: vec![],
            lights: vec![],
            materials: vec![],
            textures: vec![],
            shaders: vec![],
        };
        Builder { context, models, materials: Materials::default(), groups: Groups::default(), desc }
    }

    pub(super) fn context(&mut self) -> &mut Context {
        &mut self.context
    }

    /// Adds, for each model that brings materials, a text that declares them: from there on they are like any other.
    pub(super) fn declare_model_materials(&mut self, declarations: &mut Vec<Declaration>) {
        let mut made = vec![];
        for declaration in declarations.iter() {
            let Some((path, prefix)) = self.model_of(declaration) else { continue };
            let Some(model) = self.models.get(&path) else { continue };
            if model.materials.is_empty() {
                continue;
            }
            let source = Source::new(format!("<materials of {}>", path.display()), materials_text(&model, &prefix));
            // Texture names in it are names of the model's textures.
            let (_, file) = self.context.parse(source, Path::new(""));
            made.extend(file.items.into_iter().filter_map(|item| match item {
                Item::Declaration(declaration) => Some(declaration),
                _ => None,
            }));
        }
        declarations.extend(made);
    }

    /// The path of the model that a declaration brings with its materials, and what their names begin with.
    fn model_of(&self, declaration: &Declaration) -> Option<(PathBuf, String)> {
        let (name, span) = model_file(declaration)?;
        let path = self.context.resolve(span, name);
        let prefix = match declaration.keyword.text.as_str() {
            "import" => import_name(declaration, &path),
            _ => {
                let has_material = body_of(declaration).iter().any(|entry| entry.key.joined() == "material");
                if has_material {
                    return None;
                }
                declaration.target.as_ref()?.joined()
            }
        };
        Some((path, prefix))
    }

    /// Gives each declaration its meaning.
    pub(super) fn build(mut self, texts: Texts) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
        let declarations = &texts.declarations;
        let of = |keyword: &'static str| declarations.iter().filter(move |d| d.keyword.text == keyword);
        self.check_keywords(declarations);
        for declaration in of("material") {
            if let Some(material) = read_material(declaration, &mut self.context) {
                self.materials.declare(material, &mut self.context);
            }
        }
        if let Some(film) = self.only(&of("film").collect::<Vec<_>>()) {
            self.desc.film.size.span = film.span;
            read_film(film, &mut self.desc.film, &mut self.context);
        }
        if let Some(sampler) = self.only(&of("sampler").collect::<Vec<_>>()) {
            read_sampler(sampler, &mut self.desc.sampler, &mut self.context);
        }
        if let Some(integrator) = self.only(&of("integrator").collect::<Vec<_>>()) {
            self.desc.integrator = read_integrator(integrator, &mut self.context);
        }
        for declaration in of("camera") {
            if let Some(camera) = camera::read_camera(declaration, &mut self.context) {
                self.add_camera(camera);
            }
        }
        for declaration in of("light") {
            if let Some(light) = light::read_light(declaration, &mut self.context) {
                self.add_light(light);
            }
        }
        for declaration in of("import") {
            self.read_import(declaration);
        }
        let mut pending = vec![];
        for declaration in of("shape") {
            if let Some(shape) = read_shape(declaration, &mut self.context) {
                self.add_declared_shape(shape, &mut pending);
            }
        }
        self.groups.place_instances(pending, &mut self.desc.shapes, &mut self.context);
        for declaration in of("assign") {
            self.assign(declaration);
        }
        self.finish(texts)
    }

    fn finish(mut self, texts: Texts) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
        if self.desc.cameras.is_empty() && !self.context.diagnostics.has_errors() {
            let message = format!("{} has no camera", self.desc.file.display());
            let hint = "add one: `camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); fov = 40; }`";
            self.context.push(Diagnostic::error(message).hint(hint));
        }
        if self.desc.shapes.is_empty() && !self.context.diagnostics.has_errors() {
            let message = format!("{} has no shapes", self.desc.file.display());
            self.context.push(Diagnostic::warning(message));
        }
        self.desc.sources = self.context.sources;
        self.desc.materials = self.materials.list;
        self.desc.texture_directories = texts.directories;
        self.desc.shaders = texts.shaders;
        if self.context.diagnostics.has_errors() {
            return Err(self.context.diagnostics);
        }
        Ok((self.desc, self.context.diagnostics))
    }

    fn check_keywords(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            let keyword = &declaration.keyword;
            if !KEYWORDS.contains(&keyword.text.as_str()) {
                let diagnostic = self
                    .context
                    .error_at(keyword.span, format!("unknown keyword `{}`", keyword.text))
                    .nearest(&keyword.text, KEYWORDS)
                    .hint(format!("a scene is made of {}, and of shaders and groups", KEYWORDS.join(", ")));
                self.context.push(diagnostic);
            }
        }
    }

    /// The one declaration of a keyword that may stand once.
    fn only<'a>(&mut self, declarations: &[&'a Declaration]) -> Option<&'a Declaration> {
        let (first, others) = declarations.split_first()?;
        for other in others {
            let diagnostic = self
                .context
                .error_at(other.keyword.span, format!("there are two `{}`", other.keyword.text))
                .at(&self.context.sources, first.keyword.span, "the other");
            self.context.push(diagnostic);
        }
        Some(first)
    }

    fn add_camera(&mut self, camera: CameraDesc) {
        let same = self.desc.cameras.iter().find(|known| known.name == camera.name).map(|known| known.span);
        self.report_same("cameras", &camera.name, camera.span, same);
        self.desc.cameras.push(camera);
    }

    fn add_light(&mut self, light: LightDesc) {
        let same = self.desc.lights.iter().find(|known| known.name == light.name).map(|known| known.span);
        self.report_same("lights", &light.name, light.span, same);
        self.desc.lights.push(light);
    }

    fn report_same(&mut self, what: &str, name: &str, span: Span, same: Option<Span>) {
        if let Some(same) = same {
            let diagnostic = self
                .context
                .error_at(span, format!("there are two {what} `{name}`"))
                .at(&self.context.sources, same, "the other");
            self.context.push(diagnostic);
        }
    }

    fn read_import(&mut self, declaration: &Declaration) {
        takes_only(declaration, &[Part::Name, Part::Alias, Part::Body], &mut self.context);
        let mut block = ImportBlock { transform: Affine3A::IDENTITY, cameras: true, lights: true };
        read_block(body_of(declaration), "an import", &[IMPORT], &mut block, &mut self.context);
        let Some((name, span)) = imported_file(declaration, &mut self.context) else { return };
        let path = self.context.resolve(span, &name);
        let Some(model) = self.models.get(&path) else { return };
        let name = import_name(declaration, &path);
        self.add_model(&model, &name, declaration.span, &block.transform, false, None);
        if block.cameras {
            for (camera_name, camera) in &model.cameras {
                let mut camera = *camera;
                camera.world_from_camera = block.transform * camera.world_from_camera;
                self.add_camera(CameraDesc { name: format!("{name}.{camera_name}"), span: declaration.span, camera });
            }
        }
        if block.lights {
            for (light_name, kind) in &model.lights {
                let kind = placed_light(kind, &block.transform);
                self.add_light(LightDesc { name: format!("{name}.{light_name}"), span: declaration.span, kind });
            }
        }
    }

    /// Adds a model's shapes, under names that begin with `name`, and its textures.
    fn add_model(
        &mut self,
        model: &Model,
        name: &str,
        span: Span,
        transform: &Affine3A,
        flip_normals: bool,
        material: Option<MaterialId>,
    ) {
        let first = self.desc.shapes.len();
        for shape in &model.shapes {
            let own = shape.material.and_then(|index| {
                self.materials.find(&format!("{name}.{}", model.materials[index].name))
            });
            let material = match material.or(own) {
                Some(material) => material,
                None => self.materials.default_material(span),
            };
            let shape_name = format!("{name}.{}", shape.name);
            self.groups.declare(&shape_name, vec![self.desc.shapes.len()], span, &mut self.context);
            self.desc.shapes.push(ShapeDesc {
                name: shape_name,
                span,
                geometry: GeometryDesc::Mesh(shape.mesh.clone()),
                material,
                world_from_object: *transform * shape.world_from_object,
                flip_normals,
            });
        }
        self.groups.declare(name, (first..self.desc.shapes.len()).collect(), span, &mut self.context);
        for texture in &model.textures {
            if !self.desc.textures.iter().any(|known| known.name == texture.name) {
                self.desc.textures.push(texture.clone());
            }
        }
    }

    fn add_declared_shape(&mut self, shape: ShapeDeclaration, pending: &mut Vec<Pending>) {
        let ShapeDeclaration { name, span, source, block } = shape;
        let material = match &block.material {
            None => None,
            // A default in place of an unknown material: the mistake is noted, and reading goes on.
            Some(expr) => Some(match self.materials.of_expr(expr, &name, &mut self.context) {
                Some(material) => material,
                None => self.materials.default_material(span),
            }),
        };
        match source {
            ShapeSource::Geometry(geometry) => {
                let material = match material {
                    Some(material) => material,
                    None => self.materials.default_material(span),
                };
                self.groups.declare(&name, vec![self.desc.shapes.len()], span, &mut self.context);
                self.desc.shapes.push(ShapeDesc {
                    name,
                    span,
                    geometry,
                    material,
                    world_from_object: block.transform,
                    flip_normals: block.flip_normals,
                });
            }
            ShapeSource::File(Given { value: file, span: file_span }) => {
                let path = self.context.resolve(file_span, &file);
                if Kind::of(&path) != Some(Kind::Model) {
                    let message = format!("`{file}` is not a mesh that is read");
                    let diagnostic = self.context.error_at(file_span, message).hint("meshes are .ply, .obj, .gltf and .glb files");
                    self.context.push(diagnostic);
                } else if let Some(model) = self.models.get(&path) {
                    self.add_model(&model, &name, span, &block.transform, block.flip_normals, material);
                }
            }
            ShapeSource::InstanceOf(of) => pending.push(Pending {
                name,
                span,
                of,
                transform: block.transform,
                flip_normals: block.flip_normals,
                material,
            }),
        }
    }

    /// `assign NAME = CALL;`: gives a material another surface, or a shape another material.
    fn assign(&mut self, declaration: &Declaration) {
        takes_only(declaration, &[Part::Name, Part::Value, Part::Body], &mut self.context);
        let Some(target) = &declaration.target else {
            self.context.error(declaration.span, "`assign` says no material or shape");
            return;
        };
        let name = target.joined();
        let Some(mut material) = read_definition(declaration, name.clone(), &mut self.context) else { return };
        // `assign x = y;` where y is a material's name takes that material's surface.
        if let ExprKind::Name(other) = &material.surface.kind
            && let Some(other) = self.materials.find(other)
        {
            let other = &self.materials.list[other.0 as usize];
            material = MaterialDesc { name: material.name, ..other.clone() };
        }
        if let Some(id) = self.materials.find(&name) {
            self.materials.list[id.0 as usize] = material;
        } else if let Some(shapes) = self.groups.find(&name) {
            let id = self.materials.add(material);
            for &shape in shapes {
                self.desc.shapes[shape].material = id;
            }
        } else {
            let mut names: Vec<&str> = self.materials.names().chain(self.groups.names()).collect();
            names.sort_unstable();
            names.dedup();
            let diagnostic = self
                .context
                .error_at(target.span, format!("there is no material or shape `{name}`"))
                .nearest(&name, names.iter().copied())
                .hint(format!("there are: {}", names.join(", ")));
            self.context.push(diagnostic);
        }
    }
}

/// The name of an import: what it says after `as`, or its file's.
fn import_name(declaration: &Declaration, path: &Path) -> String {
    declaration.alias.as_ref().map_or_else(|| alias_of(path), |alias| alias.text.clone())
}

/// A model's materials as declarations.
fn materials_text(model: &Model, prefix: &str) -> String {
    let declare = |material: &ModelMaterial| {
        let sides = match material.emission {
            EmissionSides::Front => ";",
            EmissionSides::Both => " { emission = both; }",
        };
        format!("material {} = {}{sides}\n", quote(&format!("{prefix}.{}", material.name)), material.call)
    };
    model.materials.iter().map(declare).collect()
}

fn placed_light(kind: &LightKind, transform: &Affine3A) -> LightKind {
    let mut placed = kind.clone();
    match &mut placed {
        LightKind::Environment { .. } => {}
        LightKind::Point { position, .. } => *position = transform.transform_point3(*position),
        LightKind::Spot { position, direction, .. } => {
            *position = transform.transform_point3(*position);
            *direction = transform.transform_vector3(*direction).normalize_or(*direction);
        }
        LightKind::Directional { direction, .. } => {
            *direction = transform.transform_vector3(*direction).normalize_or(*direction);
        }
    }
    placed
}

/// Meshes made in memory, for programs that build scenes without files.
impl From<Mesh> for GeometryDesc {
    fn from(mesh: Mesh) -> GeometryDesc {
        GeometryDesc::Mesh(Arc::new(mesh))
    }
}
