//! Texture name resolution: files in directories, images of a scene, tile sets such as `<UDIM>`.

use std::hash::{Hash as _, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Vec2, Vec3};
use rustc_hash::{FxHashMap, FxHasher};
use shading::hir::{self, ColorSpace};
use shading::{Diagnostic, TextureInfo, TextureLookup, TextureSample};
use thiserror::Error;

use renderer_base::files::SharedFiles;
use renderer_grid::{GridChoice, GridError};
use renderer_image::texture::{
    EnvironmentLookup, Filter, Interpolation, Lookup, Sample, Texture, TextureColorSpace, TextureRequest,
    TextureSource, TilePattern, Wrap,
};
use renderer_image::{ImageError, MetaValue, Subimage};

/// Resolution rules of texture names.
#[derive(Debug, Default)]
pub(super) struct TextureNames {
    /// Directories searched for files, in this order.
    pub(super) directories: Vec<PathBuf>,
    /// Textures registered by name: images that are not files, or have a specific colour space.
    pub(super) named: FxHashMap<String, (TextureSource, TextureColorSpace)>,
    /// Files in which names are looked up.
    pub(super) files: SharedFiles,
}

/// A texture or grid that cannot be read.
#[derive(Debug, Error)]
#[error("{error}")]
pub struct TextureLoadError {
    /// Reason.
    pub error: TextureFault,
    /// Requests of shaders that resolve to it.
    pub requests: Vec<shading::TextureRequest>,
}

/// Reason why a texture or grid cannot be read.
#[derive(Debug, Error)]
pub enum TextureFault {
    /// Error of an image.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Error of a grid.
    #[error(transparent)]
    Grid(#[from] Arc<GridError>),
}

impl TextureLoadError {
    /// Returns whether the failed request has the file and subimage of `lookup`.
    pub fn is_of(&self, lookup: &shading::TextureRequest) -> bool {
        let is_same =
            |known: &shading::TextureRequest| known.file == lookup.file && known.subimage == lookup.subimage;
        self.requests.iter().any(is_same)
    }

    /// Adds a hint to the diagnostic if an existing grid has a similar name.
    #[must_use]
    pub fn hinted(&self, diagnostic: Diagnostic) -> Diagnostic {
        match &self.error {
            TextureFault::Grid(error) => match &**error {
                GridError::NoGrid { asked: GridChoice::Name(name), known, .. } => {
                    diagnostic.nearest(name, known.iter().map(String::as_str))
                }
                _ => diagnostic,
            },
            TextureFault::Image(_) => diagnostic,
        }
    }
}

/// Resolved texture name: one image, or a tile set.
#[derive(Debug)]
pub(super) enum ResolvedTexture {
    Image(TextureRequest),
    Tiles(Vec<([u32; 2], TextureRequest)>),
}

impl TextureNames {
    /// Error of a texture, with the requests that resolve to its file.
    pub(super) fn error<'a>(
        &self,
        error: ImageError,
        requests: impl Iterator<Item = &'a shading::TextureRequest>,
    ) -> TextureLoadError {
        let is_meant = |request: &TextureRequest| request.source.path() == error.path();
        let means = |request: &&shading::TextureRequest| match self.resolve(request) {
            Some(ResolvedTexture::Image(found)) => is_meant(&found),
            Some(ResolvedTexture::Tiles(list)) => list.iter().any(|(_, found)| is_meant(found)),
            None => false,
        };
        let requests = requests.filter(means).cloned().collect();
        TextureLoadError { error: error.into(), requests }
    }

    /// Resolves a shader's texture request; `None` if the file does not exist.
    pub(super) fn resolve(&self, request: &shading::TextureRequest) -> Option<ResolvedTexture> {
        let subimage = match &request.subimage {
            shading::Subimage::First => Subimage::First,
            shading::Subimage::Index(index) => Subimage::Index(usize::try_from(*index).unwrap_or(usize::MAX)),
            shading::Subimage::Name(name) => Subimage::Name(name.clone()),
        };
        let color_space = match request.color_space {
            ColorSpace::Default | ColorSpace::Auto => TextureColorSpace::Auto,
            ColorSpace::Srgb => TextureColorSpace::Srgb,
            ColorSpace::Linear => TextureColorSpace::Linear,
            ColorSpace::Raw => TextureColorSpace::Raw,
        };
        if let Some((source, color_space)) = self.named.get(&request.file) {
            return Some(ResolvedTexture::Image(TextureRequest {
                source: source.clone(),
                color_space: *color_space,
                subimage,
            }));
        }
        let file = |path: PathBuf| TextureRequest {
            source: TextureSource::File(path),
            color_space,
            subimage: subimage.clone(),
        };
        let name = Path::new(&request.file);
        if let Some(path) = self.candidates(name).find(|path| self.files.is_file(path)) {
            return Some(ResolvedTexture::Image(file(path)));
        }
        let pattern = TilePattern::parse(name.file_name()?.to_str()?)?;
        let directories = self.candidates(name).filter_map(|path| Some(path.parent()?.to_owned()));
        let mut found = directories.map(|directory| pattern.find_in(&*self.files, &directory));
        let list = found.find(|list| !list.is_empty())?;
        let list = list.into_iter().map(|(square, path)| (square, file(path)));
        Some(ResolvedTexture::Tiles(list.collect()))
    }

    /// Files of the texture or point cloud `name`: none, one, or those of a tile set with their tile coordinates.
    pub(super) fn files_named(&self, name: &str) -> Vec<([u32; 2], TextureSource)> {
        let request = shading::TextureRequest { file: name.to_owned(), ..shading::TextureRequest::default() };
        match self.resolve(&request) {
            Some(ResolvedTexture::Image(found)) => vec![([0; 2], found.source)],
            Some(ResolvedTexture::Tiles(list)) => {
                (list.into_iter()).map(|(square, found)| (square, found.source)).collect()
            }
            None => vec![],
        }
    }

    /// Hash of the bytes of all files of `name`.
    pub(super) fn hash_named(&self, name: &str, hasher: &mut impl Hasher) {
        for (square, source) in self.files_named(name) {
            let bytes = match &source {
                TextureSource::File(path) => self.files.open(path).and_then(hash_bytes),
                TextureSource::Memory { bytes, .. } => hash_bytes(&bytes[..]),
            };
            // Unreadable files are equal: each gives an error to the shader.
            (square, bytes.ok()).hash(hasher);
        }
    }

    /// File for a name that is not a texture.
    pub(super) fn file(&self, name: &str) -> Option<PathBuf> {
        self.candidates(Path::new(name)).find(|path| self.files.is_file(path))
    }

    /// Candidate paths for a file name.
    fn candidates(&self, name: &Path) -> impl Iterator<Item = PathBuf> {
        let directories: &[PathBuf] = if name.is_absolute() { &[] } else { &self.directories };
        let alone = directories.is_empty().then(|| match name.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new(".").join(name),
            _ => name.to_owned(),
        });
        alone
            .into_iter()
            .chain(directories.iter().map(move |directory| directory.join(name)))
    }
}

/// Hash of all bytes of a file.
fn hash_bytes(mut file: impl Read) -> io::Result<u64> {
    let mut hasher = FxHasher::default();
    let mut block = vec![];
    loop {
        block.clear();
        // The hash depends on the division into blocks.
        file.by_ref().take(HASH_BLOCK).read_to_end(&mut block)?;
        if block.is_empty() {
            return Ok(hasher.finish());
        }
        hasher.write(&block);
    }
}

/// Size of the blocks of a file's hash [bytes].
const HASH_BLOCK: u64 = 1 << 20;

/// Converts a lookup's filter options to the renderer's.
fn filter(lookup: &TextureLookup) -> Filter {
    let options = &lookup.options;
    Filter {
        wrap_s: wrap(options.wrap_s),
        wrap_t: wrap(options.wrap_t),
        interpolation: match options.interpolation {
            hir::Interpolation::SmartCubic => Interpolation::SmartCubic,
            hir::Interpolation::Cubic => Interpolation::Cubic,
            hir::Interpolation::Linear => Interpolation::Linear,
            hir::Interpolation::Closest => Interpolation::Closest,
        },
        width: Vec2::from_array(lookup.width),
        blur: Vec2::from_array(lookup.blur),
        first_channel: usize::try_from(lookup.first_channel).unwrap_or(0),
        channels: usize::from(options.channels),
        fill: lookup.fill,
        derivatives: options.derivatives,
    }
}

/// Converts a two-dimensional lookup.
pub(super) fn plane(lookup: &TextureLookup) -> Lookup {
    let pair = |[s, t, _]: [f32; 3]| Vec2::new(s, t);
    Lookup {
        st: pair(lookup.position),
        dx: pair(lookup.dx),
        dy: pair(lookup.dy),
        filter: filter(lookup),
    }
}

/// Converts an environment lookup.
pub(super) fn direction(lookup: &TextureLookup) -> EnvironmentLookup {
    EnvironmentLookup {
        direction: Vec3::from_array(lookup.position),
        dx: Vec3::from_array(lookup.dx),
        dy: Vec3::from_array(lookup.dy),
        filter: filter(lookup),
    }
}

/// Converts a lookup's result to the language's type.
pub(super) fn sample(sample: Sample) -> TextureSample {
    TextureSample { value: sample.value, ds: sample.ds, dt: sample.dt }
}

fn wrap(wrap: hir::Wrap) -> Wrap {
    match wrap {
        hir::Wrap::Default => Wrap::File,
        hir::Wrap::Black => Wrap::Black,
        hir::Wrap::Clamp => Wrap::Clamp,
        hir::Wrap::Periodic => Wrap::Periodic,
        hir::Wrap::Mirror => Wrap::Mirror,
    }
}

/// Mean of a texture's texels; the value computed by `maketx` if the file stores it.
fn average(texture: &Texture) -> [f32; 4] {
    let text = match texture.info().attribute("oiio:AverageColor") {
        Some(MetaValue::Text(text)) => text.as_str(),
        _ => "",
    };
    let numbers = text.split(',').filter_map(|number| number.trim().parse().ok());
    let numbers: Vec<f32> = numbers.collect();
    if numbers.len() != texture.channels() {
        return texture.average();
    }
    std::array::from_fn(|c| numbers.get(c).copied().unwrap_or(0.0))
}

/// Metadata of a texture by OpenImageIO's names.
pub(super) fn info(texture: &Texture, name: &str) -> Option<TextureInfo> {
    let ints = |values: &[usize]| TextureInfo::Ints(values.iter().map(|&v| v as i32).collect());
    let pixels = |first: [i32; 2], last: [i32; 2]| TextureInfo::Pixels { list: vec![first, last], depth: 0 };
    let (width, height) = (texture.width(), texture.height());
    let color = |values: [f32; 4]| {
        let count = texture.channels().min(4);
        let mut values = values[..count].to_vec();
        values.resize(count.max(3), 0.0);
        TextureInfo::Floats(values)
    };
    let alpha = |values: [f32; 4]| {
        let channel = texture.alpha_channel()?;
        Some(TextureInfo::Floats(vec![*values.get(channel)?]))
    };
    Some(match name {
        "exists" => ints(&[1]),
        "resolution" => TextureInfo::Pixels { list: vec![[width as i32, height as i32]], depth: 1 },
        "channels" => ints(&[texture.channels()]),
        "miplevels" => ints(&[texture.levels()]),
        "subimages" => ints(&[texture.info().subimages.max(1)]),
        "texturetype" if texture.info().is_environment => TextureInfo::Text("Environment".to_owned()),
        "textureformat" if texture.info().is_environment => {
            TextureInfo::Text("LatLong Environment".to_owned())
        }
        "texturetype" | "textureformat" => TextureInfo::Text("Plain Texture".to_owned()),
        "datawindow" => {
            let (x, y) = texture.window().map_or((0, 0), |window| (window.x, window.y));
            pixels([x, y], [x + width as i32 - 1, y + height as i32 - 1])
        }
        "displaywindow" => {
            let own = (width as u32, height as u32);
            let full = texture.window().map_or(own, |window| (window.full_width, window.full_height));
            pixels([0, 0], [full.0 as i32 - 1, full.1 as i32 - 1])
        }
        "averagecolor" => color(average(texture)),
        "averagealpha" => alpha(average(texture))?,
        "constantcolor" => color(texture.constant()?),
        "constantalpha" => alpha(texture.constant()?)?,
        other => match texture.info().attribute(other)? {
            MetaValue::Text(text) => TextureInfo::Text(text.clone()),
            MetaValue::Int(v) => TextureInfo::Ints(vec![*v]),
            MetaValue::Float(v) => TextureInfo::Floats(vec![*v as f32]),
        },
    })
}
