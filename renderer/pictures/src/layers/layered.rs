//! A picture with all its layers, channel by channel.

use renderer_image::film::{Fixed, PixelSum};
use renderer_image::{Image, MetaValue, SampleType};

/// Channels of a layer.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    pub(super) image: Image,
    pub(super) names: Vec<String>,
    pub(super) samples: SampleType,
}

/// A picture and its layers.
#[derive(Clone, Debug)]
pub struct Layered {
    /// The picture: RGB, or RGBA with premultiplied alpha.
    pub picture: Image,
    /// Channels of the layers.
    pub image: Image,
    /// Names of the channels.
    pub names: Vec<String>,
    /// Sample types of the channels.
    pub samples: Vec<SampleType>,
    /// Metadata of the file.
    pub metadata: Vec<(String, MetaValue)>,
}

impl Layered {
    /// A picture without layers.
    pub fn of(picture: Image) -> Layered {
        Layered {
            image: picture.clone(),
            names: ["R", "G", "B"].map(str::to_owned).to_vec(),
            samples: vec![SampleType::F32; 3],
            metadata: vec![],
            picture,
        }
    }

    pub(super) fn add(&mut self, channels: Channels) {
        self.image = self.image.with_channels(&channels.image);
        self.samples.extend(channels.names.iter().map(|_| channels.samples));
        self.names.extend(channels.names);
    }
}

/// The mean of a sum over the samples of a pixel.
pub(super) fn mean(sum: Fixed, pixel: &PixelSum) -> f32 {
    (sum.to_f64() / f64::from(pixel.count.max(1))) as f32
}
