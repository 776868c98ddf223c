//! The scene that is shown: read when texts and files change, changed where values and the view do.
//!
//! A change of a number in a material compiles only that material; the result equals that of reading the scene again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use shading::syntax::ast::Expr;
use shading::ty::Base;
use shading::{Diagnostics, Template};

use super::look::Look;
use super::orbit::{Orbit, Pivot};
use super::parameter;
use super::session::{RequestedLook, Session};
use renderer_cli::LiveArgs;
use renderer_geometry::camera::{Camera, CameraDesc};
use renderer_inputs::render_request::RenderRequest;
use renderer_inputs::scene_options::{SceneOptions, load_scene};
use renderer_inputs::scene_request::SceneRequest;
use renderer_inputs::stage;
use renderer_inputs::stage_args::On;
use renderer_load::MaterialValue;
use renderer_scene::{MaterialId, SceneDesc, ShaderFile};
use renderer_support::file_watch::FileWatch;
use renderer_transport::scene::build::Built;
use renderer_transport::scene::reshade::Reshader;

/// Photon maps, and pilots that choose branches and guides, take longer than a page should wait.
const INTEGRATOR: [&str; 4] = [
    "integrator=path",
    "integrator.split=1",
    "integrator.light_samples=1",
    "integrator.guide=false",
];

/// A scene with what its next change needs.
pub(super) struct LiveScene {
    pub(super) desc: SceneDesc,
    pub(super) built: Arc<Built>,
    /// The camera as it is turned.
    pub(super) camera: CameraDesc,
    /// The camera of the whole picture, without the crop.
    pub(super) whole: Camera,
    reshader: Option<Reshader>,
    read_with: Reading,
    /// The shader on a stage; `None` of a scene.
    shader: Option<Template>,
    /// Surfaces and texts of shaders before `values` are set.
    base: (Vec<Arc<Expr>>, Vec<ShaderFile>),
    values: BTreeMap<String, String>,
    /// The camera before it is turned by `orbit`.
    own_camera: CameraDesc,
    pivot: Pivot,
    orbit: Orbit,
    /// True if files may have been read since they were watched.
    is_new: bool,
    /// Warnings of reading.
    warnings: Diagnostics,
}

/// Inputs of reading the scene, which is read again when they change.
#[derive(Clone, Debug, PartialEq)]
struct Reading {
    /// Number of changes of files.
    files: u64,
    on: Option<On>,
    show: Option<String>,
    /// Values that are texts, which may name files.
    texts: BTreeMap<String, String>,
}

impl Reading {
    fn of(wanted: &RequestedLook, texts: BTreeMap<String, String>) -> Reading {
        Reading {
            files: wanted.files,
            on: wanted.look.on.clone(),
            show: wanted.look.show.clone(),
            texts,
        }
    }
}

/// Updates the scene to the requested look, from the kept state if possible.
///
/// # Errors
/// All mistakes; nothing is kept then.
pub(super) fn follow(
    kept: &mut Option<LiveScene>,
    args: &LiveArgs,
    wanted: &RequestedLook,
    session: &Session,
    watch: &FileWatch,
) -> Result<(), String> {
    let is_shown = kept.as_mut().is_some_and(|kept| kept.follow(args, wanted).is_some());
    if !is_shown {
        // Two scenes at once would be one too many for some.
        *kept = None;
        *kept = Some(LiveScene::read(args, wanted, session, watch)?);
    }
    if let Some(kept) = kept.as_mut().filter(|kept| kept.is_new) {
        kept.is_new = false;
        let late = kept.built.scene.late_files();
        watch.add(files(&kept.desc).into_iter().chain(late).collect());
    }
    Ok(())
}

impl LiveScene {
    /// Reads and builds the requested scene.
    fn read(
        args: &LiveArgs,
        wanted: &RequestedLook,
        session: &Session,
        watch: &FileWatch,
    ) -> Result<LiveScene, String> {
        let words = |diagnostics: Diagnostics| diagnostics.to_string();
        let shader = shader(args, wanted, session).map_err(words)?;
        let (texts, values) = split(&wanted.look, shader.as_ref());
        let (mut desc, warnings) = read(args, wanted, &texts).map_err(words)?;
        watch.add(files(&desc));
        let base = (surfaces(&desc), desc.shaders.clone());
        if !values.is_empty() && set(&mut desc, shader.as_ref(), &values).is_none() {
            // The values are invalid: reading the scene with all of them reports the errors.
            let all = wanted.look.values(shader.is_some()).clone();
            desc = read(args, wanted, &all).map_err(words)?.0;
        }
        let own_camera = *chosen(args, &mut desc).ok_or("the scene has no camera")?;
        let (built, reshader) =
            Reshader::build(&desc, args.camera.as_deref(), threads(args)).map_err(words)?;
        if shader.is_none() {
            session.set_materials(parameter::materials(&desc, &base.0, reshader.as_ref()));
        }
        let [width, height] = desc.film.size.value;
        let space = built.scene.host().space();
        let whole =
            Camera::new(&space.camera(&own_camera), width, height).map_err(|error| error.to_string())?;
        let mut kept = LiveScene {
            pivot: Pivot::of(&built.scene, &whole, shader.is_some()),
            desc,
            built: Arc::new(built),
            whole,
            reshader,
            camera: own_camera,
            read_with: Reading::of(wanted, texts),
            shader,
            base,
            values,
            own_camera,
            orbit: Orbit::default(),
            is_new: true,
            warnings,
        };
        match kept.turn(args, wanted.look.orbit) {
            Some(()) => Ok(kept),
            None => Err("the view cannot be built".to_owned()),
        }
    }

    /// Applies the requested changes to the scene; `None` if it has to be read again, because the state is then
    /// incomplete.
    fn follow(&mut self, args: &LiveArgs, wanted: &RequestedLook) -> Option<()> {
        let (texts, values) = split(&wanted.look, self.shader.as_ref());
        if Reading::of(wanted, texts) != self.read_with {
            return None;
        }
        if values != self.values {
            self.set(args, values)?;
        }
        self.turn(args, wanted.look.orbit)
    }

    /// Changes values of materials.
    fn set(&mut self, args: &LiveArgs, values: BTreeMap<String, String>) -> Option<()> {
        let before = surfaces(&self.desc);
        for (material, base) in self.desc.materials.iter_mut().zip(&self.base.0) {
            material.surface = base.clone();
        }
        self.desc.shaders.clone_from(&self.base.1);
        let shown = set(&mut self.desc, self.shader.as_ref(), &values)?;
        self.values = values;
        let made = self.reshader.as_mut().and_then(|reshader| match &self.shader {
            // The material may come from the text of the stage.
            Some(_) => reshader.reshaded(&self.built, &self.desc, &shown),
            None => {
                let ids = (0..before.len()).map(|index| MaterialId(index as u32));
                let is_changed = |id: &MaterialId| before[id.0 as usize] != self.desc.material(*id).surface;
                let changed: Vec<MaterialId> = ids.filter(is_changed).collect();
                reshader.with_surfaces(&self.built, &self.desc, &changed)
            }
        });
        match made {
            Some(built) => self.built = Arc::new(built),
            None => self.build(args)?,
        }
        Some(())
    }

    /// Builds the scene again, without reading it.
    fn build(&mut self, args: &LiveArgs) -> Option<()> {
        let (built, reshader) = Reshader::build(&self.desc, args.camera.as_deref(), threads(args)).ok()?;
        (self.built, self.reshader) = (Arc::new(built), reshader);
        self.is_new = true;
        Some(())
    }

    /// Turns the camera.
    fn turn(&mut self, args: &LiveArgs, orbit: Orbit) -> Option<()> {
        if orbit == self.orbit {
            return Some(());
        }
        self.orbit = orbit;
        let mut turned = self.own_camera;
        if !orbit.is_none() {
            turned.world_from_camera = orbit.turned(turned.world_from_camera, self.pivot);
        }
        let [width, height] = self.desc.film.size.value;
        let space = self.built.scene.host().space();
        self.whole = Camera::new(&space.camera(&turned), width, height).ok()?;
        self.camera = turned;
        *chosen(args, &mut self.desc)? = turned;
        // Shaders may see the camera.
        match self.built.scene.queries_host() {
            true => self.build(args),
            false => Some(()),
        }
    }

    pub(super) fn warnings(&self) -> String {
        let mut all = self.warnings.clone();
        all.list.extend(self.built.warnings.list.iter().cloned());
        all.to_string()
    }
}

/// The shader on the stage. Its parameters are passed to the session.
fn shader(
    args: &LiveArgs,
    wanted: &RequestedLook,
    session: &Session,
) -> Result<Option<Template>, Diagnostics> {
    if !stage::is_shader(&args.scene) {
        return Ok(None);
    }
    let preprocessor = args.source.preprocessor(&args.import.macros(), wanted.overlay.clone());
    let (template, layers) = stage::shader(&args.scene, preprocessor, &wanted.overlay)?;
    session.set_choices(parameter::choices(&template, &layers));
    Ok(Some(template))
}

/// Reads a scene, with values that it has to be read with.
fn read(
    args: &LiveArgs,
    wanted: &RequestedLook,
    values: &BTreeMap<String, String>,
) -> Result<(SceneDesc, Diagnostics), Diagnostics> {
    let mut request = RenderRequest {
        size: args.size,
        stage: wanted.look.stage(),
        scene: SceneRequest {
            path: args.scene.clone(),
            set: INTEGRATOR.map(str::to_owned).to_vec(),
            source: args.source.clone(),
            import: args.import.clone(),
            ..SceneRequest::default()
        },
        ..RenderRequest::default()
    };
    request.scene.set.extend(args.set.iter().cloned());
    if stage::is_shader(&args.scene) {
        request.stage.params = values.clone().into_iter().collect();
    } else {
        let sets = values.iter().map(|(path, value)| format!("{path}={value}"));
        request.scene.set.extend(sets);
    }
    let options = SceneOptions {
        changes: request.changes(),
        stage: Some(request.stage),
        files: wanted.overlay.clone(),
        ..request.scene.options()
    };
    load_scene(&request.scene.path, options)
}

/// The values of a look that a scene has to be read with, and those that can be set afterwards.
fn split(look: &Look, shader: Option<&Template>) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let params = shader.and_then(Template::params);
    let is_text = |(name, value): &(&String, &String)| match &params {
        Some(params) => {
            let param = params.iter().find(|param| param.name == **name);
            param.is_none_or(|param| param.ty.base == Base::String)
        }
        None => MaterialValue::parse(name, value).is_none(),
    };
    let all = look.values(shader.is_some()).iter();
    let (texts, values): (Vec<_>, Vec<_>) = all.partition(is_text);
    let owned = |list: Vec<(&String, &String)>| {
        let pairs = list.into_iter().map(|(name, value)| (name.clone(), value.clone()));
        pairs.collect()
    };
    (owned(texts), owned(values))
}

/// Sets values in a description; returns the materials that have them. `None` if they are wrong.
fn set(
    desc: &mut SceneDesc,
    shader: Option<&Template>,
    values: &BTreeMap<String, String>,
) -> Option<Vec<MaterialId>> {
    if let Some(shader) = shader {
        return stage::set_values(desc, shader, values).map(|id| vec![id]);
    }
    let set = |(path, value): (&String, &String)| MaterialValue::parse(path, value)?.set(desc);
    values.iter().map(set).collect()
}

fn surfaces(desc: &SceneDesc) -> Vec<Arc<Expr>> {
    let surfaces = desc.materials.iter().map(|material| material.surface.clone());
    surfaces.collect()
}

fn threads(args: &LiveArgs) -> usize {
    args.threads.unwrap_or(0) as usize
}

/// The files that were read of a scene.
fn files(desc: &SceneDesc) -> Vec<PathBuf> {
    let files = desc.files.iter().cloned();
    files.chain(desc.file_system.log()).collect()
}

/// The camera that is shown.
fn chosen<'d>(args: &LiveArgs, desc: &'d mut SceneDesc) -> Option<&'d mut CameraDesc> {
    let is_meant = |name: &str| args.camera.as_deref().is_none_or(|wanted| wanted == name);
    let camera = desc.cameras.iter_mut().find(|camera| is_meant(&camera.name));
    camera.map(|camera| &mut camera.camera)
}
