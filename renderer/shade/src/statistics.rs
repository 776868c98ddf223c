//! Statistics of compiling a shader and running it over a grid.

use std::fmt;
use std::time::Duration;

use serde_json::json;
use shading::{CompileStats, ShaderInstance};

/// Statistics of a run of `kiln shade`.
#[derive(Clone, Debug)]
pub(super) struct Statistics {
    pub(super) shader: String,
    pub(super) points: usize,
    pub(super) iterations: u32,
    pub(super) threads: usize,
    /// Time to parse and check.
    pub(super) load: Duration,
    pub(super) compile_stats: CompileStats,
    /// The machine code; `None` for the interpreter.
    pub(super) code: Option<CodeStatistics>,
    /// Time of all iterations.
    pub(super) run: Duration,
    pub(super) warnings: Vec<String>,
}

/// Statistics of machine code.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeStatistics {
    /// Time to generate it.
    time: Duration,
    bytes: usize,
    /// True if there is SIMD code for packets of four points.
    has_packets: bool,
    /// Time to generate that, not among `time`.
    packet_time: Duration,
}

impl CodeStatistics {
    pub(super) fn of(instance: &ShaderInstance) -> CodeStatistics {
        let known = instance.statistics();
        CodeStatistics {
            time: Duration::from_secs_f64(known.jit_ms * 1e-3),
            bytes: known.code_bytes,
            has_packets: known.has_packets,
            packet_time: Duration::from_secs_f64(known.packet_ms * 1e-3),
        }
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl Statistics {
    fn ns_per_point(&self) -> f64 {
        self.run.as_secs_f64() * 1e9 / (self.points as f64 * f64::from(self.iterations))
    }

    fn codegen(&self) -> Duration {
        self.code.map_or(Duration::ZERO, |code| code.time)
    }

    /// Time from templates to machine code.
    fn jit(&self) -> Duration {
        self.compile_stats.link + self.compile_stats.optimize + self.codegen()
    }

    /// Fraction of variables that carry derivatives, before optimisation.
    fn derivative_share(&self) -> f64 {
        let derivatives = self.compile_stats.derivatives;
        derivatives.carrying as f64 / derivatives.symbols.max(1) as f64
    }

    /// Returns them as JSON text.
    pub(super) fn json(&self) -> String {
        let optimizer = &self.compile_stats.optimizer;
        let value = json!({
            "shader": self.shader,
            "points": self.points,
            "iterations": self.iterations,
            "threads": self.threads,
            "ns_per_point": self.ns_per_point(),
            "load_ms": ms(self.load),
            "jit_ms": ms(self.jit()),
            "link_ms": ms(self.compile_stats.link),
            "optimize_ms": ms(self.compile_stats.optimize),
            "codegen_ms": ms(self.codegen()),
            "packet_ms": self.code.map_or(0.0, |code| ms(code.packet_time)),
            "code_bytes": self.code.map_or(0, |code| code.bytes),
            "packets": self.code.is_some_and(|code| code.has_packets),
            "ops_before": optimizer.ops_before,
            "ops_after": optimizer.ops_after,
            "symbols_before": optimizer.symbols_before,
            "symbols_after": optimizer.symbols_after,
            "derivative_share": self.derivative_share(),
            "warnings": self.warnings,
        });
        format!("{value:#}\n")
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let optimizer = &self.compile_stats.optimizer;
        let (points, iterations, threads) = (self.points, self.iterations, self.threads);
        writeln!(
            f,
            "run       {:10.1} ns a point   {points} points {iterations} times on {threads} threads",
            self.ns_per_point()
        )?;
        writeln!(f, "load      {:10.3} ms", ms(self.load))?;
        writeln!(f, "link      {:10.3} ms", ms(self.compile_stats.link))?;
        let (before, after) = (optimizer.ops_before, optimizer.ops_after);
        writeln!(
            f,
            "optimise  {:10.3} ms   {before} operations, {after} left",
            ms(self.compile_stats.optimize)
        )?;
        let (before, after) = (optimizer.symbols_before, optimizer.symbols_after);
        writeln!(f, "                           {before} symbols, {after} left")?;
        writeln!(
            f,
            "                           {} of {} variables carry derivatives ({:.1} %)",
            self.compile_stats.derivatives.carrying,
            self.compile_stats.derivatives.symbols,
            100.0 * self.derivative_share()
        )?;
        match self.code {
            Some(code) => {
                let (time, bytes) = (ms(code.time), code.bytes);
                write!(f, "generate  {time:10.3} ms   {bytes} bytes of code")?;
                if code.has_packets {
                    let time = ms(code.packet_time);
                    write!(f, "\npackets   {time:10.3} ms   four points at a time")?;
                }
                Ok(())
            }
            None => write!(f, "generate           -      interpreted"),
        }
    }
}
