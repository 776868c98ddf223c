//! Request of a bake: surfaces or probes, light, features of surfaces, and formats of files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::names::one_of;
use crate::scene_request::{SceneRequest, checked};
use renderer_bake::{Include, PageScale, Scale, ShOrder, Sides};
use renderer_support::Failure;

/// Default number of texels along a side.
const RESOLUTION: u32 = 512;

/// Default of `--max-size` [texels].
const MAX_SIZE: u32 = 4096;

/// Maximum number of pages of a bake.
pub const PAGES: u32 = 64;

/// The request of a bake, filled by `kiln bake` and programs.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct BakeRequest {
    /// Surfaces or points for which light is baked [default: texture]
    #[arg(long, value_enum)]
    pub target: Option<BakeTarget>,
    /// Baked light: `indirect` excludes light directly from lights; `none` bakes the features of --aov alone
    /// [default: indirect]
    #[arg(long, value_parser = one_of(INCLUDES))]
    pub include: Option<BakedLight>,
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
    /// [default: auto]
    #[arg(long, value_parser = one_of(SIDES))]
    pub sides: Option<Sides>,
    /// Order of the spherical harmonics: 1 has four coefficients per channel, 2 has nine [default: 1]
    #[arg(long, value_parser = one_of(ORDERS))]
    pub order: Option<ShOrder>,
    /// Rays of each texel, vertex or probe [default: 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: Option<u32>,
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
    /// Rays of each texel for ambient occlusion and shadows (--aov ao,shadow:LIGHT) [default: 128]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub ao_samples: Option<u32>,
    /// Maximum distance of occluders, in metres [default: half the radius of the scene]
    #[arg(long, value_name = "M", value_parser = parse_positive)]
    pub ao_distance: Option<f32>,
    /// Pairs of rays of each texel for mean curvature in 1/metre, positive where convex (--aov curvature) [default:
    /// 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub curvature_samples: Option<u32>,
    /// Radius of the sphere in which curvature is measured, in metres [default: a twentieth of the radius of the scene]
    #[arg(long, value_name = "M", value_parser = parse_positive)]
    pub curvature_radius: Option<f32>,
    /// Texels along each side of the material textures in model.glb, where patterns of the scene are baked; 0 for mean
    /// colours. glTF models keep their own textures [default: 1024]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=8192))]
    pub textures: Option<u32>,
    /// Also writes unlit.glb, whose base colours include the light, for viewers without lightmaps
    #[arg(long)]
    pub unlit: bool,
    /// File layout of the coefficients [default: rgba]
    #[arg(long, value_enum)]
    pub layout: Option<Layout>,
    /// Also writes index.html, viewer.js and data.js, a page that shows the bake in a browser: open it as a file, or
    /// with `kiln view`. It also shows probes that an earlier bake wrote to the subfolder `probes`
    #[arg(long)]
    pub viewer: bool,
    /// Also writes the images of light in this format, in addition to EXR [default: exr]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub image_format: Option<ImageFormat>,
    /// Also writes files for this game engine
    #[arg(long = "for", value_name = "ENGINE", value_enum)]
    pub engine: Option<GameEngine>,
    /// Distance between the probes of the grid in metres [default: an eighth of the scene's longest side]
    #[arg(long, value_name = "M", value_parser = parse_positive, conflicts_with = "probe_points")]
    pub probe_spacing: Option<f32>,
    /// Probes at these points instead of a grid: a text file with `x y z` on each line
    #[arg(long, value_name = "FILE")]
    pub probe_points: Option<PathBuf>,
    /// Keeps the gathered light in the folder, as `kept.light`, and reuses light of an earlier bake with --keep that no
    /// change of the scene alters by more than a percent: approximate, but seconds instead of minutes after small
    /// changes
    #[arg(long, requires = "output", conflicts_with_all = ["checkpoint", "from"])]
    pub keep: bool,
    /// The scene, and settings of light transport.
    #[command(flatten)]
    pub scene: SceneRequest,
}

impl BakeRequest {
    /// Target of the bake.
    pub fn target(&self) -> BakeTarget {
        self.target.unwrap_or_default()
    }

    /// Components of the baked light; `None` if only features of surfaces are baked.
    pub fn light(&self) -> Option<Include> {
        let BakedLight(include) = self.include.unwrap_or(BakedLight(Some(Include::Indirect)));
        include.filter(|_| self.from.is_empty())
    }

    /// Baked sides of surfaces.
    pub fn sides(&self) -> Sides {
        self.sides.unwrap_or(Sides::Auto)
    }

    /// Order of the spherical harmonics.
    pub fn order(&self) -> ShOrder {
        self.order.unwrap_or(ShOrder::One)
    }

    /// Rays of each texel, vertex or probe.
    pub fn samples(&self) -> u32 {
        self.samples.unwrap_or(256)
    }

    /// Rays of each texel for ambient occlusion and shadows.
    pub fn ao_samples(&self) -> u32 {
        self.ao_samples.unwrap_or(128)
    }

    /// Pairs of rays of each texel for curvature.
    pub fn curvature_samples(&self) -> u32 {
        self.curvature_samples.unwrap_or(64)
    }

    /// Texels along each side of the material textures.
    pub fn textures(&self) -> u32 {
        self.textures.unwrap_or(1024)
    }

    /// Layout of the coefficients.
    pub fn layout(&self) -> Layout {
        self.layout.unwrap_or_default()
    }

    /// Format of the images of light.
    pub fn image_format(&self) -> ImageFormat {
        self.image_format.unwrap_or_default()
    }

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

    /// Checks the values of a request that a program has made; the command line checks its own.
    ///
    /// # Errors
    /// If a value is out of its range, or two exclude each other.
    pub fn check(&self) -> Result<(), Failure> {
        let is_outside = |value: Option<u32>, least: u32, most: u32| {
            value.is_some_and(|value| !(least..=most).contains(&value))
        };
        let is_no_length = |value: Option<f32>| value.is_some_and(|v| !(v.is_finite() && v > 0.0));
        let transfers = !self.from.is_empty();
        let faults = [
            (self.samples == Some(0), "--samples is at least 1"),
            (is_outside(self.resolution, 4, 8192), "--resolution is from 4 to 8192"),
            (is_no_length(self.texels_per_unit), "--texels-per-unit is above 0"),
            (is_outside(self.max_size, 4, 8192), "--max-size is from 4 to 8192"),
            (
                self.max_size.is_some() && self.texels_per_unit.is_none(),
                "--max-size needs --texels-per-unit",
            ),
            (
                self.max_size.is_some() && self.resolution.is_some(),
                "--max-size excludes --resolution",
            ),
            (is_outside(self.pages, 1, PAGES), "--pages is from 1 to 64"),
            (is_outside(self.dilation, 1, 64), "--dilation is from 1 to 64"),
            (is_outside(self.textures, 0, 8192), "--textures is from 0 to 8192"),
            (is_outside(self.ao_samples, 1, 65536), "--ao-samples is from 1 to 65536"),
            (is_no_length(self.ao_distance), "--ao-distance is above 0"),
            (
                is_outside(self.curvature_samples, 1, 65536),
                "--curvature-samples is from 1 to 65536",
            ),
            (is_no_length(self.curvature_radius), "--curvature-radius is above 0"),
            (is_no_length(self.probe_spacing), "--probe-spacing is above 0"),
            (
                self.probe_spacing.is_some() && self.probe_points.is_some(),
                "--probe-spacing excludes --probe-points",
            ),
            (is_no_length(self.cage_distance), "--cage-distance is above 0"),
            (transfers == self.to.is_empty(), "--from and --to need each other"),
            (
                !transfers && (!self.cage.is_empty() || self.cage_distance.is_some()),
                "--cage and --cage-distance need --from",
            ),
            (
                !self.cage.is_empty() && self.cage_distance.is_some(),
                "--cage excludes --cage-distance",
            ),
            (
                transfers
                    && (self.include.is_some()
                        || !self.lights.is_empty()
                        || self.max_size.is_some()
                        || self.pages.is_some()
                        || self.keep),
                "--from excludes --include, --lights, --max-size, --pages and --keep",
            ),
        ];
        checked(self.scene.faults().into_iter().chain(faults))
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BakeTarget {
    /// One texture for all surfaces
    #[default]
    Texture,
    /// The vertices of meshes
    Vertex,
    /// Points in space
    Probes,
}

/// Format of images of light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ImageFormat {
    /// EXR only
    #[default]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// A file for each colour, with L00 L1m1 L10 L11 in the channels R G B A: `sh_r.exr`, `sh_g.exr`, `sh_b.exr`; further
    /// coefficients four by four in `sh_r_2.exr`, `sh_r_3.exr`, …
    #[default]
    Rgba,
    /// A file for each colour, with a channel for each coefficient that is called after it: `sh_r.exr`, `sh_g.exr`,
    /// `sh_b.exr`; for programs that read channels by name, which engines do not
    Channels,
    /// A file for each coefficient, with three channels: `sh_L00.exr`, `sh_L1m1.exr`, …
    Coefficients,
    /// RGBA files: `sh_0.exr` has L00 in colour and coverage, the others have luminance of four more coefficients each
    Packed,
}

/// Components of baked light by name.
pub const INCLUDES: [(&str, BakedLight); 4] = [
    ("indirect", BakedLight(Some(Include::Indirect))),
    ("direct", BakedLight(Some(Include::Direct))),
    ("both", BakedLight(Some(Include::Both))),
    ("none", BakedLight(None)),
];
/// Baked sides of surfaces by name.
pub const SIDES: [(&str, Sides); 2] = [("auto", Sides::Auto), ("front", Sides::Front)];
/// Orders of spherical harmonics by name.
pub const ORDERS: [(&str, ShOrder); 2] = [("1", ShOrder::One), ("2", ShOrder::Two)];

fn parse_positive(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(v) if v.is_finite() && v > 0.0 => Ok(v),
        Ok(v) if v > 0.0 => Err(format!("`{text}` is too large")),
        Ok(_) => Err(format!("`{text}` is not positive")),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}
