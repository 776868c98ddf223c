//! Photon maps: photons on surfaces and in media, irradiance records, guides, and the map file.

pub(crate) mod file;
pub(crate) mod guide_field;
pub(crate) mod irradiance;
pub(crate) mod layer;
pub(crate) mod photon;
pub(crate) mod surface;
pub(crate) mod volume;
