//! Options as the command line spells them.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueEnum as _;

use renderer_cli::{BakeArgs, Cli, Command, RenderArgs, ToneCurve};
use renderer_support::Failure;

/// Options of `kiln render`.
pub(super) fn render(scene: &Path, options: &[String]) -> Result<RenderArgs, Failure> {
    match command("render", scene, options)? {
        Command::Render(args) => Ok(args),
        other => Err(unexpected(&other)),
    }
}

/// Options of `kiln bake`.
pub(super) fn bake(scene: &Path, options: &[String]) -> Result<BakeArgs, Failure> {
    match command("bake", scene, options)? {
        Command::Bake(args) => Ok(args),
        other => Err(unexpected(&other)),
    }
}

/// Options, followed by `later` ones, which replace those of the same flag, or of the same value of the scene.
pub(super) fn over(options: &[String], later: &[String]) -> Vec<String> {
    let replaced: Vec<&str> = later.iter().flat_map(|word| replaced_by(word)).collect();
    let kept = options.iter().filter(|word| !replaced.contains(&key(word)));
    kept.chain(later).cloned().collect()
}

/// The keys of earlier words that a word replaces.
fn replaced_by(word: &str) -> [&str; 2] {
    let key = key(word);
    let other = match key {
        "--size" => "--set=film.size",
        "--crop" => "--set=film.crop",
        key => key,
    };
    [key, other]
}

/// Subject of an option: its flag, with the name of the value for flags that may be given several times.
fn key(word: &str) -> &str {
    let Some((flag, value)) = word.split_once('=') else {
        return word;
    };
    match flag {
        "--set" | "--param" | "--define" => {
            let name = value.split('=').next().unwrap_or_default();
            &word[..flag.len() + 1 + name.len()]
        }
        // These add up.
        "--aov" | "--override" => word,
        _ => flag,
    }
}

/// A tone curve by its name.
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

fn command(name: &str, scene: &Path, options: &[String]) -> Result<Command, Failure> {
    let words = ["kiln", name].map(OsString::from).into_iter();
    let options = options.iter().map(OsString::from);
    let words = words.chain(options).chain([OsString::from("--"), scene.into()]);
    match Cli::read(words) {
        Ok(cli) => Ok(cli.command),
        Err(error) => Err(Failure::User(wrong(&error.render().to_string()))),
    }
}

/// An error message of clap without hints for the terminal.
fn wrong(text: &str) -> String {
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

/// Options cannot name another command.
fn unexpected(command: &Command) -> Failure {
    Failure::User(format!("error: the options are not of this command: {command:?}"))
}
