//! Statistics of a bake: text (`--verbose`) and JSON (`--stats`).

use std::io::Write as _;
use std::time::Duration;

use serde_json::json;
use shading::Diagnostics;

use renderer_bake::BakeStats;
use renderer_base::memory;
use renderer_cli::BakeArgs;
use renderer_image::write_finished;
use renderer_support::{Failure, print, remark};

/// Prints the statistics of a bake, and its warnings.
pub(super) fn report(
    args: &BakeArgs,
    warnings: &Diagnostics,
    stats: &BakeStats,
    load: Duration,
) -> Result<(), Failure> {
    if !args.report.quiet {
        print(warnings);
    }
    if args.report.verbose {
        remark(&text(stats, load));
    }
    if let Some(path) = &args.report.stats {
        let text = json(stats, load, warnings);
        write_finished(path, |file| file.write_all(text.as_bytes()))?;
    }
    Ok(())
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

/// For programs.
fn json(stats: &BakeStats, load: Duration, warnings: &Diagnostics) -> String {
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
