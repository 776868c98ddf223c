//! Statistics of a render: text (`--verbose`) and JSON (`--stats`).

use std::fmt;
use std::time::Duration;

use serde_json::json;
use shading::{Diagnostic, Diagnostics};

use renderer_base::memory;
use renderer_image::film::NoiseSummary;
use renderer_support::terminal::plural;
use renderer_support::warnings::{self, lost_texels};
use renderer_transport::bsdf::MAX_LOBES;
use renderer_transport::integrator::photon::PhotonStats;
use renderer_transport::integrator::{Branching, Shares, Stage, Stats};
use renderer_transport::render::{Decision, Rendered};
use renderer_transport::scene::build::{Built, ShaderStats};
use renderer_transport::scene::{GeometryStats, Scene};

/// Time of each stage.
#[derive(Clone, Copy, Debug)]
struct Stages {
    load: Duration,
    compile: Duration,
    build: Duration,
    render: Duration,
}

/// Statistics of a render.
#[derive(Debug)]
pub(super) struct Statistics {
    stages: Stages,
    shaders: ShaderStats,
    work: Stats,
    /// Camera rays.
    samples: u64,
    spp: u64,
    /// Number of samples that a camera ray counts as.
    samples_per_ray: u64,
    threads: usize,
    geometry: GeometryStats,
    peak_bytes: Option<u64>,
    /// Time of shooting photons [s].
    preparing: f64,
    photons: Option<PhotonStats>,
    decision: Option<Decision>,
    branching: Branching,
    /// Light that paths cannot find, relative to the picture.
    unfound: Option<f64>,
    adaptive_gain: Option<f64>,
    /// State of adaptive sampling.
    pub(super) noise: Option<NoiseSummary>,
    dropped_samples: u64,
    clamped_samples: u64,
    reports: Vec<shading::Report>,
}

impl Statistics {
    /// Statistics of a render; `load` is the time of reading the scene.
    pub(super) fn new(load: Duration, built: &Built, rendered: &Rendered) -> Statistics {
        let state = &rendered.state;
        let counts = state.film.counts();
        Statistics {
            stages: Stages {
                load,
                compile: built.shaders.elapsed,
                build: built.build,
                render: rendered.stats.elapsed,
            },
            shaders: built.shaders,
            work: rendered.stats.work,
            samples: rendered.stats.samples,
            spp: rendered.stats.spp,
            samples_per_ray: rendered.stats.samples_per_ray,
            threads: rendered.stats.threads,
            geometry: built.scene.geometry_stats(),
            peak_bytes: memory::peak(),
            preparing: rendered.stats.preparing.as_secs_f64(),
            photons: rendered.stats.photons.clone(),
            decision: rendered.stats.decision,
            branching: rendered.stats.branching,
            unfound: rendered.stats.missing_light,
            adaptive_gain: rendered.stats.adaptive_gain,
            noise: state.noise.as_ref().map(|noise| noise.summary(state.samples.end)),
            dropped_samples: counts.non_finite,
            clamped_samples: counts.saturated,
            reports: rendered.stats.reports.clone(),
        }
    }

    /// Adds what went wrong while rendering to the warnings.
    pub(super) fn warn(&self, scene: &Scene, warnings: &mut Diagnostics) {
        warnings.list.extend(warnings::of_reports(&self.reports));
        if let Some(unfound) = self.unfound {
            let message = format!(
                "paths cannot find the light of lights without size behind glass or in mirrors: about {:.0} % of the \
                 picture is missing",
                (100.0 * unfound).min(100.0)
            );
            let hint = "add --integrator photon, or auto; or give the light a size";
            warnings.push(Diagnostic::warning(message).hint(hint));
        }
        if self.dropped_samples > 0 {
            let message = format!("{} samples were not finite and are left out", self.dropped_samples);
            warnings.push(Diagnostic::warning(message));
        }
        if self.photons.as_ref().is_some_and(|photons| photons.media_emit) {
            let message = "a medium emits light, so that photons are shot for caustics alone";
            let hint = "indirect light is left to paths, since photons come from lights";
            warnings.push(Diagnostic::warning(message).hint(hint));
        }
        if let Some(photons) = &self.photons
            && photons.non_finite > 0
        {
            let message = format!(
                "{} photons were scattered with a weight that is not finite and end there",
                photons.non_finite
            );
            warnings.push(Diagnostic::warning(message));
        }
        if self.clamped_samples > 0 {
            let message =
                format!("{} samples were too bright to be summed and are clamped", self.clamped_samples);
            warnings.push(Diagnostic::warning(message));
        }
        if self.work.lobe_overflows > 0 {
            let message = format!(
                "{} hits had more than {MAX_LOBES} lobes, of which some were chosen at random: expect noise",
                self.work.lobe_overflows
            );
            warnings.push(Diagnostic::warning(message));
        }
        warnings.list.extend(scene.texture_failure().map(lost_texels));
    }

    /// Time of rendering without its preparation [s].
    fn sampling(&self) -> f64 {
        self.stages.render.as_secs_f64() - self.preparing
    }

    /// Rays that were traced while rendering; photons are shot before.
    fn rays_of_samples(&self) -> f64 {
        (self.work.rays() - self.work.photon_rays) as f64
    }

    /// The statistics as JSON text.
    pub(super) fn json(&self, warnings: &Diagnostics) -> String {
        let render = self.sampling();
        let warnings: Vec<&str> = warnings.list.iter().map(|warning| warning.message.as_str()).collect();
        let value = json!({
            "stages_s": {
                "load": self.stages.load.as_secs_f64(),
                "compile": self.stages.compile.as_secs_f64(),
                "build": self.stages.build.as_secs_f64(),
                "photons": self.preparing,
                "render": render,
            },
            "threads": self.threads,
            "spp": self.spp,
            "samples_per_camera_ray": self.samples_per_ray,
            "samples": self.samples,
            "samples_per_s": self.samples as f64 / render,
            "rays": {
                "camera": self.work.camera_rays,
                "shadow": self.work.shadow_rays,
                "indirect": self.work.indirect_rays,
                "photon": self.work.photon_rays,
                "gather": self.work.gather_rays,
            },
            "decision": self.decision.map(|decision| json!({
                "integrator": decision.integrator.name(),
                "gain": decision.gain,
            })),
            "split": self.branching.branches,
            "light_samples": self.branching.light_samples,
            "guide": self.branching.guide,
            "adaptive": self.adaptive_gain.map(|gain| json!({ "gain": gain })),
            "noise": self.noise.map(|noise| json!({
                "rounds": noise.rounds,
                "open": noise.open,
                "remaining": noise.remaining,
            })),
            "photons": self.photons.as_ref().map(photons_json),
            "rays_per_s": self.rays_of_samples() / render,
            "shares": self.work.watch.shares().as_ref().map(shares_json),
            "shading_runs": self.work.shading_runs,
            "samples_not_finite": self.dropped_samples,
            "jit": { "groups": self.shaders.groups, "ms": self.shaders.jit_ms },
            "accel_bytes": self.geometry.accel_bytes,
            "geometry": {
                "shapes": self.geometry.shapes,
                "instances": self.geometry.instances,
                "meshes": self.geometry.meshes,
                "triangles": self.geometry.triangles,
                "placed_triangles": self.geometry.placed_triangles,
                "bytes": self.geometry.bytes,
                "accel_bytes": self.geometry.accel_bytes,
                "accel_build_s": self.geometry.accel_time.as_secs_f64(),
            },
            "peak_memory_bytes": self.peak_bytes,
            "warnings": warnings,
        });
        format!("{value:#}\n")
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_scene(f)?;
        match &self.photons {
            Some(photons) => self.fmt_photons(photons, f)?,
            None if self.preparing > 0.0 => writeln!(f, "pilots    {:9.3} s", self.preparing)?,
            None => {}
        }
        self.fmt_samples(f)?;
        self.fmt_rays(f)?;
        write!(f, "shading   {:11} runs", count(self.work.shading_runs as f64))?;
        if let Some(bytes) = self.peak_bytes {
            write!(f, "\nmemory    {:9.1} MB at most", megabytes(bytes))?;
        }
        Ok(())
    }
}

impl Statistics {
    /// Reading, compiling and building the scene.
    fn fmt_scene(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stages, geometry) = (&self.stages, &self.geometry);
        let [load, compile, build] =
            [stages.load, stages.compile, stages.build].map(|time| time.as_secs_f64());
        writeln!(f, "load      {load:9.3} s")?;
        let (groups, jit) = (self.shaders.groups, self.shaders.jit_ms);
        writeln!(
            f,
            "compile   {compile:9.3} s   {groups} materials, {jit:.1} ms in code generation"
        )?;
        let (time, size) = (geometry.accel_time.as_secs_f64(), megabytes(geometry.accel_bytes));
        writeln!(f, "build     {build:9.3} s   {time:.3} s for ray tracing, {size:.1} MB")?;
        writeln!(
            f,
            "triangles {:11}   {} with those of {}, {:.1} MB",
            count(geometry.triangles as f64),
            count(geometry.placed_triangles as f64).trim(),
            plural(geometry.instances as usize, "instance"),
            megabytes(geometry.bytes)
        )
    }

    fn fmt_photons(&self, photons: &PhotonStats, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = if photons.loaded { "read" } else { "shot" };
        writeln!(
            f,
            "photons   {:9.3} s   {made} in {:.3} s, maps built in {:.3} s, {:.1} MB",
            self.preparing,
            photons.shooting.as_secs_f64(),
            photons.building.as_secs_f64(),
            photons.memory as f64 / 1e6
        )?;
        if photons.guides > 0 {
            writeln!(f, "  guides  {:9}", photons.guides)?;
        }
        for (map, name) in ["global", "caustic"].iter().enumerate() {
            writeln!(
                f,
                "  {name:8}{:11} stored of {} shot, {} levels",
                count(photons.stored[map] as f64),
                count(photons.shot[map] as f64).trim(),
                photons.tree_depth[map]
            )?;
        }
        Ok(())
    }

    /// Samples, and how they are distributed.
    fn fmt_samples(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (spp, threads) = (plural(self.spp as usize, "sample"), plural(self.threads, "thread"));
        writeln!(f, "render    {:9.3} s   {spp} a pixel on {threads}", self.sampling())?;
        if self.samples_per_ray > 1 {
            let counts = self.samples_per_ray;
            writeln!(f, "  counts  {counts:9}   samples to a camera ray, by the cost of its branches")?;
        }
        if let Some(split) = self.branching.branches {
            writeln!(f, "  split   {split:9}   branches to a camera ray")?;
        }
        if let Some(count) = self.branching.light_samples {
            writeln!(f, "  lights  {count:9}   light samples at the split")?;
        }
        if let Some(gain) = self.adaptive_gain {
            writeln!(
                f,
                "  adaptive{gain:9.2}   times less error expected of more rays where it is noisy"
            )?;
        }
        Ok(())
    }

    fn fmt_rays(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = &self.work;
        let rate = |rays: f64| count(rays / self.sampling()).trim().to_owned();
        let samples = self.samples as f64;
        writeln!(f, "camera    {:11}   rays, {}/s", count(samples), rate(samples))?;
        let all = count(work.rays() as f64);
        writeln!(f, "rays      {all:11}   {}/s", rate(self.rays_of_samples()))?;
        for (name, rays) in [
            ("camera", work.camera_rays),
            ("shadow", work.shadow_rays),
            ("indirect", work.indirect_rays),
            ("photon", work.photon_rays),
            ("gather", work.gather_rays),
        ] {
            if self.photons.is_some() || !["photon", "gather"].contains(&name) {
                writeln!(f, "  {name:8}{}", count(rays as f64).trim_end())?;
            }
        }
        if let Some(shares) = work.watch.shares() {
            write!(f, "shares   ")?;
            for (stage, share) in Stage::ALL.iter().zip(shares.stages) {
                if share > 0.0 {
                    write!(f, " {} {:.0} %", stage.name(), 100.0 * share)?;
                }
            }
            writeln!(f, "; Embree alone {:.0} %", 100.0 * shares.embree)?;
        }
        Ok(())
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// A count or rate in eleven columns, with its last digit or in millions.
fn count(count: f64) -> String {
    if count < 1e5 {
        format!("{count:9.0}  ")
    } else {
        format!("{:9.3} M", count * 1e-6)
    }
}

/// Shares of the stages of paths, as JSON.
fn shares_json(shares: &Shares) -> serde_json::Value {
    let stages = Stage::ALL.iter().zip(shares.stages);
    let stages: serde_json::Map<String, serde_json::Value> =
        stages.map(|(stage, share)| (stage.name().to_owned(), share.into())).collect();
    json!({
        "stages": stages,
        "embree": shares.embree,
        "embree_rays_per_s_of_a_thread": shares.embree_rays,
    })
}

/// Statistics of photon maps, as JSON.
fn photons_json(photons: &PhotonStats) -> serde_json::Value {
    let map = |map: usize| {
        json!({
            "shot": photons.shot[map],
            "stored": photons.stored[map],
            "tree_depth": photons.tree_depth[map],
        })
    };
    json!({
        "global": map(0),
        "caustic": map(1),
        "not_finite": photons.non_finite,
        "shot_by_light": photons.shot_by_light,
        "irradiance_records": photons.records,
        "guides": photons.guides,
        "memory_bytes": photons.memory,
        "loaded": photons.loaded,
        "shooting_s": photons.shooting.as_secs_f64(),
        "building_s": photons.building.as_secs_f64(),
    })
}
