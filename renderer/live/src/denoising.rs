//! Denoised pictures for the page, where Open Image Denoise is installed.
//!
//! A thread of its own denoises once a look rests, so that a slider that moves does not wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::live_scene::LiveScene;
use super::session::{Session, Shown};
use renderer_denoise::{Denoiser, Quality};
use renderer_geometry::camera::Camera;
use renderer_image::Image;
use renderer_image::film::Film;
use renderer_passes::{PassDesc, PassSet};
use renderer_pictures::denoising::{FEATURES, denoise};
use renderer_pictures::layers::develop;
use renderer_pictures::part::LayerNames;
use renderer_transport::passes::PassPlan;

/// Layer of the emission that is seen directly, which is not filtered.
const EMISSION: &str = "emission";

/// Time without changes before a picture is denoised.
const REST: Duration = Duration::from_millis(250);

/// A picture to be denoised and shown.
pub(super) struct DenoiseJob {
    pub(super) change: u64,
    /// Time of that change.
    pub(super) start: Instant,
    pub(super) film: Film,
    /// True for the last picture of a change.
    pub(super) is_last: bool,
    /// The noisy picture.
    pub(super) shown: Shown,
    pub(super) words: String,
}

/// The way to the thread that denoises, and the passes that it reads.
pub(super) struct DenoiseThread {
    set: PassSet,
    noisy: Sender<DenoiseJob>,
}

impl DenoiseThread {
    /// Starts the denoising thread, with `threads` threads for the filter (0: one per core); `None` if Open Image
    /// Denoise is not installed.
    pub(super) fn start(session: &Arc<Session>, threads: usize) -> Option<DenoiseThread> {
        Denoiser::open(1).ok()?;
        let features = FEATURES.iter().map(|(name, _)| *name).chain([EMISSION]);
        let passes = features.map(PassDesc::parse).collect::<Result<Vec<_>, _>>().ok()?;
        let set = PassSet::new(passes.concat()).ok()?;
        let (noisy, pictures) = channel();
        let (session, names) = (session.clone(), LayerNames::new(&set, &[]));
        let change = Arc::new(AtomicU64::new(0));
        let (asker, cleaned) = (session.clone(), change.clone());
        let is_wanted = move || asker.is_newest(cleaned.load(Ordering::Relaxed));
        let work = move || {
            if let Ok(denoiser) = Denoiser::open(threads) {
                let denoiser = denoiser.while_wanted(is_wanted);
                clean_all(&pictures, &session, &denoiser, &change, &names);
            }
        };
        thread::Builder::new().name("clean".to_owned()).spawn(work).ok()?;
        Some(DenoiseThread { set, noisy })
    }

    /// Passes that a render collects for denoising.
    pub(super) fn plan(&self, kept: &LiveScene, camera: &Camera) -> Option<Arc<PassPlan>> {
        let (scene, names) = (&kept.built.scene, &kept.built.names);
        let plan = PassPlan::new(self.set.clone(), scene, names, vec![], &camera.view());
        plan.ok().map(Arc::new)
    }

    /// Has a picture with these passes denoised.
    pub(super) fn clean(&self, noisy: DenoiseJob) {
        // Without the thread the picture stays noisy.
        let _ = self.noisy.send(noisy);
    }
}

/// Denoises the newest pictures, as long as there may be others. `change` is that of the picture in work.
fn clean_all(
    pictures: &Receiver<DenoiseJob>,
    session: &Session,
    denoiser: &Denoiser,
    change: &AtomicU64,
    names: &LayerNames,
) {
    let mut waiting: Option<DenoiseJob> = None;
    while let Some(next) = waiting.take().or_else(|| pictures.recv().ok()) {
        thread::sleep(REST.saturating_sub(next.start.elapsed()));
        let noisy = pictures.try_iter().last().unwrap_or(next);
        if noisy.start.elapsed() < REST {
            waiting = Some(noisy);
            continue;
        }
        if !session.is_newest(noisy.change) {
            continue;
        }
        change.store(noisy.change, Ordering::Relaxed);
        let quality = if noisy.is_last { Quality::High } else { Quality::Fast };
        let mut shown = noisy.shown;
        if let Some(clean) = clean(&noisy.film, names, denoiser, quality) {
            (shown.image, shown.is_denoised) = (clean, true);
        }
        session.show(noisy.change, shown, &noisy.words, true);
    }
}

fn clean(film: &Film, names: &LayerNames, denoiser: &Denoiser, quality: Quality) -> Option<Image> {
    let layered = develop(film, names).ok()?;
    let denoised = denoise(&layered, denoiser, quality).ok()??;
    Some(denoised.picture)
}
