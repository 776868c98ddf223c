//! `kiln fmt`: formats shaders and scenes.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use shading::Diagnostic;
use shading_format::{LineChange, changes, format};

use renderer_base::files::{DiskFiles, Files as _};
use renderer_cli::FmtArgs;
use renderer_image::rewrite;
use renderer_support::terminal::plural;
use renderer_support::{Failure, print_result, remark};

/// Endings of the names of files that are formatted.
const KINDS: [&str; 4] = ["ksl", "osl", "tsl", "kiln"];

/// Changed lines of a file that are shown.
const MAX_LINES: usize = 20;

pub(super) fn run(args: &FmtArgs) -> Result<(), Failure> {
    if args.files.iter().any(|path| is_input(path)) {
        return format_input(args);
    }
    if args.stdin_path.is_some() {
        let message = "error: --stdin-path names what `-` reads, and there is no `-`";
        return Err(Failure::User(message.to_owned()));
    }
    let mut tally = Tally::default();
    for path in files(&args.files, &mut tally) {
        tally.files += 1;
        if let Err(message) = format_file(&path, args.check, &mut tally) {
            tally.failed(&message);
        }
    }
    tally.result(args.check)
}

/// Counts of files.
#[derive(Default)]
struct Tally {
    files: usize,
    changed: usize,
    failed: usize,
}

impl Tally {
    /// Reports a file that cannot be formatted.
    fn failed(&mut self, message: &str) {
        remark(&message);
        self.failed += 1;
    }

    fn result(&self, is_check: bool) -> Result<(), Failure> {
        let files = plural(self.files, "file");
        let mut summary = match (self.changed, is_check) {
            (0, true) => format!("{files}: formatted"),
            (0, false) => format!("{files}: nothing to change"),
            (changed, true) => format!("{files}: {changed} not formatted"),
            (changed, false) => format!("{files}: {changed} changed"),
        };
        if self.failed > 0 {
            // Writing to a string cannot fail.
            let _ = write!(summary, ", {} with mistakes", self.failed);
        }
        if self.failed > 0 || is_check && self.changed > 0 {
            return Err(Failure::User(summary));
        }
        summary.push('\n');
        print_result(&summary);
        Ok(())
    }
}

fn is_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn format_input(args: &FmtArgs) -> Result<(), Failure> {
    if args.files.len() > 1 {
        let message = "error: `-` stands for standard input, and goes with no other file";
        return Err(Failure::User(message.to_owned()));
    }
    let mut bytes = vec![];
    io::stdin().lock().read_to_end(&mut bytes)?;
    let name = args.stdin_path.as_ref().map(|path| path.display().to_string());
    let name = name.as_deref().unwrap_or("standard input");
    let text = text_of(bytes).map_err(|why| Failure::User(format!("error: cannot read {name}: {why}")))?;
    let formatted = format(name, &text).map_err(|error| Failure::User(message(name, &error)))?;
    if !args.check {
        print_text(&formatted)?;
    } else if formatted != text {
        print_result(&shown(name, &text, &formatted));
        return Err(Failure::User(format!("{name}: not formatted")));
    }
    Ok(())
}

/// Writes a text to standard output as it is.
fn print_text(text: &str) -> Result<(), Failure> {
    use io::Write as _;
    let mut output = io::stdout().lock();
    renderer_support::terminal::whole(output.write_all(text.as_bytes()).and_then(|()| output.flush()))
}

/// The files that are named, those of folders among them, each once.
fn files(named: &[PathBuf], tally: &mut Tally) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    let mut list = vec![];
    for path in named {
        let found = if path.is_dir() {
            let mut found = vec![];
            walk(path, &mut found);
            found
        } else if is_known(path) {
            vec![path.clone()]
        } else {
            let error = Diagnostic::error(format!("{} is no shader and no scene", path.display()))
                .hint("files that are formatted end in .ksl, .osl, .tsl or .kiln");
            tally.failed(&error.to_string());
            continue;
        };
        let is_new = |path: &PathBuf| seen.insert(DiskFiles.identity(path));
        list.extend(found.into_iter().filter(is_new));
    }
    list
}

/// Adds the shaders and scenes of a folder in the order of their names. Hidden files, and folders that are links, are left
/// out.
fn walk(folder: &Path, list: &mut Vec<PathBuf>) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut inner = vec![];
        for name in DiskFiles.list(&folder) {
            let path = folder.join(&name);
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir());
            if name.starts_with('.') {
                continue;
            } else if is_folder {
                inner.push(path);
            } else if is_known(&path) && path.is_file() {
                list.push(path);
            }
        }
        folders.extend(inner.into_iter().rev());
    }
}

fn is_known(path: &Path) -> bool {
    let kind = path.extension().and_then(OsStr::to_str);
    kind.is_some_and(|kind| KINDS.iter().any(|known| kind.eq_ignore_ascii_case(known)))
}

fn format_file(path: &Path, is_check: bool, tally: &mut Tally) -> Result<(), String> {
    let name = path.display().to_string();
    let text =
        read(path).map_err(|why| Diagnostic::error(format!("cannot read {name}: {why}")).to_string())?;
    let formatted = format(&name, &text).map_err(|error| message(&name, &error))?;
    if formatted == text {
        return Ok(());
    }
    tally.changed += 1;
    if is_check {
        print_result(&shown(&name, &text, &formatted));
        return Ok(());
    }
    rewrite(path, formatted.as_bytes()).map_err(|error| {
        tally.changed -= 1;
        format!("error: {error}")
    })
}

fn read(path: &Path) -> Result<String, String> {
    DiskFiles.read(path).map_err(|error| error.to_string()).and_then(text_of)
}

/// The bytes as text. Encodings other than UTF-8, which other commands accept, could not be restored.
fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8")?;
    if text.contains('\0') {
        return Err("it is not text".to_owned());
    }
    Ok(text)
}

fn message(name: &str, error: &shading_format::FormatError) -> String {
    match error {
        shading_format::FormatError::Syntax(_) => error.to_string(),
        shading_format::FormatError::Changed => format!("error: {name}: {error}"),
    }
}

/// The lines of a file that change.
fn shown(name: &str, old: &str, new: &str) -> String {
    let list = changes(old, new);
    let mut text = format!("{name}\n");
    for change in list.iter().take(MAX_LINES) {
        // Writing to a string cannot fail.
        let _ = match change {
            LineChange::Old(line, old) => writeln!(text, "{line:>6} - {old}"),
            LineChange::New(new) => writeln!(text, "{:>6} + {new}", ""),
        };
    }
    if list.len() > MAX_LINES {
        let _ = writeln!(text, "       and {} more lines", list.len() - MAX_LINES);
    }
    text
}
