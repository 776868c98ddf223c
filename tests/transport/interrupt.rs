//! Interrupted renders: long passes are discarded, and photon passes end at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use renderer::image::film::{Film, FilmTile};
use renderer::integrator::{Integrator, Pass, PathSettings, PhotonSettings, Prepared};
use renderer::render::{Decision, Progress, RenderSettings, render};
use support::scenes::render_scene;

use crate::photon::against_path::built;

const SCENE: &str = "film { size = (64, 32); filter = box; }
    camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); fov = 50; }
    light sky : environment { color = 1; }
    shape ball : sphere { radius = 1; material = matte(albedo = 0.5); }";

/// Slows the first pass down, and stops in the second one.
#[derive(Default)]
struct Interrupter {
    tiles: AtomicU64,
    stop: AtomicBool,
}

impl Progress for Interrupter {
    fn wants_tiles(&self) -> bool {
        true
    }

    fn tile(&self, film: &Film, _: &FilmTile) {
        let tiles = film.crop().area() as u64 / 256;
        let done = self.tiles.fetch_add(1, Ordering::Relaxed);
        if done == 0 {
            std::thread::sleep(Duration::from_millis(900));
        }
        if done == tiles {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_long_pass_is_discarded() {
    let (built, size) = built(SCENE);
    let settings = |samples| RenderSettings {
        filter: built.filter.clone(),
        samples: 0..samples,
        total: samples,
        threads: 1,
        integrator: Integrator::Path(PathSettings {
            split: Some(1),
            light_samples: Some(1),
            guide: Some(false),
            ..PathSettings::default()
        }),
        ..RenderSettings::of_camera(built.camera.clone(), size)
    };
    let observer = Interrupter::default();
    let stopped = render(&built.scene, &settings(64), &observer, &observer.stop).expect("it renders");
    assert_eq!(stopped.state.samples, 0..1);
    let whole = render_scene(&built.scene, &settings(1));
    assert_eq!(stopped.state.film.sums(), whole.state.film.sums());
    assert!(observer.tiles.load(Ordering::Relaxed) < 12, "the pass was finished");
}

#[test]
fn photon_passes_end_immediately() {
    let (built, _) = built(SCENE);
    let stop = AtomicBool::new(false);
    let begin = Instant::now();
    let end = || (begin.elapsed() > Duration::from_millis(50)).then(|| stop.store(true, Ordering::Relaxed));
    // More photons than hours of work produce.
    let settings = PhotonSettings { photons: Some(1 << 36), ..PhotonSettings::default() };
    let pass = Pass {
        stop: &stop,
        progress: &|_, _| {
            end();
        },
        ..Pass::first(1, 64)
    };
    let prepared = Prepared::new(&Integrator::Photon(settings), &built.scene, &pass).expect("it has no file");
    let stats = prepared.photons().expect("there are maps");
    assert_eq!((stats.records, stats.stored), (0, [0, 0]));
    // Photon maps that are stopped before their start trace no rays.
    let prepared = Prepared::new(&Integrator::Photon(settings), &built.scene, &pass).expect("it has no file");
    let rays = prepared.photons().expect("there are maps").rays;
    assert_eq!(rays, 0);
}

/// Stops a render at its first photon, and counts later reports.
#[derive(Default)]
struct AtFirstPhoton {
    stop: AtomicBool,
    photon_reports: AtomicU64,
    decisions: AtomicU64,
}

impl Progress for AtFirstPhoton {
    fn photons(&self, _: u64, _: u64) {
        self.photon_reports.fetch_add(1, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    fn decided(&self, _: &Decision) {
        self.decisions.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn pilots_end_immediately() {
    let (built, size) = built(SCENE);
    for integrator in
        [Integrator::Auto(PathSettings::default()), Integrator::Photon(PhotonSettings::default())]
    {
        let settings = RenderSettings {
            filter: built.filter.clone(),
            samples: 0..1 << 20,
            total: 1 << 20,
            integrator,
            ..RenderSettings::of_camera(built.camera.clone(), size)
        };
        let observer = AtFirstPhoton::default();
        let stopped = render(&built.scene, &settings, &observer, &observer.stop).expect("it renders");
        assert_eq!(stopped.state.samples, 0..0);
        assert_eq!(observer.decisions.load(Ordering::Relaxed), 0);
        // Each active batch and the end of each map report once.
        let reports = observer.photon_reports.load(Ordering::Relaxed);
        assert!((1..=8).contains(&reports), "{reports}");
    }
}
