//! `kiln pack`: writes a scene with all files that it needs into one archive.
//!
//! The scene is read and its materials are compiled as if its folder were the archive; the files that this reads are
//! packed.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod layout;
mod recording;
mod write;

use std::path::{Path, PathBuf};

use shading::{Diagnostic, Diagnostics};

use self::layout::Layout;
use self::recording::SceneRecording;
use renderer_base::files::{FileKind, is_pack};
use renderer_cli::PackArgs;
use renderer_inputs::scene_options::{NamedScene, SceneOptions};
use renderer_load::Change;
use renderer_support::outputs::Outputs;
use renderer_support::terminal::plural;
use renderer_support::{Failure, print, print_result};

/// Runs `kiln pack`.
pub fn run(args: &PackArgs) -> Result<(), Failure> {
    if !is_pack(&args.output) {
        let message = format!("{}: not a name for a pack", args.output.display());
        return Err(Failure::of(Diagnostic::error(message).hint("packs are .zip files")));
    }
    let options = SceneOptions {
        set: args.set.clone(),
        light: args.light.clone(),
        ..SceneOptions::of(&args.source, &args.import)
    };
    let packed = pack(&args.scene, &args.output, options)?;
    if !args.quiet {
        print(&packed.warnings);
        print_result(&text(&args.output, &packed, args.verbose));
    }
    Ok(())
}

/// Summary of the packed files.
pub struct Packed {
    layout: Layout,
    sizes: write::Sizes,
    warnings: Diagnostics,
}

/// Packs a scene that is read with these options, which the pack keeps.
pub fn pack(scene: &Path, output: &Path, options: SceneOptions) -> Result<Packed, Failure> {
    let mut outputs = Outputs::default();
    outputs.file("-o", output)?;
    outputs.check_inputs([scene])?;
    let changes: Vec<Change> = options.set.iter().map(String::as_str).map(Change::from).collect();
    let contradictions = Change::without_effect(&changes);
    let scene = NamedScene::find(scene, options).map_err(Failure::of)?;
    let recording = SceneRecording::new(scene, output)?;
    let (recorded, mut warnings) = recording.run().map_err(Failure::Mistakes)?;
    warnings.list.extend(contradictions);
    let found = recorded.iter().filter(|(_, kind)| **kind == FileKind::File);
    let found = found.map(|(asked, _)| recording.actual(asked));
    outputs.check_inputs(found)?;
    let layout = Layout::new(&recording, &recorded).map_err(Failure::of)?;
    warnings.list.extend(foreign(&recording, &layout));
    let sizes = write::archive(&**recording.files(), output, &layout)?;
    Ok(Packed { layout, sizes, warnings })
}

/// Warns of files far from the scene that only the scene names: it could name any file of the machine.
fn foreign(recording: &SceneRecording, layout: &Layout) -> Option<Diagnostic> {
    let files = recording.files();
    let folder = recording.folder.canonicalize().ok()?;
    let project = folder.parent().filter(|parent| parent.parent().is_some());
    let project = project.unwrap_or(&folder).to_owned();
    let named = recording.named.iter().map(|path| files.identity(path));
    let known: Vec<PathBuf> = named.chain([project]).collect();
    let sources = layout.sources.values().map(|source| files.identity(source));
    let foreign: Vec<String> = sources
        .filter(|source| !known.iter().any(|folder| source.starts_with(folder)))
        .map(|source| source.display().to_string())
        .collect();
    let (first, rest) = foreign.split_at_checked(MAX_LISTED).unwrap_or((&foreign, &[]));
    let more = match rest.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let message = format!(
        "the scene names files far from it, which are packed: {}{more}",
        first.join(", ")
    );
    (!foreign.is_empty())
        .then(|| Diagnostic::warning(message).hint("look whether they are for others to see"))
}

/// The most files that a warning lists.
const MAX_LISTED: usize = 8;

/// Summary of the packed files, as text.
fn text(output: &Path, packed: &Packed, lists: bool) -> String {
    let Packed { layout, sizes, .. } = packed;
    let mut text = String::new();
    let entries = &layout.manifest.entries;
    if lists {
        let width = entries.values().map(|size| size.to_string().len()).max();
        for (name, size) in entries {
            text += &format!("{size:width$}  {name}\n", width = width.unwrap_or(0));
        }
    }
    text + &format!(
        "{}: {} of {} in {}\n",
        output.display(),
        plural(entries.len(), "file"),
        megabytes(sizes.files),
        megabytes(sizes.archive)
    )
}

fn megabytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
