//! Evaluation of declarations into a scene description: dispatch by keyword, then name resolution.

use std::path::{Path, PathBuf};

use shading::syntax::ast::{Declaration, Expr};
use shading::{Diagnostic, Diagnostics, Span};

use super::context::LoadContext;
use super::film::{read_film, read_sampler};
use super::import::{Models, Texts, alias_of, model_file};
use super::integrator::read_integrator;
use super::light::PendingPortals;
use super::material::{Materials, read_material};
use super::ray_override::read_override;
use super::resolve::Groups;
use super::shape::read_shape;
use super::surroundings::read_scene;
use super::table::body_of;
use super::{camera, light};
use renderer_import::ModelMaterial;
use renderer_scene::{
    CameraDesc, EmissionSides, FilmDesc, FrameTime, Integrator, LightDesc, LightKind, SamplerDesc, SceneDesc,
};

/// Keywords of declarations.
const KEYWORDS: [&str; 11] = [
    "import",
    "film",
    "sampler",
    "scene",
    "integrator",
    "camera",
    "material",
    "shape",
    "light",
    "assign",
    "override",
];

/// Scene description under construction.
pub(super) struct Builder {
    pub(super) context: LoadContext,
    pub(super) models: Models,
    pub(super) materials: Materials,
    pub(super) groups: Groups,
    /// True if lights of models become part of the scene.
    pub(super) keep_model_lights: bool,
    /// Compiles the materials of a scene with errors, to report the errors of its shaders too.
    pub(super) shader_errors: Option<fn(&SceneDesc) -> Diagnostics>,
    pub(super) desc: SceneDesc,
    /// True if all texts and models could be read. Otherwise `shader_errors` is not called, since missing units may be
    /// in the unread files.
    is_whole: bool,
}

impl Builder {
    pub(super) fn new(path: &Path, models: Models, context: LoadContext) -> Builder {
        let desc = SceneDesc {
            file_system: context.file_system.clone(),
            sources: context.sources.clone(),
            file: path.to_owned(),
            files: vec![],
            texture_directories: vec![],
            texture_memory: None,
            build_quality: None,
            film: FilmDesc::default(),
            sampler: SamplerDesc::default(),
            integrator: Integrator::default(),
            cameras: vec![],
            shapes: vec![],
            medium: None,
            lights: vec![],
            materials: vec![],
            textures: vec![],
            shaders: vec![],
            groups: vec![],
            overrides: vec![],
            has_animated_values: false,
        };
        Builder {
            is_whole: !context.diagnostics.has_errors(),
            context,
            models,
            materials: Materials::default(),
            groups: Groups::default(),
            keep_model_lights: true,
            shader_errors: None,
            desc,
        }
    }

    /// Adds a declaration for each material of a model; later steps treat these as any other material.
    pub(super) fn declare_model_materials(&self, declarations: &mut Vec<Declaration>) {
        let mut made = vec![];
        for declaration in declarations.iter() {
            let Some((path, span, prefix)) = self.model_of(declaration) else {
                continue;
            };
            if let Some(model) = self.models.get(&path) {
                let materials = model.materials.iter();
                made.extend(materials.map(|material| material_declaration(material, &prefix, span)));
            }
        }
        declarations.extend(made);
    }

    /// Returns the path of the model whose materials a declaration imports, the span that names it, and the prefix of
    /// the materials' names.
    fn model_of(&self, declaration: &Declaration) -> Option<(PathBuf, Span, String)> {
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
        Some((path, span, prefix))
    }

    /// Evaluates all declarations at a frame, by default that of the film, and returns the description with warnings, or all errors.
    pub(super) fn build(
        mut self,
        texts: Texts,
        at: Option<FrameTime>,
    ) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
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
        self.desc.film.shutter.set_time(at);
        if let Some(sampler) = self.only(&of("sampler").collect::<Vec<_>>()) {
            read_sampler(sampler, &mut self.desc.sampler, &mut self.context);
        }
        if let Some(integrator) = self.only(&of("integrator").collect::<Vec<_>>()) {
            self.desc.integrator = read_integrator(integrator, &mut self.context);
        }
        if let Some(scene) = self.only(&of("scene").collect::<Vec<_>>())
            && let Some(medium) = read_scene(scene, &mut self.context)
        {
            self.desc.medium = self.materials.medium(&medium, &mut self.context);
        }
        for declaration in of("camera") {
            if let Some((mut camera, shader)) = camera::read_camera(declaration, &mut self.context) {
                camera.shader =
                    shader.and_then(|call| self.materials.camera(&call, &camera.name, &mut self.context));
                self.add_camera(camera);
            }
        }
        let mut portals = vec![];
        for declaration in of("light") {
            if let Some(mut declared) = light::read_light(declaration, &mut self.context) {
                if let (Some(call), LightKind::Background { shader, .. }) =
                    (&declared.shader, &mut declared.light.kind)
                {
                    let name = &declared.light.name;
                    match self.materials.background(call, name, &mut self.context) {
                        Some(material) => *shader = material,
                        None => continue,
                    }
                }
                if !declared.portals.is_empty() {
                    portals.push(PendingPortals { light: self.desc.lights.len(), names: declared.portals });
                }
                self.add_light(declared.light);
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
        for declaration in of("override") {
            let read = read_override(declaration, &mut self.context);
            self.desc.overrides.extend(read);
        }
        self.place_portals(portals);
        self.finish(texts)
    }

    fn finish(mut self, texts: Texts) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
        let is_empty = self.desc.shapes.is_empty() && !self.desc.is_library();
        if is_empty && !self.context.diagnostics.has_errors() {
            let message = format!("{} has no shapes", self.desc.file.display());
            self.context.push(Diagnostic::warning(message));
        }
        self.desc.has_animated_values = self.models.have_animated_values();
        self.desc.sources = self.context.sources;
        self.desc.materials = self.materials.list;
        self.desc.texture_directories = texts.directories;
        self.desc.files = std::mem::take(&mut self.context.files);
        self.desc.shaders = texts.shaders;
        self.desc.set_frame(self.desc.film.shutter.frame);
        if self.context.diagnostics.has_errors() {
            let mut errors = self.context.diagnostics;
            if let Some(shader_errors) = self.shader_errors.filter(|_| self.is_whole) {
                errors.add_new(shader_errors(&self.desc).list);
            }
            return Err(errors);
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

    /// Returns the declaration of a keyword that may occur once; reports repetitions.
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

    pub(super) fn add_camera(&mut self, camera: CameraDesc) {
        let same = self
            .desc
            .cameras
            .iter()
            .find(|known| known.name == camera.name)
            .map(|known| known.span);
        self.report_same("cameras", &camera.name, camera.span, same);
        self.desc.cameras.push(camera);
    }

    pub(super) fn add_light(&mut self, light: LightDesc) {
        let same = self
            .desc
            .lights
            .iter()
            .find(|known| known.name == light.name)
            .map(|known| known.span);
        self.report_same("lights", &light.name, light.span, same);
        self.desc.lights.push(light);
    }

    fn report_same(&mut self, what: &str, name: &str, span: Span, same: Option<Span>) {
        if let Some(same) = same {
            let diagnostic = self.context.error_at(span, format!("there are two {what} `{name}`")).at(
                &self.context.sources,
                same,
                "the other",
            );
            self.context.push(diagnostic);
        }
    }
}

/// Name of an import: its `as` name, or else one made from the file name.
pub(super) fn import_name(declaration: &Declaration, path: &Path) -> String {
    declaration
        .alias
        .as_ref()
        .map_or_else(|| alias_of(path), |alias| alias.text.clone())
}

/// Declaration of a model's material; `span` names the model. Texture names in it refer to textures of the model, not
/// to files.
fn material_declaration(material: &ModelMaterial, prefix: &str, span: Span) -> Declaration {
    let emission = match material.emission {
        EmissionSides::Front => "front",
        EmissionSides::Both => "both",
        EmissionSides::Neither => "neither",
    };
    let mut declaration = Declaration::named("material", format!("{prefix}.{}", material.name));
    declaration.value = Some(material.surface.clone());
    declaration.set("emission", Expr::name(emission));
    declaration.set("culled", material.culled);
    declaration.set_span(span);
    declaration
}
