//! Statistics of a bake: text (`--verbose`) and JSON (`--stats`).

use std::io::Write as _;
use std::time::Duration;

use serde_json::json;
use shading::Diagnostics;

use renderer_bake::BakeStats;
use renderer_base::memory;
use renderer_cli::ReportArgs;
use renderer_image::write_finished;
use renderer_support::{Failure, remark};

/// Statistics and warnings of a bake.
#[derive(Debug)]
pub struct BakeStatistics {
    pub(super) stats: BakeStats,
    pub(super) load: Duration,
    pub(super) warnings: Diagnostics,
}

impl BakeStatistics {
    /// Warnings about the scene and the bake.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Prints and writes what a command requests.
    pub(super) fn report(&self, report: &ReportArgs) -> Result<(), Failure> {
        report.print(&self.warnings);
        if report.verbose {
            remark(&text(&self.stats, self.load));
        }
        if let Some(path) = &report.stats {
            write_finished(path, |file| file.write_all(self.json().as_bytes()))?;
        }
        Ok(())
    }

    /// The statistics as JSON, as `kiln bake --stats` writes them.
    pub fn json(&self) -> String {
        let BakeStatistics { stats, load, warnings } = self;
        let warnings: Vec<String> = warnings.list.iter().map(ToString::to_string).collect();
        let value = json!({
            "stages_s": {
                "load": load.as_secs_f64(),
                "prepare": stats.prepare.as_secs_f64(),
                "gather": stats.gather.as_secs_f64(),
                "finish": stats.finish.as_secs_f64(),
            },
            "points": stats.points,
            "filled": stats.filled,
            "dark": stats.dark,
            "kept": stats.kept,
            "seam_difference": { "before": stats.seams[0], "after": stats.seams[1] },
            "rays": {
                "gather": stats.work.gather_rays,
                "shadow": stats.work.shadow_rays,
                "indirect": stats.work.indirect_rays,
                "photon": stats.work.photon_rays,
            },
            "rays_per_s": stats.work.rays() as f64 / stats.gather.as_secs_f64().max(1e-9),
            "threads": stats.threads,
            "peak_memory_bytes": memory::peak(),
            "warnings": warnings,
        });
        format!("{value:#}\n")
    }
}

/// For people.
fn text(stats: &BakeStats, load: Duration) -> String {
    let seconds = |d: Duration| d.as_secs_f64();
    let mut text = format!(
        "load {:.2} s, prepare {:.2} s, gather {:.2} s, finish {:.2} s on {} threads\n\
         {} points, {} hidden and filled, {} hidden and dark\n\
         {:.1} M rays, {:.2} M/s",
        seconds(load),
        seconds(stats.prepare),
        seconds(stats.gather),
        seconds(stats.finish),
        stats.threads,
        stats.points,
        stats.filled,
        stats.dark,
        stats.work.rays() as f64 * 1e-6,
        stats.work.rays() as f64 * 1e-6 / seconds(stats.gather).max(1e-9),
    );
    if stats.seams[0] > 0.0 {
        text += &format!(
            "\nseams differ by {:.3} %, {:.3} % before stitching",
            100.0 * stats.seams[1],
            100.0 * stats.seams[0]
        );
    }
    if let Some(bytes) = memory::peak() {
        text += &format!("\npeak memory {:.0} MB", bytes as f64 * 1e-6);
    }
    text
}
