//! Stage times of a sample of the paths: the time between two laps counts for the stage of the second lap.

use std::time::{Duration, Instant};

/// A stage of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Generating the camera ray, and adding the sample to the film.
    Camera,
    /// Intersecting a ray, and the interaction at the hit.
    Intersect,
    /// Running the material's shader, and emission.
    Shade,
    /// Selecting and sampling a light, and evaluating the BSDF and the light.
    Light,
    /// Transmittance of shadow rays.
    Shadow,
    /// Lookups in photon maps.
    Lookup,
    /// Sampling a direction, and Russian roulette.
    Scatter,
}

impl Stage {
    /// The stages, in the order of a path.
    pub const ALL: [Stage; 7] = [
        Stage::Camera,
        Stage::Intersect,
        Stage::Shade,
        Stage::Light,
        Stage::Shadow,
        Stage::Lookup,
        Stage::Scatter,
    ];

    /// Name in statistics.
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

/// Interval of timed camera rays. Timing nearly doubles the time of a path.
const INTERVAL: u64 = 251;

/// Total time of a stage, and its number of laps.
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

    /// Seconds without the cost of reading the clock, `clock` seconds per lap.
    fn seconds(self, clock: f64) -> f64 {
        (self.time.as_secs_f64() - self.laps as f64 * clock).max(0.0)
    }
}

/// Stage times; inactive for paths that are not timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopwatch {
    last: Option<Instant>,
    stages: [Total; Stage::ALL.len()],
    /// Ray queries of the timed paths, repeated alone.
    queries: Total,
}

/// Shares of the stages in the time of paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Shares in the order of [`Stage::ALL`]; their sum is 1.
    pub stages: [f64; Stage::ALL.len()],
    /// Share of Embree's ray queries, measured alone.
    pub embree: f64,
    /// Rays per second and thread of Embree alone.
    pub embree_rays: f64,
}

impl Stopwatch {
    /// Starts before camera ray number `ray`, if this ray is timed.
    #[inline(always)]
    pub(crate) fn start(&mut self, ray: u64) {
        if ray.is_multiple_of(INTERVAL) {
            self.last = Some(Instant::now());
        }
    }

    /// Stops at the end of a sample.
    #[inline(always)]
    pub(crate) fn stop(&mut self) {
        self.lap(Stage::Camera);
        self.last = None;
    }

    /// Adds the time since the last lap to `stage`.
    #[inline(always)]
    pub(crate) fn lap(&mut self, stage: Stage) {
        if let Some(last) = self.last {
            self.record(last, stage);
        }
    }

    #[cold]
    fn record(&mut self, last: Instant, stage: Stage) {
        self.stages[stage as usize].add(last.elapsed());
        self.last = Some(Instant::now());
    }

    /// Repeats a ray query and times it alone.
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

    /// Shares of the stages; `None` if no path was timed.
    pub fn shares(&self) -> Option<Shares> {
        let clock = clock_cost();
        let seconds = self.stages.map(|stage| stage.seconds(clock));
        let all: f64 = seconds.iter().sum();
        let alone = self.queries.seconds(clock);
        (all > 0.0).then(|| Shares {
            stages: seconds.map(|stage| stage / all),
            embree: alone / all,
            embree_rays: if alone > 0.0 { self.queries.laps as f64 / alone } else { 0.0 },
        })
    }
}

/// Cost of reading the clock [s].
fn clock_cost() -> f64 {
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
        for ray in 0..2 * INTERVAL {
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
