//! `kiln convert`: writes a scene of Mitsuba 3 or Embree as a Kiln scene, with a folder of meshes and images.

use std::path::Path;

use shading::Diagnostic;

use renderer_base::files::read_regular;
use renderer_cli::ConvertArgs;
use renderer_image::{Staged, stage, write_whole};
use renderer_import::export::ply_bytes;
use renderer_import::{SceneImport, SceneImportOptions, import_scene};
use renderer_support::new_folder::write_in;
use renderer_support::outputs::Outputs;
use renderer_support::terminal::plural;
use renderer_support::written_files::{WrittenFiles, content_hash};
use renderer_support::{Failure, print, print_result};

pub(super) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    check_names(args)?;
    let mut outputs = Outputs::default();
    outputs.file("OUTPUT", &args.output)?;
    outputs.check_inputs([&args.scene])?;
    if args.output.exists() && !read_regular(&args.output).is_ok_and(|bytes| is_unchanged(&bytes)) {
        return Err(in_the_way(&args.output));
    }
    let stem = args.output.file_stem().unwrap_or_default().to_string_lossy();
    let folder = format!("{stem}_files");
    let options = SceneImportOptions { folder: Some(folder.clone()), ..args.import.options() };
    let translation = import_scene(&args.scene, &options).map_err(Failure::Mistakes)?;
    let beside = args.output.parent().unwrap_or(Path::new(""));
    let meshes = translation.meshes.iter().map(|(name, _)| name);
    let names = meshes.chain(translation.images.iter().map(|(name, _)| name));
    let names: Vec<&String> = names.collect();
    let mut write = || {
        let record = beside.join(&folder).join(WrittenFiles::NAME);
        let before = WrittenFiles::read(&record).ok_or_else(|| in_the_way(&record))?;
        for name in &names {
            let path = beside.join(name);
            if !before.is_replaceable(name, &path) {
                return Err(in_the_way(&path));
            }
            outputs.file("OUTPUT", &path)?;
        }
        outputs.check_inputs(&translation.files)?;
        outputs.check_inputs(translation.images.iter().map(|(_, path)| path))?;
        let (written, staged) = staged_files(&translation, beside)?;
        if !names.is_empty() {
            // Old and new hashes, in case the program is killed before all files are in place.
            let mut both = before;
            both.extend(&written);
            both.write(&record)?;
        }
        for file in staged {
            file.commit()?;
        }
        if !names.is_empty() {
            written.write(&record)?;
        }
        // The scene is last, so that the files that it names exist.
        let text = text(&args.scene, &translation);
        Ok(write_whole(&args.output, text.as_bytes())?)
    };
    if names.is_empty() {
        write()?;
    } else {
        write_in(&beside.join(&folder), write)?;
    }
    if !args.quiet {
        print(&translation.warnings);
        print_result(&format!("{}: {}\n", args.output.display(), others(&translation, &folder)));
    }
    Ok(())
}

/// The files of a conversion other than the scene, as text.
fn others(translation: &SceneImport, folder: &str) -> String {
    let counts = [(translation.meshes.len(), "mesh file"), (translation.images.len(), "image")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, noun)| plural(count, noun)).collect();
    match counts.as_slice() {
        [] => "no other files".to_owned(),
        counts => format!("{} in {folder}", counts.join(" and ")),
    }
}

/// Writes meshes and images under temporary names, and returns them with their hashes.
fn staged_files(translation: &SceneImport, beside: &Path) -> Result<(WrittenFiles, Vec<Staged>), Failure> {
    let (mut written, mut staged) = (WrittenFiles::default(), vec![]);
    let mut stage_file = |name: &str, bytes: &[u8]| {
        written.add(name, content_hash(bytes));
        stage(&beside.join(name), bytes)
    };
    for (name, mesh) in &translation.meshes {
        staged.push(stage_file(name, &ply_bytes(mesh))?);
    }
    for (name, path) in &translation.images {
        staged.push(stage_file(name, &read_regular(path)?)?);
    }
    Ok((written, staged))
}

fn in_the_way(path: &Path) -> Failure {
    Failure::User(format!(
        "error: '{}' exists, and no earlier `kiln convert` wrote it, or it was changed since\n  \
         hint: name another file, or delete it",
        path.display()
    ))
}

/// First line of a converted scene, between the names of the file and of the program.
const ORIGIN: &str = ", a scene of ";

/// Beginning of the second line of a converted scene, which ends with the hash of the lines after it.
const HASH: &str = "// Replaced by `kiln convert` while unchanged: ";

/// Returns whether a text is that of an unchanged converted scene.
fn is_unchanged(text: &[u8]) -> bool {
    let mut lines = text.splitn(3, |&byte| byte == b'\n');
    let (Some(origin), Some(hash), Some(rest)) = (lines.next(), lines.next(), lines.next()) else {
        return false;
    };
    let is_origin = |line: &str| line.starts_with("// From ") && line.contains(ORIGIN);
    std::str::from_utf8(origin).is_ok_and(is_origin)
        && hash.strip_prefix(HASH.as_bytes()) == Some(content_hash(rest).as_bytes())
}

/// The scene as text, with an empty line before each kind of declarations.
fn text(scene: &Path, SceneImport { program, declarations, .. }: &SceneImport) -> String {
    let name = scene.file_name().unwrap_or(scene.as_os_str());
    let name = name.to_string_lossy().replace(['\n', '\r'], " ");
    let mut text = String::new();
    let mut keyword = "";
    for declaration in declarations {
        if declaration.keyword.text != keyword {
            keyword = &declaration.keyword.text;
            text.push('\n');
        }
        text.push_str(&format!("{declaration}\n"));
    }
    let hash = content_hash(text.as_bytes());
    format!("// From {name}{ORIGIN}{program}.\n{HASH}{hash}\n{text}")
}

fn check_names(args: &ConvertArgs) -> Result<(), Failure> {
    let has = |path: &Path, extension: &str| {
        path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
    };
    if !has(&args.scene, "xml") {
        let message = format!("{}: not a scene that is converted", args.scene.display());
        let error = Diagnostic::error(message).hint("scenes of Mitsuba and Embree are .xml files");
        return Err(Failure::of(error));
    }
    if !has(&args.output, "kiln") {
        let message = format!("{}: not a name for a scene", args.output.display());
        return Err(Failure::of(Diagnostic::error(message).hint("scenes are .kiln files")));
    }
    Ok(())
}
