//! The closing message of a command: files written, time, how to view them.

use std::io::IsTerminal as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::brightness::has_8_bits;
use super::pictures::{WrittenPicture, is_part};
use renderer_image::Image;
use renderer_image::film::NoiseSummary;
use renderer_support::remark;
use renderer_support::terminal::plural;

/// The program that opens a file with what its user prefers.
const OPEN: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "start"
} else {
    "xdg-open"
};

/// Prints the files that `kiln render` wrote, on a terminal.
pub fn rendered(written: &WrittenPicture, samples: &Range<u64>, elapsed: Duration) {
    if !written.files.written.is_empty() && std::io::stderr().is_terminal() {
        let how = if written.is_denoised { ", denoised" } else { "" };
        remark(&picture_text(&written.files.written, &written.image, samples, how, elapsed));
    }
}

/// Reports the files that `kiln bake` wrote.
pub fn baked(folder: &Path, files: &[(String, Vec<u8>)], elapsed: Duration) {
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    remark(&folder_text(folder, &names, elapsed));
}

/// Prints the file that `kiln archive` wrote, on a terminal.
pub fn archived(path: &Path, folder: &str, elapsed: Duration) {
    if std::io::stderr().is_terminal() {
        let name = path.display();
        remark(&format!(
            "wrote {name}, in {}\nanywhere: tar xf {name} && {folder}/bin/kiln render SCENE",
            time(elapsed)
        ));
    }
}

/// Prints the remaining work of `--noise`.
pub fn open_rounds(noise: &NoiseSummary) {
    if noise.open > 0.0 {
        remark(&format!(
            "the error of --noise is not reached: {:.1} % of the picture needs about {} more samples",
            100.0 * noise.open,
            noise.remaining
        ));
    }
}

fn picture_text(
    outputs: &[PathBuf],
    image: &Image,
    samples: &Range<u64>,
    how: &str,
    elapsed: Duration,
) -> String {
    let names: Vec<String> = outputs.iter().map(|path| path.display().to_string()).collect();
    let count = plural((samples.end - samples.start) as usize, "sample");
    format!(
        "wrote {}: {} × {} pixels of {count}{how}, in {}\n{}",
        names.join(", "),
        image.width,
        image.height,
        time(elapsed),
        how_to_look(outputs, samples)
    )
}

fn how_to_look(outputs: &[PathBuf], samples: &Range<u64>) -> String {
    if let Some(path) = outputs.iter().find(|path| has_8_bits(path)) {
        return open(path);
    }
    match outputs.iter().find(|path| !is_part(path)).or(outputs.first()) {
        // A part without the samples before it is not a picture yet.
        Some(part) if is_part(part) && samples.start > 0 => {
            "`kiln merge` makes pictures of it and the parts before it".to_owned()
        }
        Some(part) if is_part(part) => {
            let name = quoted(&part.display().to_string());
            format!("`kiln merge {name} -o NAME.png` makes a picture of it")
        }
        _ => "a viewer of HDR images shows it; `-o NAME.png` besides makes one for every program".to_owned(),
    }
}

fn folder_text(folder: &Path, names: &[&str], elapsed: Duration) -> String {
    let mut text = format!(
        "wrote {} files to {}, in {}: {}",
        names.len(),
        folder.display(),
        time(elapsed),
        names.join(", ")
    );
    if names.contains(&"index.html") {
        text += &format!("\nview it: kiln view {}", quoted(&folder.display().to_string()));
    } else if names.contains(&"preview.png") {
        text += &format!("\n{}", open(&folder.join("preview.png")));
    }
    if names.contains(&"model.glb") {
        text += "\nmodel.glb is the model with its lightmap; bake.json describes all files";
    } else if names.contains(&"scene.glb") {
        text += "\nscene.glb is the geometry with its baked data; bake.json describes all files";
    }
    text
}

fn open(path: &Path) -> String {
    format!("look at it: {OPEN} {}", quoted(&path.display().to_string()))
}

/// A file's name as one word of a command line.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+".contains(c);
    if name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

/// A duration as one says it: `0.42 s`, `12.3 s`, `5 min 20 s`, `3 h 4 min`.
pub fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 59.95 => format!("{s:.1} s"),
        s if s < 3599.5 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (seconds, text) in [
            (0.4, "0.40 s"),
            (59.94, "59.9 s"),
            (59.96, "1 min 0 s"),
            (320.2, "5 min 20 s"),
            (3599.7, "1 h 0 min"),
            (11_080.0, "3 h 4 min"),
        ] {
            assert_eq!(time(Duration::from_secs_f64(seconds)), text);
        }
    }

    #[test]
    fn says_what_where_and_how() {
        let image = Image::new(8, 6, 3);
        let text = |names: &[&str]| {
            let outputs: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            picture_text(&outputs, &image, &(0..1), "", Duration::from_secs(2))
        };
        let said = text(&["a.exr", "my b.png"]);
        assert!(
            said.starts_with("wrote a.exr, my b.png: 8 × 6 pixels of 1 sample, in 2.00 s\n"),
            "{said}"
        );
        assert!(said.ends_with(" \"my b.png\""), "{said}");
        assert!(text(&["a.exr", "a.part"]).contains("viewer"));
        let said = text(&["my a.part", "b.part"]);
        assert!(
            said.ends_with("\n`kiln merge \"my a.part\" -o NAME.png` makes a picture of it"),
            "{said}"
        );
        let said = picture_text(&["a.part".into()], &image, &(16..24), "", Duration::ZERO);
        assert!(said.contains("8 samples") && said.contains("the parts before it"), "{said}");
        let said = folder_text(Path::new("out"), &["preview.png", "scene.glb"], Duration::ZERO);
        assert!(
            said.contains("wrote 2 files to out") && said.contains("out/preview.png"),
            "{said}"
        );
    }
}
