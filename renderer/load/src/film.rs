//! Declarations `film` and `sampler`.

use shading::Diagnostic;
use shading::syntax::ast::{Declaration, ExprKind};

use super::context::LoadContext;
use super::field::{Field, Range};
use super::table::{DeclarationPart, Key, body_of, read_block, set, takes_only};
use super::value::SceneValue;
use renderer_base::math::log2;
use renderer_image::Rect;
use renderer_image::film::{Film, FilterShape};
use renderer_passes::{PassDesc, PassError};
use renderer_scene::{FilmDesc, Placed, SamplerDesc, ShutterCurve};

pub(super) const FILM: &[Key<FilmDesc>] = &[
    Key {
        name: "size",
        doc: "width and height in pixels, as `(1280, 720)`, which is the default",
        set: |film, field, context| {
            if let Some(value) = field.integers(context, 1, 1 << 20, "(1280, 720)") {
                if u64::from(value[0]) * u64::from(value[1]) > Film::MAX_PIXELS {
                    context
                        .error(field.span(), format!("the film has more than {} pixels", Film::MAX_PIXELS));
                } else {
                    film.size = Placed { value, span: field.span() };
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
                film.crop = Some(Placed { value: Rect { x0, y0, x1, y1 }, span: field.span() });
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
        name: "shutter",
        doc: "times at which the shutter opens and closes, in frames from the frame that is rendered; `(0, 0.5)` by \
              default",
        set: |film, field, context| {
            if let Some([open, close]) = field.numbers(context, Range::Any, "(0, 0.5)") {
                if open > close {
                    context.error(field.span(), "the shutter closes before it opens");
                } else {
                    (film.shutter.open, film.shutter.close) = (open.into(), close.into());
                }
            }
        },
    },
    Key {
        name: "shutter_curve",
        doc: "opening of the shutter at uniform times from opening to closing, linear in between, as `(0, 1, 1, 0)`; constant \
              by default",
        set: |film, field, context| film.shutter_timing.curve = shutter_curve(&field, context),
    },
    Key {
        name: "rolling_shutter",
        doc: "part of the shutter's time, from 0 to 1, in which each row of the film is exposed: the top row first, the bottom \
              row last; all rows during the whole time by default",
        set: |film, field, context| {
            film.shutter_timing.rolling = field.number(context, Range::Within(0.0, 1.0));
        },
    },
    Key {
        name: "exposure",
        doc: "of 8-bit pictures, added to `--exposure`: in stops, or `photographic(f_stop, shutter_time, iso)` of a camera \
              (seconds; a luminance of 1 is 683 cd/m2); 0 by default",
        set: |film, field, context| set(&mut film.exposure, exposure(&field, context)),
    },
    Key {
        name: "dicing_scale",
        doc: "factor of `dicing` and `edge_length` of all shapes, for drafts; 1 by default",
        set: |film, field, context| set(&mut film.dicing_scale, field.number(context, Range::Positive)),
    },
    Key {
        name: "fps",
        doc: "frames per second; 24 by default",
        set: |film, field, context| {
            if let Some(fps) = field.number(context, Range::Positive) {
                film.shutter.fps = fps.into();
            }
        },
    },
    Key {
        name: "frame",
        doc: "the frame that is rendered; 0 by default",
        set: |film, field, context| {
            if let Some(frame) = field.number(context, Range::Any) {
                film.shutter.frame = frame.into();
            }
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
        name: "per_frame",
        doc: "whether each frame has a noise pattern of its own; `false`, one pattern for all frames, by default",
        set: |sampler, field, context| set(&mut sampler.per_frame, field.boolean(context)),
    },
    Key {
        name: "adaptive",
        doc: "whether each sample after the first 16 consists of half a camera ray to 8 camera rays, more in pixels \
              that are noisier by a short pilot, about one on average; `true` by default, if the pilot finds a gain; \
              no effect with `--noise`",
        set: |sampler, field, context| set(&mut sampler.adaptive, field.boolean(context)),
    },
];

/// Reads the values of a shutter curve.
fn shutter_curve(field: &Field<'_>, context: &mut LoadContext) -> Option<ShutterCurve> {
    let values = match context.value(field.expr)? {
        SceneValue::Tuple(values) => values,
        other => {
            field.mismatch(context, "at least two numbers, as (0, 1, 1, 0)", &other);
            return None;
        }
    };
    let curve = ShutterCurve::new(values.iter().map(|&x| x as f32).collect());
    if curve.is_none() {
        let message = "`shutter_curve` takes 2 to 256 numbers from 0 up, not all 0, as (0, 1, 1, 0)";
        context.error(field.span(), message);
    }
    curve
}

/// Reads an exposure in stops.
fn exposure(field: &Field<'_>, context: &mut LoadContext) -> Option<f32> {
    let (f_stop, time, iso) = match context.value(field.expr)? {
        SceneValue::Number(stops) => return field.in_range(context, stops, Range::Within(-120.0, 120.0)),
        SceneValue::Call(name, args) if name == "photographic" => match args.as_slice() {
            &[SceneValue::Number(f_stop), SceneValue::Number(time), SceneValue::Number(iso)]
                if [f_stop, time, iso].iter().all(|x| *x > 0.0 && x.is_finite()) =>
            {
                (f_stop, time, iso)
            }
            _ => {
                let message = "`photographic` takes three positive numbers: f-stop, shutter time (s) and ISO speed, as \
                               (8, 1/125, 100)";
                context.error(field.span(), message);
                return None;
            }
        },
        other => {
            field.mismatch(context, "stops, or photographic(8, 1/125, 100)", &other);
            return None;
        }
    };
    // Saturation-based speed (ISO 12232) of a lens that transmits 0.65 of the light: white is 1.2 · 2^EV100 cd/m².
    let white = 1.2 * f_stop * f_stop / time * 100.0 / iso;
    let stops = log2((LUMENS_PER_WATT / white) as f32);
    field.in_range(context, f64::from(stops), Range::Within(-120.0, 120.0))
}

/// Luminous efficacy: photometric units of a radiometric one [lm/W].
const LUMENS_PER_WATT: f64 = 683.0;

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
            Ok(found) => passes.extend(found.into_iter().map(|value| Placed { value, span: expr.span })),
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
