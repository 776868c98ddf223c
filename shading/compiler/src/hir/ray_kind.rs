//! Ray kinds, as tested by `raytype`.

/// Kinds of the ray that hit the shading point, as a bit set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct RayKind(pub u32);

impl RayKind {
    /// Camera ray.
    pub const CAMERA: RayKind = RayKind(1);
    /// Shadow ray.
    pub const SHADOW: RayKind = RayKind(2);
    /// Scattered by a diffuse lobe.
    pub const DIFFUSE: RayKind = RayKind(4);
    /// Scattered by a glossy lobe.
    pub const GLOSSY: RayKind = RayKind(8);
    /// Specular reflection.
    pub const REFLECTION: RayKind = RayKind(16);
    /// Specular refraction.
    pub const REFRACTION: RayKind = RayKind(32);
    /// Passed straight through a transparent surface.
    pub const TRANSPARENT: RayKind = RayKind(64);
    /// Photon path.
    pub const PHOTON: RayKind = RayKind(128);
    /// Baking ray.
    pub const BAKE: RayKind = RayKind(256);

    /// Kinds by their names in source.
    pub const NAMES: [(&'static str, RayKind); 9] = [
        ("camera", RayKind::CAMERA),
        ("shadow", RayKind::SHADOW),
        ("diffuse", RayKind::DIFFUSE),
        ("glossy", RayKind::GLOSSY),
        ("reflection", RayKind::REFLECTION),
        ("refraction", RayKind::REFRACTION),
        ("transparent", RayKind::TRANSPARENT),
        ("photon", RayKind::PHOTON),
        ("bake", RayKind::BAKE),
    ];
}
