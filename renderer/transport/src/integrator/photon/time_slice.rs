//! Time slices: parts of the shutter interval, each with photon maps of its own.
//!
//! Density estimation at a time counts photons of other times as well, which is wrong where a surface or its
//! illumination moves. A slice bounds the difference.

/// Part of the shutter interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeSlice {
    first: f32,
    length: f32,
}

impl TimeSlice {
    /// Number of slices of a moving scene.
    pub(super) const COUNT: usize = 8;

    /// The whole shutter interval.
    pub(super) const WHOLE: TimeSlice = TimeSlice { first: 0.0, length: 1.0 };

    /// Slices in ascending order.
    pub(super) fn all() -> impl ExactSizeIterator<Item = TimeSlice> {
        let length = 1.0 / TimeSlice::COUNT as f32;
        (0..TimeSlice::COUNT).map(move |index| TimeSlice { first: index as f32 * length, length })
    }

    /// Index of the slice that contains a time.
    #[inline]
    pub(super) fn index_of(time: f32) -> usize {
        ((time * TimeSlice::COUNT as f32) as usize).min(TimeSlice::COUNT - 1)
    }

    /// Time at a fraction of the slice in `[0,1)`.
    pub(crate) fn at(self, fraction: f32) -> f32 {
        self.first + self.length * fraction
    }
}
