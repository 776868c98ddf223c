//! Arguments for the display of a single unit or group.

use std::fmt;
use std::path::PathBuf;

use clap::Args;

/// Display of a unit or group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct StageArgs {
    /// For a unit or group: value of a parameter, such as `scale=4`, `albedo=red` or `tint=(0.2, 0.4, 0.9)`; may be
    /// given several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
    pub params: Vec<(String, String)>,
    /// For a unit or group: one labelled picture for each value of a parameter, such as `albedo=red,green,blue` or
    /// `alpha=0.1..0.9:5`; a second parameter adds a row for each of its values
    #[arg(long, value_name = "NAME=VALUES", value_parser = Variation::parse)]
    pub variations: Vec<Variation>,
    /// For a unit or group: shape, one of ball, plane, cube, cloth or a model [default: ball, and a flat piece for
    /// patterns]
    #[arg(long, value_name = "WHAT", value_parser = On::parse)]
    pub on: Option<On>,
    /// For a unit or group: output to show [default: the surface, or the first colour]
    #[arg(long, value_name = "OUTPUT")]
    pub show: Option<String>,
    /// For a unit or group: shows the example of its metadata, which combines it with others
    #[arg(long, conflicts_with_all = ["params", "variations"])]
    pub example: bool,
}

impl StageArgs {
    /// The parameters that are given, with their values.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.params.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The first of these flags that is given.
    pub fn first_given(&self) -> Option<&'static str> {
        let flags = [
            (!self.params.is_empty(), "--param"),
            (!self.variations.is_empty(), "--variations"),
            (self.on.is_some(), "--on"),
            (self.show.is_some(), "--show"),
            (self.example, "--example"),
        ];
        flags.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag))
    }
}

/// Shape that shows a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum On {
    /// A sphere.
    Ball,
    /// A square.
    Plane,
    /// A cube.
    Cube,
    /// A cloth that hangs in folds.
    Cloth,
    /// A model.
    Model(PathBuf),
}

/// Values of a parameter, one picture for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The parameter.
    pub name: String,
    /// The values.
    pub values: Vec<String>,
}

/// Maximum number of values of a variation.
const MAX_VALUES: usize = 64;

impl Variation {
    /// Parses `NAME=A,B,C` or `NAME=FROM..TO:COUNT`.
    fn parse(text: &str) -> Result<Variation, String> {
        let (name, list) = parse_param(text).map_err(|_| "write it as NAME=A,B,C or NAME=FROM..TO:COUNT")?;
        let values = match list.split_once("..") {
            Some((from, rest)) => range(from, rest)?,
            None => items(&list),
        };
        match values.len() {
            0 => Err("it has no values".to_owned()),
            1..=MAX_VALUES => Ok(Variation { name, values }),
            count => Err(format!("it has {count} values, and {MAX_VALUES} is the most")),
        }
    }
}

/// Evenly spaced values of `FROM..TO:COUNT`.
fn range(from: &str, rest: &str) -> Result<Vec<String>, String> {
    let (to, count) = rest.split_once(':').unwrap_or((rest, "5"));
    let number = |text: &str| {
        let number = text.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        number.ok_or_else(|| format!("`{text}` is not a number"))
    };
    let (from, to) = (number(from)?, number(to)?);
    let count = count
        .trim()
        .parse::<usize>()
        .ok()
        .filter(|count| (2..=MAX_VALUES).contains(count));
    let count = count.ok_or_else(|| format!("the number of values is from 2 to {MAX_VALUES}"))?;
    let value = |i: usize| {
        let value = from + (to - from) * i as f64 / (count - 1) as f64;
        // Rounding errors of the last digits are removed.
        format!("{}", (value * 1e6).round() / 1e6)
    };
    Ok((0..count).map(value).collect())
}

/// Splits a list at commas outside brackets.
fn items(list: &str) -> Vec<String> {
    let mut depth = 0i32;
    let split = |c: char| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    };
    let items = list.split(split).map(|item| item.trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

impl On {
    /// Names of the built-in shapes.
    pub const NAMES: [&'static str; 4] = ["ball", "plane", "cube", "cloth"];

    /// Built-in shape by its name.
    pub fn named(name: &str) -> Option<On> {
        Some(match name {
            "ball" => On::Ball,
            "plane" => On::Plane,
            "cube" => On::Cube,
            "cloth" => On::Cloth,
            _ => return None,
        })
    }

    /// Parses the name of a built-in shape or of a model.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<On, String> {
        match On::named(text) {
            Some(on) => Ok(on),
            None if text.contains('.') => Ok(On::Model(PathBuf::from(text))),
            None => Err("it is `ball`, `plane`, `cube`, `cloth` or a model (.glb, .obj, .ply …)".to_owned()),
        }
    }
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            On::Ball => write!(f, "ball"),
            On::Plane => write!(f, "plane"),
            On::Cube => write!(f, "cube"),
            On::Cloth => write!(f, "cloth"),
            On::Model(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Parses `NAME=VALUE`.
pub fn parse_param(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variations_are_lists_and_ranges() {
        let values = |text: &str| Variation::parse(text).map(|variation| variation.values.join(" "));
        assert_eq!(values("albedo=red, (0, 1, 0),#0000ff").as_deref(), Ok("red (0, 1, 0) #0000ff"));
        assert_eq!(values("alpha=0.1..0.5:5").as_deref(), Ok("0.1 0.2 0.3 0.4 0.5"));
        assert_eq!(values("alpha=1..0:2").as_deref(), Ok("1 0"));
        for wrong in ["alpha", "=1,2", "alpha=", "alpha=0..x", "alpha=0..1:1", "alpha=0..1:65"] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }
}
