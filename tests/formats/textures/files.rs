//! Texture files: loading once, missing files, tile sets, metadata.

use shading::hir::kind::Element;
use shading::hir::{Const, Kind};

use super::*;

#[test]
fn each_file_is_loaded_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.png");
    write(&path, &gradient(4, 4), &WriteOptions::default()).unwrap();
    let roundabout = directory.path().join(".").join("a.png");
    let bytes: Arc<[u8]> = fs::read(&path).unwrap().into();

    let loader = TextureLoader::new();
    let file = |path: &PathBuf, space| loader.request(TextureSource::File(path.clone()), space);
    let a = file(&path, TextureColorSpace::Auto);
    assert_eq!(a, file(&roundabout, TextureColorSpace::Auto));
    let raw = file(&path, TextureColorSpace::Raw);
    assert_ne!(a, raw);
    let name = PathBuf::from("model.glb#image 0");
    let memory = TextureSource::Memory { name: name.clone(), bytes };
    let embedded = loader.request(memory, TextureColorSpace::Auto);
    let store = loader.load().unwrap();

    assert_eq!(store.textures().count(), 3);
    assert_eq!(store.find(&roundabout, TextureColorSpace::Auto), Some(a));
    assert_eq!(store.find(&name, TextureColorSpace::Auto), Some(embedded));
    assert_eq!(store.find(&path, TextureColorSpace::Linear), None);
    assert_eq!(store.get(a).texel(1, 2), store.get(embedded).texel(1, 2));
    assert_ne!(store.get(a).texel(1, 2), store.get(raw).texel(1, 2));
}

#[test]
fn all_missing_textures_are_named() {
    let loader = TextureLoader::new();
    for name in ["/no/such/a.png", "/no/such/b.exr"] {
        loader.request(TextureSource::File(name.into()), TextureColorSpace::Auto);
    }
    let errors: Vec<String> = loader.load().unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "cannot read image '/no/such/a.png': no such file",
            "cannot read image '/no/such/b.exr': no such file"
        ]
    );
}

#[test]
fn a_handle_of_another_host_is_black() {
    let folder = tempfile::TempDir::new().unwrap();
    for name in ["a.exr", "b.exr"] {
        fs::write(folder.path().join(name), encoded(name, &gradient(4, 4))).unwrap();
    }
    let host = |names: &[&str]| {
        let host = Host::new(vec![folder.path().to_owned()]);
        let handles: Vec<_> = names.iter().map(|name| host.texture_handle(&request(name)).unwrap()).collect();
        host.freeze(Arc::from([]), CameraView::default(), false).unwrap();
        (host, handles)
    };
    let (_, foreign) = host(&["a.exr", "b.exr"]);
    let (host, own) = host(&["b.exr"]);
    let lookup = TextureLookup { position: [0.6, 0.6, 0.0], ..TextureLookup::default() };
    let value = |handle| host.texture(handle, &lookup).value;
    assert!(value(own[0])[1] > 0.0);
    for handle in foreign.into_iter().chain([TextureHandle(0), TextureHandle(u32::MAX)]) {
        assert!(handle == own[0] || value(handle) == [0.0; 4], "{handle:?}");
    }
}

#[test]
fn tile_set_names_are_parsed() {
    let folder = tempfile::tempdir().unwrap();
    let squares = |name: &str| {
        let pattern = TilePattern::parse(name).unwrap();
        let found = pattern.find(folder.path()).into_iter();
        found.map(|(square, _)| square).collect::<Vec<_>>()
    };
    for file in ["a.1001.png", "a.1012.png", "a.0999.png", "b_u1_v2.png", "c_u2v1.png", "d.png"] {
        fs::write(folder.path().join(file), b"").unwrap();
    }
    assert_eq!(squares("a.<UDIM>.png"), [[0, 0], [1, 1]]);
    assert_eq!(squares("a.%(UDIM)d.png"), [[0, 0], [1, 1]]);
    assert_eq!(squares("b_<uvtile>.png"), [[1, 2]]);
    assert_eq!(squares("b_<UVTILE>.png"), [[0, 1]]);
    assert_eq!(squares("b_<u>_<v>.png"), [[1, 2]]);
    assert_eq!(squares("b_<U>_<V>.png"), [[0, 1]]);
    assert_eq!(squares("c_u##v##.png"), [[2, 1]]);
    assert_eq!(TilePattern::parse("d.png"), None);
}

/// A host whose shaders reference these files.
fn host_of(folder: &Path, names: &[&str]) -> Host {
    let host = Host::new(vec![folder.to_owned()]);
    for name in names {
        host.texture_handle(&request(name));
    }
    host.freeze(Arc::from([]), CameraView::default(), false).unwrap();
    host
}

fn request(name: &str) -> TextureRequest {
    TextureRequest { file: name.to_owned(), ..TextureRequest::default() }
}

#[test]
fn each_tile_has_its_own_texture() {
    let folder = tempfile::tempdir().unwrap();
    for (name, grey) in [("a.1001.exr", 1.0), ("a.1012.exr", 2.0)] {
        let image = Image::from_fn(4, 4, |_, _| Rgb::splat(grey));
        fs::write(folder.path().join(name), encoded(name, &image)).unwrap();
    }
    // The name is known before loading, or not.
    for names in [&["a.<UDIM>.exr"][..], &[]] {
        let host = host_of(folder.path(), names);
        let handle = host.texture_handle(&request("a.<UDIM>.exr")).unwrap();
        let value = |s, t| {
            let lookup = TextureLookup {
                position: [s, t, 0.0],
                missing: Some([7.0; 4]),
                ..TextureLookup::default()
            };
            host.texture(handle, &lookup).value[0]
        };
        assert!((value(0.5, 0.5) - 1.0).abs() < 1e-6);
        assert!((value(1.5, 1.5) - 2.0).abs() < 1e-6);
        // The first tile also covers coordinates below its range.
        assert!((value(-0.5, -7.5) - 1.0).abs() < 1e-6);
        for (s, t) in [(1.5, 0.5), (2.5, 0.5), (-0.5, 1.5), (0.5, 9.0), (f32::NAN, 0.5)] {
            assert_eq!(value(s, t), 7.0, "({s}, {t})");
        }
        let channels = |st| host.texture_info(&request("a.<UDIM>.exr"), "channels", st);
        assert_eq!(channels(None), Some(TextureInfo::Ints(vec![3])));
        assert_eq!(channels(Some([0.5, 0.5])), Some(TextureInfo::Ints(vec![3])));
        assert_eq!(channels(Some([1.5, 0.5])), None);
        assert_eq!(host.texture_info(&request("a.<UDIM>.exr"), "averagecolor", None), None);
    }
}

#[test]
fn files_have_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::from_fn(6, 4, |_, _| Rgb::new(0.25, 0.5, 1.0));
    image.window = Some(Window { x: 2, y: 3, full_width: 20, full_height: 10 });
    fs::write(folder.path().join("a.exr"), encoded("a.exr", &image)).unwrap();
    let host = host_of(folder.path(), &["a.exr"]);
    let info = |name| host.texture_info(&request("a.exr"), name, None);
    let ints = |values: &[i32]| Some(TextureInfo::Ints(values.to_vec()));
    let pixels = |name, values: &[i32]| {
        let found = info(name).and_then(|info| info.of_kind(Kind::Array(Element::Int, values.len() as u32)));
        let expected = values.iter().copied().map(Const::Int).collect();
        assert_eq!(found, Some(Const::Array(expected)), "{name}");
    };
    pixels("resolution", &[6, 4]);
    pixels("resolution", &[6, 4, 1]);
    pixels("datawindow", &[2, 3, 7, 6]);
    pixels("datawindow", &[2, 3, 0, 7, 6, 0]);
    pixels("displaywindow", &[0, 0, 19, 9]);
    pixels("displaywindow", &[0, 0, 0, 19, 9, 0]);
    let five = info("datawindow").and_then(|info| info.of_kind(Kind::Array(Element::Int, 5)));
    assert_eq!(five, None);
    assert_eq!(info("exists"), ints(&[1]));
    assert_eq!(host.texture_info(&request("none"), "exists", None), ints(&[0]));
    let color = Some(TextureInfo::Floats(vec![0.25, 0.5, 1.0]));
    assert_eq!((info("averagecolor"), info("constantcolor")), (color.clone(), color));
    assert_eq!((info("averagealpha"), info("nonsense")), (None, None));
    assert!(host.texture_error(&request("a.exr"), [0.5; 2]).is_none());
    let why = "Could not open file: none: No such file or directory";
    assert_eq!(host.texture_error(&request("none"), [0.5; 2]).as_deref(), Some(why));
}
