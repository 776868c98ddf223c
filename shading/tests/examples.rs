//! Pictures of the examples.

#[path = "../examples/embed.rs"]
mod embed;
#[path = "../examples/path_tracer/main.rs"]
mod path_tracer;
#[path = "../examples/rasteriser.rs"]
mod rasteriser;

fn mean(pixels: &[[f32; 3]]) -> [f32; 3] {
    let sum = |channel: usize| pixels.iter().map(|pixel| pixel[channel]).sum::<f32>();
    [0, 1, 2].map(|channel| sum(channel) / pixels.len() as f32)
}

#[test]
fn a_live_input_widens_the_highlight() {
    let pixels = embed::spheres().expect("the tour runs");
    let (sharp, wide) = pixels.split_at(embed::SIZE * embed::SIZE);
    let (sharp, wide) = (mean(sharp)[0], mean(wide)[0]);
    assert!(sharp > 0.1 && wide > sharp + 0.05, "{sharp} {wide}");
}

#[test]
fn the_path_tracer_shows_what_it_renders() {
    let (width, height) = (64, 36);
    let pixels = path_tracer::picture(width, height, 16).expect("renders");
    assert!(pixels.iter().flatten().all(|v| v.is_finite() && *v >= 0.0));
    let [r, g, b] = mean(&pixels);
    assert!(
        (0.1..0.6).contains(&r) && (0.1..0.6).contains(&g) && (0.1..0.6).contains(&b),
        "{r} {g} {b}"
    );
    // The painted sphere is green, the banded one red.
    let at = |x: usize, y: usize| pixels[y * width + x];
    let (green, red) = (at(41, 23), at(16, 15));
    assert!(green[1] > 2.0 * green[0], "{green:?}");
    assert!(red[0] > 1.5 * red[2], "{red:?}");
    // Each band of rows has its own random numbers, so the picture does not depend on threads.
    assert_eq!(path_tracer::picture(width, height, 16).expect("renders"), pixels);
}

#[test]
fn the_rasteriser_draws_bricks() {
    let (width, height) = (96, 60);
    let pixels = rasteriser::picture(width, height).expect("draws");
    let background = pixels[0];
    let covered: Vec<[f32; 3]> = pixels.into_iter().filter(|pixel| *pixel != background).collect();
    let share = covered.len() as f32 / (width * height) as f32;
    assert!((0.3..0.6).contains(&share), "{share}");
    let [r, _, b] = mean(&covered);
    assert!(r > 1.5 * b, "{r} {b}");
}
