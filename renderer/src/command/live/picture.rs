//! The renderer of the page: pictures of one look, finer and finer.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use glam::{Vec2, Vec3};
use shading::Diagnostics;

use super::look::Look;
use super::orbit::Pivot;
use super::parameter;
use super::session::{Session, Shown};
use crate::cli::LiveArgs;
use crate::command::file_watch::FileWatch;
use crate::command::scene_options::{SceneOptions, load_scene};
use crate::command::stage;
use renderer_base::files::SharedFiles;
use renderer_base::math::Ray;
use renderer_geometry::camera::{Camera, CameraDesc};
use renderer_load::Change;
use renderer_scene::SceneDesc;
use renderer_transport::render::{RenderSettings, RenderState, Silent, render, resume};
use renderer_transport::scene::build::{Built, build};

/// The first picture has a pixel in place of so many on each side.
const COARSE: u32 = 3;

/// Pictures of at most so many pixels begin finely.
const SMALL: u32 = 128 * 128;

/// Photon maps, and pilots that choose branches and guides, take longer than a page should wait.
const INTEGRATOR: [&str; 4] = [
    "integrator=path",
    "integrator.split=1",
    "integrator.light_samples=1",
    "integrator.guide=false",
];

/// Renders what the page asks for, as long as the program runs.
pub(super) fn keep_rendering(args: &LiveArgs, session: &Session, mut watch: FileWatch) {
    let mut last = 0;
    let mut pivot = None;
    loop {
        let (change, look) = session.next_change(last);
        last = change;
        let start = Instant::now();
        let rendered = begin(args, &look, session, &watch, &mut pivot)
            .and_then(|begun| begun.refine(args, session, change, start));
        watch.set_broken(rendered.is_err());
        if let Err(words) = rendered {
            session.refuse(&words);
        }
        // A folder that cannot be watched is no reason to end.
        if let Err(error) = watch.follow() {
            session.refuse(&format!("a file that was read is not watched: {error}"));
        }
    }
}

/// A scene that is ready.
struct Begun {
    desc: SceneDesc,
    built: Arc<Built>,
    camera: CameraDesc,
    /// The camera for the whole picture.
    whole: Camera,
    warnings: String,
}

/// Reads and builds the scene of a look. `pivot` is what its camera is turned about.
fn begin(
    args: &LiveArgs,
    look: &Look,
    session: &Session,
    watch: &FileWatch,
    pivot: &mut Option<Pivot>,
) -> Result<Begun, String> {
    let words = |diagnostics: Diagnostics| diagnostics.to_string();
    let is_stage = stage::is_shader(&args.scene);
    if is_stage {
        let preprocessor = args
            .source
            .preprocessor(&args.mitsuba.macros(), SharedFiles::default());
        let (template, layers) = stage::shader(&args.scene, preprocessor).map_err(words)?;
        session.set_choices(parameter::choices(&template, &layers));
    }
    let mut options = SceneOptions::of(&args.source, &args.mitsuba);
    options.set = INTEGRATOR.map(str::to_owned).to_vec();
    options.set.extend(args.set.iter().cloned());
    let size = args.size.map(|(width, height)| {
        let change = format!("film.size=({width}, {height})");
        Change::of_option("--size", format!("{width}x{height}"), change)
    });
    options.changes = size.into_iter().collect();
    options.stage = Some(look.stage());
    let (mut desc, mut warnings) = load_scene(&args.scene, options).map_err(words)?;
    watch.add(files(&desc));
    if let Some(pivot) = pivot.filter(|_| !look.orbit.is_none())
        && let Some(camera) = chosen(args, &mut desc)
    {
        camera.world_from_camera = look.orbit.turned(camera.world_from_camera, pivot);
    }
    let threads = args.threads.unwrap_or(0) as usize;
    let built = build(&desc, args.camera.as_deref(), threads).map_err(words)?;
    let late = built.scene.late_files();
    watch.add(files(&desc).into_iter().chain(late).collect());
    if look.orbit.is_none() {
        *pivot = Some(pivot_of(&built, is_stage));
    }
    warnings.list.extend(built.warnings.list.iter().cloned());
    let camera = *chosen(args, &mut desc).ok_or("the scene has no camera")?;
    Ok(Begun {
        camera,
        whole: built.camera,
        desc,
        built: Arc::new(built),
        warnings: warnings.to_string(),
    })
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

/// What the scene's camera is turned about: what it looks at, or itself where walls are around it.
fn pivot_of(built: &Built, is_stage: bool) -> Pivot {
    const AWAY: f32 = 5.0;
    const WALLS: usize = 5;
    let [width, height] = built.camera.view().resolution;
    let middle = Vec2::new(width as f32, height as f32) / 2.0;
    let ray = built.camera.generate(middle, Vec2::splat(0.5), 0.0).ray;
    let hit = |direction: Vec3| built.scene.intersect(&Ray { direction, ..ray });
    let ahead = hit(ray.direction).map_or(AWAY, |hit| hit.t);
    let sides = [Vec3::X, Vec3::Y, Vec3::Z]
        .into_iter()
        .flat_map(|axis| [axis, -axis]);
    if !is_stage && sides.filter(|side| hit(*side).is_some()).count() >= WALLS {
        return Pivot::Eye { ahead };
    }
    Pivot::Seen(ray.origin + ahead * ray.direction)
}

impl Begun {
    /// Renders until the picture is good, or a change ends it.
    fn refine(&self, args: &LiveArgs, session: &Session, change: u64, start: Instant) -> Result<(), String> {
        let [width, height] = self.desc.film.size.value;
        if width * height > SMALL {
            let coarse = [width, height].map(|side| side.div_ceil(COARSE));
            let rendered = self.samples(args, session, coarse, 1, None)?;
            self.show(session, change, start, &rendered);
        }
        let mut state = None;
        let mut samples = 1;
        while !session.stop().load(Ordering::Relaxed) {
            let rendered = self.samples(args, session, [width, height], samples, state.take())?;
            self.show(session, change, start, &rendered);
            if samples >= u64::from(args.spp) {
                break;
            }
            state = Some(rendered);
            samples = (samples * 2).min(u64::from(args.spp));
        }
        Ok(())
    }

    /// The picture with so many samples per pixel.
    fn samples(
        &self,
        args: &LiveArgs,
        session: &Session,
        [width, height]: [u32; 2],
        samples: u64,
        before: Option<RenderState>,
    ) -> Result<RenderState, String> {
        let camera = Camera::new(&self.camera, width, height).map_err(|error| error.to_string())?;
        let settings = RenderSettings {
            width,
            height,
            crop: None,
            camera,
            samples: 0..samples,
            total: u64::from(args.spp),
            adaptive: false,
            threads: args.threads.unwrap_or(0) as usize,
            ..RenderSettings::new(&self.desc, &self.built)
        };
        let scene = &self.built.scene;
        let rendered = match before {
            Some(before) => resume(scene, &settings, before, &Silent, session.stop()),
            None => render(scene, &settings, &Silent, session.stop()),
        };
        rendered.map(|done| done.state).map_err(|error| error.to_string())
    }

    fn show(&self, session: &Session, change: u64, start: Instant, state: &RenderState) {
        let samples = state.samples.end;
        if samples == 0 {
            return;
        }
        let shown = Shown {
            image: state.film.develop(),
            scene: self.built.clone(),
            camera: self.whole,
            samples,
            seconds: start.elapsed().as_secs_f64(),
        };
        session.show(change, shown, &self.warnings);
    }
}
