//! `kiln gallery`: a library of units and groups as a web page, or as a table of Markdown.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod article;
mod calls;
mod entry;
mod folder;
mod highlighting;
mod library;
mod markdown;
mod page;
mod param;
mod picture;

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shading::Diagnostics;

use entry::{Entry, Shown};
use folder::Folder;
use library::Library;
use picture::Staged;
use renderer_base::files::SharedFiles;
use renderer_cli::GalleryArgs;
use renderer_image::{WriteOptions, encode, write_whole};
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::Outputs;
use renderer_support::terminal::plural;
use renderer_support::{Failure, print, remark};

/// Runs `kiln gallery`.
pub fn run(args: &GalleryArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch()?;
    let start = Instant::now();
    let defines: Vec<String> = (args.define.iter()).map(|(name, value)| format!("{name}={value}")).collect();
    let preprocessor = || args.source.preprocessor(&defines, SharedFiles::default());
    let mut library = Library::find(&args.shaders, preprocessor).map_err(Failure::of)?;
    let mut problems = std::mem::take(&mut library.problems);
    if is_markdown(&args.output) {
        let mut outputs = Outputs::default();
        outputs.file("-o", &args.output)?;
        outputs.check_inputs(&library.files)?;
        write_whole(&args.output, markdown::text(&library.entries).as_bytes())?;
    } else {
        let mut outputs = Outputs::default();
        let mut folder = Folder::open(&args.output)?;
        let made = make(&mut library.entries, args, &mut folder, &mut outputs, &interrupt)?;
        let pictures: Vec<String> = (library.entries.iter())
            .filter_map(|entry| match &entry.shown {
                Shown::Picture(file, _) => Some(file.clone()),
                Shown::Unmade | Shown::Nothing(_) | Shown::Wrong(_) => None,
            })
            .collect();
        folder.finish(&page::text(&library.entries), &pictures)?;
        problems.add_new(made.problems.list);
        if !args.quiet {
            remark(&format!(
                "{}: {}, {} rendered, {:.1} MB, in {:.1} s",
                folder.place(folder::PAGE).display(),
                plural(library.entries.len(), "shader"),
                plural(made.rendered, "picture"),
                folder.size() as f64 / 1e6,
                start.elapsed().as_secs_f64()
            ));
        }
    }
    report(problems, args.quiet)?;
    let wrong = library.entries.iter().filter(|entry| entry.is_wrong()).count();
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::User(format!("{} with mistakes", plural(wrong, "shader")))),
    }
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

fn report(mut problems: Diagnostics, quiet: bool) -> Result<(), Failure> {
    if quiet {
        problems.list.retain(|problem| problem.severity == shading::Severity::Error);
    }
    print(&problems);
    Ok(())
}

/// Counts of pictures.
#[derive(Default)]
struct Made {
    /// Number of pictures that were rendered.
    rendered: usize,
    problems: Diagnostics,
}

/// Renders the pictures that are not there yet.
fn make(
    entries: &mut [Entry],
    args: &GalleryArgs,
    folder: &mut Folder,
    outputs: &mut Outputs,
    interrupt: &Arc<Interrupt>,
) -> Result<Made, Failure> {
    let mut made = Made::default();
    for entry in entries.iter() {
        outputs.add("-o", &folder.place(&Folder::picture(&entry.id)))?;
    }
    let bar = bar(entries.len(), args.quiet);
    for entry in entries {
        bar.set_message(entry.name.clone());
        if matches!(entry.shown, Shown::Unmade) {
            let file = Folder::picture(&entry.id);
            match Staged::new(entry, args) {
                Ok(staged) => {
                    outputs.check_scene_files(&staged.desc)?;
                    outputs.check_inputs(staged.built.scene.late_files())?;
                    let key = staged.key();
                    if !key.as_ref().is_some_and(|key| folder.has(&file, key)) {
                        let place = folder.place(&file);
                        let image = staged.render(interrupt)?;
                        let bytes = encode(&place, &image, &WriteOptions::default())?;
                        folder.put(&file, key, &bytes)?;
                        made.rendered += 1;
                    }
                    entry.shown = Shown::Picture(file, args.size);
                }
                Err(errors) => {
                    entry.fail(&errors);
                    made.problems.add_new(errors.list);
                }
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(made)
}

/// A bar over the entries, on terminals.
fn bar(count: usize, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    if quiet || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len}  {eta} left  {msg}");
    bar.set_style(style.expect("the template is well formed"));
    bar
}
