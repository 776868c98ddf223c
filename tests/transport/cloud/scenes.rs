//! Point clouds in scenes: each file is read once, and pictures depend on it.

use super::*;

/// The file is read once for any number of shaders and paths to it.
#[test]
fn a_file_is_read_once() {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3)))]);
    let host = clouds.host();
    let system = ShadingSystem::new(closure_registry(), host.clone());
    let compile = |file: &str| -> Arc<ShaderInstance> {
        let text = format!(
            "shader probe(output int n = 0) {{ int i[2]; n = pointcloud_search(\"{file}\", P, 9, 2, \"index\", i); }}"
        );
        let unit = system.unit(Source::new("probe.osl", text)).unwrap();
        system.instantiate(&unit, &InstanceOptions::default()).unwrap()
    };
    let early = ["a.ply", "./a.ply"].map(compile);
    assert!(early[1].statistics().clouds.contains("./a.ply"));
    host.freeze(Arc::from([]), CameraView::default(), false).unwrap();
    let late = compile(".././a.ply");
    let also = compile(&clouds.folder.path().join("a.ply").display().to_string());
    let files: Vec<&Path> = host.clouds().unwrap().clouds().map(|cloud| cloud.path()).collect();
    assert_eq!(files, [clouds.folder.path().join("a.ply")]);
    let mut context = system.context();
    let [a, b] = early;
    for (instance, expected) in [(a, 2), (b, 2), (late, 0), (also, 2)] {
        instance.run(&ShaderGlobals::default(), &mut context).unwrap();
        assert_eq!(instance.output(0, &context).unwrap(), Const::Int(expected));
    }
}

/// A floor that is white near the points of a cloud.
fn lit_floor(cloud: &Path) -> Scene {
    let mut scene = SceneBuilder::new();
    let material = scene.material(&format!(
        "float distance; Ci = pointcloud_search({:?}, P, 0.1, 1, \"distance\", distance) * emission();",
        cloud.display().to_string()
    ));
    scene.shape(mesh(Mesh::plane(20.0)), Affine3A::IDENTITY, material);
    scene.build()
}

/// Pictures show search results, and another cloud changes the fingerprint.
#[test]
fn pictures_and_fingerprints_depend_on_the_cloud() {
    let clouds = Clouds::new(&[]);
    let file = clouds.folder.path().join("a.ply");
    let scene = |x: f32| {
        fs::write(&file, ply(&[Vec3::X * x])).unwrap();
        lit_floor(&file)
    };
    let camera = spot_meter(Vec3::Y, Vec3::ZERO, 0.01);
    let look = Look { size: [2, 2], spp: 1, ..Look::default() };
    let (near, far) = (scene(0.05), scene(0.5));
    assert!(mean(&near, &camera, look).0.r > 0.1);
    assert_eq!(mean(&far, &camera, look).0.r, 0.0);
    assert_ne!(near.fingerprint(), far.fingerprint());
    assert_eq!(near.fingerprint(), scene(0.05).fingerprint());
}

/// Shaders of photons and bakes search like those of pictures.
#[test]
fn photons_and_bakes_can_search() {
    let clouds = Clouds::new(&[("a.ply", &ply(&[Vec3::ZERO]))]);
    let file = clouds.folder.path().join("a.ply").display().to_string();
    let body = format!(
        "float distance; Ci = pointcloud_search({file:?}, P, 2, 1, \"distance\", distance) * diffuse(N);"
    );
    for found in probed_floor(SceneBuilder::new(), &body) {
        assert!((found / white_share() - 1.0).abs() < 0.02, "{found}");
    }
}
