//! Times of the stages of paths, taken of a few of them: all that lies between two laps belongs to the stage of the second.

use std::time::{Duration, Instant};

/// A stage of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Making the camera's ray, and adding its sample to the film.
    Camera,
    /// Finding the first hit of a ray, and the interaction there.
    Intersect,
    /// Running the material's shader, and emission.
    Shade,
    /// Choosing and sampling a light, and evaluating the BSDF and the light.
    Light,
    /// Transmittance of shadow rays.
    Shadow,
    /// Lookups in photon maps.
    Lookup,
    /// Sampling a direction, and Russian roulette.
    Scatter,
}

impl Stage {
    /// All stages, in the order of a path.
    pub const ALL: [Stage; 7] = [
        Stage::Camera,
        Stage::Intersect,
        Stage::Shade,
        Stage::Light,
        Stage::Shadow,
        Stage::Lookup,
        Stage::Scatter,
    ];

    /// Name, as statistics have it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Camera => "camera",
            Stage::Intersect => "intersect",
            Stage::Shade => "shade",
            Stage::Light => "light",
            Stage::Shadow => "shadow",
            Stage::Lookup => "lookup",
            Stage::Scatter => "scatter",
        }
    }
}

/// Number of camera rays of which one is timed. Timing nearly doubles its time.
const EVERY: u64 = 251;

/// Time of one kind, and the number of laps in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Total {
    time: Duration,
    laps: u64,
}

impl Total {
    fn add(&mut self, time: Duration) {
        self.time += time;
        self.laps += 1;
    }

    fn merge(&mut self, other: Total) {
        self.time += other.time;
        self.laps += other.laps;
    }

    /// Seconds, less those that the clock takes.
    fn seconds(self, clock: f64) -> f64 {
        (self.time.as_secs_f64() - self.laps as f64 * clock).max(0.0)
    }
}

/// Sums the time of the stages of some paths; it is stopped for all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopwatch {
    last: Option<Instant>,
    stages: [Total; Stage::ALL.len()],
    /// The ray queries of these paths once more, alone.
    queries: Total,
}

/// Where the time of paths goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Shares of the stages, in the order of [`Stage::ALL`]; their sum is 1.
    pub stages: [f64; Stage::ALL.len()],
    /// Share of the time that Embree alone takes for the same rays.
    pub embree: f64,
    /// Rays in a second of one thread by Embree alone.
    pub embree_rays: f64,
}

impl Stopwatch {
    /// Starts before a camera ray, if it is one of those to be timed. `ray` is its number.
    #[inline(always)]
    pub(crate) fn start(&mut self, ray: u64) {
        if ray.is_multiple_of(EVERY) {
            self.last = Some(Instant::now());
        }
    }

    /// Ends with a sample.
    #[inline(always)]
    pub(crate) fn stop(&mut self) {
        self.lap(Stage::Camera);
        self.last = None;
    }

    /// The time since the last lap is that of `stage`.
    #[inline(always)]
    pub(crate) fn lap(&mut self, stage: Stage) {
        if let Some(last) = self.last {
            self.note(last, stage);
        }
    }

    #[cold]
    fn note(&mut self, last: Instant, stage: Stage) {
        self.stages[stage as usize].add(last.elapsed());
        self.last = Some(Instant::now());
    }

    /// Times a ray query alone, which has just been answered.
    #[inline(always)]
    pub(crate) fn query<T>(&mut self, query: impl FnOnce() -> T) {
        if self.last.is_some() {
            self.time_query(query);
        }
    }

    #[cold]
    fn time_query<T>(&mut self, query: impl FnOnce() -> T) {
        let begin = Instant::now();
        std::hint::black_box(query());
        self.queries.add(begin.elapsed());
        self.last = Some(Instant::now());
    }

    /// Adds the times of another thread.
    pub(super) fn merge(&mut self, other: &Stopwatch) {
        for (total, other) in self.stages.iter_mut().zip(other.stages) {
            total.merge(other);
        }
        self.queries.merge(other.queries);
    }

    /// The shares of the stages; `None` without a timed path.
    pub fn shares(&self) -> Option<Shares> {
        let clock = time_of_clock();
        let seconds = self.stages.map(|stage| stage.seconds(clock));
        let all: f64 = seconds.iter().sum();
        let alone = self.queries.seconds(clock);
        (all > 0.0).then(|| Shares {
            stages: seconds.map(|stage| stage / all),
            embree: alone / all,
            embree_rays: if alone > 0.0 {
                self.queries.laps as f64 / alone
            } else {
                0.0
            },
        })
    }
}

/// Seconds between two readings of the clock.
fn time_of_clock() -> f64 {
    const READINGS: u32 = 1000;
    let begin = Instant::now();
    let mut last = begin;
    for _ in 0..READINGS {
        last = Instant::now();
    }
    (last - begin).as_secs_f64() / f64::from(READINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_timed_paths() {
        let mut watch = Stopwatch::default();
        watch.lap(Stage::Shade);
        assert_eq!(watch.shares(), None);
        for ray in 0..2 * EVERY {
            watch.start(ray);
            if watch.last.is_some() {
                std::thread::sleep(Duration::from_millis(20));
            }
            watch.lap(Stage::Intersect);
            watch.query(|| std::thread::sleep(Duration::from_millis(10)));
            watch.stop();
        }
        let mut both = Stopwatch::default();
        both.merge(&watch);
        both.merge(&watch);
        assert_eq!(both.queries.laps, 4);
        let shares = both.shares().expect("four rays were timed");
        assert!((shares.stages.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        // A busy machine may stop the thread anywhere.
        assert!(shares.stages[Stage::Intersect as usize] > 0.5, "{shares:?}");
        assert!(shares.embree > 0.05 && shares.embree_rays < 100.0, "{shares:?}");
    }
}
