//! Images read as radiance: environment maps and projector images.

use std::sync::Arc;

use super::context::LoadContext;
use super::field::Field;
use renderer_image::{self as image, Image};

/// Reads an image as linear RGB; values that are not valid radiance become zero.
pub(super) fn read_map(field: Field<'_>, context: &mut LoadContext) -> Option<Arc<Image>> {
    Some(Arc::new(read_image(field, context)?.into_linear()))
}

/// Reads an image as RGB in the colour space of its file; values that are not valid radiance become zero.
pub(super) fn read_image(field: Field<'_>, context: &mut LoadContext) -> Option<Image> {
    let name = field.string(context)?;
    let path = context.existing_file(field.span(), &name)?;
    let image = match image::read_from(&*context.file_system, &path) {
        Ok(image) => image,
        Err(error) => {
            context.error(field.span(), error.to_string());
            return None;
        }
    };
    let fits = |v: f32| v.is_finite() && v >= 0.0;
    let bad = image.data.iter().filter(|v| !fits(**v)).count();
    let mut map = Image::from_fn(image.width, image.height, |x, y| {
        image.rgb(x, y).map(|v| if fits(v) { v } else { 0.0 })
    });
    map.color_space = image.color_space;
    if bad > 0 {
        let message = format!(
            "{}: {bad} values are negative, infinite or not a number, and count as 0",
            path.display()
        );
        context.warning(field.span(), message);
    }
    Some(map)
}
