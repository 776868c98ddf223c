//! The key `catcher` of shapes and imports.

use super::context::LoadContext;
use super::field::Field;
use renderer_scene::Catcher;

/// Documentation of the key.
pub(super) const CATCHER: &str = "replacement of the surface for camera rays: `shadow`, only the shadows on it, or \
      `holdout`, a hole in the picture; both in its alpha channel; all other rays see the surface; `none` by default";

/// Reads the value of the key.
pub(super) fn catcher(field: &Field<'_>, context: &mut LoadContext) -> Option<Catcher> {
    let options = [("none", None), ("shadow", Some(Catcher::Shadow)), ("holdout", Some(Catcher::Holdout))];
    field.choice(context, &options).flatten()
}
