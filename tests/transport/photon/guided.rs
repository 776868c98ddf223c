//! Path guiding: the picture of unguided paths (`invariances/photon.rs`), with less noise.

use super::{Look, bits, look, mean, picture, rendered, shipped};

/// Mean relative difference of small pictures of 16 samples a pixel from that of photon maps, which has little error. It
/// is bounded: squares would tell of the edges of lamps alone.
fn errors(name: &str, sets: [&[&str]; 2]) -> [f64; 2] {
    let size = [64, 64];
    let clean = picture(&shipped(name, &[]), size, look(64));
    let floor = 0.1 * mean(&clean) as f32;
    sets.map(|set| {
        let image = picture(&shipped(name, set), size, look(16));
        let pairs = image.data.iter().zip(&clean.data);
        let terms = pairs.map(|(&a, &b)| f64::from((a - b).abs() / (a + b + floor)));
        terms.sum::<f64>() / image.data.len() as f64
    })
}

/// A fixed number of branches: a pilot would choose different numbers for the two.
const PATH: &[&str] = &["integrator=path", "integrator.guide=false", "integrator.split=4"];
const GUIDED: &[&str] = &["integrator=path", "integrator.guide=true", "integrator.split=4"];

#[test]
fn guides_find_the_door() {
    let [path, guided] = errors("two_rooms", [PATH, GUIDED]);
    println!("{path:.3} and {guided:.3}");
    assert!(1.2 * guided < path, "{guided} is not much below {path}");
}

#[test]
fn threads_and_ranges_leave_no_trace() {
    let built = shipped("cornell_spheres", GUIDED);
    let at = |threads, first, spp| {
        let look = Look {
            first,
            spp,
            threads,
            file: None,
        };
        rendered(&built.scene, built.camera, [40, 40], built.integrator, look)
            .unwrap()
            .state
            .film
    };
    let whole = bits(&at(1, 0, 4).develop());
    assert_eq!(bits(&at(3, 0, 4).develop()), whole, "three threads");
    let mut film = at(2, 0, 1);
    film.merge_film(&at(2, 1, 3));
    assert_eq!(bits(&film.develop()), whole, "two ranges");
}
