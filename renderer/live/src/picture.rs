//! The renderer of the page: pictures of one look, finer and finer.
//!
//! The first picture after a change is coarse enough to be there at once, and it is rendered to its end: while a slider
//! moves, each change is another. All that come after it are given up at the next change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::denoising::{DenoiseJob, DenoiseThread};
use super::live_scene::{LiveScene, follow};
use super::session::{RequestedLook, Session, Shown};
use renderer_cli::LiveArgs;
use renderer_geometry::camera::Camera;
use renderer_support::file_watch::FileWatch;
use renderer_transport::passes::PassPlan;
use renderer_transport::render::{
    Progress, RenderError, RenderSettings, RenderState, Silent, render, resume,
};

/// Time limit of the first picture, which with other work allows 30 pictures per second.
const FIRST_PICTURE_TIME: Duration = Duration::from_millis(18);

/// Pixels that a first picture has in place of one, along each side, at most.
const COARSEST: u32 = 8;

/// Renders the requested looks until the program ends.
pub(super) fn keep_rendering(args: &LiveArgs, session: &Arc<Session>, watch: FileWatch) {
    let mut last = 0;
    let mut kept = None;
    let mut pace = RenderRate::default();
    let denoise_thread = DenoiseThread::start(session, args.threads.unwrap_or(0) as usize);
    if denoise_thread.is_some() {
        session.can_denoise();
    }
    loop {
        let wanted = session.next_change(last);
        last = wanted.change;
        let start = Instant::now();
        let followed = follow(&mut kept, args, &wanted, session, &watch);
        watch.set_broken(followed.is_err());
        let rendered = followed.and_then(|()| {
            let Some(kept) = &kept else { return Ok(()) };
            let painter = LookRenderer {
                args,
                session,
                kept,
                wanted: &wanted,
                denoise_thread: denoise_thread.as_ref().filter(|_| wanted.look.denoise),
                start,
            };
            painter.refine(&mut pace)
        });
        if let Err(words) = rendered {
            session.refuse(&words);
        }
        watch.follow();
    }
}

/// Rate of rendering [pixel samples/s].
struct RenderRate(f64);

impl Default for RenderRate {
    fn default() -> RenderRate {
        RenderRate(5e5)
    }
}

impl RenderRate {
    /// Size of a first picture in place of one of that size.
    fn coarse(&self, [width, height]: [u32; 2]) -> [u32; 2] {
        let size = |side: u32| [width.div_ceil(side), height.div_ceil(side)];
        let fits = |side: &u32| {
            let [width, height] = size(*side).map(f64::from);
            width * height <= self.0 * FIRST_PICTURE_TIME.as_secs_f64()
        };
        size((1..COARSEST).find(fits).unwrap_or(COARSEST))
    }

    /// Updates the rate by a picture. A single slow picture may be caused by other processes.
    fn update(&mut self, [width, height]: [u32; 2], time: Duration) {
        let new = f64::from(width) * f64::from(height) / time.as_secs_f64().max(1e-6);
        self.0 = 0.7 * self.0 + 0.3 * new;
    }
}

/// Ends a render as soon as its picture is out of date, and pauses it while no browser shows the page.
struct WhileRequested<'a>(&'a Session);

impl Progress for WhileRequested<'_> {
    fn gives_up(&self) -> bool {
        let is_old = || self.0.stop().load(Ordering::Relaxed);
        self.0.audience().wait(is_old);
        is_old()
    }
}

/// Renderer of one state of the page.
struct LookRenderer<'a> {
    args: &'a LiveArgs,
    session: &'a Session,
    kept: &'a LiveScene,
    wanted: &'a RequestedLook,
    /// Denoising, if it is available.
    denoise_thread: Option<&'a DenoiseThread>,
    start: Instant,
}

impl LookRenderer<'_> {
    /// Renders until the picture is good, or a change ends it.
    fn refine(&self, pace: &mut RenderRate) -> Result<(), String> {
        let size = self.kept.desc.film.size.value;
        let coarse = pace.coarse(size);
        let begin = Instant::now();
        let first = self.samples(coarse, 1, None, None, &Silent)?;
        pace.update(coarse, begin.elapsed());
        let Some(first) = first else { return Ok(()) };
        self.show(&first, false);
        let plan = self
            .denoise_thread
            .and_then(|denoise_thread| denoise_thread.plan(self.kept, &self.kept.whole));
        let mut state = (coarse == size && plan.is_none()).then_some(first);
        let most = u64::from(self.args.spp);
        let mut samples = state.as_ref().map_or(1, |_| most.min(2));
        let observer = WhileRequested(self.session);
        while state.as_ref().is_none_or(|state| state.samples.end < most) {
            let Some(finer) = self.samples(size, samples, plan.clone(), state.take(), &observer)? else {
                break;
            };
            self.show(&finer, true);
            if let Some(denoise_thread) = self.denoise_thread.filter(|_| plan.is_some()) {
                self.clean(denoise_thread, &finer);
            }
            state = Some(finer);
            samples = (samples * 2).min(most);
        }
        Ok(())
    }

    /// Has a picture denoised, if it is of 1, 4, 16 … samples or the last.
    fn clean(&self, denoise_thread: &DenoiseThread, state: &RenderState) {
        let samples = state.samples.end;
        let is_last = samples >= u64::from(self.args.spp);
        if is_last || samples.is_power_of_two() && samples.trailing_zeros().is_multiple_of(2) {
            denoise_thread.clean(DenoiseJob {
                change: self.wanted.change,
                start: self.start,
                film: state.film.clone(),
                is_last,
                shown: self.shown(state),
                words: self.kept.warnings(),
            });
        }
    }

    /// Renders the picture with this number of samples per pixel; `None` if the work was stopped.
    fn samples(
        &self,
        [width, height]: [u32; 2],
        samples: u64,
        plan: Option<Arc<PassPlan>>,
        before: Option<RenderState>,
        observer: &dyn Progress,
    ) -> Result<Option<RenderState>, String> {
        let LiveScene { desc, built, camera, .. } = self.kept;
        let camera = built.scene.host().space().camera(camera);
        let camera = Camera::new(&camera, width, height).map_err(|error| error.to_string())?;
        let settings = RenderSettings {
            width,
            height,
            crop: None,
            camera,
            samples: 0..samples,
            total: u64::from(self.args.spp),
            adaptive: false,
            passes: plan,
            threads: self.args.threads.unwrap_or(0) as usize,
            ..RenderSettings::new(desc, built)
        };
        let stop = AtomicBool::new(false);
        let rendered = match before {
            Some(before) => resume(&built.scene, &settings, before, observer, &stop),
            None => render(&built.scene, &settings, observer, &stop),
        };
        match rendered {
            Ok(done) => Ok(Some(done.state)),
            Err(RenderError::GivenUp) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Shows a picture; a picture with `waits` is dropped if it is out of date.
    fn show(&self, state: &RenderState, waits: bool) {
        let (change, words) = (self.wanted.change, self.kept.warnings());
        self.session.show(change, self.shown(state), &words, waits);
    }

    fn shown(&self, state: &RenderState) -> Shown {
        Shown {
            image: state.film.develop(),
            is_denoised: false,
            exposure: self.kept.desc.film.exposure,
            scene: self.kept.built.clone(),
            camera: self.kept.whole.clone(),
            samples: state.samples.end,
            seconds: self.start.elapsed().as_secs_f64(),
        }
    }
}
