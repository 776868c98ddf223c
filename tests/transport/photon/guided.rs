//! Path guiding: the same picture as unguided paths (`invariances/photon.rs`), with less noise.

use super::{Look, bits, look, mean, picture, rendered, shipped};

/// Mean relative difference of small pictures with 16 samples per pixel from a picture by photon maps, which has little
/// error. Differences are bounded, because squares would only measure the edges of lights.
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

/// A fixed number of branches, because pilots would choose different numbers for the two.
const PATH: &[&str] = &["integrator=path", "integrator.guide=false", "integrator.split=4"];
const GUIDED: &[&str] = &["integrator=path", "integrator.guide=true", "integrator.split=4"];

#[test]
fn guided_paths_find_a_door() {
    let [path, guided] = errors("two_rooms", [PATH, GUIDED]);
    println!("{path:.3} and {guided:.3}");
    assert!(1.2 * guided < path, "{guided} is not much below {path}");
}

#[test]
fn guides_do_not_depend_on_threads_or_ranges() {
    let built = shipped("cornell_spheres", GUIDED);
    let at = |threads, first, spp| {
        let look = Look { first, spp, threads, file: None };
        rendered(&built.scene, built.camera.clone(), [40, 40], built.integrator, look)
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
