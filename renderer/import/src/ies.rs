//! Reader of IES files (ANSI/IES LM-63): the luminous intensity of luminaires, of the editions 1986, 1991, 1995, 2002
//! and 2019.
//!
//! A text of keywords, the line `TILT=`, and numbers between blanks or commas: the light sources and the dimensions, the vertical
//! angles, the horizontal angles, and for each horizontal angle the intensities at all vertical angles. The editions
//! differ in the first line and in one number. Factors of the tilt are checked, and not applied.

use std::path::Path;

use super::{ImportError, read};
use renderer_base::files::{Budget, Files, FormatError, text_of};
use renderer_scene::{AngularTable, Luminaire, PhotometricWeb, Photometry, Symmetry};

/// Loads an IES file.
///
/// # Errors
/// If the file cannot be read, is truncated, or does not follow the standard.
pub fn load_ies(files: &dyn Files, path: &Path) -> Result<Luminaire, ImportError> {
    parse_ies(&read(files, path)?, path)
}

/// Parses the content of an IES file; `path` is its name in errors.
///
/// # Errors
/// As [`load_ies`].
pub fn parse_ies(bytes: &[u8], path: &Path) -> Result<Luminaire, ImportError> {
    let text = text_of(bytes);
    let header = Header::read(&text).map_err(|fault| fault.at(path))?;
    let budget = Budget::new(bytes.len());
    let mut numbers = Numbers::of(&text, header.lines);
    if header.is_tilt_included {
        numbers.skip_tilt().map_err(|fault| fault.at(path))?;
    }
    let data = Data::read(&mut numbers, header.edition).map_err(|fault| fault.at(path))?;
    /// Memory for a value, with those of the mirrored planes [bytes].
    const VALUE: usize = 2 * 5 * size_of::<f32>();
    budget
        .allocate("candela", data.vertical * data.horizontal, VALUE)
        .map_err(|excess| FormatError::OverBudget { path: path.into(), excess })?;
    data.luminaire(header, &mut numbers).map_err(|fault| fault.at(path))
}

/// Mistake in a file.
struct Fault {
    line: usize,
    reason: String,
    hint: &'static str,
}

impl Fault {
    fn at(self, path: &Path) -> ImportError {
        let Fault { line, reason, hint } = self;
        ImportError::Line { path: path.to_owned(), line, reason, hint }
    }
}

/// Text before the numbers.
struct Header {
    edition: u32,
    keywords: Vec<(String, String)>,
    is_tilt_included: bool,
    /// Number of lines, with `TILT=`.
    lines: usize,
}

impl Header {
    fn read(text: &str) -> Result<Header, Fault> {
        let first = text.lines().next().unwrap_or_default().trim();
        let edition = edition(first);
        let mut keywords: Vec<(String, String)> = vec![];
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.trim();
            if let Some(tilt) = content.strip_prefix("TILT") {
                let tilt = tilt.trim_start().strip_prefix('=').map(str::trim).unwrap_or_default();
                if tilt.is_empty() {
                    let hint = "`TILT=NONE` is that of most luminaires";
                    return Err(Fault { line, reason: "`TILT=` has no value".to_owned(), hint });
                }
                let is_tilt_included = tilt.eq_ignore_ascii_case("INCLUDE");
                return Ok(Header { edition, keywords, is_tilt_included, lines: line });
            }
            let keyword = content.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            match (keyword, keywords.last_mut()) {
                (Some(("MORE", more)), Some((_, value))) => {
                    value.push(' ');
                    value.push_str(more.trim());
                }
                (Some((key, value)), _) => keywords.push((key.to_owned(), value.trim().to_owned())),
                // Labels of 1986.
                (None, _) if !content.is_empty() && (line > 1 || edition == FIRST_EDITION) => {
                    keywords.push((String::new(), content.to_owned()));
                }
                (None, _) => {}
            }
        }
        Err(Fault {
            line: text.lines().count().max(1),
            reason: "there is no line `TILT=`, after which the numbers of an IES file begin".to_owned(),
            hint: "IES files (ANSI/IES LM-63) are read, and no other photometric files",
        })
    }
}

/// Edition without a first line of its own.
const FIRST_EDITION: u32 = 1986;

/// Edition of the standard by the first line.
fn edition(first: &str) -> u32 {
    let is_named = first.starts_with("IESNA") || first.starts_with("IES:");
    let year = first.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    match year.parse() {
        Ok(91) if is_named => 1991,
        Ok(year) if is_named && year > FIRST_EDITION => year,
        _ => FIRST_EDITION,
    }
}

/// Numbers of a file, with their lines.
struct Numbers<'a> {
    words: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
    /// Line of the last number.
    line: usize,
    /// Upper bound of the number of numbers.
    most: usize,
}

const NUMBER_HINT: &str = "numbers are written as 12, 0.5 or 1e3, between blanks or commas";
const END_HINT: &str = "the file is cut short, or one of its numbers of angles is too large";

impl<'a> Numbers<'a> {
    /// Numbers after a number of lines.
    fn of(text: &'a str, lines: usize) -> Numbers<'a> {
        // Files of DOS end with the character 0x1a.
        let is_blank = |c: char| c.is_whitespace() || c == ',' || c == '\u{1a}';
        let words = (1..).zip(text.lines()).skip(lines).flat_map(move |(line, content)| {
            content
                .split(is_blank)
                .filter(|word| !word.is_empty())
                .map(move |word| (line, word))
        });
        Numbers {
            words: Box::new(words),
            line: lines,
            most: text.len() / 2 + 1,
        }
    }

    fn fault(&self, reason: String, hint: &'static str) -> Fault {
        Fault { line: self.line, reason, hint }
    }

    fn next(&mut self, what: &str) -> Result<f32, Fault> {
        let Some((line, word)) = self.words.next() else {
            return Err(self.fault(format!("the file ends before {what}"), END_HINT));
        };
        self.line = line;
        match word.parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.fault(format!("{what}: `{}` is not a number", word.escape_debug()), NUMBER_HINT)),
        }
    }

    fn not_negative(&mut self, what: &str) -> Result<f32, Fault> {
        match self.next(what)? {
            number if number >= 0.0 => Ok(number),
            number => Err(self.fault(format!("{what} is {number}, less than 0"), NEGATIVE_HINT)),
        }
    }

    /// Whole number, at least `least`.
    fn count(&mut self, what: &str, least: usize) -> Result<usize, Fault> {
        let number = self.next(what)?;
        if number > self.most as f32 {
            return Err(self.fault(format!("{what} is {number}, more than the file has numbers"), END_HINT));
        }
        if number.fract() != 0.0 || number < least as f32 {
            let reason = format!("{what} is {number}, not a whole number of at least {least}");
            return Err(self.fault(reason, NUMBER_HINT));
        }
        Ok(number as usize)
    }

    /// Ascending angles [degrees].
    fn angles(&mut self, count: usize, what: &str, range: [f32; 2]) -> Result<Vec<f32>, Fault> {
        let mut angles: Vec<f32> = vec![];
        for _ in 0..count {
            let angle = self.next(what)?;
            if let Some(&last) = angles.last()
                && angle <= last
            {
                return Err(self.fault(format!("{what} do not ascend: {angle} follows {last}"), ANGLE_HINT));
            }
            let [least, most] = range;
            if angle < least || angle > most {
                let reason = format!("{what} are between {least} and {most}, not {angle}");
                return Err(self.fault(reason, ANGLE_HINT));
            }
            angles.push(angle);
        }
        Ok(angles)
    }

    /// Skips the tilt angles and their factors.
    fn skip_tilt(&mut self) -> Result<(), Fault> {
        self.next("the geometry of `TILT=INCLUDE`")?;
        let count = self.count("the number of tilt angles", 1)?;
        self.angles(count, "tilt angles", [0.0, 180.0])?;
        for _ in 0..count {
            self.not_negative("a factor of a tilt angle")?;
        }
        Ok(())
    }
}

const NEGATIVE_HINT: &str = "a luminaire emits no negative light";
const ANGLE_HINT: &str = "angles are in degrees, in ascending order, and each is given once";
const HORIZONTAL_HINT: &str = "horizontal angles of type C are 0, or from 0 to 90, 180 or 360, or from 90 to 270; those of \
                               types A and B are from 0 or -90 to 90";

/// Numbers before the angles.
struct Data {
    lamps: f32,
    lumens_per_lamp: f32,
    /// Factor of the intensities.
    factor: f32,
    vertical: usize,
    horizontal: usize,
    photometry: Photometry,
    opening: [f32; 3],
    watts: f32,
}

impl Data {
    fn read(numbers: &mut Numbers<'_>, edition: u32) -> Result<Data, Fault> {
        let lamps = numbers.not_negative("the number of lamps")?;
        let lumens_per_lamp = numbers.next("the lumens per lamp")?;
        let multiplier = numbers.not_negative("the multiplier of the candela")?;
        let vertical = numbers.count("the number of vertical angles", 2)?;
        let horizontal = numbers.count("the number of horizontal angles", 1)?;
        let photometry = match numbers.next("the photometric type")? {
            1.0 => Photometry::C,
            2.0 => Photometry::B,
            3.0 => Photometry::A,
            other => {
                let hint = "it is 1 for type C, 2 for type B or 3 for type A";
                return Err(numbers.fault(format!("the photometric type is {other}"), hint));
            }
        };
        let metres = match numbers.next("the unit of length")? {
            1.0 => 0.3048,
            2.0 => 1.0,
            other => {
                let hint = "it is 1 for feet or 2 for metres";
                return Err(numbers.fault(format!("the unit of length is {other}"), hint));
            }
        };
        let mut opening = [0.0; 3];
        for (size, what) in opening.iter_mut().zip(["the width", "the length", "the height"]) {
            *size = numbers.next(what)? * metres;
        }
        let ballast = numbers.not_negative("the ballast factor")?;
        // Since 2002 the second number is reserved, or says how the file was made.
        let photometric = numbers.not_negative("the ballast-lamp photometric factor")?;
        let photometric = if edition < 2002 { photometric } else { 1.0 };
        let watts = numbers.next("the input watts")?;
        let factor = multiplier * ballast * photometric;
        if numbers.most / horizontal < vertical {
            let reason =
                format!("{vertical} × {horizontal} angles have more candela than the file has numbers");
            return Err(numbers.fault(reason, END_HINT));
        }
        Ok(Data {
            lamps,
            lumens_per_lamp,
            factor,
            vertical,
            horizontal,
            photometry,
            opening,
            watts,
        })
    }

    /// Reads the angles and the intensities.
    fn luminaire(self, header: Header, numbers: &mut Numbers<'_>) -> Result<Luminaire, Fault> {
        let (vertical_range, horizontal_range) = match self.photometry {
            Photometry::C => ([0.0, 180.0], [0.0, 360.0]),
            Photometry::A | Photometry::B => ([-90.0, 90.0], [-90.0, 90.0]),
        };
        let vertical = numbers.angles(self.vertical, "vertical angles", vertical_range)?;
        let horizontal = numbers.angles(self.horizontal, "horizontal angles", horizontal_range)?;
        let symmetry = Symmetry::of(self.photometry, &horizontal).ok_or_else(|| {
            let (first, last) = (horizontal[0], horizontal[horizontal.len() - 1]);
            let name = self.photometry.name();
            let reason = format!("horizontal angles of type {name} are not from {first} to {last}");
            numbers.fault(reason, HORIZONTAL_HINT)
        })?;
        let mut candela = Vec::with_capacity(self.vertical * self.horizontal);
        for _ in 0..self.vertical * self.horizontal {
            let value = numbers.not_negative("the candela")? * self.factor;
            if !value.is_finite() {
                return Err(numbers.fault("the candela are infinite".to_owned(), NUMBER_HINT));
            }
            candela.push(value);
        }
        let web = PhotometricWeb::new(&AngularTable {
            photometry: self.photometry,
            symmetry,
            vertical: &vertical,
            horizontal: &horizontal,
            candela: &candela,
        });
        Ok(Luminaire {
            edition: header.edition,
            keywords: header.keywords,
            photometry: self.photometry,
            symmetry,
            vertical,
            horizontal,
            lamps: self.lamps,
            lumens_per_lamp: (self.lumens_per_lamp >= 0.0).then_some(self.lumens_per_lamp),
            watts: self.watts,
            opening: self.opening,
            web,
        })
    }
}
