//! Scenes of Embree's tutorials.

use std::fs;

use glam::{Affine3A, Vec3};
use renderer::scene::desc::{GeometryDesc, LightKind, SceneDesc};
use renderer::scene::import::SceneImportOptions;
use renderer::scene::load::{LoadOptions, load};

/// A scene with a file of arrays, and its warnings.
fn loaded(text: &str, binary: &[u8], strict: bool) -> Result<(SceneDesc, Vec<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.xml");
    fs::write(&path, text).unwrap();
    if !binary.is_empty() {
        fs::write(folder.path().join("scene.bin"), binary).unwrap();
    }
    let import = SceneImportOptions { strict, ..SceneImportOptions::default() };
    let loaded = load(&path, &LoadOptions { import, ..LoadOptions::default() });
    let (desc, warnings) = loaded.map_err(|errors| errors.to_string())?;
    Ok((desc, warnings.list.into_iter().map(|warning| warning.message).collect()))
}

fn read(text: &str) -> SceneDesc {
    let (desc, warnings) = loaded(text, &[], true).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(warnings, [""; 0]);
    desc
}

const MATTE: &str = "<material><code>\"Matte\"</code><parameters><float3 name=\"reflectance\">0.5 0.25 1</float3></parameters></material>";

const TRIANGLE: &str = "<TriangleMesh id=\"t\"><positions>0 0 0 1 0 0 0 1 0</positions><triangles>0 1 2</triangles></TriangleMesh>";

#[test]
fn references_place_shapes_again() {
    let desc = read(&format!(
        "<?xml version=\"1.0\"?><!-- <scene version=\"3\"/> -->
        <scene>
        <assign type=\"scene\" id=\"hidden\"><Group>{TRIANGLE}</Group></assign>
        <ref id=\"hidden\"/>
        <Transform><AffineSpace>2 0 0 1  0 2 0 2  0 0 2 3</AffineSpace>
            <ref id=\"t\"/>
            <Transform><AffineSpace rotate_z=\"90\"/><ref id=\"t\"/></Transform>
        </Transform>
        <QuadMesh><positions>0 0 0 1 0 0 1 1 0 0 1 0</positions><indices>0 1 2 3  0 1 2 2</indices>{MATTE}</QuadMesh>
        </scene>"
    ));
    let [first, second, third, quads] = &desc.shapes[..] else {
        panic!("{} shapes", desc.shapes.len());
    };
    let corner = |place: &Affine3A| place.transform_point3(Vec3::X);
    assert_eq!(corner(&first.world_from_object), Vec3::X);
    assert_eq!(corner(&second.world_from_object), Vec3::new(3.0, 2.0, 3.0));
    assert!(corner(&third.world_from_object).distance(Vec3::new(1.0, 4.0, 3.0)) < 1e-6);
    let mesh = |geometry: &GeometryDesc| match geometry {
        GeometryDesc::Mesh(mesh) => mesh.clone(),
        _ => panic!("it is no mesh"),
    };
    let meshes = [first, second, third].map(|shape| mesh(&shape.geometry));
    assert!(meshes.iter().all(|mesh| std::sync::Arc::ptr_eq(mesh, &meshes[0])));
    // The last quadrilateral is a triangle.
    assert_eq!(mesh(&quads.geometry).triangles, [[0, 1, 3], [2, 3, 1], [0, 1, 2]]);
    assert_eq!(
        desc.material(quads.material).surface.to_string(),
        "matte(albedo = (0.5, 0.25, 1))"
    );
    // Without a camera and a light, all shapes are to be seen.
    let camera = renderer::camera::Camera::new(&desc.cameras[0].camera, 100, 100).unwrap();
    let corners = [first, second, third].map(|shape| corner(&shape.world_from_object));
    assert!(corners.iter().all(|corner| {
        camera
            .project(*corner)
            .is_some_and(|p| p.x.min(p.y) > 0.0 && p.max_element() < 100.0)
    }));
    assert!(matches!(desc.lights[0].kind, LightKind::Environment { .. }));
}

#[test]
fn lights_emit_along_their_z_axis() {
    let space = "<AffineSpace>1 0 0 1  0 0 -1 5  0 1 0 2</AffineSpace>";
    let desc = read(&format!(
        "<scene>{TRIANGLE}
        <PerspectiveCamera from=\"0 0 5\" to=\"0 0 0\" up=\"0 1 0\" fov=\"60\"/>
        <Transform><AffineSpace translate=\"0 1 0\"/><PointLight>{space}<I>1 2 3</I></PointLight></Transform>
        <SpotLight>{space}<I>4 4 4</I><angleMin>10</angleMin><angleMax>20</angleMax></SpotLight>
        <DirectionalLight>{space}<E>2 2 2</E></DirectionalLight>
        <QuadLight>{space}<L>9 9 9</L></QuadLight>
        </scene>"
    ));
    assert_eq!(desc.cameras.len(), 1);
    let [point, spot, directional] = &desc.lights[..] else {
        panic!("{} lights", desc.lights.len());
    };
    assert!(matches!(point.kind, LightKind::Point { position, intensity }
        if position == Vec3::new(1.0, 6.0, 2.0) && intensity.to_array() == [1.0, 2.0, 3.0]));
    assert!(
        matches!(spot.kind, LightKind::Spot { position, direction, cutoff, beam_width, .. }
        if position == Vec3::new(1.0, 5.0, 2.0)
            && direction == Vec3::NEG_Y
            && cutoff == 20f32.to_radians()
            && beam_width == 10f32.to_radians())
    );
    assert!(matches!(directional.kind, LightKind::Directional { direction, irradiance, .. }
        if direction == Vec3::NEG_Y && irradiance.r == 2.0));
    let GeometryDesc::Mesh(mesh) = &desc.shapes[1].geometry else {
        panic!("it is no mesh");
    };
    // The front of a mesh emits.
    let [a, b, c] = mesh.triangles[0].map(|corner| {
        desc.shapes[1]
            .world_from_object
            .transform_point3(mesh.positions[corner as usize])
    });
    assert_eq!((b - a).cross(c - a).normalize(), Vec3::NEG_Y);
}

#[test]
fn segments_with_common_points_are_one_curve() {
    let curves = |kind: &str, indices: &str| -> (Vec<u32>, usize) {
        let text = format!(
            "<scene><{kind}><positions>0 0 0 1  1 0 0 2  2 0 0 3  3 0 0 4  4 0 0 5  5 0 0 6  6 0 0 7</positions>
            <indices>{indices}</indices></{}></scene>",
            kind.split(' ').next().unwrap_or_default()
        );
        match &read(&text).shapes[0].geometry {
            GeometryDesc::Curves(curves) => {
                assert!(curves.set().vertices.iter().all(|vertex| vertex.w == vertex.x + 1.0));
                (curves.set().strands.clone(), curves.set().vertices.len())
            }
            _ => panic!("they are no curves"),
        }
    };
    assert_eq!(curves("Curves basis=\"bezier\" type=\"round\"", "0 3"), (vec![7], 7));
    assert_eq!(curves("Hair", "0 0  3 1"), (vec![7], 7));
    assert_eq!(curves("RoundLineSegments", "0 1 4"), (vec![3, 2], 5));
    assert_eq!(curves("BSplineCurves", "0 3"), (vec![4, 4], 8));
    let points = read("<scene><Points type=\"disc\"><positions>0 0 0 1 1 0 0 2</positions></Points></scene>");
    assert!(
        matches!(&points.shapes[0].geometry, GeometryDesc::Points(points) if points.vertices().len() == 2)
    );
}

#[test]
fn arrays_may_be_in_a_binary_file() {
    let floats = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bytes: Vec<u8> = floats
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .chain([0u32, 1, 2].iter().flat_map(|i| i.to_le_bytes()))
        .collect();
    let mesh = |ofs: &str, size: &str| {
        format!(
            "<scene><TriangleMesh><positions ofs=\"{ofs}\" size=\"{size}\"/><triangles ofs=\"36\" size=\"1\"/></TriangleMesh></scene>"
        )
    };
    let (desc, _) = loaded(&mesh("0", "3"), &bytes, true).unwrap_or_else(|errors| panic!("{errors}"));
    let GeometryDesc::Mesh(mesh_read) = &desc.shapes[0].geometry else {
        panic!("it is no mesh");
    };
    assert_eq!(mesh_read.positions, [Vec3::ZERO, Vec3::X, Vec3::Y]);
    for (ofs, size, binary, expected) in [
        ("0", "5", &bytes[..], "reaches beyond the .bin file, which has 48 bytes"),
        ("18446744073709551615", "3", &bytes, "are whole numbers"),
        ("0", "18446744073709551615", &bytes, "are whole numbers"),
        ("-1", "3", &bytes, "are whole numbers"),
        ("0", "3", &[], "there is no .bin file"),
    ] {
        let error = loaded(&mesh(ofs, size), binary, false).err().unwrap_or_default();
        assert!(error.contains(expected) && error.contains("scene.xml:1"), "{error}");
    }
}

#[test]
fn errors_have_their_line() {
    let around = |line: &str| format!("<scene>\n<Group/>\n{line}\n</scene>");
    let mesh = |positions: &str, triangles: &str| {
        around(&format!(
            "<TriangleMesh><positions>{positions}</positions><triangles>{triangles}</triangles></TriangleMesh>"
        ))
    };
    let doubled = |levels: usize| {
        let group = |level: usize| {
            format!("<Group id=\"{}\"><ref id=\"{level}\"/><ref id=\"{level}\"/></Group>", level + 1)
        };
        format!(
            "<scene>\n{}\n{}</scene>",
            TRIANGLE.replace("\"t\"", "\"0\""),
            (0..levels).map(group).collect::<String>()
        )
    };
    for (text, line, expected) in [
        (
            mesh("0 0 0 1 0 0 0 1", "0 1 2"),
            3,
            "<positions> has 8 numbers, not a multiple of 3",
        ),
        (mesh("0 0 0 1 0 0 0 1 x", "0 1 2"), 3, "`x` is not a number"),
        (mesh("0 0 0 1 0 0 0 1 nan", "0 1 2"), 3, "`nan` is not a finite number"),
        (mesh("0 0 0 1 0 0 0 1 0", "0 1 -2"), 3, "`-2` is not an index"),
        (mesh("0 0 0 1 0 0 0 1 0", "0 1 3"), 3, "vertex 3"),
        (
            around(
                "<RoundLineSegments><positions>0 0 0 1</positions><indices>0</indices></RoundLineSegments>",
            ),
            3,
            "an index is beyond the 1 positions",
        ),
        (around("<ref id=\"x\"/>"), 3, "there is no element `x` before"),
        (
            around("<Group id=\"x\"><ref id=\"x\"/></Group>"),
            3,
            "there is no element `x` before",
        ),
        (
            around("<Transform><AffineSpace>1 2</AffineSpace></Transform>"),
            3,
            "<AffineSpace> has 12 numbers",
        ),
        (around("<Transform/>"), 3, "<Transform> begins with <AffineSpace>"),
        (around("<PointLight/>"), 3, "<PointLight> needs <I> with three numbers"),
        (around("<PerspectiveCamera/>"), 3, "<PerspectiveCamera> needs `from`"),
        (around("<assign/>"), 3, "<assign> needs an `id`"),
        (around("<Group"), 4, "not well-formed XML"),
        (doubled(60), 2, "is the most for a file of"),
    ] {
        let error = loaded(&text, &[], false).err().unwrap_or_default();
        assert!(
            error.contains(expected) && error.contains(&format!("scene.xml:{line}")),
            "{expected}: {error}"
        );
    }
    // Elements that are not read cause one warning of each kind.
    let turned = format!("<Transform><Quaternion rotate=\"0 0 1 3\"/>{TRIANGLE}</Transform>");
    let unread = around(&format!("<GridMesh/><GridMesh/>{turned}"));
    let (_, warnings) = loaded(&unread, &[], false).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(warnings, ["<GridMesh> is not read", "<Quaternion> of <Transform> is not read"]);
    assert!(loaded(&unread, &[], true).is_err_and(|error| error.contains("<GridMesh> is not read")));
    // A scene of Mitsuba without a version is not one of Embree.
    let error = loaded("<scene><shape type=\"sphere\"/></scene>", &[], false)
        .err()
        .unwrap_or_default();
    assert!(error.contains("no `version`"), "{error}");
}

#[test]
fn damaged_scenes_load_or_cause_errors() {
    let whole = format!(
        "<scene><assign type=\"scene\" id=\"part\">{TRIANGLE}</assign>
        <Transform><AffineSpace angle=\"30\" axis=\"0 1 0\" point=\"1 0 0\"/><ref id=\"part\"/></Transform>
        <QuadMesh><positions ofs=\"0\" size=\"4\"/><indices ofs=\"48\" size=\"1\"/>{MATTE}</QuadMesh>
        <Hair><positions>0 0 0 1 1 0 0 1 2 0 0 1 3 0 0 1</positions><indices>0 0</indices></Hair>
        <SpotLight><I>4 4 4</I><angleMin>10</angleMin><angleMax>20</angleMax></SpotLight></scene>"
    );
    let binary: Vec<u8> = [0.0f32, 1.0, 2.0, 3.0]
        .repeat(3)
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .chain([0; 16])
        .collect();
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut survivors = 0;
    for _ in 0..200 {
        let mut damaged = whole.clone().into_bytes();
        for _ in 0..=random() % 2 {
            let at = random() % damaged.len();
            damaged[at] = b"0123456789-.<>/\" eE"[random() % 18];
        }
        survivors += u32::from(loaded(&String::from_utf8_lossy(&damaged), &binary, false).is_ok());
    }
    assert!(survivors > 10, "the damage is too great to test anything: {survivors}");
}
