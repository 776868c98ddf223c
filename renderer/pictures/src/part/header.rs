//! The header of a part file: magic number, then JSON with identity, sample numbers, film size and counts.

use std::fmt;

use serde_json::{Value as Json, json};

use super::{Identity, LayerNames, Ranges};
use renderer_image::Rect;
use renderer_image::film::{Film, FilmCounts, FilmError, FilmLayout, NoiseSummary};

/// Magic number: file type and version of the format.
pub(super) const MAGIC: &[u8; 16] = b"kiln part v1\n\0\0\0";

/// Most samples per pixel after merging: a pixel counts them in 32 bits.
const MAX_SAMPLES: u64 = 1 << 31;

/// Identity and sample numbers of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The render that it belongs to.
    pub identity: Identity,
    /// Name of the scene file, without its folder; it may differ between parts of one image.
    pub scene_file: String,
    /// The samples of each pixel.
    pub samples: Ranges,
    /// Columns and rows of the whole film.
    pub size: [u32; 2],
    /// The rendered rectangle.
    pub crop: Rect,
    /// True if shaders compose names of files at run time: the identity does not cover these files.
    pub computes_names: bool,
    /// Layout of the film.
    pub layout: FilmLayout,
    /// Names of the layers.
    pub layers: LayerNames,
    /// State of adaptive sampling, whose statistics follow the sums.
    pub noise: Option<NoiseSummary>,
    /// Sample counts of the film.
    pub counts: FilmCounts,
}

impl Header {
    /// The header of a film with these samples.
    pub fn new(identity: Identity, scene_file: String, samples: Ranges, film: &Film) -> Header {
        Header {
            identity,
            scene_file,
            samples,
            size: [film.width(), film.height()],
            crop: film.crop(),
            computes_names: false,
            layout: film.layout(),
            layers: LayerNames::default(),
            noise: None,
            counts: film.counts(),
        }
    }

    /// An empty film of this layout.
    ///
    /// # Errors
    /// When there is no such film.
    pub fn film(&self) -> Result<Film, FilmError> {
        let [width, height] = self.size;
        Film::new(width, height, Some(self.crop), self.layout)
    }

    /// Memory of the film and of the buffers that fill it [bytes].
    pub fn film_bytes(&self) -> u64 {
        (self.crop.area() as u64).saturating_mul(self.pixel_bytes() as u64)
    }

    /// As [`Header::film_bytes`], for a pixel.
    pub(super) fn pixel_bytes(&self) -> usize {
        /// Sums of the picture.
        const PIXEL: usize = 64;
        PIXEL + self.layout.bytes(0)
    }

    /// Returns the header as JSON.
    pub fn json(&self) -> Json {
        let Rect { x0, y0, x1, y1 } = self.crop;
        let ranges: Vec<[u64; 2]> = self.samples.list().iter().map(|r| [r.start, r.end]).collect();
        json!({
            "identity": self.identity.json(),
            "scene_file": self.scene_file,
            "samples": ranges,
            "computes_names": self.computes_names,
            "film": {
                "size": self.size,
                "crop": [x0, y0, x1, y1],
                "variance": self.layout.variance,
                "channels": self.layout.channels,
                "identifiers": self.layout.identifiers,
            },
            "layers": self.layers.json(),
            "noise": self.noise.map(|noise| json!({ "rounds": noise.rounds, "open": noise.open, "remaining": noise.remaining })),
            "counts": {
                "samples": self.counts.samples,
                "non_finite": self.counts.non_finite,
                "saturated": self.counts.saturated,
            },
        })
    }

    /// Parses JSON; `None` if a value is missing or invalid.
    pub(super) fn from_json(json: &Json) -> Option<Header> {
        let number = |json: &Json| json.as_u64().and_then(|n| u32::try_from(n).ok());
        let numbers = |json: &Json| json.as_array()?.iter().map(number).collect::<Option<Vec<u32>>>();
        let film = &json["film"];
        let size: [u32; 2] = numbers(&film["size"])?.try_into().ok()?;
        let [x0, y0, x1, y1]: [u32; 4] = numbers(&film["crop"])?.try_into().ok()?;
        let count = |name: &str| json["counts"][name].as_u64();
        let header = Header {
            identity: Identity::from_json(&json["identity"])?,
            scene_file: json["scene_file"].as_str()?.to_owned(),
            samples: samples(&json["samples"])?,
            size,
            crop: Rect { x0, y0, x1, y1 },
            computes_names: json["computes_names"].as_bool().unwrap_or(false),
            layout: FilmLayout {
                variance: film["variance"].as_bool()?,
                channels: layer_count(&film["channels"])?,
                identifiers: layer_count(&film["identifiers"])?,
            },
            layers: LayerNames::from_json(&json["layers"])?,
            noise: noise(&json["noise"])?,
            counts: FilmCounts {
                samples: count("samples")?,
                non_finite: count("non_finite")?,
                saturated: count("saturated")?,
            },
        };
        let [width, height] = header.size;
        let most = (MAX_SAMPLES * u64::from(width)).saturating_mul(u64::from(height));
        let counts = header.counts;
        let plausible = [counts.samples, counts.non_finite, counts.saturated].iter().all(|&n| n <= most);
        (plausible && header.samples.count() <= MAX_SAMPLES).then_some(header)
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height] = self.size;
        writeln!(f, "part of a picture of {width} × {height} pixels")?;
        writeln!(f, "  samples         {}", self.samples)?;
        writeln!(f, "  scene file      {}", self.scene_file)?;
        for (name, text) in self.identity.facts() {
            writeln!(f, "  {name:<15} {text}")?;
        }
        if let Some(noise) = &self.noise {
            write_noise(noise, &self.samples, f)?;
        }
        let FilmCounts { non_finite, saturated, .. } = self.counts;
        for (count, what) in [(non_finite, "not finite, left out"), (saturated, "clamped")] {
            if count > 0 {
                writeln!(f, "  {count} samples {what}")?;
            }
        }
        Ok(())
    }
}

/// State of adaptive sampling, as a line of text.
fn write_noise(noise: &NoiseSummary, samples: &Ranges, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let NoiseSummary { rounds, open, remaining } = *noise;
    let taken = samples.list().last().map_or(0, |range| range.end);
    let round = match rounds {
        0 => "within the first one".to_owned(),
        _ if rounds == taken || open == 0.0 => format!("ended after {rounds} samples"),
        _ => format!(
            "ended after {rounds} samples, {} of the next one taken",
            taken.saturating_sub(rounds)
        ),
    };
    writeln!(f, "  {:<15} {round}", "rounds")?;
    if open == 0.0 {
        writeln!(f, "  {:<15} none: no pixel needs more samples", "open")
    } else {
        writeln!(
            f,
            "  {:<15} {:.1} % of the picture, about {remaining} samples",
            "open",
            100.0 * open
        )
    }
}

/// A number of layers; none in files without layers.
fn layer_count(json: &Json) -> Option<usize> {
    /// Bound that keeps the size of a film within 64 bits.
    const MAX_LENGTH: usize = 1 << 20;
    match json {
        Json::Null => Some(0),
        _ => usize::try_from(json.as_u64()?).ok().filter(|&n| n <= MAX_LENGTH),
    }
}

/// `Some(None)` for `null`.
fn noise(json: &Json) -> Option<Option<NoiseSummary>> {
    if json.is_null() {
        return Some(None);
    }
    let open = json["open"].as_f64()?;
    Some(Some(NoiseSummary {
        rounds: json["rounds"].as_u64()?,
        open: (0.0..=1.0).contains(&open).then_some(open)?,
        remaining: json["remaining"].as_u64()?,
    }))
}

fn samples(json: &Json) -> Option<Ranges> {
    let range = |json: &Json| match json.as_array()?.as_slice() {
        [start, end] => Some(start.as_u64()?..end.as_u64()?),
        _ => None,
    };
    Ranges::disjoint(json.as_array()?.iter().map(range).collect::<Option<_>>()?)
}
