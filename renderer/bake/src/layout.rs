//! Layout of a texture: a rectangle for each object, and a packed block within it for each chart.
//!
//! A chart's corners are at texel centres, so that a bilinear lookup on its border reads its border texels. Charts are at
//! least twice the dilation width apart.

use glam::UVec2;
use rayon::prelude::*;

use super::atlas::{Atlas, PageScale, Scale, area, finish};
use super::error::BakeError;
use super::limit::{MAX_SIDE, MAX_TEXELS};
use super::object_layout::{ObjectLayout, RectWidth, layout_once};
use super::outline::Outline;
use super::pack::pack_pages;
use super::single_page::{ASPECTS, at_density, densest_layout, round_up};
use super::unwrap::Flat;
use renderer_image::Rect;

/// Computes the layout of objects, with room for a dilation by `margin` texels. Messages use their `names`.
pub(super) fn layout(
    flats: &[Flat],
    names: &dyn Fn(usize) -> String,
    scale: Scale,
    margin: u32,
) -> Result<Atlas, BakeError> {
    if area(flats) <= 0.0 {
        return Err(BakeError::Nothing);
    }
    match scale {
        Scale::Density(density) => at_density(flats, density, margin, None, 1.0),
        Scale::Both(density, side) => {
            let attempt = |&aspect: &f32| at_density(flats, density, margin, Some(side), aspect);
            let [first, rest @ ..] = &ASPECTS;
            rest.iter().fold(attempt(first), |best, aspect| {
                best.or_else(|error| attempt(aspect).map_err(|_| error))
            })
        }
        Scale::Resolution(side) => densest_layout(flats, side, 1, |density, aspect| {
            at_density(flats, density, margin, Some(side), aspect).ok()
        }),
        Scale::Pages(scale) => on_pages(flats, names, scale, margin),
    }
}

/// Layout of objects that keep their coordinates in a common texture.
///
/// # Errors
/// If the texture is too large.
pub(super) fn layout_in_place(flats: &[Flat], scale: Scale) -> Result<Atlas, BakeError> {
    let surface = area(flats);
    let covered: f64 = (flats.iter())
        .map(|flat| area(std::slice::from_ref(flat)) / f64::from(flat.blocks[0].x).powi(2))
        .sum();
    // Width of the whole texture at uniform density [m].
    let width = (surface / covered).sqrt() as f32;
    let side = match scale {
        Scale::Resolution(side)
        | Scale::Both(_, side)
        | Scale::Pages(PageScale { density: None, side, .. }) => side,
        Scale::Density(density) | Scale::Pages(PageScale { density: Some(density), .. }) => {
            let needed = (density * width).ceil();
            if needed > MAX_SIDE as f32 {
                return Err(BakeError::TooLarge { density, needed: f64::from(needed), most: MAX_SIDE });
            }
            round_up(needed as u32)
        }
    };
    let place = |flat: &Flat| {
        let scale = side as f32 / flat.blocks[0].x;
        flat.places.iter().map(|&place| place * scale).collect()
    };
    let whole = Rect { x0: 0, y0: 0, x1: side, y1: side };
    Ok(Atlas {
        size: UVec2::splat(side),
        pages: 1,
        density: side as f32 / width,
        rects: vec![whole; flats.len()],
        places: flats.iter().map(place).collect(),
    })
}

/// Layout on the required number of pages, or the densest one on all pages.
fn on_pages(
    flats: &[Flat],
    names: &dyn Fn(usize) -> String,
    scale: PageScale,
    margin: u32,
) -> Result<Atlas, BakeError> {
    let PageScale { density, side, most } = scale;
    let most = most.min(MAX_TEXELS / (side * side)).max(1);
    let pages = Pages { side, most, margin };
    let Some(density) = density else {
        return densest_layout(flats, side, most, |density, aspect| {
            pages.layout(flats, density, aspect).ok()
        });
    };
    // A single page need not have its full size.
    if let Ok(atlas) = at_density(flats, density, margin, None, ASPECTS[0])
        && atlas.size.max_element() <= side
    {
        return Ok(atlas);
    }
    let layouts: Vec<_> = (ASPECTS.par_iter())
        .map(|&aspect| pages.layout(flats, density, aspect))
        .collect();
    let fewest = layouts.into_iter().reduce(|best, other| match (&best, &other) {
        (Ok(a), Ok(b)) if b.pages < a.pages => other,
        (Err(_), Ok(_)) => other,
        _ => best,
    });
    let refused = |refusal| match refusal {
        NoPage::Object { index, needed } => {
            BakeError::ObjectTooLarge { name: names(index), density, needed, side }
        }
        NoPage::Pages => BakeError::TooManyPages { density, side, most },
    };
    fewest.unwrap_or(Err(NoPage::Pages)).map_err(refused)
}

/// Pages of a layout.
struct Pages {
    /// Columns and rows of each.
    side: u32,
    /// Maximum number of pages.
    most: u32,
    margin: u32,
}

/// Reason why objects do not fit on pages.
#[derive(Clone)]
enum NoPage {
    /// An object is larger than a page; approximate number of texels along a side that it needs.
    Object { index: usize, needed: f64 },
    /// There are too few pages.
    Pages,
}

impl Pages {
    fn layout(&self, flats: &[Flat], density: f32, aspect: f32) -> Result<Atlas, NoPage> {
        let &Pages { side, most, margin } = self;
        // Checks memory before layout.
        let texels = |flat: &Flat| area(std::slice::from_ref(flat)) * f64::from(density).powi(2);
        let length = |flat: &Flat| {
            let lengths = flat.blocks.iter().map(|block| block.max_element() * density);
            f64::from(lengths.fold(0.0, f32::max))
        };
        for (index, flat) in flats.iter().enumerate() {
            let needed = length(flat).max(texels(flat).sqrt()).ceil();
            if needed > f64::from(side) {
                return Err(NoPage::Object { index, needed });
            }
        }
        if flats.iter().map(texels).sum::<f64>() > f64::from(most) * f64::from(side).powi(2) {
            return Err(NoPage::Pages);
        }
        let fits = |object: &ObjectLayout| object.size.max_element() <= side;
        let object = |index: usize, flat: &Flat| {
            let object = ObjectLayout::new(flat, density, margin, &RectWidth::Aspect(aspect));
            if fits(&object) {
                return Ok(object);
            }
            let object = ObjectLayout::new(flat, density, margin, &RectWidth::Width(side));
            let needed = f64::from(object.size.max_element());
            if fits(&object) {
                Ok(object)
            } else {
                Err(NoPage::Object { index, needed })
            }
        };
        let objects = layout_once(flats, object)
            .into_iter()
            .collect::<Result<Vec<ObjectLayout>, NoPage>>()?;
        let boxes: Vec<Vec<Outline>> = (objects.iter().zip(flats))
            .map(|(object, flat)| object.outlines(flat))
            .collect();
        let (spots, count) = pack_pages(&boxes, side, most).ok_or(NoPage::Pages)?;
        let size = UVec2::new(side, side * count);
        Ok(Atlas {
            pages: count,
            ..finish(flats, &objects, &spots, size, density, margin)
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Vec2, Vec3};

    use super::super::unwrap::unwrap;
    use super::*;
    use renderer_geometry::Mesh;

    #[test]
    fn what_no_memory_holds_is_refused_before_it_is_laid_out() {
        let hair = Affine3A::from_scale(Vec3::new(1e3, 1e-6, 1.0));
        let flats = [unwrap(&Mesh::rectangle(), &hair)];
        let layout = |scale| layout(&flats, &|_| "hair".to_owned(), scale, 2);
        let refused = layout(Scale::Density(1e6)).err();
        assert!(matches!(refused, Some(BakeError::TooLarge { .. })));
        assert!(layout(Scale::Density(1.0)).is_ok());
        assert!(layout(Scale::Resolution(64)).is_ok());
    }

    /// Squares of one metre.
    fn squares(count: usize) -> Vec<Flat> {
        let square = unwrap(&Mesh::rectangle(), &Affine3A::from_scale(Vec3::splat(0.5)));
        vec![square; count]
    }

    fn pages(density: Option<f32>, side: u32, most: u32) -> Scale {
        Scale::Pages(PageScale { density, side, most })
    }

    #[test]
    fn objects_lie_on_as_many_pages_as_they_need() {
        let flats = squares(10);
        let layout = |scale| layout(&flats, &|index| format!("square {index}"), scale, 2);
        // A square needs 37 texels: one page has three times three.
        let atlas = layout(pages(Some(32.0), 112, 8)).unwrap();
        assert_eq!((atlas.pages, atlas.size), (2, UVec2::new(112, 224)));
        for (object, rect) in atlas.rects.iter().enumerate() {
            let top = atlas.page(object) * 112;
            assert!(rect.y0 >= top && rect.y1 <= top + 112 && rect.x1 <= 112);
            let covers = |place: &Vec2| rect.contains(place.x as u32, place.y as u32);
            assert!(atlas.places[object].iter().all(covers));
            let apart = |other: &Rect| {
                rect.x1 <= other.x0 || other.x1 <= rect.x0 || rect.y1 <= other.y0 || other.y1 <= rect.y0
            };
            assert!(atlas.rects[..object].iter().all(apart));
        }
        // Objects that fit on one page have the layout without pages.
        let one = layout(pages(Some(32.0), 512, 8)).unwrap();
        let alone = layout(Scale::Density(32.0)).unwrap();
        assert_eq!((one.pages, one.size, one.rects), (1, alone.size, alone.rects));
    }

    #[test]
    fn pages_without_a_density_have_the_greatest_that_fits() {
        let flats = squares(16);
        let layout = |scale| layout(&flats, &|index| format!("square {index}"), scale, 2).unwrap();
        let one = layout(pages(None, 128, 1));
        let four = layout(pages(None, 128, 4));
        assert_eq!((one.pages, four.pages), (1, 4));
        assert!(four.density > 1.8 * one.density, "{} {}", four.density, one.density);
    }

    #[test]
    fn what_fits_on_no_page_is_told_by_name() {
        let flats = squares(10);
        let layout = |scale| layout(&flats, &|index| format!("square {index}"), scale, 2).err();
        let wide = layout(pages(Some(300.0), 256, 8));
        assert!(matches!(wide, Some(BakeError::ObjectTooLarge { ref name, .. }) if name == "square 0"));
        let many = layout(pages(Some(200.0), 256, 8));
        assert!(matches!(many, Some(BakeError::TooManyPages { most: 8, .. })));
    }
}
