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

impl Integrator {
    /// Its name on the command line and in files.
    pub fn name(&self) -> &'static str {
        match self {
            Integrator::Path(_) => "path",
            Integrator::Photon(_) => "photon",
            Integrator::Auto(_) => "auto",
        }
    }

    /// The integrator of that name, as `auto` has decided for it.
    pub fn decided(path: &PathSettings, name: &str) -> Option<Integrator> {
        match name {
            "path" => Some(Integrator::Path(*path)),
            "photon" => Some(Integrator::Photon(PhotonSettings {
                depth: path.depth,
                hide_emitters: path.hide_emitters,
                ..PhotonSettings::default()
            })),
            _ => None,
        }
    }

    /// The most segments of a path; no limit when `None`.
    pub fn depth(&self) -> Option<u32> {
        match self {
            Integrator::Path(settings) | Integrator::Auto(settings) => settings.depth,
            Integrator::Photon(settings) => settings.depth,
        }
    }

    /// Estimated memory of photon maps whose size was set explicitly [bytes]; maps of default size are small and count
    /// as zero.
    pub fn memory(&self) -> u64 {
        /// Bytes for each photon while maps are built: the photon, its copy for sorting, its share of the irradiance
        /// records.
        const PHOTON: u64 = 100;
        match self {
            Integrator::Path(_) | Integrator::Auto(_) => 0,
            Integrator::Photon(settings) => {
                let [global, caustic] = [settings.photons, settings.caustic_photons].map(|n| n.unwrap_or(0));
                (global + caustic) * PHOTON
            }
        }
    }

    /// The same with paths of at most `depth` segments, if a depth is given.
    #[must_use]
    pub fn with_depth(mut self, depth: Option<u32>) -> Integrator {
        let own = match &mut self {
            Integrator::Path(settings) | Integrator::Auto(settings) => &mut settings.depth,
            Integrator::Photon(settings) => &mut settings.depth,
        };
        *own = depth.or(*own);
        self
    }

    /// How many samples per pixel one preparation serves; `None` when it serves all.
    pub fn samples_per_pass(&self) -> Option<u64> {
        match self {
            Integrator::Path(_) | Integrator::Auto(_) => None,
            Integrator::Photon(settings) => settings.progressive.then_some(1),
        }
    }
}
