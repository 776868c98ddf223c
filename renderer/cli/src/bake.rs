//! Arguments of `kiln bake`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use renderer_bake::{Include, PageScale, Scale, ShOrder, Share, Sides};
use renderer_inputs::common_args::ReportArgs;
use renderer_inputs::scene_request::SceneRequest;

/// Default number of texels along a side.
const RESOLUTION: u32 = 512;

/// Default of `--max-size` [texels].
const MAX_SIZE: u32 = 4096;

/// Maximum number of pages of a bake.
pub const PAGES: u32 = 64;

/// `kiln bake`
#[derive(Clone, Debug, Args)]
pub struct BakeArgs {
    /// Output folder; created if it does not exist
    #[arg(short, long, value_name = "DIR", required_unless_present = "part")]
    pub output: Option<PathBuf>,
    /// Surfaces or points for which light is baked
    #[arg(long, value_enum, default_value_t = BakeTarget::Texture)]
    pub target: BakeTarget,
    /// Baked light: `indirect` excludes light directly from lights; `none` bakes the features of --aov alone
    #[arg(long, default_value = "indirect", value_parser = one_of(INCLUDES))]
    pub include: BakedLight,
    /// Bakes the light of these only: names of lights, shapes, imports and groups of lights, also with * and ?,
    /// NAME.sun and NAME.sky of a sky; several with commas
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    pub lights: Vec<String>,
    /// Transfers the surface of these shapes to those of --to, without light: names of shapes or imports, also with *
    /// and ?; several with commas
    #[arg(long, value_name = "NAME", requires = "to", conflicts_with_all = ["include", "part", "checkpoint"])]
    pub from: Vec<String>,
    /// Shapes that receive the surface of those of --from, in their own texture coordinates if these are an atlas
    #[arg(long, value_name = "NAME", requires = "from")]
    pub to: Vec<String>,
    /// Cage: rays start on these copies of the shapes of --to, whose vertices are moved outward
    #[arg(
        long,
        value_name = "NAME",
        requires = "from",
        conflicts_with = "cage_distance"
    )]
    pub cage: Vec<String>,
    /// Distance of the cage: rays start this far outside of the shapes of --to, and end as far inside, in metres
    /// [default: a twentieth of the diagonal of each shape's box]
    #[arg(long, value_name = "M", requires = "from", value_parser = parse_positive)]
    pub cage_distance: Option<f32>,
    /// Baked sides of surfaces: `auto` adds an object for each back that is visible, scatters, and receives at least
    /// 0.5 % of its front's light; not for the underside of the ground, nor for glTF materials that are not doubleSided
    #[arg(long, default_value = "auto", value_parser = one_of(SIDES))]
    pub sides: Sides,
    /// Order of the spherical harmonics: 1 has four coefficients per channel, 2 has nine
    #[arg(long, default_value = "1", value_parser = one_of(ORDERS))]
    pub order: ShOrder,
    /// Rays of each texel, vertex or probe
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: u32,
    /// Texels along each side of the texture [default: 512, unless --texels-per-unit is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=8192))]
    pub resolution: Option<u32>,
    /// Texels per metre [default: as --resolution allows]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub texels_per_unit: Option<f32>,
    /// Maximum texels along each side of a page; objects that do not fit at --texels-per-unit go to further pages
    #[arg(long, value_name = "N", requires = "texels_per_unit", conflicts_with_all = ["resolution", "from"], value_parser = clap::value_parser!(u32).range(4..=8192))]
    pub max_size: Option<u32>,
    /// Maximum number of pages, each a texture with its own files; at --resolution without --texels-per-unit the
    /// density is the greatest that fits [default: 1, and with --max-size 64]
    #[arg(long, value_name = "N", conflicts_with = "from", value_parser = clap::value_parser!(u32).range(1..=i64::from(PAGES)))]
    pub pages: Option<u32>,
    /// Dilation of charts in texels; the distance of charts is twice that [default: 2, and 16 in texture coordinates
    /// that shapes have]
    #[arg(long, value_name = "TEXELS", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub dilation: Option<u32>,
    /// Rejects shapes whose second set of texture coordinates is missing or invalid, instead of unwrapping them
    #[arg(long)]
    pub no_unwrap: bool,
    /// Filters noise within charts, by Open Image Denoise or by a bilateral filter [default: auto]
    #[arg(long, value_name = "FILTER", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    pub denoise: Option<BakeFilter>,
    /// Features of surfaces in addition to light, in the same texture: albedo, N, tangent_normal, roughness, opacity,
    /// emission, position, ao, curvature, height, shadow:LIGHT (the unoccluded fraction of its light), shader:OUTPUT,
    /// attribute:NAME; several with commas
    #[arg(long, value_name = "NAME")]
    pub aov: Vec<String>,
    /// Rays of each texel for ambient occlusion and shadows (--aov ao,shadow:LIGHT)
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub ao_samples: u32,
    /// Maximum distance of occluders, in metres [default: half the radius of the scene]
    #[arg(long, value_name = "M", value_parser = parse_positive)]
    pub ao_distance: Option<f32>,
    /// Pairs of rays of each texel for mean curvature in 1/metre, positive where convex (--aov curvature)
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub curvature_samples: u32,
    /// Radius of the sphere in which curvature is measured, in metres [default: a twentieth of the radius of the scene]
    #[arg(long, value_name = "M", value_parser = parse_positive)]
    pub curvature_radius: Option<f32>,
    /// Texels along each side of the material textures in model.glb, where patterns of the scene are baked; 0 for mean
    /// colours. glTF models keep their own textures
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(0..=8192))]
    pub textures: u32,
    /// Also writes unlit.glb, whose base colours include the light, for viewers without lightmaps
    #[arg(long)]
    pub unlit: bool,
    /// File layout of the coefficients
    #[arg(long, value_enum, default_value_t = Layout::Rgba)]
    pub layout: Layout,
    /// Also writes index.html, viewer.js and data.js, a page that shows the bake in a browser: open it as a file, or
    /// with `kiln view`. It also shows probes that an earlier bake wrote to the subfolder `probes`
    #[arg(long)]
    pub viewer: bool,
    /// Also writes the images of light in this format, in addition to EXR
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = ImageFormat::Exr)]
    pub image_format: ImageFormat,
    /// Also writes files for this game engine
    #[arg(long = "for", value_name = "ENGINE", value_enum)]
    pub engine: Option<GameEngine>,
    /// Distance between the probes of the grid in metres [default: an eighth of the scene's longest side]
    #[arg(long, value_name = "M", value_parser = parse_positive, conflicts_with = "probe_points")]
    pub probe_spacing: Option<f32>,
    /// Probes at these points instead of a grid: a text file with `x y z` on each line
    #[arg(long, value_name = "FILE")]
    pub probe_points: Option<PathBuf>,
    /// Stores finished work in this file, which must not exist unless --resume is given
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Resumes from the checkpoint
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
    /// Computes only the K-th of N shares of the work, into the checkpoint; `kiln merge` joins the checkpoints, from
    /// which --resume writes the files
    #[arg(long, value_name = "K/N", requires = "checkpoint", conflicts_with = "output", value_parser = parse_share)]
    pub part: Option<Share>,
    /// Keeps the gathered light in the folder, as `kept.light`, and reuses light of an earlier bake with --keep that no
    /// change of the scene alters by more than a percent: approximate, but seconds instead of minutes after small
    /// changes
    #[arg(long, requires = "output", conflicts_with_all = ["checkpoint", "from"])]
    pub keep: bool,
    /// Bakes again whenever a file of the scene changes, first with few rays unless --keep is given; ends with Ctrl-C
    #[arg(long, conflicts_with_all = ["checkpoint", "part"])]
    pub watch: bool,
    /// The scene, and settings of light transport.
    #[command(flatten)]
    pub scene: SceneRequest,
    /// Messages and statistics.
    #[command(flatten)]
    pub report: ReportArgs,
    /// Names of the fields that the command line sets.
    #[arg(skip)]
    pub given: Vec<String>,
}

impl BakeArgs {
    /// Size of the texture.
    pub fn scale(&self) -> Scale {
        if self.most_pages() > 1 || self.max_size.is_some() {
            let default = match self.texels_per_unit {
                Some(_) => MAX_SIZE,
                None => RESOLUTION,
            };
            return Scale::Pages(PageScale {
                density: self.texels_per_unit,
                side: self.max_size.or(self.resolution).unwrap_or(default),
                most: self.most_pages(),
            });
        }
        match (self.texels_per_unit, self.resolution) {
            (Some(density), Some(side)) => Scale::Both(density, side),
            (Some(density), None) => Scale::Density(density),
            (None, side) => Scale::Resolution(side.unwrap_or(RESOLUTION)),
        }
    }

    /// Maximum number of pages of the texture.
    pub fn most_pages(&self) -> u32 {
        let default = if self.max_size.is_some() { PAGES } else { 1 };
        self.pages.unwrap_or(default)
    }

    /// Dilation of an atlas that the bake creates.
    pub fn atlas_dilation(&self) -> u32 {
        self.dilation.unwrap_or(2)
    }
}

/// Components of baked light; `None` if only features of surfaces are baked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BakedLight(pub Option<Include>);

/// Filter of a lightmap's noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BakeFilter {
    /// Open Image Denoise where it is installed, else the bilateral filter
    Auto,
    /// Open Image Denoise: `kiln denoise --fetch` brings it
    Oidn,
    /// A bilateral filter within charts, guided by normals, planes and variance
    Bilateral,
}

/// Target of a bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BakeTarget {
    /// One texture for all surfaces
    Texture,
    /// The vertices of meshes
    Vertex,
    /// Points in space
    Probes,
}

impl BakeTarget {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            BakeTarget::Texture => "texture",
            BakeTarget::Vertex => "vertex",
            BakeTarget::Probes => "probes",
        }
    }
}

/// Format of images of light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImageFormat {
    /// EXR only
    Exr,
    /// KTX2 of four floats, uncompressed: all images of layouts other than `channels`
    Ktx2,
    /// KTX2, compressed by Zstandard
    Ktx2Zstd,
    /// PNG of colours with a factor in alpha: irradiance and color
    Rgbm,
    /// PNG of colours with an exponent in alpha: irradiance and color
    Rgbe,
}

/// Game engine whose files are written in addition to Kiln's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GameEngine {
    /// Godot 4.4 or later: a scene with a LightmapGI, or probes of one
    Godot,
    /// Bevy: a model with its lightmap as KTX2, or probes as an irradiance volume
    Bevy,
}

/// File layout of coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// A file for each colour, with L00 L1m1 L10 L11 in the channels R G B A: `sh_r.exr`, `sh_g.exr`, `sh_b.exr`; further
    /// coefficients four by four in `sh_r_2.exr`, `sh_r_3.exr`, …
    Rgba,
    /// A file for each colour, with a channel for each coefficient that is called after it: `sh_r.exr`, `sh_g.exr`,
    /// `sh_b.exr`; for programs that read channels by name, which engines do not
    Channels,
    /// A file for each coefficient, with three channels: `sh_L00.exr`, `sh_L1m1.exr`, …
    Coefficients,
    /// RGBA files: `sh_0.exr` has L00 in colour and coverage, the others have luminance of four more coefficients each
    Packed,
}

const INCLUDES: [(&str, BakedLight); 4] = [
    ("indirect", BakedLight(Some(Include::Indirect))),
    ("direct", BakedLight(Some(Include::Direct))),
    ("both", BakedLight(Some(Include::Both))),
    ("none", BakedLight(None)),
];
const SIDES: [(&str, Sides); 2] = [("auto", Sides::Auto), ("front", Sides::Front)];
const ORDERS: [(&str, ShOrder); 2] = [("1", ShOrder::One), ("2", ShOrder::Two)];

/// Parses one of the names of `values`.
fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(values.map(|(name, _)| name));
    names.map(move |name| {
        let found = values.iter().find(|(known, _)| *known == name);
        found.expect("one of the possible values").1
    })
}

/// `K/N`.
fn parse_share(text: &str) -> Result<Share, String> {
    let (index, of) = text.split_once('/').ok_or("write it as K/N, such as 2/4")?;
    let number = |s: &str| {
        let number = s.trim().parse::<u32>();
        number.map_err(|_| format!("`{s}` is not a whole number"))
    };
    Share::new(number(index)?, number(of)?).ok_or_else(|| "K is a number from 1 to N".to_owned())
}

fn parse_positive(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(v) if v.is_finite() && v > 0.0 => Ok(v),
        Ok(v) if v > 0.0 => Err(format!("`{text}` is too large")),
        Ok(_) => Err(format!("`{text}` is not positive")),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}
