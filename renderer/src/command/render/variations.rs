//! `kiln render UNIT --variations NAME=VALUES`: a labelled picture for each value of a parameter, all in one.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use shading::Diagnostic;

use super::picture::{images, render_picture};
use crate::command::kept_scene::KeptScene;
use renderer_cli::RenderArgs;
use renderer_image::{Image, WriteOptions, write};
use renderer_inputs::stage;
use renderer_inputs::stage_args::Variation;
use renderer_pictures::tiles::Tiles;
use renderer_support::interrupt::Interrupt;
use renderer_support::outputs::Outputs;
use renderer_support::watch::Read;
use renderer_support::{Failure, print_result};

/// Width and height of a picture, unless --size says another.
const SIZE: (u32, u32) = (256, 256);

/// Renders the picture, or its variations. `kept` has the scene of the picture before, and then that of this one. `read`
/// receives the files that were read.
pub(super) fn run(
    args: &RenderArgs,
    kept: &mut KeptScene,
    interrupt: &Arc<Interrupt>,
    read: Read<'_>,
) -> Result<(), Failure> {
    if args.request.stage.variations.is_empty() {
        return render_picture(args, kept, interrupt, read);
    }
    check(args)?;
    let files = images(args);
    let mut outputs = Outputs::default();
    for file in &files {
        outputs.image("-o", file)?;
    }
    let start = Instant::now();
    let folder = tempfile::tempdir().map_err(|error| Failure::User(format!("error: {error}")))?;
    let file = folder.path().join("picture.exr");
    let inputs = RefCell::new(vec![]);
    let mut pictures: Vec<(Image, Vec<(String, String)>)> = vec![];
    for (number, values) in combinations(&args.request.stage.variations).into_iter().enumerate() {
        let mut one = args.clone();
        one.request.stage.variations.clear();
        one.request.stage.params.extend(values.iter().cloned());
        one.output = vec![file.clone()];
        one.request.size = Some(args.request.size.unwrap_or(SIZE));
        // Warnings are those of the first.
        one.report.quiet |= number > 0;
        let receive = |files: Vec<PathBuf>| {
            inputs.borrow_mut().extend(files.iter().cloned());
            read(files);
        };
        render_picture(&one, kept, interrupt, &receive)?;
        outputs.check_inputs(inputs.take())?;
        pictures.push((renderer_image::read(&file)?, values));
    }
    let Some((first, _)) = pictures.first() else {
        return Ok(());
    };
    let columns = args.request.stage.variations[0].values.len();
    // One variation fills rows as it likes.
    let columns = (args.request.stage.variations.len() > 1).then_some(columns);
    let mut tiles = Tiles::new(first.width, first.height, pictures.len(), columns);
    for (index, (picture, values)) in pictures.iter().enumerate() {
        tiles.draw(index, picture, &label(values, tiles.letters()));
    }
    let options = WriteOptions {
        exposure: args.exposure,
        tone_map: args.tone_map.into(),
        ..WriteOptions::default()
    };
    let sheet = tiles.finish();
    for file in &files {
        write(file, &sheet, &options)?;
    }
    if args.report.verbose {
        print_result(&format!(
            "{} pictures in {:.1} s",
            pictures.len(),
            start.elapsed().as_secs_f64()
        ));
    }
    Ok(())
}

/// `name = value, name = value` in at most `letters` letters if possible: names are shortened, values are not.
fn label(values: &[(String, String)], letters: usize) -> String {
    let text = |longest: usize| {
        let parts = values.iter().map(|(name, value)| match longest {
            0 => value.clone(),
            _ => format!("{} = {value}", name.chars().take(longest).collect::<String>()),
        });
        parts.collect::<Vec<String>>().join(", ")
    };
    let longest = values.iter().map(|(name, _)| name.chars().count()).max();
    let mut fitting = (0..=longest.unwrap_or(0)).rev().map(text);
    let fits = |text: &String| text.chars().count() <= letters;
    fitting.find(fits).unwrap_or_else(|| text(0))
}

/// Refuses flags that are about one picture.
fn check(args: &RenderArgs) -> Result<(), Failure> {
    stage_only(args)?;
    let flags = [
        (args.checkpoint.is_some(), "--checkpoint"),
        (args.request.samples.is_some(), "--samples"),
        (args.preview.is_some(), "--preview"),
        (!args.request.aov.is_empty(), "--aov"),
        (args.request.photon_map.is_some(), "--photon-map"),
        (args.report.stats.is_some(), "--stats"),
        (args.write_every.is_some(), "--write-every"),
        (args.progress.is_some(), "--progress"),
        (args.request.stage.variations.len() > 2, "a third one"),
    ];
    match flags.into_iter().find(|(given, _)| *given) {
        Some((_, flag)) => {
            let message = format!("--variations does not go with {flag}");
            Err(Failure::of(Diagnostic::error(message)))
        }
        None => Ok(()),
    }
}

fn stage_only(args: &RenderArgs) -> Result<(), Failure> {
    match stage::is_shader(&args.request.scene.path) {
        true => Ok(()),
        false => stage::check_idle(&args.request.stage, &args.request.scene.path).map_err(Failure::of),
    }
}

/// Combinations of the values of one or two variations; the first varies fastest.
fn combinations(variations: &[Variation]) -> Vec<Vec<(String, String)>> {
    let mut all = vec![vec![]];
    for Variation { name, values } in variations {
        let mut longer = vec![];
        for value in values {
            longer.extend(all.iter().map(|earlier: &Vec<(String, String)>| {
                let mut values = earlier.clone();
                values.push((name.clone(), value.clone()));
                values
            }));
        }
        all = longer;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn labels_keep_their_values() {
        let values = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect()
        };
        let one = values(&[("specular_roughness_anisotropy", "0.25")]);
        assert_eq!(label(&one, 60), "specular_roughness_anisotropy = 0.25");
        assert_eq!(label(&one, 20), "specular_roug = 0.25");
        assert_eq!(label(&one, 4), "0.25");
        let two = values(&[("roughness", "0.25"), ("n", "(1, 2, 3)")]);
        assert_eq!(label(&two, 27), "rough = 0.25, n = (1, 2, 3)");
        assert_eq!(label(&two, 15), "0.25, (1, 2, 3)");
    }
}
