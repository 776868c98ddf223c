//! Every flag of every command has an effect: for each argument, a run with it and one without must differ. The test
//! fails for an argument without such a pair, and for a pair whose argument no longer exists.

mod bake;
mod case;
mod files;
mod inspection;
mod jobs;
mod pictures;
mod render;
mod run;
mod shade;

use crate::program::has_denoiser;
use std::collections::BTreeSet;
use std::fs;

use case::{Case, Differs};
use clap::CommandFactory as _;
use renderer::cli::Cli;
use renderer::image::read;
use tempfile::TempDir;

const COMMANDS: [(&str, &[Case]); 21] = [
    ("pack", jobs::PACK),
    ("farm", jobs::FARM),
    ("convert", inspection::CONVERT),
    ("archive", inspection::ARCHIVE),
    ("view", inspection::VIEW),
    ("lsp", inspection::LSP),
    ("live", inspection::LIVE),
    ("fmt", inspection::FMT),
    ("render", render::RENDER),
    ("merge", render::MERGE),
    ("bake", bake::BAKE),
    ("check", inspection::CHECK),
    ("info", inspection::INFO),
    ("debug", inspection::DEBUG),
    ("gallery", pictures::GALLERY),
    ("graph", inspection::GRAPH),
    ("shade", shade::SHADE),
    ("compare", inspection::COMPARE),
    ("denoise", pictures::DENOISE),
    ("image", pictures::IMAGE),
    ("sheet", pictures::SHEET),
];

#[test]
fn the_table_contains_every_argument() {
    let cli = Cli::command();
    let names: BTreeSet<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(names, COMMANDS.iter().map(|(name, _)| *name).collect());
    for (name, cases) in COMMANDS {
        let command = cli.find_subcommand(name).expect("it is listed");
        let known: BTreeSet<&str> = command.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        let tested: BTreeSet<&str> = cases.iter().map(|(id, ..)| *id).collect();
        assert_eq!(known, tested, "arguments of `{name}` (left) and those with a test (right)");
        for (id, .., differs) in cases {
            let arg = command.get_arguments().find(|arg| arg.get_id() == id);
            let hidden = arg.is_some_and(clap::Arg::is_hide_set);
            assert!(
                !matches!(differs, Differs::Nothing) || hidden,
                "`{name}`: {id} does nothing and is not hidden"
            );
        }
    }
}

fn every_argument_counts(command: &str) {
    let (_, cases) = COMMANDS.iter().find(|(name, _)| *name == command).expect("it is listed");
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|case| case::fault(case).map(|fault| format!("{}: {fault}", case.0)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn arguments_of_debug() {
    every_argument_counts("debug");
}

#[test]
fn arguments_of_render() {
    every_argument_counts("render");
}

#[test]
fn arguments_of_bake() {
    every_argument_counts("bake");
}

#[test]
fn arguments_of_shade() {
    every_argument_counts("shade");
}

#[test]
fn arguments_of_the_other_commands() {
    [
        "archive", "check", "convert", "farm", "gallery", "graph", "info", "compare", "merge", "pack",
        "image", "sheet", "view", "lsp", "live", "fmt",
    ]
    .into_iter()
    .for_each(every_argument_counts);
}

#[test]
fn arguments_of_denoise() {
    if has_denoiser() {
        every_argument_counts("denoise");
    }
}

#[test]
fn pictures_of_the_table_are_not_empty() {
    // A black scene would hide the effect of flags.
    let run = run::run("render a.kiln -o o.exr");
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("o.exr");
    fs::write(&path, run.file("o.exr")).unwrap();
    assert!(read(&path).unwrap().data.iter().any(|&v| v > 0.0));
}
