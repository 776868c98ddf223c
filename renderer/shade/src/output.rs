//! Outputs of `kiln shade`: images and text.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use shading::eval::text::{Arg, format};
use shading::hir::Const;
use shading::runtime::closure_text::closure_text;
use shading::ty::{Base, Type};
use shading::{Diagnostic, Diagnostics};

use super::engine::Engine;
use super::grid::{Grid, PointSet as _};
use super::host::spread;
use renderer_image::{self as image, ImageError, MetaValue, SampleType, WriteOptions, write_finished};
use renderer_support::Failure;
use renderer_support::outputs::Outputs;

/// The name that stands for no file.
pub(super) const NOWHERE: &str = "null";
/// Numbers that all images together may hold.
const MAX_NUMBERS: usize = 1 << 31;

/// An output that is written to a file.
#[derive(Debug)]
pub(super) struct Image {
    /// Index among the engine's outputs.
    pub(super) output: usize,
    file: PathBuf,
    is_int: bool,
    pub(super) pixels: image::Image,
}

impl Image {
    /// An output that stays in memory: a row of `points`.
    pub(super) fn in_memory(output: usize, ty: Type, points: usize) -> Option<Image> {
        Some(Image {
            output,
            file: PathBuf::new(),
            is_int: ty.base == Base::Int,
            pixels: image::Image::new(points, 1, channels(ty)?),
        })
    }
}

/// The requested outputs, as pairs of name and file.
#[derive(Debug, Default)]
pub(super) struct Requests<'a> {
    pub(super) list: Vec<(&'a str, &'a str)>,
}

impl<'a> Requests<'a> {
    pub(super) fn of(words: &'a [String]) -> Requests<'a> {
        Requests {
            list: words.chunks_exact(2).map(|pair| (&*pair[0], &*pair[1])).collect(),
        }
    }

    /// Adds the files to the output files of the command.
    pub(super) fn add_to(&self, outputs: &mut Outputs) -> Result<(), Failure> {
        let mut files = self.list.iter().filter(|(_, file)| *file != NOWHERE);
        files.try_for_each(|(_, file)| outputs.image("-o", file.as_ref()))
    }

    /// Black images for the outputs; `index` returns the index and type of an output by its requested name.
    pub(super) fn images(
        &self,
        grid: &Grid,
        index: impl Fn(&str) -> Option<(usize, Type)>,
    ) -> Result<Vec<Image>, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let mut chosen = vec![];
        let mut numbers = 0usize;
        for (name, file) in self.list.iter().filter(|(_, file)| *file != NOWHERE) {
            let Some((output, ty)) = index(name) else { continue };
            match channels(ty) {
                Some(channels) => {
                    numbers = numbers.saturating_add(grid.points().saturating_mul(channels));
                    chosen.push((output, channels, ty.base == Base::Int, PathBuf::from(file)));
                }
                None => {
                    let message = format!("output `{name}` is of type {ty}, which makes no image");
                    diagnostics.push(Diagnostic::error(message).hint("write it with `--print` instead"));
                }
            }
        }
        if numbers > MAX_NUMBERS {
            let message =
                format!("the images would hold {numbers} numbers; at most {MAX_NUMBERS} are possible");
            diagnostics.push(Diagnostic::error(message));
        }
        let chosen = diagnostics.into_result(chosen)?;
        let image = |(output, channels, is_int, file)| {
            let pixels = image::Image::new(grid.width(), grid.height(), channels);
            Image { output, file, is_int, pixels }
        };
        Ok(chosen.into_iter().map(image).collect())
    }
}

/// Numbers of an output at a point; `None` where it is not made of numbers.
pub(super) fn channels(ty: Type) -> Option<usize> {
    let each = match ty.base {
        Base::Int | Base::Float => 1,
        Base::Matrix => 16,
        base if base.is_triple() => 3,
        _ => return None,
    };
    Some(each * ty.count() as usize)
}

/// Writes the images and returns the errors; an error of one does not affect the others. Ints are written as ints
/// unless another sample type is requested, then as fractions of the largest int, as OSL's tools convert them.
pub(super) fn write(
    images: Vec<Image>,
    asked: Option<SampleType>,
    shader: &str,
) -> Result<Vec<ImageError>, ImageError> {
    let mut files = vec![];
    for mut image in images {
        let channels = image.pixels.channels;
        let samples = match asked {
            Some(samples) => samples,
            None if image.is_int => SampleType::I32,
            None => SampleType::F32,
        };
        if image.is_int && samples != SampleType::I32 {
            let share = 1.0 / i32::MAX as f32;
            image.pixels.data.iter_mut().for_each(|v| *v *= share);
        }
        if samples == SampleType::U8 {
            image
                .pixels
                .data
                .iter_mut()
                .for_each(|v| *v = (v.clamp(0.0, 1.0) * 255.0 + 0.5).floor() / 255.0);
        }
        let options = WriteOptions {
            samples,
            channel_names: if channels > 4 || channels == 2 {
                (0..channels).map(|i| format!("c{i:04}")).collect()
            } else {
                vec![]
            },
            metadata: vec![
                ("kiln.version".to_owned(), MetaValue::from(env!("CARGO_PKG_VERSION"))),
                ("kiln.shader".to_owned(), MetaValue::from(shader)),
            ],
            ..WriteOptions::default()
        };
        let bytes = image::encode(&image.file, &image.pixels, &options)?;
        files.push((image.file, bytes));
    }
    let write = |(file, bytes): &(PathBuf, Vec<u8>)| write_finished(file, |out| out.write_all(bytes)).err();
    Ok(files.iter().filter_map(write).collect())
}

/// Appends the values of outputs at a point, as `testshade --print` shows them.
pub(super) fn print_point<E: Engine>(
    engine: &E,
    state: &E::State,
    outputs: &[(usize, String)],
    [x, y]: [usize; 2],
    text: &mut String,
) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "Pixel ({x}, {y}):");
    for (output, name) in outputs {
        let _ = writeln!(text, "  {name} : {}", output_text(engine, state, *output));
    }
}

/// An output of the last run as text.
pub(super) fn output_text<E: Engine>(engine: &E, state: &E::State, output: usize) -> String {
    match engine.value(state, output) {
        Const::NullClosure => {
            let text = closure_text(&engine.closure(state, output), engine.closures());
            if text.is_empty() { "0".to_owned() } else { text }
        }
        value => value_text(&value),
    }
}

/// A value as `printf("%g")` shows it; an int as `%d`.
pub(super) fn value_text(value: &Const) -> String {
    match value {
        Const::Int(v) => v.to_string(),
        Const::String(v) => format!("{v:?}"),
        Const::Array(list) => list.iter().map(value_text).collect::<Vec<_>>().join(" "),
        Const::Float(_) | Const::Triple(_) | Const::Matrix(_) => {
            let mut numbers = vec![];
            spread(value, &mut |number| numbers.push(number));
            format("%g", &[Arg::Floats(&numbers)]).0
        }
        Const::NullClosure => "0".to_owned(),
    }
}
