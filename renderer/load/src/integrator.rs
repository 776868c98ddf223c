//! Declaration `integrator`.

use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::field::Range;
use super::table::{DeclarationPart, Key, body_of, kind_of, read_block, set, takes_only};
use renderer_scene::{Integrator, MAX_NEAREST, MAX_SPLIT, PathSettings, PhotonSettings, Show};

/// Documentation of the key `hide_emitters`.
const HIDE_EMITTERS: &str = "`true`: emissive shapes are invisible to the camera, and lights at infinity are black to \
      it; they still light the scene, and are visible in mirrors and through glass; `false` by default";

/// Keys of `integrator : path { … }` and of `auto`.
pub(super) const PATH: &[Key<PathSettings>] = &[
    Key {
        name: "depth",
        doc: "maximum number of path segments: 1 shows emission only, 2 adds direct light; no limit by default",
        set: |path, field, context| path.depth = field.integer(context, 1, 1 << 30).map(|depth| depth as u32),
    },
    Key {
        name: "rr_depth",
        doc: "first segment at which Russian roulette may end a path; 1 by default",
        set: |path, field, context| {
            if let Some(depth) = field.integer(context, 1, 1 << 30) {
                path.rr_depth = depth as u32;
            }
        },
    },
    Key {
        name: "split",
        doc: "number of branches of a path at the first scattering surface (neither mirror nor clear glass), at most \
              64; by default a short pilot chooses 1, 2, 4 or 8",
        set: |path, field, context| {
            path.split = field.integer(context, 1, u64::from(MAX_SPLIT)).map(|split| split as u32);
        },
    },
    Key {
        name: "light_samples",
        doc: "number of light samples at that surface, at most 64; by default the pilot chooses 1, 2, 4 or 8",
        set: |path, field, context| {
            path.light_samples =
                field.integer(context, 1, u64::from(MAX_SPLIT)).map(|samples| samples as u32);
        },
    },
    Key {
        name: "hide_emitters",
        doc: HIDE_EMITTERS,
        set: |path, field, context| set(&mut path.hide_emitters, field.boolean(context)),
    },
    Key {
        name: "guide",
        doc: "`true`: photons guide paths towards indirect light, such as light through doors and caustics; `false`: \
              no guiding; by default a short pilot chooses; the picture is unbiased in both cases",
        set: |path, field, context| path.guide = field.boolean(context),
    },
];

/// Keys of `integrator : photon { … }`.
pub(super) const PHOTON: &[Key<PhotonSettings>] = &[
    Key {
        name: "depth",
        doc: "maximum number of path segments, including those of photons; no limit by default",
        set: |photon, field, context| {
            photon.depth = field.integer(context, 1, 1 << 30).map(|depth| depth as u32);
        },
    },
    Key {
        name: "photons",
        doc: "number of photons in the global map (progressive: emitted in each pass); by default twice the film's \
              pixels, at least 262144 and at most 2097152 (progressive: the film's pixels, at least 16384)",
        set: |photon, field, context| photon.photons = field.integer(context, 0, 1 << 30),
    },
    Key {
        name: "caustic_photons",
        doc: "number of photons in the caustic map; progressive passes emit photons for both maps at once",
        set: |photon, field, context| photon.caustic_photons = field.integer(context, 0, 1 << 30),
    },
    Key {
        name: "k",
        doc: "number of photons of a lookup in the global map; 64 by default",
        set: |photon, field, context| {
            if let Some(k) = field.integer(context, 2, MAX_NEAREST as u64) {
                photon.k = k as u32;
            }
        },
    },
    Key {
        name: "caustic_k",
        doc: "number of photons of a lookup in the caustic map; 64 by default",
        set: |photon, field, context| {
            if let Some(k) = field.integer(context, 2, MAX_NEAREST as u64) {
                photon.caustic_k = k as u32;
            }
        },
    },
    Key {
        name: "radius",
        doc: "maximum radius of lookups in the global map (progressive: in the first pass; thinner objects stay too \
              dark for many passes), in metres; by the density of photons by default",
        set: |photon, field, context| photon.radius = field.number(context, Range::Positive),
    },
    Key {
        name: "caustic_radius",
        doc: "maximum radius of lookups in the caustic map, in metres",
        set: |photon, field, context| photon.caustic_radius = field.number(context, Range::Positive),
    },
    Key {
        name: "gather",
        doc: "number of gather rays of a sample, which continue a path at the first scattering surface (neither mirror \
              nor clear glass); by default a short pilot chooses 1, 2, 4 or 8; 0 shows the global map directly",
        set: |photon, field, context| {
            photon.gather = field.integer(context, 0, u64::from(MAX_SPLIT)).map(|gather| gather as u32);
        },
    },
    Key {
        name: "light_samples",
        doc: "number of light samples at that surface, at most 64; by default the pilot chooses 1, 2, 4 or 8",
        set: |photon, field, context| {
            photon.light_samples =
                field.integer(context, 1, u64::from(MAX_SPLIT)).map(|samples| samples as u32);
        },
    },
    Key {
        name: "guide",
        doc: "`true`: photons guide gather rays towards indirect light, such as light through doors; `false` \
              by default; the expected picture does not change",
        set: |photon, field, context| photon.guide = field.boolean(context),
    },
    Key {
        name: "show",
        doc: "shows the content of a map in place of the picture: `global`, `caustic` or `irradiance`",
        set: |photon, field, context| {
            let maps =
                [("global", Show::Global), ("caustic", Show::Caustic), ("irradiance", Show::Irradiance)];
            photon.show = field.choice(context, &maps);
        },
    },
    Key {
        name: "progressive",
        doc: "progressive photon mapping: every sample has separate photons and a shrinking lookup radius, so that the \
              picture converges to the path tracer's; `false` by default",
        set: |photon, field, context| {
            if let Some(progressive) = field.boolean(context) {
                photon.progressive = progressive;
            }
        },
    },
    Key {
        name: "direct",
        doc: "whether gather rays estimate direct light from the global map instead of by light samples; `true` by \
              default",
        set: |photon, field, context| {
            if let Some(direct) = field.boolean(context) {
                photon.direct = direct;
            }
        },
    },
    Key {
        name: "hide_emitters",
        doc: HIDE_EMITTERS,
        set: |photon, field, context| set(&mut photon.hide_emitters, field.boolean(context)),
    },
];

/// Kinds of integrators.
#[derive(Clone, Copy)]
enum IntegratorKind {
    Path,
    Photon,
    Auto,
}

pub(super) fn read_integrator(declaration: &Declaration, context: &mut LoadContext) -> Integrator {
    takes_only(declaration, &[DeclarationPart::Kind, DeclarationPart::Body], context);
    let kinds = [
        ("path", IntegratorKind::Path),
        ("photon", IntegratorKind::Photon),
        ("auto", IntegratorKind::Auto),
    ];
    match kind_of(declaration, Some(IntegratorKind::Path), &kinds, context) {
        Some(IntegratorKind::Path) => {
            Integrator::Path(read_path(declaration, "the path integrator", context))
        }
        Some(IntegratorKind::Auto) => {
            Integrator::Auto(read_path(declaration, "the choice of an integrator", context))
        }
        Some(IntegratorKind::Photon) => {
            let mut photon = PhotonSettings::default();
            let body = body_of(declaration);
            read_block(body, "the photon integrator", &[PHOTON], &mut photon, context);
            Integrator::Photon(photon)
        }
        None => Integrator::default(),
    }
}

/// Returns whether integrators of this kind have the key. A key has the same meaning for all kinds that have it.
pub(super) fn integrator_knows(kind: &str, key: &str) -> bool {
    let has = |keys: &[Key<PathSettings>]| keys.iter().any(|known| known.name == key);
    match kind {
        "path" | "auto" => has(PATH),
        "photon" => PHOTON.iter().any(|known| known.name == key),
        _ => false,
    }
}

fn read_path(declaration: &Declaration, what: &str, context: &mut LoadContext) -> PathSettings {
    let mut path = PathSettings::default();
    read_block(body_of(declaration), what, &[PATH], &mut path, context);
    path
}
