//! Shader kinds.

/// Kind of a shader unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "each is the shader kind of that name in the OSL specification"
)]
pub enum UnitKind {
    Shader,
    Surface,
    Displacement,
    Volume,
}
