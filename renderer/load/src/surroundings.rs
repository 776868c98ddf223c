//! The declaration `scene`: what all of the scene is in.

use shading::syntax::ast::{Declaration, Expr};

use super::context::LoadContext;
use super::table::{DeclarationPart, Key, body_of, read_block, takes_only};

/// Values of the block.
#[derive(Default)]
pub(super) struct SceneBlock {
    medium: Option<Expr>,
}

pub(super) const SCENE: &[Key<SceneBlock>] = &[Key {
    name: "medium",
    doc: "medium of the space between all objects: the call of a volume shader, such as `haze()`; it absorbs all light \
          of environments and suns",
    set: |scene, field, _| scene.medium = Some(field.expr.clone()),
}];

/// Reads a `scene` declaration; returns the call of its medium.
pub(super) fn read_scene(declaration: &Declaration, context: &mut LoadContext) -> Option<Expr> {
    takes_only(declaration, &[DeclarationPart::Body], context);
    let mut scene = SceneBlock::default();
    read_block(body_of(declaration), "scene", &[SCENE], &mut scene, context);
    scene.medium
}
