//! Options as the command line spells them.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueEnum as _;

use renderer_cli::{BakeArgs, Cli, Command, ToneCurve};
use renderer_support::Failure;

/// Options of `kiln bake`.
pub(super) fn bake(scene: &Path, options: &[String]) -> Result<BakeArgs, Failure> {
    let words = ["kiln", "bake"].map(OsString::from).into_iter();
    let options = options.iter().map(OsString::from);
    let words = words.chain(options).chain([OsString::from("--"), scene.into()]);
    match Cli::read(words).map(|cli| cli.command) {
        Ok(Command::Bake(args)) => Ok(args),
        Ok(other) => Err(Failure::User(format!("error: the options are not of this command: {other:?}"))),
        Err(error) => Err(Failure::User(without_usage(&error.render().to_string()))),
    }
}

pub(super) fn tone_curve(name: &str) -> Result<ToneCurve, Failure> {
    ToneCurve::from_str(name, false).map_err(|_| {
        let known = ToneCurve::value_variants().iter();
        let known = known.filter_map(|curve| Some(curve.to_possible_value()?.get_name().to_owned()));
        let known: Vec<String> = known.collect();
        Failure::User(format!(
            "error: unknown tone curve `{name}`\n  hint: it is one of {}",
            known.join(", ")
        ))
    })
}

/// An error message of clap without hints for the terminal.
fn without_usage(text: &str) -> String {
    let lines = text.lines().map(str::trim_end).filter(|line| {
        let is_for_terminal = line.starts_with("Usage:") || line.starts_with("For more information");
        !line.is_empty() && !is_for_terminal
    });
    let lines = lines.map(|line| match line.trim_start().strip_prefix("tip: ") {
        Some(tip) => format!("  hint: {tip}"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
