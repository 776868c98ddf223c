//! Layers of a film: sums of further channels of each pixel, and sums of weights by identifier.

use super::Fixed;

/// Additional sums of each pixel besides the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilmLayout {
    /// Sums of squares, for the variance.
    pub variance: bool,
    /// Number of further channels.
    pub channels: usize,
    /// Number of kinds of identifiers.
    pub identifiers: usize,
}

impl FilmLayout {
    /// Returns whether there are sums besides the picture and its variance.
    pub fn has_layers(&self) -> bool {
        self.channels > 0 || self.identifiers > 0
    }

    /// Bytes of a pixel besides the sums of the picture, if each kind of identifiers has `covering` of them.
    pub fn bytes(&self, covering: usize) -> usize {
        let sum = size_of::<Fixed>();
        let squares = if self.variance { 3 * sum } else { 0 };
        let identifiers = size_of::<Weights>() + covering * size_of::<(u32, Fixed)>();
        squares + self.channels * sum + self.identifiers * identifiers
    }
}

/// Weights by identifier, sorted by identifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights(Vec<(u32, Fixed)>);

impl Weights {
    /// Weights from a list; `None` unless its identifiers ascend.
    pub fn from_list(list: Vec<(u32, Fixed)>) -> Option<Weights> {
        list.is_sorted_by(|a, b| a.0 < b.0).then_some(Weights(list))
    }

    /// The identifiers with their weights.
    pub fn list(&self) -> &[(u32, Fixed)] {
        &self.0
    }

    /// Adds a weight.
    pub fn add(&mut self, identifier: u32, weight: Fixed) {
        if let [(known, sum)] = &mut self.0[..]
            && *known == identifier
        {
            *sum += weight;
            return;
        }
        match self.0.binary_search_by_key(&identifier, |&(known, _)| known) {
            Ok(index) => self.0[index].1 += weight,
            Err(index) => self.0.insert(index, (identifier, weight)),
        }
    }

    fn merge(&mut self, other: &Weights) {
        other.0.iter().for_each(|&(identifier, weight)| self.add(identifier, weight));
    }
}

/// The layers of a rectangle of pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    pub(super) channels: usize,
    pub(super) kinds: usize,
    /// Sums by pixel, then by channel.
    pub(super) sums: Vec<Fixed>,
    /// Weights by pixel, then by kind.
    pub(super) weights: Vec<Weights>,
}

impl Layers {
    pub(super) fn new(pixels: usize, layout: &FilmLayout) -> Layers {
        Layers {
            channels: layout.channels,
            kinds: layout.identifiers,
            sums: vec![Fixed::default(); pixels * layout.channels],
            weights: vec![Weights::default(); pixels * layout.identifiers],
        }
    }

    /// Layers of stored sums, by pixel; `None` when their numbers are not those of the pixels.
    pub fn from_parts(
        pixels: usize,
        layout: &FilmLayout,
        sums: Vec<Fixed>,
        weights: Vec<Weights>,
    ) -> Option<Layers> {
        let fits = sums.len() == pixels * layout.channels && weights.len() == pixels * layout.identifiers;
        fits.then_some(Layers {
            channels: layout.channels,
            kinds: layout.identifiers,
            sums,
            weights,
        })
    }

    /// The sums of a pixel, by channel.
    pub fn channels_of(&self, pixel: usize) -> &[Fixed] {
        &self.sums[pixel * self.channels..(pixel + 1) * self.channels]
    }

    /// The weights of a pixel, by kind of identifiers.
    pub fn weights_of(&self, pixel: usize) -> &[Weights] {
        &self.weights[pixel * self.kinds..(pixel + 1) * self.kinds]
    }

    pub(super) fn add(&mut self, pixel: usize, values: &[f32], identified: &[(usize, u32, f32)]) -> u64 {
        let mut not_finite = 0;
        let sums = &mut self.sums[pixel * self.channels..(pixel + 1) * self.channels];
        for (sum, &v) in sums.iter_mut().zip(values) {
            // Most layers get nothing from a sample.
            if v == 0.0 {
                continue;
            }
            if v.is_finite() {
                *sum += Fixed::from_f32(v);
            } else {
                not_finite += 1;
            }
        }
        for &(kind, identifier, weight) in identified {
            self.weights[pixel * self.kinds + kind].add(identifier, Fixed::from_f32(weight));
        }
        not_finite
    }

    /// Adds the layers of a pixel of others.
    pub(super) fn merge_pixel(&mut self, pixel: usize, other: &Layers, other_pixel: usize) {
        let sums = &mut self.sums[pixel * self.channels..(pixel + 1) * self.channels];
        sums.iter_mut()
            .zip(other.channels_of(other_pixel))
            .for_each(|(sum, &v)| *sum += v);
        let weights = &mut self.weights[pixel * self.kinds..(pixel + 1) * self.kinds];
        weights
            .iter_mut()
            .zip(other.weights_of(other_pixel))
            .for_each(|(ours, theirs)| ours.merge(theirs));
    }

    pub(super) fn clear(&mut self) {
        self.sums.fill(Fixed::default());
        self.weights.iter_mut().for_each(|weights| weights.0.clear());
    }
}
