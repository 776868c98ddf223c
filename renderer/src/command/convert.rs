//! `kiln convert`: writes a Mitsuba 3 scene as a Kiln scene, with meshes and images in a folder beside it.

use std::path::Path;

use shading::Diagnostic;
use shading::syntax::ast::Declaration;

use super::common::failure;
use super::new_folder::write_in;
use super::outputs::Outputs;
use super::terminal::plural;
use super::{Failure, print, tell};
use crate::cli::ConvertArgs;
use renderer_base::files::read_regular;
use renderer_image::write_whole;
use renderer_import::export::write_ply;
use renderer_import::{MitsubaOptions, translate};

pub(super) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    check_names(args)?;
    let mut outputs = Outputs::default();
    outputs.file("OUTPUT", &args.output)?;
    outputs.spare([&args.scene])?;
    spare_others(&args.output)?;
    let stem = args.output.file_stem().unwrap_or_default().to_string_lossy();
    let folder = format!("{stem}_files");
    let options = MitsubaOptions {
        folder: Some(folder.clone()),
        ..args.mitsuba.options()
    };
    let translation = translate(&args.scene, &options).map_err(failure)?;
    let beside = args.output.parent().unwrap_or(Path::new(""));
    let files = translation.meshes.iter().map(|(name, _)| name);
    let files: Vec<&String> = files
        .chain(translation.images.iter().map(|(name, _)| name))
        .collect();
    // What an earlier run wrote, this one may replace.
    let is_again = args.output.exists();
    let mut write = || {
        for name in &files {
            let path = beside.join(name);
            if !is_again && path.exists() {
                return Err(in_the_way(&path));
            }
            outputs.file("OUTPUT", &path)?;
        }
        outputs.spare(&translation.files)?;
        outputs.spare(translation.images.iter().map(|(_, path)| path))?;
        for (name, mesh) in &translation.meshes {
            write_ply(&beside.join(name), mesh)?;
        }
        for (name, path) in &translation.images {
            write_whole(&beside.join(name), &read_regular(path)?)?;
        }
        // The scene comes last: where it is, all that it names is.
        Ok(write_whole(
            &args.output,
            text(&args.scene, &translation.declarations).as_bytes(),
        )?)
    };
    if files.is_empty() {
        write()?;
    } else {
        write_in(&beside.join(&folder), write)?;
    }
    if !args.quiet {
        print(&translation.warnings);
        let counts = [
            (translation.meshes.len(), "mesh file"),
            (translation.images.len(), "image"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, noun)| plural(count, noun)).collect();
        let beside = match counts.as_slice() {
            [] => "no other files".to_owned(),
            counts => format!("{} in {folder}", counts.join(" and ")),
        };
        tell(&format!("{}: {beside}\n", args.output.display()));
    }
    Ok(())
}

/// Fails when there is a scene that no earlier run has written.
fn spare_others(output: &Path) -> Result<(), Failure> {
    let is_ours = |bytes: Vec<u8>| {
        let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        line.starts_with(b"// From ") && line.ends_with(ORIGIN.as_bytes())
    };
    match output.exists() && !read_regular(output).is_ok_and(is_ours) {
        true => Err(in_the_way(output)),
        false => Ok(()),
    }
}

fn in_the_way(path: &Path) -> Failure {
    Failure::User(format!(
        "error: '{}' is there, and no earlier `kiln convert` has written it\n  hint: name another file, or delete it",
        path.display()
    ))
}

/// End of the first line of a converted scene.
const ORIGIN: &str = ", a scene of Mitsuba 3.";

/// The scene as text, with an empty line before each kind of declarations.
fn text(scene: &Path, declarations: &[Declaration]) -> String {
    let name = scene.file_name().unwrap_or(scene.as_os_str());
    let name = name.to_string_lossy().replace(['\n', '\r'], " ");
    let mut text = format!("// From {name}{ORIGIN}\n");
    let mut keyword = "";
    for declaration in declarations {
        if declaration.keyword.text != keyword {
            keyword = &declaration.keyword.text;
            text.push('\n');
        }
        text.push_str(&format!("{declaration}\n"));
    }
    text
}

fn check_names(args: &ConvertArgs) -> Result<(), Failure> {
    let has = |path: &Path, extension: &str| {
        path.extension()
            .is_some_and(|own| own.eq_ignore_ascii_case(extension))
    };
    if !has(&args.scene, "xml") {
        let message = format!("{}: not a scene that is converted", args.scene.display());
        let error = Diagnostic::error(message).hint("Mitsuba's scenes are .xml files");
        return Err(failure(error.into()));
    }
    if !has(&args.output, "kiln") {
        let message = format!("{}: not a name for a scene", args.output.display());
        return Err(failure(
            Diagnostic::error(message).hint("scenes are .kiln files").into(),
        ));
    }
    Ok(())
}
