//! Settings of the integrators.

/// Integrator with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Integrator {
    /// Path tracing from the camera, with light samples at every hit.
    Path(PathSettings),
    /// Path tracing with indirect light from photon maps.
    Photon(PhotonSettings),
    /// The faster of the two for equal error, as measured by a pilot; photon maps have default settings.
    Auto(PathSettings),
}

/// Settings of the path tracer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSettings {
    /// Maximum number of segments of a path; unlimited when `None`.
    pub depth: Option<u32>,
    /// Number of segments of a path before Russian roulette begins.
    pub rr_depth: u32,
    /// True if camera rays pass through emitting shapes and do not see lights at infinity.
    pub hide_emitters: bool,
    /// True if environments are invisible to camera rays, so that the picture is transparent there.
    pub hide_background: bool,
    /// Number of branches at the first scattering surface of a path; a pilot chooses when `None`.
    pub split: Option<u32>,
    /// Number of light samples at that surface; a pilot chooses when `None`.
    pub light_samples: Option<u32>,
    /// True if photons guide paths towards sources of indirect light; a pilot decides when `None`.
    pub guide: Option<bool>,
}

impl Default for PathSettings {
    fn default() -> PathSettings {
        PathSettings {
            depth: None,
            rr_depth: 1,
            hide_emitters: false,
            hide_background: false,
            split: None,
            light_samples: None,
            guide: None,
        }
    }
}

/// Settings of the photon mapper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhotonSettings {
    /// Maximum number of segments of a path; unlimited when `None`.
    pub depth: Option<u32>,
    /// Photons to store in the global map (progressive: to shoot in each pass); by the film's size when `None`.
    pub photons: Option<u64>,
    /// Photons to store in the caustic map (progressive: one pass shoots for both maps); by the film's size when
    /// `None`.
    pub caustic_photons: Option<u64>,
    /// Number of photons of a lookup in the global map.
    pub k: u32,
    /// Number of photons of a lookup in the caustic map.
    pub caustic_k: u32,
    /// Maximum radius of lookups in the global map (progressive: in the first pass) [m]; by the photon density when
    /// `None`.
    pub radius: Option<f32>,
    /// Maximum radius of lookups in the caustic map (progressive: in the first pass) [m]; by the photon density when
    /// `None`.
    pub caustic_radius: Option<f32>,
    /// Number of gather rays at the first scattering surface of a path; 0 shows the global map directly. A pilot
    /// chooses when `None`.
    pub gather: Option<u32>,
    /// Number of light samples at that surface; a pilot chooses when `None`.
    pub light_samples: Option<u32>,
    /// True if photons guide gather rays towards sources of indirect light; a pilot decides when `None`.
    pub guide: Option<bool>,
    /// Shows the content of a map instead of a picture.
    pub show: Option<Show>,
    /// True for progressive photon mapping: each sample has its own photons and a lookup radius that shrinks.
    pub progressive: bool,
    /// True if gather rays estimate direct light from the map, instead of by light samples.
    pub direct: bool,
    /// True if camera rays pass through emitting shapes and do not see lights at infinity.
    pub hide_emitters: bool,
    /// True if environments are invisible to camera rays, so that the picture is transparent there.
    pub hide_background: bool,
}

/// Quantity of a photon map to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Radiance estimate from the global map.
    Global,
    /// Radiance estimate from the caustic map.
    Caustic,
    /// Precomputed irradiance divided by π.
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
            hide_background: false,
        }
    }
}

impl PathSettings {
    /// Takes one branch and one light sample, without guides, where the settings leave these to a pilot.
    #[must_use]
    pub fn without_pilots(self) -> PathSettings {
        PathSettings {
            split: self.split.or(Some(1)),
            light_samples: self.light_samples.or(Some(1)),
            guide: self.guide.or(Some(false)),
            ..self
        }
    }
}

/// Photons in each map of a draft.
const DRAFT_PHOTONS: u64 = 100_000;

/// Maximum number of branches of a path.
pub const MAX_SPLIT: u32 = 64;

/// Maximum number of photons of a lookup.
pub const MAX_NEAREST: usize = 512;

impl Default for Integrator {
    fn default() -> Integrator {
        Integrator::Path(PathSettings::default())
    }
}

impl Integrator {
    /// Name on the command line and in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            Integrator::Path(_) => "path",
            Integrator::Photon(_) => "photon",
            Integrator::Auto(_) => "auto",
        }
    }

    /// Returns the integrator called `name` with the settings that `auto` gives it.
    pub fn decided(path: &PathSettings, name: &str) -> Option<Integrator> {
        match name {
            "path" => Some(Integrator::Path(*path)),
            "photon" => Some(Integrator::Photon(PhotonSettings {
                depth: path.depth,
                hide_emitters: path.hide_emitters,
                hide_background: path.hide_background,
                ..PhotonSettings::default()
            })),
            _ => None,
        }
    }

    /// Maximum number of segments of a path; unlimited when `None`.
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

    /// Replaces the maximum number of path segments by `depth`, if that is given.
    #[must_use]
    pub fn with_depth(mut self, depth: Option<u32>) -> Integrator {
        let own = match &mut self {
            Integrator::Path(settings) | Integrator::Auto(settings) => &mut settings.depth,
            Integrator::Photon(settings) => &mut settings.depth,
        };
        *own = depth.or(*own);
        self
    }

    /// Takes one branch and one light sample, without guides, and few photons, where the settings leave these open.
    #[must_use]
    pub fn for_draft(self) -> Integrator {
        match self {
            Integrator::Path(path) => Integrator::Path(path.without_pilots()),
            Integrator::Auto(path) => Integrator::Path(path.without_pilots()),
            Integrator::Photon(photon) => Integrator::Photon(PhotonSettings {
                photons: photon.photons.or(Some(DRAFT_PHOTONS)),
                caustic_photons: photon.caustic_photons.or(Some(DRAFT_PHOTONS)),
                gather: photon.gather.or(Some(1)),
                light_samples: photon.light_samples.or(Some(1)),
                guide: photon.guide.or(Some(false)),
                ..photon
            }),
        }
    }

    /// Hides environments from camera rays, or shows them.
    #[must_use]
    pub fn with_hidden_background(mut self, hides: bool) -> Integrator {
        match &mut self {
            Integrator::Path(settings) | Integrator::Auto(settings) => settings.hide_background = hides,
            Integrator::Photon(settings) => settings.hide_background = hides,
        }
        self
    }

    /// Number of samples per pixel that one preparation serves; `None` when it serves all.
    pub fn samples_per_pass(&self) -> Option<u64> {
        match self {
            Integrator::Path(_) | Integrator::Auto(_) => None,
            Integrator::Photon(settings) => settings.progressive.then_some(1),
        }
    }
}
