//! Declarations `film`, `sampler` and `integrator`.

use shading::Diagnostic;
use shading::syntax::ast::{Declaration, ExprKind};

use super::context::LoadContext;
use super::field::{Field, Range};
use super::table::{DeclarationPart, Key, body_of, kind_of, read_block, set, takes_only};
use super::value::SceneValue;
use renderer_image::Rect;
use renderer_image::film::{Film, FilterShape};
use renderer_passes::{PassDesc, PassError};
use renderer_scene::{
    FilmDesc, Integrator, MAX_NEAREST, MAX_SPLIT, PathSettings, PhotonSettings, Placed, SamplerDesc, Show,
};

pub(super) const FILM: &[Key<FilmDesc>] = &[
    Key {
        name: "size",
        doc: "width and height in pixels, as `(1280, 720)`, which is the default",
        set: |film, field, context| {
            if let Some(value) = field.integers(context, 1, 1 << 20, "(1280, 720)") {
                if u64::from(value[0]) * u64::from(value[1]) > Film::MAX_PIXELS {
                    context.error(
                        field.span(),
                        format!("the film has more than {} pixels", Film::MAX_PIXELS),
                    );
                } else {
                    film.size = Placed {
                        value,
                        span: field.span(),
                    };
                }
            }
        },
    },
    Key {
        name: "crop",
        doc: "the rectangle to render, in pixels: `(x0, y0, x1, y1)`, the last two exclusive; the whole film by \
              default",
        set: |film, field, context| {
            let corners = field.integers(context, 0, 1 << 20, "(0, 0, 640, 360)");
            if let Some([x0, y0, x1, y1]) = corners {
                film.crop = Some(Placed {
                    value: Rect { x0, y0, x1, y1 },
                    span: field.span(),
                });
            }
        },
    },
    Key {
        name: "filter",
        doc: "reconstruction filter (lengths in pixels): `box(radius)`, 0.5 by default; `tent(radius)`, 1 by default; \
              `gaussian(radius, stddev)`, 2 and a quarter of the radius by default; `blackman_harris(radius)`, 1.5 by \
              default; `mitchell(B, C)`, a third each by default; `catmull_rom`; `lanczos(lobes)`, 3 by default; \
              `blackman_harris` by default",
        set: |film, field, context| {
            if let Some(filter) = filter(field, context) {
                film.filter = filter;
            }
        },
    },
    Key {
        name: "aov",
        doc: "passes, which are layers of EXR files: `{\"depth\", \"N\", \"gloss=C<RG>.*L\"}`, as for `--aov` (see \
              passes.md); none by default",
        set: |film, field, context| film.passes.extend(passes(&field, context)),
    },
    Key {
        name: "background",
        doc: "`visible` (the default) or `transparent`: environments are invisible to the camera, and the picture has \
              an alpha channel",
        set: |film, field, context| {
            let options = [("visible", false), ("transparent", true)];
            set(&mut film.transparent, field.choice(context, &options));
        },
    },
    Key {
        name: "border",
        doc: "`false`: no samples outside of the rendered rectangle, so that filters end at its border; `true` by \
              default",
        set: |film, field, context| {
            if let Some(border) = field.boolean(context) {
                film.border = border;
            }
        },
    },
];

pub(super) const SAMPLER: &[Key<SamplerDesc>] = &[
    Key {
        name: "spp",
        doc: "samples per pixel; 64 by default",
        set: |sampler, field, context| {
            if let Some(spp) = field.integer(context, 1, 1 << 30) {
                sampler.spp = spp as u32;
            }
        },
    },
    Key {
        name: "seed",
        doc: "seed of all random numbers, a whole number; 0 by default",
        set: |sampler, field, context| {
            if let Some(seed) = field.integer(context, 0, 1 << 53) {
                sampler.seed = seed;
            }
        },
    },
    Key {
        name: "adaptive",
        doc: "whether each sample after the first 16 consists of half a camera ray to 8 camera rays, more in pixels \
              that are noisier by a short pilot, about one on average; `true` by default, if the pilot finds a gain; \
              no effect with `--noise`",
        set: |sampler, field, context| set(&mut sampler.adaptive, field.boolean(context)),
    },
];

/// Reads a list of passes, each a string.
fn passes(field: &Field<'_>, context: &mut LoadContext) -> Vec<Placed<PassDesc>> {
    let list = match &field.expr.kind {
        ExprKind::Braces(list) => list.as_slice(),
        _ => std::slice::from_ref(field.expr),
    };
    let mut passes = vec![];
    for expr in list {
        let Some(text) = (Field { key: field.key, expr }).string(context) else {
            continue;
        };
        match PassDesc::parse(&text) {
            Ok(found) => passes.extend(found.into_iter().map(|value| Placed {
                value,
                span: expr.span,
            })),
            Err(error) => context.push(pass_error(&error, context.error_at(expr.span, error.to_string()))),
        }
    }
    passes
}

/// Adds what helps against a mistake in a pass.
pub fn pass_error(error: &PassError, diagnostic: Diagnostic) -> Diagnostic {
    match error {
        PassError::Unknown { name } => diagnostic.nearest(name, PassDesc::known_names()).hint(
            "a pass is a value, a component, `shader:OUTPUT`, `attribute:NAME`, `light_GROUP`, or NAME=EXPRESSION, such as \
             gloss=C<RG>.*L",
        ),
        PassError::Expression { expression, error } => {
            let place = error.place.start.min(expression.len());
            let marked = format!("{}\u{2193}{}", &expression[..place], &expression[place..]);
            let diagnostic = diagnostic.hint(format!("it is at the arrow: {marked}"));
            match error.hint {
                Some(hint) => diagnostic.hint(hint),
                None => diagnostic,
            }
        }
        PassError::Name { .. } | PassError::LongName(_) | PassError::Noisy => {
            diagnostic.hint("give it another name: NAME=WHAT")
        }
        PassError::Several { .. } => diagnostic.hint("give each a name, `NAME=WHAT`, in a separate string"),
    }
}

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
            path.split = field
                .integer(context, 1, u64::from(MAX_SPLIT))
                .map(|split| split as u32);
        },
    },
    Key {
        name: "light_samples",
        doc: "number of light samples at that surface, at most 64; by default the pilot chooses 1, 2, 4 or 8",
        set: |path, field, context| {
            path.light_samples = field
                .integer(context, 1, u64::from(MAX_SPLIT))
                .map(|samples| samples as u32);
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
            photon.gather = field
                .integer(context, 0, u64::from(MAX_SPLIT))
                .map(|gather| gather as u32);
        },
    },
    Key {
        name: "light_samples",
        doc: "number of light samples at that surface, at most 64; by default the pilot chooses 1, 2, 4 or 8",
        set: |photon, field, context| {
            photon.light_samples = field
                .integer(context, 1, u64::from(MAX_SPLIT))
                .map(|samples| samples as u32);
        },
    },
    Key {
        name: "guide",
        doc: "`true`: photons guide gather rays towards indirect light, such as light through doors; `false`: no \
              guiding; by default the pilot chooses; the expected picture does not change",
        set: |photon, field, context| photon.guide = field.boolean(context),
    },
    Key {
        name: "show",
        doc: "shows the content of a map in place of the picture: `global`, `caustic` or `irradiance`",
        set: |photon, field, context| {
            let maps = [
                ("global", Show::Global),
                ("caustic", Show::Caustic),
                ("irradiance", Show::Irradiance),
            ];
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

pub(super) fn read_film(declaration: &Declaration, film: &mut FilmDesc, context: &mut LoadContext) {
    takes_only(declaration, &[DeclarationPart::Body], context);
    let is_sound = read_block(body_of(declaration), "film", &[FILM], film, context);
    let Some(crop) = film.crop.filter(|_| is_sound) else {
        return;
    };
    let [width, height] = film.size.value;
    let Rect { x0, y0, x1, y1 } = crop.value;
    if crop.value.is_empty() {
        let diagnostic = context
            .error_at(crop.span, "the crop holds no pixel")
            .hint("it is (x0, y0, x1, y1) with x0 < x1 and y0 < y1");
        context.push(diagnostic);
    } else if !Rect::of_size(width, height).encloses(&crop.value) {
        let message =
            format!("the crop ({x0}, {y0}, {x1}, {y1}) reaches beyond the film of {width} x {height} pixels");
        context.error(crop.span, message);
    }
}

pub(super) fn read_sampler(declaration: &Declaration, sampler: &mut SamplerDesc, context: &mut LoadContext) {
    takes_only(declaration, &[DeclarationPart::Body], context);
    read_block(body_of(declaration), "sampler", &[SAMPLER], sampler, context);
}

/// Kinds of integrators.
#[derive(Clone, Copy)]
enum IntegratorKind {
    Path,
    Photon,
    Auto,
}

pub(super) fn read_integrator(declaration: &Declaration, context: &mut LoadContext) -> Integrator {
    takes_only(
        declaration,
        &[DeclarationPart::Kind, DeclarationPart::Body],
        context,
    );
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

fn filter(field: Field<'_>, context: &mut LoadContext) -> Option<FilterShape> {
    let value = context.value(field.expr)?;
    let names = FilterShape::NAMES;
    let (name, args) = match &value {
        SceneValue::Name(name) | SceneValue::String(name) => (name, &[][..]),
        SceneValue::Call(name, args) => (name, args.as_slice()),
        other => {
            field.mismatch(context, &format!("one of {}", names.join(", ")), other);
            return None;
        }
    };
    let number = |arg: &SceneValue| match arg {
        SceneValue::Number(x) => *x as f32,
        _ => f32::NAN,
    };
    let numbers: Vec<f32> = args.iter().map(number).collect();
    match FilterShape::from_call(name, &numbers) {
        Some(Ok(shape)) => Some(shape),
        Some(Err(takes)) => {
            context.error(field.span(), format!("`{name}` takes {takes}"));
            None
        }
        None => {
            let message = format!("there is no filter `{name}`; there are {}", names.join(", "));
            let diagnostic = context.error_at(field.span(), message).nearest(name, names);
            context.push(diagnostic);
            None
        }
    }
}
