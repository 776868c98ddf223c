//! Arguments of `kiln render` for units and groups that stand alone.

use std::path::PathBuf;

use clap::Args;

/// How a unit or group is shown.
#[derive(Clone, Debug, Default, Args)]
pub struct StageArgs {
    /// Of a unit or group: gives a parameter a value, such as `scale=4`, `albedo=red` or `tint=(0.2, 0.4, 0.9)`; may be given
    /// several times
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
    pub params: Vec<(String, String)>,
    /// Of a unit or group: what it is shown on: ball, plane, cube, cloth or a model [default: ball, and a flat piece for
    /// patterns]
    #[arg(long, value_name = "WHAT", value_parser = parse_on)]
    pub on: Option<On>,
    /// Of a unit or group: the output to show [default: the surface, or the first colour]
    #[arg(long, value_name = "OUTPUT")]
    pub show: Option<String>,
}

impl StageArgs {
    /// The parameters that are given, with their values.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.params
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The first of these flags that is given.
    pub fn first_given(&self) -> Option<&'static str> {
        let flags = [
            (!self.params.is_empty(), "--param"),
            (self.on.is_some(), "--on"),
            (self.show.is_some(), "--show"),
        ];
        flags
            .into_iter()
            .find_map(|(is_given, flag)| is_given.then_some(flag))
    }
}

/// What a shader is shown on.
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

fn parse_on(text: &str) -> Result<On, String> {
    Ok(match text {
        "ball" => On::Ball,
        "plane" => On::Plane,
        "cube" => On::Cube,
        "cloth" => On::Cloth,
        path if path.contains('.') => On::Model(PathBuf::from(path)),
        _ => return Err("it is `ball`, `plane`, `cube`, `cloth` or a model (.glb, .obj, .ply …)".to_owned()),
    })
}

/// `NAME=VALUE`.
fn parse_param(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}
