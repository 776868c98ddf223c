//! Shipped surfaces and the ranges of their parameters for the white furnace.

/// Values of a parameter.
#[derive(Clone, Copy)]
pub(super) enum Values {
    /// A number in an interval, with its ends more frequent.
    Between(f32, f32),
    /// A colour, with black and white channels more frequent.
    Color,
    /// 0 or 1.
    Flag,
    /// A constant.
    Fixed(&'static str),
}
use Values::{Between, Color, Fixed, Flag};

/// Energy balance of a surface.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Balance {
    /// The albedo is one.
    Lossless,
    /// The albedo is at most one.
    Lossy,
}
use Balance::{Lossless, Lossy};

/// Shipped surface with the parameters that vary.
pub(super) struct Subject {
    pub(super) unit: &'static str,
    pub(super) parameters: &'static [(&'static str, Values)],
    pub(super) balance: Balance,
    /// Instances that the parameters reference.
    pub(super) before: &'static str,
}

const fn subject(
    unit: &'static str,
    balance: Balance,
    parameters: &'static [(&'static str, Values)],
) -> Subject {
    Subject { unit, parameters, balance, before: "" }
}

/// Surface made of other surfaces.
const fn compound(
    unit: &'static str,
    before: &'static str,
    parameters: &'static [(&'static str, Values)],
) -> Subject {
    Subject { unit, parameters, balance: Lossless, before }
}

const UNIT: Values = Between(0.0, 1.0);
const WHITE: Values = Fixed("1");
const BECKMANN: Values = Fixed("\"beckmann\"");
const FILM: Values = Between(0.0, 2000.0);
const FILM_IOR: Values = Between(1.0, 3.0);

/// White surfaces, one of them refracting.
const WHITE_BODIES: &str = "matte white(albedo = 1); glass clear(alpha = 0.5);";

/// Surfaces that emit light, or show values in place of a material.
pub(super) const NO_MATERIALS: &[&str] = &[
    "ambient_occlusion",
    "emitter",
    "lightmap",
    "lightmap_sh",
    "luminous",
    "show_cost",
    "show_depth",
    "show_facing",
    "show_missing",
    "show_normals",
    "show_occlusion",
    "show_uv",
    "show_wireframe",
];

pub(super) const SUBJECTS: &[Subject] = &[
    subject("glass", Lossless, &[("alpha", UNIT), ("ior", Between(0.3, 3.0))]),
    subject(
        "glass",
        Lossless,
        &[("alpha", UNIT), ("ior", Between(0.3, 3.0)), ("distribution", BECKMANN)],
    ),
    subject(
        "glass",
        Lossless,
        &[("alpha_u", UNIT), ("alpha_v", UNIT), ("ior", Between(0.3, 3.0))],
    ),
    subject(
        "glass",
        Lossless,
        &[
            ("alpha", UNIT),
            ("ior", Between(0.3, 3.0)),
            ("film_thickness", FILM),
            ("film_ior", FILM_IOR),
        ],
    ),
    subject(
        "glass",
        Lossless,
        &[
            ("alpha_u", UNIT),
            ("alpha_v", UNIT),
            ("film_thickness", FILM),
            ("film_ior", FILM_IOR),
            ("distribution", BECKMANN),
        ],
    ),
    subject(
        "glass",
        Lossy,
        &[
            ("alpha_u", UNIT),
            ("alpha_v", UNIT),
            ("ior", Between(0.3, 3.0)),
            ("reflection_tint", Color),
            ("transmission_tint", Color),
            ("film_thickness", FILM),
        ],
    ),
    subject(
        "metal",
        Lossless,
        &[("alpha", UNIT), ("anisotropy", UNIT), ("eta", Fixed("0")), ("extinction", Fixed("3"))],
    ),
    subject(
        "metal",
        Lossless,
        &[
            ("alpha_u", UNIT),
            ("alpha_v", UNIT),
            ("eta", Fixed("0.01")),
            ("extinction", Fixed("100")),
            ("distribution", BECKMANN),
        ],
    ),
    subject(
        "metal",
        Lossless,
        &[
            ("alpha", UNIT),
            ("anisotropy", UNIT),
            ("eta", Fixed("0")),
            ("extinction", Fixed("3")),
            ("film_thickness", FILM),
            ("film_ior", FILM_IOR),
        ],
    ),
    subject(
        "metal",
        Lossy,
        &[
            ("alpha_u", UNIT),
            ("alpha_v", UNIT),
            ("eta", Color),
            ("extinction", Color),
            ("tint", Color),
            ("film_thickness", FILM),
        ],
    ),
    subject(
        "coated_diffuse",
        Lossless,
        &[("albedo", WHITE), ("alpha", UNIT), ("ior", Between(1.0, 3.0)), ("nonlinear", Flag)],
    ),
    subject(
        "coated_diffuse",
        Lossy,
        &[
            ("albedo", Color),
            ("alpha", UNIT),
            ("ior", Between(1.0, 3.0)),
            ("nonlinear", Flag),
            ("energy_compensation", Flag),
        ],
    ),
    subject(
        "plastic",
        Lossless,
        &[("albedo", WHITE), ("alpha", UNIT), ("ior", Between(1.0, 3.0))],
    ),
    subject("matte", Lossless, &[("albedo", WHITE)]),
    subject("clay", Lossless, &[("albedo", WHITE), ("roughness", UNIT)]),
    subject("rough_matte", Lossless, &[("albedo", WHITE), ("sigma", Between(0.0, 1.57))]),
    subject("rough_matte", Lossy, &[("albedo", Color), ("sigma", Between(0.0, 1.57))]),
    subject("mirror_surface", Lossless, &[]),
    subject("thin_glass", Lossless, &[("ior", Between(1.0, 3.0))]),
    subject(
        "translucent_sheet",
        Lossless,
        &[("reflectance", Fixed("0.3")), ("transmittance", Fixed("0.7"))],
    ),
    subject("milk", Lossless, &[("ior", Between(1.0, 2.0)), ("alpha", UNIT)]),
    subject("ocean_water", Lossless, &[("ior", Between(1.0, 1.5))]),
    subject(
        "polished_stone",
        Lossless,
        &[("albedo", WHITE), ("alpha", UNIT), ("ior", Between(1.0, 3.0))],
    ),
    subject(
        "skin",
        Lossless,
        &[("albedo", WHITE), ("oil", UNIT), ("alpha", UNIT), ("ior", Between(1.0, 3.0))],
    ),
    subject(
        "wax",
        Lossless,
        &[("albedo", WHITE), ("alpha", UNIT), ("ior", Between(1.0, 3.0))],
    ),
    subject("hair", Lossy, &[]),
    subject(
        "gltf_pbr",
        Lossless,
        &[
            ("base_color", WHITE),
            ("metallic", Fixed("0")),
            ("roughness", UNIT),
            ("anisotropy", UNIT),
            ("ior", Between(1.0, 3.0)),
            ("iridescence", UNIT),
            ("iridescence_thickness_max", FILM),
            ("iridescence_ior", FILM_IOR),
            ("transmission", UNIT),
            ("diffuse_transmission", UNIT),
        ],
    ),
    subject(
        "gltf_pbr",
        Lossless,
        &[
            ("base_color", WHITE),
            ("metallic", Fixed("0")),
            ("roughness", UNIT),
            ("thick", Fixed("1")),
            ("transmission", UNIT),
            ("iridescence", UNIT),
            ("iridescence_thickness_max", FILM),
        ],
    ),
    subject(
        "gltf_pbr",
        Lossless,
        &[
            ("base_color", WHITE),
            ("metallic", UNIT),
            ("roughness", UNIT),
            ("anisotropy", UNIT),
            ("sheen_color", WHITE),
            ("sheen_roughness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoat_roughness", UNIT),
        ],
    ),
    subject(
        "gltf_pbr",
        Lossy,
        &[
            ("base_color", Color),
            ("metallic", UNIT),
            ("roughness", UNIT),
            ("sheen_color", Color),
            ("sheen_roughness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoat_roughness", UNIT),
            ("transmission", UNIT),
            ("thick", Flag),
            ("iridescence", UNIT),
            ("specular", UNIT),
            ("specular_color", Color),
        ],
    ),
    subject(
        "principled",
        Lossy,
        &[
            ("base_color", Color),
            ("roughness", UNIT),
            ("anisotropic", UNIT),
            ("metallic", UNIT),
            ("specular", UNIT),
            ("spec_tint", UNIT),
            ("sheen", UNIT),
            ("sheen_tint", UNIT),
            ("flatness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoat_gloss", UNIT),
        ],
    ),
    subject(
        "principled",
        Lossless,
        &[
            ("base_color", WHITE),
            ("roughness", UNIT),
            ("anisotropic", UNIT),
            ("metallic", UNIT),
            ("specular", UNIT),
            ("spec_tint", UNIT),
            ("sheen", UNIT),
            ("flatness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoat_gloss", UNIT),
        ],
    ),
    subject(
        "principled",
        Lossless,
        &[
            ("base_color", WHITE),
            ("roughness", UNIT),
            ("eta", Between(1.0, 3.0)),
            ("metallic", UNIT),
            ("spec_trans", UNIT),
            ("sheen", UNIT),
            ("clearcoat", UNIT),
        ],
    ),
    subject(
        "principled",
        Lossy,
        &[
            ("base_color", Color),
            ("roughness", UNIT),
            ("metallic", UNIT),
            ("eta", Between(1.0, 3.0)),
            ("spec_trans", UNIT),
            ("spec_tint", UNIT),
            ("sheen", UNIT),
            ("clearcoat", UNIT),
        ],
    ),
    subject(
        "principled_thin",
        Lossless,
        &[
            ("base_color", WHITE),
            ("roughness", UNIT),
            ("anisotropic", UNIT),
            ("eta", Between(1.0, 3.0)),
            ("spec_trans", UNIT),
            ("diff_trans", Between(0.0, 2.0)),
            ("sheen", UNIT),
            ("flatness", UNIT),
        ],
    ),
    subject(
        "principled_thin",
        Lossy,
        &[
            ("base_color", Color),
            ("roughness", UNIT),
            ("anisotropic", UNIT),
            ("eta", Between(1.0, 3.0)),
            ("spec_trans", UNIT),
            ("diff_trans", Between(0.0, 2.0)),
            ("spec_tint", UNIT),
            ("sheen", UNIT),
            ("sheen_tint", UNIT),
            ("flatness", UNIT),
        ],
    ),
    subject(
        "colored_metal",
        Lossless,
        &[("reflectance", WHITE), ("alpha", UNIT), ("anisotropy", UNIT)],
    ),
    subject(
        "colored_metal",
        Lossy,
        &[("reflectance", Color), ("edge", Color), ("alpha", UNIT), ("anisotropy", UNIT)],
    ),
    subject("velvet", Lossless, &[("albedo", WHITE), ("sheen", Color), ("roughness", UNIT)]),
    subject("velvet", Lossy, &[("albedo", Color), ("sheen", Color), ("roughness", UNIT)]),
    subject(
        "fabric",
        Lossy,
        &[("warp_color", WHITE), ("weft_color", Color), ("sheen", WHITE), ("roughness", UNIT)],
    ),
    subject(
        "car_paint",
        Lossy,
        &[
            ("base_color", Color),
            ("flake_color", WHITE),
            ("flake_density", UNIT),
            ("flake_roughness", UNIT),
            ("base_roughness", UNIT),
            ("coat", UNIT),
            ("coat_roughness", UNIT),
        ],
    ),
    subject(
        "car_paint",
        Lossless,
        &[
            ("base_color", WHITE),
            ("flake_color", WHITE),
            ("flake_tilt", Fixed("0")),
            ("flake_roughness", UNIT),
            ("base_roughness", UNIT),
            ("coat", UNIT),
            ("coat_roughness", UNIT),
            ("coat_ior", Between(1.0, 3.0)),
        ],
    ),
    subject(
        "standard_surface",
        Lossy,
        &[
            ("base_color", Color),
            ("diffuse_roughness", UNIT),
            ("metalness", UNIT),
            ("specular", UNIT),
            ("specular_color", Color),
            ("specular_roughness", UNIT),
            ("specular_IOR", Between(1.0, 3.0)),
            ("specular_anisotropy", UNIT),
            ("subsurface", UNIT),
            ("sheen", UNIT),
            ("sheen_roughness", UNIT),
        ],
    ),
    subject(
        "standard_surface",
        Lossless,
        &[
            ("base_color", WHITE),
            ("diffuse_roughness", UNIT),
            ("metalness", UNIT),
            ("specular_roughness", UNIT),
            ("specular_rotation", UNIT),
            ("specular_anisotropy", UNIT),
            ("specular_IOR", Between(1.0, 3.0)),
            ("thin_film_thickness", FILM),
            ("thin_film_IOR", FILM_IOR),
            ("subsurface", UNIT),
            ("sheen", UNIT),
            ("sheen_roughness", UNIT),
            ("coat", UNIT),
            ("coat_roughness", UNIT),
            ("coat_anisotropy", UNIT),
            ("coat_IOR", Between(1.0, 3.0)),
        ],
    ),
    subject(
        "standard_surface",
        Lossless,
        &[
            ("base_color", WHITE),
            ("metalness", UNIT),
            ("subsurface", UNIT),
            ("transmission", UNIT),
            ("thin_walled", Flag),
            ("specular_roughness", UNIT),
            ("specular_IOR", Between(1.0, 3.0)),
            ("thin_film_thickness", FILM),
            ("thin_film_IOR", FILM_IOR),
            ("opacity", Color),
        ],
    ),
    subject(
        "standard_surface",
        Lossy,
        &[
            ("base_color", WHITE),
            ("metalness", UNIT),
            ("specular_roughness", UNIT),
            ("specular_rotation", UNIT),
            ("specular_anisotropy", UNIT),
            ("coat", UNIT),
            ("coat_color", Color),
            ("coat_roughness", UNIT),
            ("coat_IOR", Between(1.0, 3.0)),
            ("coat_anisotropy", UNIT),
            ("coat_affect_color", UNIT),
            ("coat_affect_roughness", UNIT),
            ("thin_film_thickness", FILM),
            ("thin_film_IOR", FILM_IOR),
        ],
    ),
    subject(
        "standard_surface",
        Lossy,
        &[
            ("base_color", Color),
            ("metalness", UNIT),
            ("transmission", UNIT),
            ("transmission_color", Color),
            ("thin_walled", Flag),
            ("specular_roughness", UNIT),
            ("specular_IOR", Between(1.0, 3.0)),
            ("coat", UNIT),
            ("opacity", Color),
        ],
    ),
    subject(
        "usd_preview_surface",
        Lossless,
        &[
            ("diffuseColor", WHITE),
            ("metallic", UNIT),
            ("roughness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoatRoughness", UNIT),
            ("opacity", UNIT),
            ("ior", Between(1.0, 3.0)),
        ],
    ),
    subject(
        "usd_preview_surface",
        Lossy,
        &[
            ("diffuseColor", Color),
            ("useSpecularWorkflow", Flag),
            ("specularColor", Color),
            ("metallic", UNIT),
            ("roughness", UNIT),
            ("clearcoat", UNIT),
            ("clearcoatRoughness", UNIT),
            ("opacity", UNIT),
            ("ior", Between(1.0, 3.0)),
        ],
    ),
    subject(
        "openpbr_surface",
        Lossy,
        &[
            ("base_color", Color),
            ("base_diffuse_roughness", UNIT),
            ("base_metalness", UNIT),
            ("specular_weight", UNIT),
            ("specular_color", Color),
            ("specular_roughness", UNIT),
            ("specular_roughness_anisotropy", UNIT),
            ("specular_ior", Between(1.0, 3.0)),
            ("fuzz_weight", UNIT),
            ("fuzz_roughness", UNIT),
            ("thin_film_weight", UNIT),
            ("coat_weight", UNIT),
            ("coat_color", Color),
            ("coat_roughness", UNIT),
            ("coat_ior", Between(1.0, 3.0)),
        ],
    ),
    subject(
        "openpbr_surface",
        Lossless,
        &[
            ("base_color", WHITE),
            ("base_diffuse_roughness", UNIT),
            ("base_metalness", UNIT),
            ("specular_roughness", UNIT),
            ("specular_roughness_anisotropy", UNIT),
            ("specular_ior", Between(1.0, 3.0)),
            ("fuzz_weight", UNIT),
            ("fuzz_color", Color),
            ("fuzz_roughness", UNIT),
            ("thin_film_weight", UNIT),
            ("coat_weight", UNIT),
            ("coat_roughness", UNIT),
            ("coat_roughness_anisotropy", UNIT),
            ("coat_ior", Between(1.0, 3.0)),
        ],
    ),
    subject(
        "openpbr_surface",
        Lossless,
        &[
            ("base_color", WHITE),
            ("specular_weight", UNIT),
            ("specular_roughness", UNIT),
            ("transmission_weight", UNIT),
            ("thin_film_weight", UNIT),
            ("thin_film_thickness", Between(0.0, 2.0)),
            ("thin_film_ior", FILM_IOR),
            ("geometry_thin_walled", Flag),
            ("subsurface_weight", UNIT),
            ("subsurface_color", WHITE),
            ("geometry_opacity", UNIT),
        ],
    ),
    subject(
        "openpbr_surface",
        Lossy,
        &[
            ("base_color", WHITE),
            ("base_metalness", UNIT),
            ("specular_weight", UNIT),
            ("specular_roughness", UNIT),
            ("transmission_weight", UNIT),
            ("geometry_thin_walled", Flag),
            ("subsurface_weight", UNIT),
            ("coat_darkening", UNIT),
            ("coat_weight", UNIT),
            ("geometry_opacity", UNIT),
        ],
    ),
    compound(
        "absorbing",
        WHITE_BODIES,
        &[("base", Fixed("clear.surface")), ("absorption", Color)],
    ),
    compound(
        "blend",
        WHITE_BODIES,
        &[("a", Fixed("white.surface")), ("b", Fixed("clear.surface")), ("amount", UNIT)],
    ),
    compound(
        "by_ray_kind",
        WHITE_BODIES,
        &[("base", Fixed("white.surface")), ("other", Fixed("clear.surface"))],
    ),
    compound(
        "coated",
        WHITE_BODIES,
        &[
            ("base", Fixed("white.surface")),
            ("amount", UNIT),
            ("ior", Between(1.0, 3.0)),
            ("alpha", UNIT),
        ],
    ),
    compound("cutout", WHITE_BODIES, &[("base", Fixed("white.surface")), ("opacity", UNIT)]),
    compound("filled", WHITE_BODIES, &[("base", Fixed("clear.surface"))]),
    compound("ray_switch", WHITE_BODIES, &[("base", Fixed("white.surface"))]),
    compound(
        "sides",
        WHITE_BODIES,
        &[("front", Fixed("white.surface")), ("back", Fixed("clear.surface"))],
    ),
    compound("soft_terminator", WHITE_BODIES, &[("base", Fixed("white.surface"))]),
];
