//! The photon integrator: maps against analytic values, images against the path tracer, map files, determinism.

pub(crate) mod against_path;
mod bodies;
mod guided;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use glam::{Affine3A, Quat, Vec3};
use proptest::prelude::*;
use renderer::camera::Camera;
use renderer::color::Rgb;
use renderer::geometry::Geometry;
use renderer::image::{Image, read};
use renderer::integrator::{
    Contribution, Integrator, MisContext, Pass, PathSettings, PhotonSettings, PrepareError, Prepared,
    RadianceSink,
};
use renderer::light::{
    DirectionalLight, EnvironmentLight, Falloff, Light, LightSampleContext, PointLight, SpotLight,
};
use renderer::material::Sides;
use renderer::math::{KdTree, Located};
use renderer::render::{RenderError, RenderSettings, Rendered, Silent, render};
use renderer::scene::Scene;
use renderer::scene::build::{Built, build};
use renderer::scene::desc::Show;
use renderer::scene::load::{LoadOptions, load};
use support::scenes::{SceneBuilder, all_around};

// ---- Rendering.

fn rendered(
    scene: &Scene,
    camera: Camera,
    size: [u32; 2],
    integrator: Integrator,
    look: Look,
) -> Result<Rendered, RenderError> {
    let settings = RenderSettings {
        integrator,
        samples: look.first..look.first + look.spp,
        total: look.first + look.spp,
        seed: 1,
        threads: look.threads,
        photon_map: look.file,
        ..RenderSettings::of_camera(camera.clone(), size)
    };
    render(scene, &settings, &Silent, &AtomicBool::new(false))
}

struct Look {
    first: u64,
    spp: u64,
    threads: usize,
    file: Option<PathBuf>,
}

fn look(spp: u64) -> Look {
    Look { first: 0, spp, threads: 2, file: None }
}

fn shipped(name: &str, set: &[&str]) -> Built {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../scenes/{name}.kiln"));
    let set = ["integrator=photon"].iter().chain(set).map(|&s| s.into()).collect();
    let options = LoadOptions { set, ..LoadOptions::default() };
    let (desc, _) = load(&path, &options).unwrap_or_else(|errors| panic!("{errors}"));
    build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"))
}

fn picture(built: &Built, size: [u32; 2], look: Look) -> Image {
    rendered(&built.scene, built.camera.clone(), size, built.integrator, look)
        .unwrap_or_else(|error| panic!("{error}"))
        .state
        .film
        .develop()
}

fn mean(image: &Image) -> f64 {
    image.data.iter().map(|&v| f64::from(v)).sum::<f64>() / image.data.len() as f64
}

fn bits(image: &Image) -> Vec<u32> {
    image.data.iter().map(|v| v.to_bits()).collect()
}

fn reference(name: &str) -> Image {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("references");
    read(&folder.join(format!("{name}.exr"))).unwrap()
}

fn photons(scene: &Scene, settings: PhotonSettings) -> Prepared {
    Prepared::new(&Integrator::Photon(settings), scene, &Pass::first(1, 1000)).unwrap()
}

/// Total power of the photons in the global map that came directly from a light.
fn flux(prepared: &Prepared) -> f64 {
    let Prepared::Photon(photons) = prepared else { panic!("there are photons") };
    let map = photons.global();
    let direct = map.photons().filter(|photon| photon.segments() == 1);
    direct.map(|photon| f64::from(map.power(photon).g)).sum()
}

/// Settings for tests of maps: direct light is in the global map.
fn with_direct(photons: u64) -> PhotonSettings {
    PhotonSettings {
        photons: Some(photons),
        caustic_photons: Some(0),
        direct: true,
        ..PhotonSettings::default()
    }
}

// ---- The k-d tree.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Point([i8; 3], u16);

impl Located for Point {
    fn p(&self) -> Vec3 {
        Vec3::from_array(self.0.map(f32::from))
    }
}

proptest! {
    /// Few different coordinates, so that many points share them.
    #[test]
    fn tree_searches_match_brute_force(
        places in prop::collection::vec(prop::array::uniform3(-9i8..9), 0..600),
        at in prop::array::uniform3(-10f32..10.0),
        radius in 0.1f32..12.0,
    ) {
        let points: Vec<Point> = (0..).zip(&places).map(|(i, &place)| Point(place, i)).collect();
        let mut backwards = points.clone();
        backwards.reverse();
        let (tree, other) = (KdTree::new(points.clone()), KdTree::new(backwards));
        prop_assert_eq!(tree.items(), other.items());

        let (p, r2) = (Vec3::from_array(at), radius * radius);
        let mut found = vec![];
        tree.search(p, r2, |index, point, d2| {
            assert_eq!(tree.items()[index], *point);
            assert!(d2 < r2);
            found.push(*point);
            r2
        });
        let mut expected: Vec<Point> =
            points.iter().copied().filter(|point| (point.p() - p).length_squared() < r2).collect();
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);

        let mut nearest = f32::INFINITY;
        tree.search(p, nearest, |_, _, d2| {
            nearest = d2;
            d2
        });
        let expected = points.iter().map(|point| (point.p() - p).length_squared()).fold(f32::INFINITY, f32::min);
        prop_assert_eq!(nearest, expected);

        let doubled = tree.clone().map(|_, point| *point);
        prop_assert_eq!(doubled.items(), tree.items());
    }
}

// ---- Emission of photons.

/// A square floor of 4 m, and a small ball far above that enlarges the scene.
fn floor_under(light: Light) -> Scene {
    let mut scene = SceneBuilder::new();
    let grey = scene.material("Ci = 0.5 * diffuse(N);");
    let lying = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    scene.shape(
        Geometry::Disk,
        Affine3A::from_scale_rotation_translation(Vec3::splat(2.0), lying, Vec3::ZERO),
        grey,
    );
    scene.shape(
        Geometry::Sphere,
        Affine3A::from_scale_rotation_translation(
            Vec3::splat(0.01),
            Quat::IDENTITY,
            Vec3::new(3.0, 5.0, 0.0),
        ),
        grey,
    );
    scene.light(light);
    scene.build()
}

#[test]
fn flux_through_a_disk_matches_its_integral() {
    let up = Vec3::new(0.0, 1.5, 0.0);
    // A disk of radius r at distance h hides the share (1 − h/√(h² + r²))/2 of all directions.
    let seen = std::f64::consts::TAU * (1.0 - 1.5 / f64::hypot(1.5, 2.0));
    let point = Light::Point(PointLight { position: up, intensity: Rgb::splat(3.0) });
    let spot = Light::Spot(SpotLight {
        position: up,
        axis: -Vec3::Y,
        intensity: Rgb::splat(3.0),
        falloff: Falloff::SquaredCosine { inner: 0.5, outer: 0.5 },
    });
    let sun = Light::Directional(DirectionalLight::new(Vec3::new(0.6, -0.8, 0.0), Rgb::splat(2.0), 0.0));
    let sky = Light::Environment(EnvironmentLight::Constant(Rgb::WHITE));
    let area = 4.0 * std::f64::consts::PI;
    let lights = [
        ("point", point, 3.0 * seen),
        ("spot", spot, 3.0 * std::f64::consts::TAU * (1.0 - 0.5f64.cos())),
        ("sun", sun, 2.0 * 0.8 * area),
        // From both sides.
        ("sky", sky, 2.0 * std::f64::consts::PI * area),
    ];
    for (name, light, expected) in lights {
        let scene = floor_under(light);
        let found = flux(&photons(&scene, with_direct(200_000)));
        assert!((found / expected - 1.0).abs() < 0.01, "{name}: {found} is not {expected}");
    }
}

#[test]
fn flux_of_an_area_light_matches_its_integral() {
    for (sides, expected) in [("Ci = emission() * 2.0;", 2.0), ("Ci = emission() * 2.0 * u * 2.0;", 2.0)] {
        let mut scene = SceneBuilder::new();
        let (lamp, grey) = (scene.material(sides), scene.material("Ci = 0.5 * diffuse(N);"));
        let ball = |radius: f32| Affine3A::from_scale(Vec3::splat(radius));
        scene.shape(Geometry::Sphere, ball(0.5), lamp);
        scene.shape(Geometry::Sphere, ball(4.0), grey);
        // L π over the surface of the small ball, all of which arrives. (The mean of 2u over a sphere is 1.)
        let expected = expected * std::f64::consts::PI * std::f64::consts::PI;
        let found = flux(&photons(&scene.build(), with_direct(100_000)));
        assert!((found / expected - 1.0).abs() < 0.01, "{found} is not {expected}");
    }
}

// ---- Radiance.

/// The inside of a sphere with emission 1 and albedo ½: radiance 2 everywhere.
fn furnace() -> Scene {
    let mut scene = SceneBuilder::new();
    let wall = scene.material("Ci = emission() + 0.5 * diffuse(N);");
    scene.shape(Geometry::Sphere, Affine3A::IDENTITY, wall).flip_normals = true;
    scene.build()
}

#[test]
fn irradiance_in_a_furnace_is_uniform() {
    let scene = furnace();
    let camera = Camera::new(&all_around(Vec3::new(0.2, 0.1, -0.3)), 24, 12).unwrap();
    // The light is uniform, so that fewer photons suffice.
    let fewer = PhotonSettings {
        photons: Some(60_000),
        caustic_photons: Some(60_000),
        ..PhotonSettings::default()
    };
    let cases = [
        ("picture", fewer, 2.0),
        ("map in place of gather rays", PhotonSettings { gather: Some(0), ..fewer }, 2.0),
        (
            "several gather rays and light samples",
            PhotonSettings { gather: Some(3), light_samples: Some(2), ..fewer },
            2.0,
        ),
        (
            "gather rays without guides",
            PhotonSettings { guide: Some(false), ..fewer },
            2.0,
        ),
        ("direct light by photons", PhotonSettings { direct: true, ..fewer }, 2.0),
        // Emission, direct light, and one bounce.
        ("three segments", PhotonSettings { depth: Some(3), ..fewer }, 1.75),
        ("four segments", PhotonSettings { depth: Some(4), ..fewer }, 1.875),
        // Irradiance over π is the mean incident radiance.
        (
            "irradiance",
            PhotonSettings { show: Some(Show::Irradiance), direct: true, ..fewer },
            2.0,
        ),
    ];
    for (name, settings, expected) in cases {
        let film = rendered(&scene, camera.clone(), [24, 12], Integrator::Photon(settings), look(32))
            .unwrap()
            .state
            .film;
        let found = mean(&film.develop());
        assert!((found / expected - 1.0).abs() < 0.02, "{name}: {found} is not {expected}");
    }
}

#[test]
fn light_does_not_leak_through_a_wall() {
    // Two rooms with a common floor and ceiling and a thin wall between; a light in one of them.
    let mut scene = SceneBuilder::new();
    let white = scene.material("Ci = 0.8 * diffuse(N);");
    let quad = |scene: &mut SceneBuilder, at: Vec3, turn: Quat, size: Vec3| {
        let square = renderer::scene::desc::GeometryDesc::Rectangle { size: glam::Vec2::ONE };
        let (geometry, placed) = square.build();
        let place = Affine3A::from_scale_rotation_translation(size, turn, at) * placed;
        scene.shape(geometry, place, white);
    };
    let quarter = std::f32::consts::FRAC_PI_2;
    let (x, y) = (Quat::from_rotation_x(quarter), Quat::from_rotation_y(quarter));
    for height in [-1.0, 1.0] {
        quad(&mut scene, Vec3::Y * height, x, Vec3::new(4.0, 2.0, 1.0));
        quad(&mut scene, Vec3::Z * height, Quat::IDENTITY, Vec3::new(4.0, 2.0, 1.0));
    }
    for along in [-2.0, 0.0, 2.0] {
        quad(&mut scene, Vec3::X * along, y, Vec3::new(2.0, 2.0, 1.0));
    }
    scene.light(Light::Point(PointLight {
        position: Vec3::new(1.0, 0.0, 0.0),
        intensity: Rgb::splat(10.0),
    }));
    let scene = scene.build();
    let camera = |at: f32| Camera::new(&all_around(Vec3::X * at), 32, 16).unwrap();
    let lit = rendered(
        &scene,
        camera(0.5),
        [32, 16],
        Integrator::Photon(PhotonSettings::default()),
        look(4),
    )
    .unwrap();
    let dark = rendered(
        &scene,
        camera(-1.0),
        [32, 16],
        Integrator::Photon(PhotonSettings::default()),
        look(16),
    )
    .unwrap();
    let (lit, dark) = (mean(&lit.state.film.develop()), mean(&dark.state.film.develop()));
    assert!(lit > 0.5, "{lit}");
    assert!(dark == 0.0, "{dark} gets through, of {lit}");
}

#[test]
fn photons_pass_transparent_parts_of_one_sided_surfaces() {
    let mut scene = SceneBuilder::new();
    let grey = scene.material("Ci = 0.5 * diffuse(N);");
    let one_sided = Sides { one_sided: true, ..Sides::default() };
    let veil = scene.material_with("Ci = 0.5 * transparent() + 0.5 * diffuse(N);", one_sided);
    let floor = Affine3A::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    scene.shape(Geometry::Disk, floor, grey);
    scene
        .shape(Geometry::Sphere, Affine3A::from_scale(Vec3::splat(3.0)), veil)
        .flip_normals = true;
    scene.light(Light::Point(PointLight {
        position: Vec3::Y * 5.0,
        intensity: Rgb::splat(25.0),
    }));
    let scene = scene.build();
    let carried = flux(&photons(&scene, with_direct(20_000)));
    // From outside, the sphere shows its back, which transmits half and scatters nothing. All transmitted photons are
    // stored on the disk or on the sphere's front; from the light, the sphere fills a cone of sine 3/5.
    let expected = 0.5 * 25.0 * std::f64::consts::TAU * (1.0 - 0.8);
    assert!(
        (carried / expected - 1.0).abs() < 0.05,
        "{carried} arrives instead of {expected}"
    );
}

#[test]
fn progressive_passes_converge_to_path_tracing() {
    for (name, spp) in [("cornell_box", 48), ("cornell_spheres", 64), ("lights_lens", 32)] {
        let built = shipped(name, &["integrator.progressive=true", "integrator.photons=60000"]);
        let expected = mean(&reference(name));
        let reference = reference(name);
        let size = [reference.width as u32, reference.height as u32];
        let found = mean(&picture(&built, size, look(spp)));
        println!("{name}: {:+.3} %", 100.0 * (found / expected - 1.0));
        assert!((found / expected - 1.0).abs() < 0.01, "{name}: {found} is not {expected}");
    }
}

#[test]
fn one_default_pass_is_close_to_the_reference() {
    // A few pixels of one reference exceed its range.
    for (name, spp, most) in [
        ("cornell_box", 4, 0.03),
        ("cornell_spheres", 8, 0.03),
        ("two_rooms", 8, 0.03),
        ("sky_balls", 16, 0.03),
        ("lights_lens", 8, 0.03),
        ("veach_plates", 32, 0.03),
    ] {
        let (built, reference) = (shipped(name, &[]), reference(name));
        let size = [reference.width as u32, reference.height as u32];
        let (found, expected) = (mean(&picture(&built, size, look(spp))), mean(&reference));
        println!("{name}: {:+.3} %", 100.0 * (found / expected - 1.0));
        assert!((found / expected - 1.0).abs() < most, "{name}: {found} is not {expected}");
    }
}

#[test]
fn caustics_of_a_glass_ball_match_the_reference() {
    let (built, reference) = (shipped("cornell_spheres", &[]), reference("cornell_spheres"));
    let image = picture(&built, [128, 128], look(32));
    // Below the ball, and around it.
    for (columns, rows, most) in [(82..96, 111..117, 0.04), (76..102, 106..122, 0.04)] {
        let over = |image: &Image| -> f64 {
            let pixels = rows.clone().flat_map(|y| columns.clone().map(move |x| (x, y)));
            pixels.map(|(x, y)| f64::from(image.rgb(x, y).g)).sum()
        };
        let ratio = over(&image) / over(&reference);
        println!("{columns:?} {rows:?}: {:+.2} %", 100.0 * (ratio - 1.0));
        assert!((ratio - 1.0).abs() < most, "{ratio}");
    }
}

/// The red channel: indirect light, and all light.
#[derive(Default)]
struct Found {
    scattered: f64,
    all: f64,
}

impl RadianceSink for Found {
    fn add(&mut self, label: Contribution, radiance: Rgb) {
        let red = f64::from(radiance.r);
        self.all += red;
        if label.scattered {
            self.scattered += red;
        }
    }
}

#[test]
fn incident_radiance_of_both_integrators_agrees() {
    // Incident light at points of the back wall, the ceiling and a corner of the floor, from all their sides.
    let built = shipped("cornell_box", &[]);
    let [path, photon] =
        [Integrator::Path(PathSettings::default()), Integrator::Photon(PhotonSettings::default())]
            .map(|integrator| Prepared::new(&integrator, &built.scene, &Pass::first(1, 16384)).unwrap());
    let estimate = |prepared: &Prepared, (p, n): (Vec3, Vec3)| {
        let mut context = renderer::integrator::Context::new(&built.scene);
        let mut sampler = renderer::sampler::Sampler::new(7);
        let frame = renderer::math::Frame::from_normal(n);
        let count = 200_000;
        let mut light = Found::default();
        for i in 0..count {
            sampler.start(glam::UVec2::ZERO, i);
            let local = renderer::sampling::cosine_hemisphere(sampler.next_2d());
            let ray = renderer::math::Ray::new(p, frame.to_world(local));
            let arrival = MisContext { at: LightSampleContext::on_surface(p, n), pdf: None };
            prepared.incident_radiance(
                &built.scene,
                built.scene.start_in_space(&ray),
                arrival,
                &mut sampler,
                &mut context,
                &mut light,
            );
        }
        [light.scattered, light.all].map(|sum| sum / count as f64)
    };
    let places = [
        (Vec3::new(0.1, 0.4, -0.9999), Vec3::Z),
        (Vec3::new(0.6, 0.9999, 0.5), -Vec3::Y),
        (Vec3::new(-0.95, -0.9999, 0.95), Vec3::Y),
    ];
    for place in places {
        let (by_path, by_photon) = (estimate(&path, place), estimate(&photon, place));
        for (path, photon) in by_path.into_iter().zip(by_photon) {
            println!("{path} {photon} {:+.2} %", 100.0 * (photon / path - 1.0));
            assert!((photon / path - 1.0).abs() < 0.03, "{photon} is not {path}");
        }
    }
}

// ---- Determinism.

/// A small scene that needs all kinds of maps.
fn small() -> Built {
    shipped(
        "cornell_spheres",
        &["integrator.photons=30000", "integrator.caustic_photons=20000"],
    )
}

#[test]
fn results_do_not_depend_on_threads_or_ranges() {
    for set in [
        &["integrator.photons=40000"][..],
        &["integrator.photons=9000", "integrator.progressive=true"],
    ] {
        let built = shipped("cornell_spheres", set);
        let at = |threads, first, spp| {
            let look = Look { first, spp, threads, file: None };
            rendered(&built.scene, built.camera.clone(), [40, 40], built.integrator, look).unwrap()
        };
        let whole = at(1, 0, 4);
        for threads in [2, 3] {
            assert_eq!(
                bits(&at(threads, 0, 4).state.film.develop()),
                bits(&whole.state.film.develop()),
                "{threads} threads"
            );
        }
        let (first, rest) = (at(2, 0, 1), at(2, 1, 3));
        let mut film = first.state.film;
        film.merge_film(&rest.state.film);
        assert_eq!(bits(&film.develop()), bits(&whole.state.film.develop()), "two ranges");
    }
}

#[test]
fn a_map_file_gives_the_bytes_of_a_single_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spheres.photons");
    let built = small();
    let with = |file: Option<&PathBuf>| {
        let look = Look { file: file.cloned(), ..look(2) };
        rendered(&built.scene, built.camera.clone(), [32, 32], built.integrator, look)
    };
    let straight = with(None).unwrap();
    let saving = with(Some(&file)).unwrap();
    let loading = with(Some(&file)).unwrap();
    assert!(!saving.stats.photons.unwrap().loaded);
    assert!(loading.stats.photons.unwrap().loaded);
    for other in [saving.state.film, loading.state.film] {
        assert_eq!(bits(&other.develop()), bits(&straight.state.film.develop()));
    }

    // A time limit does not reduce a map file that other runs read.
    std::fs::remove_file(&file).unwrap();
    let limited = RenderSettings {
        integrator: built.integrator,
        samples: 0..2,
        total: 2,
        seed: 1,
        time_limit: Some(Duration::from_nanos(1)),
        photon_map: Some(file.clone()),
        ..RenderSettings::of_camera(built.camera.clone(), [32, 32])
    };
    render(&built.scene, &limited, &Silent, &AtomicBool::new(false)).unwrap();
    let loading = with(Some(&file)).unwrap();
    assert!(loading.stats.photons.unwrap().loaded);
    assert_eq!(bits(&loading.state.film.develop()), bits(&straight.state.film.develop()));

    // Another scene, other settings, and damaged files are rejected.
    let refuses = |built: &Built, file: &Path| {
        let look = Look { file: Some(file.to_owned()), ..look(1) };
        match rendered(&built.scene, built.camera.clone(), [32, 32], built.integrator, look) {
            Err(RenderError::Prepare(error)) => error,
            other => panic!("{:?}", other.map(|rendered| rendered.state.samples)),
        }
    };
    let numbers = ["integrator.photons=30000", "integrator.caustic_photons=20000"];
    let changed = |extra: &str| shipped("cornell_spheres", &[numbers[0], numbers[1], extra]);
    for extra in [
        "integrator.depth=7",
        "integrator.photons=30001",
        "shape.floor.transform=translate(0, -1.001, 0) * rotate((1, 0, 0), -90)",
        "material.white.albedo=(0.8, 0.7, 0.6)",
        "material.light.radiance=(80, 61, 29)",
    ] {
        let extra = if extra == "integrator.photons=30001" {
            shipped("cornell_spheres", &[extra, numbers[1]])
        } else {
            changed(extra)
        };
        let error = refuses(&extra, &file);
        assert!(matches!(error, PrepareError::Misfit { .. }), "{error}");
    }
    let whole = std::fs::read(&file).unwrap();
    let damaged = folder.path().join("damaged.photons");
    let mut flipped = whole.clone();
    flipped[1000] ^= 4;
    for bytes in [&whole[..whole.len() - 1], &whole[..20], b"no map", b"", &flipped] {
        std::fs::write(&damaged, bytes).unwrap();
        let error = refuses(&built, &damaged);
        assert!(matches!(error, PrepareError::Damaged { .. }), "{error}");
    }
    let nowhere = folder.path().join("none/spheres.photons");
    assert!(matches!(refuses(&built, &nowhere), PrepareError::Unwritable(_)));
    // The map does not depend on the camera.
    let elsewhere = changed("camera.main.fov=30");
    let look = Look { file: Some(file), ..look(1) };
    assert!(rendered(&elsewhere.scene, elsewhere.camera, [32, 32], elsewhere.integrator, look).is_ok());
}

#[test]
fn fingerprints_distinguish_scenes_only() {
    let of = |set: &[&str]| shipped("sky_balls", set).scene.fingerprint();
    let same = of(&[]);
    for set in ["camera.main.fov=30", "film.size=(8, 8)", "sampler.spp=3", "integrator.depth=4"] {
        assert_eq!(of(&[set]), same, "{set}");
    }
    for set in [
        "light.sky.rotate=1",
        "light.sky.scale=1.001",
        "material.glass.alpha=0.21",
        "shape.ball1.center=(0.001, 1, 0)",
        "shape.ball2.material=\"gold\"",
    ] {
        assert_ne!(of(&[set]), same, "{set}");
    }
}
