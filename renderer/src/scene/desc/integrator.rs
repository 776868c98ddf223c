//! Settings of the integrators.

/// How light is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Paths from the camera, with light samples at every hit.
    Path(PathSettings),
    /// The same with indirect light from photon maps.
    Photon(PhotonSettings),
    /// Whichever of the two reaches an error sooner, told by a pilot; with photon maps of default settings.
    Auto(PathSettings),
}

/// How long paths are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSettings {
    /// The most segments of a path; no limit when `None`.
    pub depth: Option<u32>,
    /// Segments that a path has before Russian roulette may end it.
    pub rr_depth: u32,
    /// Whether the camera's rays pass shapes that emit, and do not see lights at infinity.
    pub hide_emitters: bool,
    /// The number of branches that a path splits into at the first surface that scatters; by a pilot when `None`.
    pub split: Option<u32>,
    /// The number of light samples that are taken there; by a pilot when `None`.
    pub light_samples: Option<u32>,
    /// Whether photons guide paths to where indirect light comes from; by a pilot when `None`.
    pub guide: Option<bool>,
}

impl Default for PathSettings {
    fn default() -> PathSettings {
        PathSettings {
            depth: None,
            rr_depth: 1,
            hide_emitters: false,
            split: None,
            light_samples: None,
            guide: None,
        }
    }
}

/// How photons are shot and seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhotonSettings {
    /// The most segments of a path; no limit when `None`.
    pub depth: Option<u32>,
    /// Photons to keep in the global map (in progressive mode: to shoot in each pass); by the film's size when `None`.
    pub photons: Option<u64>,
    /// The same for the caustic map; in progressive mode one pass shoots for both.
    pub caustic_photons: Option<u64>,
    /// Photons of a lookup in the global map.
    pub k: u32,
    /// Photons of a lookup in the caustic map.
    pub caustic_k: u32,
    /// How far lookups in the global map reach, in progressive mode those of the first pass [m]; by the photons'
    /// density when `None`.
    pub radius: Option<f32>,
    /// The same for the caustic map.
    pub caustic_radius: Option<f32>,
    /// Rays that continue a path from the first surface that scatters; 0 shows the global map directly. A pilot chooses
    /// when `None`.
    pub gather: Option<u32>,
    /// Light samples there; a pilot chooses when `None`.
    pub light_samples: Option<u32>,
    /// Whether photons guide gather rays to where indirect light comes from; by a pilot when `None`.
    pub guide: Option<bool>,
    /// Shows what is in a map instead of a picture.
    pub show: Option<Show>,
    /// Whether each sample has photons of its own, looked up within a radius that shrinks.
    pub progressive: bool,
    /// Whether gather rays find direct light in the map too, and not by light samples.
    pub direct: bool,
    /// Whether the camera's rays pass shapes that emit, and do not see lights at infinity.
    pub hide_emitters: bool,
}

/// What is in a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Radiance by the global map.
    Global,
    /// Radiance by the caustic map.
    Caustic,
    /// Precomputed irradiance over π.
    Irradiance,
}

impl Default for PhotonSettings {
    fn default() -> PhotonSettings {
        PhotonSettings {
            depth: None,
            photons: None,
            caustic_photons: None,
            k: 64,
            caustic_k: 64,
            radius: None,
            caustic_radius: None,
            gather: None,
            light_samples: None,
            guide: None,
            show: None,
            progressive: false,
            direct: true,
            hide_emitters: false,
        }
    }
}

/// The most branches of a path.
pub const MAX_SPLIT: u32 = 64;

/// The most photons of a lookup.
pub const MAX_NEAREST: usize = 512;

impl Default for Integrator {
    fn default() -> Integrator {
        Integrator::Path(PathSettings::default())
    }
}
