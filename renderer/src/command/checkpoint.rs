//! Render checkpoints: a part file that is rewritten during a render and resumed by `--resume`.

use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};

use renderer_cli::RenderArgs;
use renderer_image::{ImageError, check_place, stage_with, write_elsewhere};
use renderer_pictures::part::{Header, Identity, LayerNames, Part, PartReader, Ranges, write_to};
use renderer_pictures::part_replacement::{Obstacle, obstacle};
use renderer_support::Failure;
use renderer_support::outputs::Outputs;
use renderer_transport::integrator::Integrator;
use renderer_transport::render::{RenderSettings, RenderState};
use renderer_transport::scene::Scene;

/// Identity of a render, for the files that store its samples.
#[derive(Debug)]
pub(super) struct RenderOrigin<'a> {
    /// Fingerprint of the scene; 0 if no file needs it.
    scene: u64,
    /// True if shaders compose names of files at run time, which the fingerprint does not cover.
    pub(super) computes_names: bool,
    /// The scene file; in a pack, that of its scene.
    scene_file: &'a Path,
    pub(super) settings: &'a RenderSettings,
}

impl<'a> RenderOrigin<'a> {
    /// The origin of a render of a scene with these settings.
    pub(super) fn of(scene: &Scene, scene_file: &'a Path, settings: &'a RenderSettings) -> RenderOrigin<'a> {
        RenderOrigin {
            scene: if settings.joins { scene.fingerprint() } else { 0 },
            computes_names: scene.computes_names(),
            scene_file,
            settings,
        }
    }

    /// Identity of the render's samples, for comparison with `part`. If the integrator is `auto` and the part is of
    /// this picture, the integrator of the part is kept.
    pub(super) fn identity_beside(&self, part: &Identity) -> Identity {
        let integrator = integrator(&self.settings.integrator, part);
        Identity::new(self.scene, self.settings, &integrator)
    }

    /// Header of a part with the render's samples. `integrator` is the one in use, not `auto`.
    pub(super) fn header(&self, integrator: &Integrator, state: &RenderState) -> Header {
        let identity = Identity::new(self.scene, self.settings, integrator);
        // The name without its folder: the bytes must not depend on where the scene is, or on whether it is packed.
        let name = self.scene_file.file_name().unwrap_or_default();
        let scene_file = name.to_string_lossy().into_owned();
        Header {
            computes_names: self.computes_names,
            layers: self
                .settings
                .passes
                .as_ref()
                .map_or_else(LayerNames::default, |plan| LayerNames::new(plan.set(), plan.manifests())),
            ..Header::new(identity, scene_file, Ranges::of(state.samples.clone()), &state.film)
        }
    }
}

/// The state that a render resumes from, if any; `asked` are the requested samples. With --noise each round depends on the
/// previous ones, so the samples before `asked` must be present.
pub(super) fn resumed_state(
    checkpoint: Option<&Checkpoint>,
    origin: &RenderOrigin<'_>,
    asked: &Range<u64>,
) -> Result<Option<RenderState>, Failure> {
    let state = match checkpoint {
        Some(checkpoint) => checkpoint.load(origin, asked)?,
        None => None,
    };
    let Some(goal) = origin.settings.noise else {
        return Ok(state);
    };
    let taken = state.as_ref().map_or(0, |state| state.samples.end);
    let is_done = |state: &RenderState| state.noise.as_ref().is_some_and(|noise| noise.is_done(taken));
    if taken >= asked.start || state.as_ref().is_some_and(is_done) {
        return Ok(state);
    }
    let Range { start, end } = asked;
    let message = match checkpoint.filter(|_| state.is_some()) {
        Some(checkpoint) => format!(
            "error: --samples {start}..{end} does not begin where '{}' ends, after {taken} samples\n  \
             hint: --samples {}..{end} continues from there",
            checkpoint.path.display(),
            goal.rounds_about(taken).0
        ),
        None => format!(
            "error: --samples {start}..{end} with --noise continues from the samples before {start}, which are missing\n  \
             hint: name the part that has them, as --checkpoint FILE --resume"
        ),
    };
    Err(Failure::User(message))
}

/// The checkpoint file of a render.
#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
    resume: bool,
}

impl Checkpoint {
    /// The checkpoint requested on the command line, if it can be written: there is no file, or a part to be resumed.
    pub(super) fn new(args: &RenderArgs, outputs: &mut Outputs) -> Result<Option<Checkpoint>, Failure> {
        let Some(path) = &args.checkpoint else {
            return Ok(None);
        };
        if path.exists() {
            // Whatever it is, it says so.
            let old = PartReader::open(path)?;
            if !args.resume {
                return Err(Failure::User(format!(
                    "error: '{}' holds the samples {} of an earlier render\n  \
                     hint: add --resume to continue it, or delete it to start again",
                    path.display(),
                    old.header().samples
                )));
            }
        }
        check_place(path)?;
        outputs.add("--checkpoint", path)?;
        Ok(Some(Checkpoint { path: path.clone(), resume: args.resume }))
    }

    /// The most paths that a camera ray counts as in the render to be resumed, if there is one.
    pub(super) fn max_paths_per_ray(&self) -> Option<u64> {
        if !self.resume || !self.path.exists() {
            return None;
        }
        let old = PartReader::open(&self.path).ok()?;
        let limit = old.header().identity.get("paths_per_ray")?;
        limit.strip_prefix("at most ")?.parse().ok()
    }

    /// Reads the state of the render in the file, if there is one.
    fn load(&self, origin: &RenderOrigin<'_>, asked: &Range<u64>) -> Result<Option<RenderState>, Failure> {
        if !self.resume || !self.path.exists() {
            return Ok(None);
        }
        let Part { header, film, noise } = PartReader::open(&self.path)?.read()?;
        let misfit = |reason: String| {
            Failure::User(format!(
                "error: '{}' does not belong to this render: {reason}\n  hint: name another file, or delete it",
                self.path.display()
            ))
        };
        let settings = origin.settings;
        let identity = origin.identity_beside(&header.identity);
        if let Some(difference) = identity.difference(&header.identity) {
            return Err(misfit(difference));
        }
        if settings.noise != noise.as_ref().map(|noise| noise.goal) {
            return Err(misfit("it has no statistics for --noise".to_owned()));
        }
        let wanted = &settings.samples;
        match header.samples.only() {
            Some(samples) if samples.start == wanted.start && samples.end <= wanted.end => {
                Ok(Some(RenderState {
                    film,
                    samples,
                    integrator: integrator(&settings.integrator, &header.identity),
                    noise,
                }))
            }
            _ => Err(misfit(format!(
                "it holds the samples {}, of {}..{} that are wanted",
                header.samples, asked.start, asked.end
            ))),
        }
    }

    /// Writes the state of a render to the file. An existing file is replaced only if it is an earlier state of this
    /// render.
    pub(super) fn write(&self, header: &Header, state: &RenderState) -> Result<(), ImageError> {
        let write =
            |file: &mut BufWriter<&mut File>| write_to(file, header, &state.film, state.noise.as_ref());
        // The file is checked last, since it can change while the new one is written.
        let staged = stage_with(&self.path, write)?;
        let reason = match obstacle(&self.path, header) {
            None if self.path.exists() => return staged.commit(),
            None => return staged.commit_new(),
            Some(Obstacle::Foreign(reason)) => reason,
            Some(Obstacle::Samples(samples)) => format!("another render keeps the samples {samples} there"),
        };
        Err(ImageError::not_writable(&self.path, reason))
    }

    /// Writes the last state of a render; elsewhere, if the file cannot be replaced.
    pub(super) fn finish(&self, header: &Header, state: &RenderState) -> Result<(), ImageError> {
        self.write(header, state).map_err(|error| {
            write_elsewhere(error, |file| write_to(file, header, &state.film, state.noise.as_ref()))
        })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The integrator to use: `wanted`, or the decision that `identity` stores if that is `auto`.
fn integrator(wanted: &Integrator, identity: &Identity) -> Integrator {
    match (wanted, identity.get("integrator")) {
        (Integrator::Auto(path), Some(name)) => Integrator::decided(path, name).unwrap_or(*wanted),
        _ => *wanted,
    }
}
