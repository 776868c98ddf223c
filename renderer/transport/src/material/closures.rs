//! Closure table: name, parameters, and the lobes or emission of each closure (OSL, MaterialX, TSL, Cycles names).
//!
//! - Names and parameter order are those of OSL's and MaterialX's headers and of TSL's renderers, so that existing
//!   shaders compile. Overloads of a name are separate entries.
//! - A normal of length zero stands for the surface's shading normal, a tangent of length zero for its `dPdu`.
//! - Roughness is the α of the named distribution: `"ggx"`, `"beckmann"` or `"sharp"` (smooth); any other name is GGX.
//! - OSL's `eta` is relative to the side of the normal that is passed, and `N` faces the viewer: shaders write
//!   `backfacing() ? 1 / ior : ior`. MaterialX's `ior` is that of the object's interior, whichever side is seen; an
//!   interface that only reflects looks the same from both sides unless another one of the surface refracts.
//! - Cycles' and SORT's closures have the names and parameters of those renderers.
//! - Closures without a lobe of their own use the nearest one; compiling a shader that creates one reports it (`note`).
//! - Hair closures are lobes of one model; roughnesses are variances and scales in MaterialX's, and the paper's in
//!   Cycles'.
//! - Labels name lobes for light path expressions: `labelled(base, label)`, or the parameter `"label"` of any call.
//! - The thickness of a thin film is in nm.
//! - `energy_compensation` of an interface adds the light that facets scatter more than once.

use std::f32::consts::PI;

use glam::Vec3;
use shading::hir::{ClosureId, Const};
use shading::ty::{Base, Type};
use shading::{ClosureNode, ClosureRef};

use super::component::{Coat, Component};
use super::label::label_hash;
use super::scattering::Scattering;
use crate::bsdf::{
    Burley, Charlie, Clearcoat, CoatedDiffuse, Conductor, Dielectric, Distribution, Eon, F82, Film, Hair,
    HairParameters, Lambert, Lobe, Microfacets, OrenNayar, Phong, Schlick, Sheen, Subsurface,
    ThinTransmission, Translucent, Ward, ZeltnerSheen,
};
use renderer_base::color::Rgb;
use renderer_base::math::exp;

/// Entry of the closure table.
pub(super) struct Entry {
    pub(super) kind: ClosureKind,
    pub(super) name: &'static str,
    pub(super) params: &'static [(&'static str, Type)],
    /// Optional parameters with their default values.
    pub(super) optional: &'static [(&'static str, Type, DefaultValue)],
}

/// Default value of an optional parameter.
#[derive(Clone, Copy)]
pub(super) enum DefaultValue {
    Int(i32),
    Float(f32),
    Triple(f32),
    Text,
}

impl DefaultValue {
    pub(super) fn constant(self) -> Const {
        match self {
            DefaultValue::Int(v) => Const::Int(v),
            DefaultValue::Float(v) => Const::Float(v),
            DefaultValue::Triple(v) => Const::Triple([v; 3]),
            DefaultValue::Text => Const::String("".into()),
        }
    }
}

/// Generates the table, and the function that interprets each entry: a single `match`, so that there are no indirect
/// calls and lobes are constructed in place.
macro_rules! closures {
    ($($kind:ident $name:literal [$($param:expr),*] [$($optional:expr),*] $meaning:expr;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum ClosureKind { $($kind),* }

        pub(super) static TABLE: &[Entry] = &[$(
            Entry { kind: ClosureKind::$kind, name: $name, params: &[$($param),*], optional: &[$($optional),*] }
        ),*];

        /// Interprets a component with the closure `id` of the registry. Returns the nested closure to visit
        /// next, if any.
        #[inline(always)]
        pub(super) fn interpret<'t>(id: ClosureId, mut component: Component<'_, '_, 't>) -> Option<ClosureRef<'t>> {
            match TABLE[id.0 as usize].kind {
                $(ClosureKind::$kind => as_meaning($meaning)(&mut component)),*
            }
        }
    };
}

/// Fixes the type of an entry's closure for type inference.
#[inline(always)]
fn as_meaning<F: for<'c, 'p, 'a, 't> Fn(&'c mut Component<'p, 'a, 't>) -> Option<ClosureRef<'t>>>(f: F) -> F {
    f
}

use Type as T;

const N: (&str, Type) = ("N", T::NORMAL);
const U: (&str, Type) = ("U", T::VECTOR);
const ALBEDO: (&str, Type) = ("albedo", T::COLOR);
const DISTRIBUTION: (&str, Type) = ("distribution", T::STRING);
const ROUGHNESS: [(&str, Type); 2] = [("roughness_x", T::FLOAT), ("roughness_y", T::FLOAT)];
const TINTS: [(&str, Type); 2] = [("reflection_tint", T::COLOR), ("transmission_tint", T::COLOR)];
/// Label of a component for render passes. Other closures take a label too, by [`Labelled`](ClosureKind::Labelled).
const LABEL: (&str, Type, DefaultValue) = ("label", T::STRING, DefaultValue::Text);
const THIN_FILM: [(&str, Type, DefaultValue); 2] = [
    ("thinfilm_thickness", T::FLOAT, DefaultValue::Float(0.0)),
    ("thinfilm_ior", T::FLOAT, DefaultValue::Float(1.33)),
];
const COMPENSATION: (&str, Type, DefaultValue) = ("energy_compensation", T::INT, DefaultValue::Int(0));
const THIN_FILM_GIVEN: [(&str, Type); 2] = [("thinfilm_thickness", T::FLOAT), ("thinfilm_ior", T::FLOAT)];
const RAMP: (&str, Type) = ("colors", T::array(Base::Color, 8));
const TOON: [(&str, Type); 2] = [("size", T::FLOAT), ("smooth", T::FLOAT)];
const HAIR: [(&str, Type); 2] = [("roughnessu", T::FLOAT), ("roughnessv", T::FLOAT)];
const TSL_COLOR: (&str, Type, DefaultValue) = ("base_color", T::COLOR, DefaultValue::Triple(1.0));
const TSL_NORMAL: (&str, Type, DefaultValue) = ("normal", T::NORMAL, DefaultValue::Triple(0.0));

closures! {
    // Emission and the null closure.
    Emission "emission" [] [] |c| c.emit(Rgb::WHITE);
    Background "background" [] [] |c| c.emit(Rgb::WHITE);
    UniformEdf "uniform_edf" [("emittance", T::COLOR)] [] |c| { let radiance = c.color(); c.emit(radiance) };
    Holdout "holdout" [] [] |c| c.hold_out();
    Debug "debug" [("tag", T::STRING)] [] |_| None;

    // OSL.
    Diffuse "diffuse" [N] [LABEL] |c| {
        let (normal, label) = (c.triple(), label_hash(c.text()));
        c.scatter(Scattering { normal, label, ..white(Lobe::Lambert(Lambert)) })
    };
    OrenNayar "oren_nayar" [N, ("sigma", T::FLOAT)] [] |c| {
        lobe(c, |c| Lobe::OrenNayar(OrenNayar::new(c.float())))
    };
    Translucent "translucent" [N] [] |c| lobe(c, |_| Lobe::Translucent(Translucent));
    Transparent "transparent" [] [] |c| c.pass();
    Reflection "reflection" [N, ("eta", T::FLOAT)] [] |c| lobe(c, |c| reflector(c.float(), Microfacets::SMOOTH));
    Refraction "refraction" [N, ("eta", T::FLOAT)] [] |c| {
        lobe(c, |c| Lobe::Dielectric(Dielectric::transmission_only(c.float(), Microfacets::SMOOTH)))
    };
    MicrofacetU "microfacet"
        [DISTRIBUTION, N, U, ("xalpha", T::FLOAT), ("yalpha", T::FLOAT), ("eta", T::FLOAT), ("refract", T::INT)]
        [COMPENSATION] |c| {
            let distribution = c.text();
            let (normal, tangent) = (c.triple(), c.triple());
            let microfacets = distributed(distribution, Microfacets::new(c.float(), c.float()));
            microfacet(c, normal, tangent, microfacets)
        };
    Phong "phong" [N, ("exponent", T::FLOAT)] [LABEL] |c| {
        lobe(c, |c| Lobe::Phong(Phong::new(c.float())))
    };
    Ward "ward" [N, ("T", T::VECTOR), ("ax", T::FLOAT), ("ay", T::FLOAT)] [] |c| {
        let (normal, tangent) = (c.triple(), c.triple());
        let lobe = Lobe::Ward(Ward::new(c.float(), c.float()));
        c.scatter(Scattering { normal, tangent, ..white(lobe) })
    };
    Subsurface "subsurface" [("eta", T::FLOAT), ("g", T::FLOAT), ("mfp", T::COLOR), ALBEDO] [] |c| {
        let (eta, anisotropy) = (c.float(), c.float());
        let (radius, albedo) = (c.color(), c.color());
        let lobe = Subsurface::new(albedo, radius, anisotropy);
        // From behind, shaders give the inverse.
        subsurface(c, Vec3::ZERO, albedo, lobe.refracted(eta.max(1.0 / eta)))
    };

    // MaterialX, and closures in its style.
    OrenNayarDiffuseBsdf "oren_nayar_diffuse_bsdf" [N, ALBEDO, ("roughness", T::FLOAT)]
        [COMPENSATION] |c| {
            let (normal, weight, roughness) = (c.triple(), c.color(), c.float());
            let lobe = match c.int() {
                0 => Lobe::OrenNayar(OrenNayar::new(roughness)),
                _ => Lobe::Eon(Eon::new(weight, roughness)),
            };
            c.scatter(Scattering { normal, weight, ..white(lobe) })
        };
    BurleyDiffuseBsdf "burley_diffuse_bsdf" [N, ALBEDO, ("roughness", T::FLOAT)]
        [("flatness", T::FLOAT, DefaultValue::Float(0.0)), ("limited", T::INT, DefaultValue::Int(0))] |c| {
            colored_lobe(c, |c| {
                let (roughness, flatness) = (c.float(), c.float());
                Lobe::Burley(Burley { roughness, flatness, is_lossless: c.int() != 0 })
            })
        };
    TranslucentBsdf "translucent_bsdf" [N, ALBEDO] [] |c| colored_lobe(c, |_| Lobe::Translucent(Translucent));
    TransparentBsdf "transparent_bsdf" [] [] |c| c.pass();
    SheenBsdf "sheen_bsdf" [N, ALBEDO, ("roughness", T::FLOAT)] [("mode", T::INT, DefaultValue::Int(0))] |c| {
        colored_lobe(c, |c| match (c.float(), c.int()) {
            (roughness, 1) => Lobe::ZeltnerSheen(ZeltnerSheen::new(roughness)),
            (roughness, _) => Lobe::Charlie(Charlie::new(roughness)),
        })
    };
    SubsurfaceBssrdf "subsurface_bssrdf" [N, ALBEDO, ("radius", T::COLOR), ("anisotropy", T::FLOAT)] [] |c| {
        let (normal, albedo) = (c.triple(), c.color());
        let radius = c.color();
        let lobe = Subsurface::new(albedo, radius, c.float());
        subsurface(c, normal, albedo, lobe)
    };
    DielectricBsdf "dielectric_bsdf"
        [N, U, TINTS[0], TINTS[1], ROUGHNESS[0], ROUGHNESS[1], ("ior", T::FLOAT), DISTRIBUTION]
        [THIN_FILM[0], THIN_FILM[1], COMPENSATION] |c| {
            let (normal, tangent) = (c.triple(), c.triple());
            let (reflection, transmission) = (c.color(), c.color());
            let microfacets = Microfacets::new(c.float(), c.float());
            let ior = c.relative_index();
            let microfacets = distributed(c.text(), microfacets);
            let lobe = Lobe::Dielectric(Dielectric::new(ior, microfacets).tinted(reflection, transmission));
            let lobe = finished(lobe, c);
            c.scatter(Scattering { normal, tangent, solid: true, ..white(lobe) })
        };
    ConductorBsdf "conductor_bsdf"
        [N, U, ROUGHNESS[0], ROUGHNESS[1], ("ior", T::COLOR), ("extinction", T::COLOR), DISTRIBUTION]
        [THIN_FILM[0], THIN_FILM[1], COMPENSATION] |c| {
            let (normal, tangent) = (c.triple(), c.triple());
            let microfacets = Microfacets::new(c.float(), c.float());
            let (eta, k) = (c.color(), c.color());
            let microfacets = distributed(c.text(), microfacets);
            let lobe = finished(Lobe::Conductor(Conductor { eta, k, microfacets }), c);
            c.scatter(Scattering { normal, tangent, solid: true, ..white(lobe) })
        };
    GeneralizedSchlickBsdf "generalized_schlick_bsdf"
        [N, U, TINTS[0], TINTS[1], ROUGHNESS[0], ROUGHNESS[1], ("f0", T::COLOR), ("f90", T::COLOR),
            ("exponent", T::FLOAT), DISTRIBUTION]
        [THIN_FILM[0], THIN_FILM[1], COMPENSATION] |c| {
            let (normal, tangent) = (c.triple(), c.triple());
            let (reflection, transmission) = (c.color(), c.color());
            let microfacets = Microfacets::new(c.float(), c.float());
            let (f0, f90) = (c.color(), c.color());
            let f0 = if transmission.is_black() { f0 } else { c.relative_reflectance(f0) };
            let exponent = c.float();
            let microfacets = distributed(c.text(), microfacets);
            let lobe = Lobe::Schlick(Schlick { f0, f90, exponent, microfacets, reflection, transmission });
            let lobe = finished(lobe, c);
            c.scatter(Scattering { normal, tangent, solid: true, ..white(lobe) })
        };
    CoatedDiffuseBsdf "coated_diffuse_bsdf"
        [N, ALBEDO, ("alpha", T::FLOAT), ("ior", T::FLOAT), ("nonlinear", T::INT), DISTRIBUTION]
        [COMPENSATION] |c| {
            let (normal, albedo) = (c.triple(), c.color());
            let microfacets = Microfacets::isotropic(c.float());
            let (ior, nonlinear) = (c.relative_index(), c.int() != 0);
            let microfacets = distributed(c.text(), microfacets);
            let microfacets = if c.int() != 0 { microfacets.compensated() } else { microfacets };
            let (weight, lobe) = CoatedDiffuse::body(albedo, ior, microfacets, nonlinear);
            c.scatter(Scattering { weight, normal, ..white(Lobe::CoatedDiffuse(lobe)) })
        };
    BurleySheenBsdf "burley_sheen_bsdf" [N, ALBEDO] [] |c| colored_lobe(c, |_| Lobe::Sheen(Sheen));
    ClearcoatBsdf "clearcoat_bsdf" [N, ("alpha", T::FLOAT)] [] |c| {
        lobe(c, |c| Lobe::Clearcoat(Clearcoat::new(c.float())))
    };
    ThinTransmissionBsdf "thin_transmission_bsdf"
        [N, U, ROUGHNESS[0], ROUGHNESS[1], ("ior", T::FLOAT), DISTRIBUTION] [COMPENSATION] |c| {
            let (normal, tangent) = (c.triple(), c.triple());
            let microfacets = Microfacets::new(c.float(), c.float());
            let ior = c.float();
            let microfacets = distributed(c.text(), microfacets);
            let lobe = compensated(Lobe::ThinTransmission(ThinTransmission::new(ior, microfacets)), c);
            c.scatter(Scattering { normal, tangent, ..white(lobe) })
        };
    Layer "layer" [("top", T::CLOSURE), ("base", T::CLOSURE)] [] |c| {
        let (top, base) = (c.closure(), c.closure());
        match base.filter(|&base| is_medium(base)) {
            // The medium is under the whole surface, whichever lobes the surface has.
            Some(inside) => c.both(top, inside),
            None => c.layer(top, base),
        }
    };

    // TSL and Kiln.
    Lambert "lambert" [] [TSL_COLOR, TSL_NORMAL] |c| {
        let (weight, normal) = (c.color(), c.triple());
        c.scatter(Scattering { weight, normal, ..white(Lobe::Lambert(Lambert)) })
    };
    Mirror "mirror" [] [TSL_COLOR, TSL_NORMAL] |c| {
        let (weight, normal) = (c.color(), c.triple());
        c.scatter(Scattering { weight, normal, ..white(Lobe::Schlick(Schlick::mirror(Microfacets::SMOOTH))) })
    };
    LambertTransmission "lambert_transmission" [] [TSL_COLOR, TSL_NORMAL] |c| {
        let (weight, normal) = (c.color(), c.triple());
        c.scatter(Scattering { weight, normal, ..white(Lobe::Translucent(Translucent)) })
    };
    AshikhmanShirley "ashikhman_shirley"
        [("specular", T::FLOAT), ("roughnessU", T::FLOAT), ("roughnessV", T::FLOAT)] [TSL_COLOR, TSL_NORMAL] |c| {
            let f0 = Rgb::splat(0.08 * c.float());
            let microfacets = Microfacets::new(c.float(), c.float());
            let (weight, normal) = (c.color(), c.triple());
            c.scatter(Scattering { normal, ..white(Lobe::Schlick(Schlick::new(f0, microfacets))) });
            c.scatter(Scattering { weight, normal, ..white(Lobe::Lambert(Lambert)) })
        };

    // Cycles. Its glossy closures take α, as OSL's do.
    DiffuseRamp "diffuse_ramp" [N, RAMP] [] |c| ramp(c, |_| Lobe::Lambert(Lambert));
    PhongRamp "phong_ramp" [N, ("exponent", T::FLOAT), RAMP] [] |c| {
        ramp(c, |c| Lobe::Phong(Phong::new(c.float())))
    };
    DiffuseToon "diffuse_toon" [N, TOON[0], TOON[1]] [] |c| lobe(c, |_| Lobe::Lambert(Lambert));
    GlossyToon "glossy_toon" [N, TOON[0], TOON[1]] [] |c| {
        lobe(c, |c| Lobe::Schlick(Schlick::mirror(Microfacets::isotropic(c.float()))))
    };
    AshikhminVelvet "ashikhmin_velvet" [N, ("sigma", T::FLOAT)] [] |c| lobe(c, |_| Lobe::Sheen(Sheen));
    CyclesSheen "sheen" [N, ("roughness", T::FLOAT)] [] |c| {
        lobe(c, |c| Lobe::ZeltnerSheen(ZeltnerSheen::new(c.float())))
    };
    AshikhminShirley "ashikhmin_shirley" [N, ("T", T::VECTOR), ("ax", T::FLOAT), ("ay", T::FLOAT)] [] |c| {
        let (normal, tangent) = (c.triple(), c.triple());
        let microfacets = Microfacets::new(c.float(), c.float());
        c.scatter(Scattering { normal, tangent, ..white(Lobe::Schlick(Schlick::mirror(microfacets))) })
    };
    MicrofacetGgx "microfacet_ggx" [N, ("ag", T::FLOAT)] [] |c| {
        lobe(c, |c| Lobe::Schlick(Schlick::mirror(Microfacets::isotropic(c.float()))))
    };
    MicrofacetBeckmann "microfacet_beckmann" [N, ("ab", T::FLOAT)] [] |c| {
        lobe(c, |c| Lobe::Schlick(Schlick::mirror(distributed("beckmann", Microfacets::isotropic(c.float())))))
    };
    MicrofacetGgxRefraction "microfacet_ggx_refraction" [N, ("ag", T::FLOAT), ("eta", T::FLOAT)] [] |c| {
        lobe(c, |c| {
            let microfacets = Microfacets::isotropic(c.float());
            Lobe::Dielectric(Dielectric::transmission_only(c.float(), microfacets))
        })
    };
    MicrofacetMultiGgx "microfacet_multi_ggx" [N, ("ag", T::FLOAT), ("C", T::COLOR)] [] |c| {
        let normal = c.triple();
        let microfacets = Microfacets::isotropic(c.float());
        let lobe = multi_ggx(c.color(), microfacets);
        c.scatter(Scattering { normal, ..white(lobe) })
    };
    MicrofacetMultiGgxAniso "microfacet_multi_ggx_aniso"
        [N, ("T", T::VECTOR), ("ax", T::FLOAT), ("ay", T::FLOAT), ("C", T::COLOR)] [] |c| {
            let (normal, tangent) = (c.triple(), c.triple());
            let microfacets = Microfacets::new(c.float(), c.float());
            let lobe = multi_ggx(c.color(), microfacets);
            c.scatter(Scattering { normal, tangent, ..white(lobe) })
        };
    MicrofacetMultiGgxGlass "microfacet_multi_ggx_glass"
        [N, ("ag", T::FLOAT), ("eta", T::FLOAT), ("C", T::COLOR)] [] |c| {
            let normal = c.triple();
            let microfacets = Microfacets::isotropic(c.float());
            let eta = c.float();
            let weight = c.color();
            let lobe = Lobe::Dielectric(Dielectric::new(eta, microfacets.compensated()));
            c.scatter(Scattering { weight, normal, ..white(lobe) })
        };
    MicrofacetF82Tint "microfacet_f82_tint"
        [DISTRIBUTION, N, ("T", T::VECTOR), ("ax", T::FLOAT), ("ay", T::FLOAT), ("f0", T::COLOR), ("f82", T::COLOR)]
        [COMPENSATION] |c| {
            let distribution = c.text();
            let (normal, tangent) = (c.triple(), c.triple());
            let microfacets = distributed(distribution, Microfacets::new(c.float(), c.float()));
            let lobe = compensated(Lobe::F82(F82::new(c.color(), c.color(), microfacets)), c);
            c.scatter(Scattering { normal, tangent, ..white(lobe) })
        };
    PrincipledDiffuse "principled_diffuse" [N, ("roughness", T::FLOAT)] [] |c| {
        lobe(c, |c| Lobe::Burley(Burley { roughness: c.float(), flatness: 0.0, is_lossless: false }))
    };
    PrincipledSheen "principled_sheen" [N] [] |c| lobe(c, |_| Lobe::Sheen(Sheen));
    PrincipledClearcoat "principled_clearcoat" [N, ("clearcoat", T::FLOAT), ("roughness", T::FLOAT)] [] |c| {
        let normal = c.triple();
        let weight = Rgb::splat(0.25 * c.float());
        let lobe = Lobe::Clearcoat(Clearcoat::new(c.float()));
        c.scatter(Scattering { weight, normal, ..white(lobe) })
    };
    Bssrdf "bssrdf" [("method", T::STRING), N, ("radius", T::VECTOR), ALBEDO]
        [("texture_blur", T::FLOAT, DefaultValue::Float(0.0)), ("sharpness", T::FLOAT, DefaultValue::Float(0.0)),
            ("roughness", T::FLOAT, DefaultValue::Float(1.0)), ("ior", T::FLOAT, DefaultValue::Float(1.4)),
            ("anisotropy", T::FLOAT, DefaultValue::Float(0.0))] |c| {
            let method = c.text();
            let normal = c.triple();
            let (radius, albedo) = (Rgb::from(c.triple().to_array()), c.color());
            c.skip(12);
            let (ior, anisotropy) = (c.float(), c.float());
            let lobe = match method {
                "random_walk_skin" => Subsurface::skin(albedo, radius, anisotropy, ior),
                // Christensen-Burley's profile: Cycles scales the radii by this factor.
                "burley" => Subsurface::new(albedo, radius * (0.25 / PI), 0.0),
                _ => Subsurface::new(albedo, radius, anisotropy),
            };
            subsurface(c, normal, albedo, lobe)
        };
    AmbientOcclusion "ambient_occlusion" [] [] |c| c.scatter(white(Lobe::Lambert(Lambert)));
    HairReflection "hair_reflection" [N, HAIR[0], HAIR[1], ("T", T::VECTOR), ("offset", T::FLOAT)] [] |c| {
        lobe(c, |c| Lobe::Schlick(Schlick::mirror(Microfacets::isotropic(c.float()))))
    };
    HairTransmission "hair_transmission" [N, HAIR[0], HAIR[1], ("T", T::VECTOR), ("offset", T::FLOAT)] [] |c| {
        lobe(c, |_| Lobe::Translucent(Translucent))
    };
    PrincipledHair "principled_hair"
        [N, ("sigma", T::COLOR), HAIR[0], HAIR[1], ("m0_roughness", T::FLOAT), ("alpha", T::FLOAT), ("eta", T::FLOAT)]
        [] chiang_hair;
    HairChiang "hair_chiang"
        [N, ("sigma", T::COLOR), HAIR[0], HAIR[1], ("m0_roughness", T::FLOAT), ("alpha", T::FLOAT), ("eta", T::FLOAT)]
        [] chiang_hair;
    HairHuang "hair_huang"
        [N, ("sigma", T::COLOR), ("roughness", T::FLOAT), ("tilt", T::FLOAT), ("eta", T::FLOAT),
            ("aspect_ratio", T::FLOAT), ("r_lobe", T::FLOAT), ("tt_lobe", T::FLOAT), ("trt_lobe", T::FLOAT)]
        [] huang_hair;
    ThinGlass "thin_glass"
        [N, ("T", T::VECTOR), ("reflection", T::COLOR), ("transmission", T::COLOR), ("ior", T::FLOAT),
            ("roughness", T::FLOAT), THIN_FILM_GIVEN[0], THIN_FILM_GIVEN[1]] [] |c| {
            let (normal, tangent) = (c.triple(), c.triple());
            let weight = c.color();
            c.skip(12);
            let ior = c.float();
            let lobe = ThinTransmission::new(ior, Microfacets::isotropic(c.float()));
            c.scatter(Scattering { weight, normal, tangent, ..white(Lobe::ThinTransmission(lobe)) })
        };
    ThinSubsurface "thin_subsurface"
        [N, ("T", T::VECTOR), ("C", T::COLOR), ("anisotropy", T::FLOAT), ("roughness", T::FLOAT)] [] |c| {
            let normal = c.triple();
            c.skip(12);
            let weight = c.color() * 0.5;
            c.scatter(Scattering { weight, normal, ..white(Lobe::Lambert(Lambert)) });
            c.scatter(Scattering { weight, normal, ..white(Lobe::Translucent(Translucent)) })
        };
    MicrofacetBeckmannRefraction "microfacet_beckmann_refraction"
        [N, ("ab", T::FLOAT), ("eta", T::FLOAT)] [] |c| {
            lobe(c, |c| {
                let microfacets = distributed("beckmann", Microfacets::isotropic(c.float()));
                Lobe::Dielectric(Dielectric::transmission_only(c.float(), microfacets))
            })
        };
    RayPortalBsdf "ray_portal_bsdf" [("position", T::VECTOR), ("direction", T::VECTOR)] [] |c| c.pass();
    ChiangHairBsdf "chiang_hair_bsdf"
        [N, ("curve_direction", T::VECTOR), ("tint_R", T::COLOR), ("tint_TT", T::COLOR), ("tint_TRT", T::COLOR),
            ("ior", T::FLOAT), ("longitudual_roughness_R", T::FLOAT), ("longitudual_roughness_TT", T::FLOAT),
            ("longitudual_roughness_TRT", T::FLOAT), ("azimuthal_roughness_R", T::FLOAT),
            ("azimuthal_roughness_TT", T::FLOAT), ("azimuthal_roughness_TRT", T::FLOAT), ("cuticle_angle", T::FLOAT),
            ("absorption_coefficient", T::COLOR)] [] |c| {
            let (normal, tangent) = (c.triple(), c.triple());
            let parameters = HairParameters {
                tints: [c.color(), c.color(), c.color()],
                ior: c.float(),
                variances: [c.float(), c.float(), c.float()],
                scales: [c.float(), c.float(), c.float()],
                // 0.5 means no tilt.
                tilt: (c.float() - 0.5) * PI,
                absorption: c.color(),
            };
            c.scatter(Scattering { normal, tangent, ..white(Lobe::Hair(Hair::new(&parameters))) })
        };

    // Media inside the object, see `interior`.
    AnisotropicVdf "anisotropic_vdf" [ALBEDO, ("extinction", T::COLOR), ("anisotropy", T::FLOAT)] [] |_| None;
    MediumVdf "medium_vdf"
        [ALBEDO, ("transmission_depth", T::FLOAT), ("transmission_color", T::COLOR), ("anisotropy", T::FLOAT),
            ("ior", T::FLOAT), ("priority", T::INT)] [] |_| None;
    Absorption "absorption" [] [] |_| None;
    FournierForand "fournier_forand" [("B", T::FLOAT), ("IOR", T::FLOAT)] [] |_| None;
    Draine "draine" [("g", T::FLOAT), ("alpha", T::FLOAT)] [] |_| None;
    Rayleigh "rayleigh" [] [] |_| None;
    HenyeyGreenstein "henyey_greenstein" [("g", T::FLOAT)] [] |_| None;

    // OSL's testshade passes parameters of all types to this closure.
    ParameterTest "parameter_test"
        [("int_param", T::INT), ("float_param", T::FLOAT), ("color_param", T::COLOR), ("vector_param", T::VECTOR),
            ("string_param", T::STRING), ("int_array", T::array(Base::Int, 5)),
            ("vector_array", T::array(Base::Vector, 5)), ("color_array", T::array(Base::Color, 5)),
            ("float_array", T::array(Base::Float, 5)), ("string_array", T::array(Base::String, 5))]
        [("int_key", T::INT, DefaultValue::Int(0)), ("float_key", T::FLOAT, DefaultValue::Float(0.0)),
            ("color_key", T::COLOR, DefaultValue::Triple(0.0)), ("vector_key", T::VECTOR, DefaultValue::Triple(0.0)),
            ("string_key", T::STRING, DefaultValue::Text)] |_| None;

    Coat "coat" [("base", T::CLOSURE)]
        [("N", T::NORMAL, DefaultValue::Triple(0.0)), ("roughness", T::FLOAT, DefaultValue::Float(0.0)),
            ("ior", T::FLOAT, DefaultValue::Float(1.5)), ("tint", T::COLOR, DefaultValue::Triple(1.0))] |c| {
            let base = c.closure();
            let normal = c.triple();
            let microfacets = Microfacets::isotropic(c.float());
            let coat = Coat { normal, microfacets, ior: c.relative_index(), tint: c.color() };
            c.coat(base, &coat)
        };
    CoatTsl "coat" [("base", T::CLOSURE), ("roughness", T::FLOAT), ("ior", T::FLOAT), ("sigma", T::COLOR),
            ("normal", T::NORMAL)] [] |c| {
            let base = c.closure();
            let (microfacets, ior) = (Microfacets::isotropic(c.float()), c.relative_index());
            // Light crosses the coat twice.
            let tint = c.color().map(|sigma| exp(-2.0 * sigma));
            let coat = Coat { normal: c.triple(), microfacets, ior, tint };
            c.coat(base, &coat)
        };
    SoftTerminator "soft_terminator" [("base", T::CLOSURE)] [] |c| {
        let base = c.closure();
        c.soften(base)
    };
    Labelled "labelled" [("base", T::CLOSURE), ("label", T::STRING)] [] |c| {
        let (base, label) = (c.closure(), c.text());
        c.label(label, base)
    };
}

/// Kind of a closure of the registry.
#[inline]
pub(super) fn kind(id: ClosureId) -> ClosureKind {
    TABLE[id.0 as usize].kind
}

impl ClosureKind {
    /// Returns whether the closure describes an interior medium.
    pub(super) fn is_medium(self) -> bool {
        matches!(
            self,
            ClosureKind::AnisotropicVdf
                | ClosureKind::MediumVdf
                | ClosureKind::Absorption
                | ClosureKind::HenyeyGreenstein
                | ClosureKind::Draine
                | ClosureKind::Rayleigh
                | ClosureKind::FournierForand
        )
    }
}

/// Returns whether the closure is a component that describes an interior medium.
fn is_medium(closure: ClosureRef<'_>) -> bool {
    matches!(closure.node(), ClosureNode::Component { id, .. } if kind(id).is_medium())
}

/// Adds a subsurface lobe. A colour above 1 scales the result of the random walk for albedo 1.
fn subsurface(
    c: &mut Component<'_, '_, '_>,
    normal: Vec3,
    albedo: Rgb,
    lobe: Subsurface,
) -> Option<ClosureRef<'static>> {
    let scattering = match lobe.is_flat() {
        true => Scattering { weight: albedo, ..white(Lobe::Lambert(Lambert)) },
        false => Scattering {
            weight: albedo.map(|v| v.max(1.0)),
            ..white(Lobe::Subsurface(lobe))
        },
    };
    c.scatter(Scattering { normal, ..scattering });
    None
}

/// Lobe of colour one about the surface's shading normal.
#[inline(always)]
fn white(lobe: Lobe) -> Scattering {
    Scattering {
        weight: Rgb::WHITE,
        normal: Vec3::ZERO,
        tangent: Vec3::ZERO,
        solid: false,
        soft: false,
        label: 0,
        lobe,
    }
}

/// Lobe for parameters that begin with a normal.
#[inline(always)]
fn lobe<'a, 't>(
    c: &mut Component<'_, 'a, 't>,
    lobe: impl FnOnce(&mut Component<'_, 'a, 't>) -> Lobe,
) -> Option<ClosureRef<'t>> {
    let normal = c.triple();
    let lobe = lobe(c);
    c.scatter(Scattering { normal, ..white(lobe) })
}

/// Lobe for parameters that begin with a normal and a colour.
#[inline(always)]
fn colored_lobe<'a, 't>(
    c: &mut Component<'_, 'a, 't>,
    lobe: impl FnOnce(&mut Component<'_, 'a, 't>) -> Lobe,
) -> Option<ClosureRef<'t>> {
    let (normal, weight) = (c.triple(), c.color());
    let lobe = lobe(c);
    c.scatter(Scattering { normal, weight, ..white(lobe) })
}

/// Lobe for parameters that begin with a normal and end with the eight colours of a ramp; uses the mean colour.
fn ramp<'a, 't>(
    c: &mut Component<'_, 'a, 't>,
    lobe: impl FnOnce(&mut Component<'_, 'a, 't>) -> Lobe,
) -> Option<ClosureRef<'t>> {
    let normal = c.triple();
    let lobe = lobe(c);
    let mut weight = Rgb::BLACK;
    for _ in 0..8 {
        weight += c.color() * 0.125;
    }
    c.scatter(Scattering { weight, normal, ..white(lobe) })
}

/// Cycles' Chiang hair, whose roughnesses are those of the paper; `m0_roughness` is a factor on that of the first
/// reflection.
fn chiang_hair<'t>(c: &mut Component<'_, '_, 't>) -> Option<ClosureRef<'t>> {
    lobe(c, |c| {
        let absorption = c.color();
        let (along, about) = (c.float(), c.float());
        let reflection = c.float() * along;
        let tilt = c.float();
        let parameters = HairParameters {
            absorption,
            tilt,
            ..HairParameters::of_roughness(along, about, c.float()).with_reflection(reflection)
        };
        Lobe::Hair(Hair::new(&parameters))
    })
}

/// Cycles' Huang (microfacet) hair, approximated by round fibres with about the same width of the lobes.
fn huang_hair<'t>(c: &mut Component<'_, '_, 't>) -> Option<ClosureRef<'t>> {
    lobe(c, |c| {
        let absorption = c.color();
        let roughness = c.float();
        let tilt = c.float();
        let parameters = HairParameters::of_roughness(roughness, roughness, c.float());
        c.skip(4);
        let tints = [c.float(), c.float(), c.float()].map(Rgb::splat);
        Lobe::Hair(Hair::new(&HairParameters { absorption, tilt, tints, ..parameters }))
    })
}

/// Applies the distribution named by a shader: `"sharp"` is smooth, unknown names are GGX.
#[inline]
fn distributed(name: &str, microfacets: Microfacets) -> Microfacets {
    match name {
        "sharp" => Microfacets::SMOOTH,
        _ => microfacets.with(Distribution::named(name)),
    }
}

/// OSL's reflection closures; an `eta` of zero means total reflection.
fn reflector(eta: f32, microfacets: Microfacets) -> Lobe {
    if eta == 0.0 {
        Lobe::Schlick(Schlick::mirror(microfacets))
    } else {
        Lobe::Dielectric(Dielectric::reflection_only(eta, microfacets))
    }
}

/// Cycles' multiple-scattering GGX: each reflection multiplies by the colour.
fn multi_ggx(color: Rgb, microfacets: Microfacets) -> Lobe {
    Lobe::Schlick(Schlick { f90: color, ..Schlick::new(color, microfacets.compensated()) })
}

/// OSL's microfacet closures, with the trailing parameters `eta` and `refract`: 0 reflects, 1 refracts, 2 does both.
fn microfacet<'t>(
    c: &mut Component<'_, '_, 't>,
    normal: Vec3,
    tangent: Vec3,
    microfacets: Microfacets,
) -> Option<ClosureRef<'t>> {
    let eta = c.float();
    let lobe = match c.int() {
        0 => reflector(eta, microfacets),
        1 => Lobe::Dielectric(Dielectric::transmission_only(eta, microfacets)),
        _ => Lobe::Dielectric(Dielectric::new(eta, microfacets)),
    };
    let lobe = compensated(lobe, c);
    c.scatter(Scattering { normal, tangent, ..white(lobe) })
}

/// Reads the parameters of [`THIN_FILM`] and [`COMPENSATION`], and applies them to an interface.
#[inline(always)]
fn finished(interface: Lobe, c: &mut Component<'_, '_, '_>) -> Lobe {
    let film = Film { thickness: c.float(), ior: c.float() };
    compensated(interface, c).under(film)
}

/// Reads the parameter [`COMPENSATION`], and applies it.
#[inline(always)]
fn compensated(lobe: Lobe, c: &mut Component<'_, '_, '_>) -> Lobe {
    if c.int() != 0 { lobe.compensated() } else { lobe }
}
