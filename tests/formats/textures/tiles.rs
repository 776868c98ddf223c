//! Tiled texture files with a memory bound: tiles are read on lookup.

use super::*;

/// A tiled TIFF with mip levels, as `maketx` writes it.
fn tiled_pyramid(side: u32) -> Vec<u8> {
    use tiff::tags::Tag;
    let mut file = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut file).unwrap();
    let mut size = side;
    loop {
        let mut directory = encoder.image_directory().unwrap();
        let (mut offsets, mut sizes) = (vec![], vec![]);
        for (ty, tx) in (0..size.div_ceil(32)).flat_map(|y| (0..size.div_ceil(32)).map(move |x| (y, x))) {
            let values = (0..32 * 32 * 3).map(|i| (tx * 71 + ty * 31 + i * i / 7 + size) as u8);
            let values: Vec<u8> = values.collect();
            offsets.push(directory.write_data(&values[..]).unwrap() as u32);
            sizes.push(values.len() as u32);
        }
        let longs = [
            (Tag::ImageWidth, size),
            (Tag::ImageLength, size),
            (Tag::TileWidth, 32),
            (Tag::TileLength, 32),
            (Tag::Compression, 1),
        ];
        for (tag, value) in longs {
            directory.write_tag(tag, value).unwrap();
        }
        directory.write_tag(Tag::SamplesPerPixel, 3u16).unwrap();
        directory.write_tag(Tag::PhotometricInterpretation, 2u16).unwrap();
        directory.write_tag(Tag::BitsPerSample, &[8u16; 3][..]).unwrap();
        directory.write_tag(Tag::TileOffsets, &offsets[..]).unwrap();
        directory.write_tag(Tag::TileByteCounts, &sizes[..]).unwrap();
        if size == side {
            let tags = [(33302, "Plain Texture"), (33303, "periodic,clamp")];
            for (tag, text) in tags {
                directory.write_tag(Tag::Unknown(tag), text).unwrap();
            }
        }
        directory.finish().unwrap();
        if size == 1 {
            return file.into_inner();
        }
        size /= 2;
    }
}

#[test]
fn a_memory_bound_changes_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a.png", "b.exr", "c.tif", "d.tif"];
    for (i, name) in files.into_iter().enumerate() {
        let bytes = match name {
            "d.tif" => tiled_pyramid(256),
            _ => encoded(name, &gradient(150 + 37 * i, 210)),
        };
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let load = |limit| {
        let loader = TextureLoader::with_memory(limit);
        let ids = files.map(|name| {
            let source = TextureSource::File(folder.path().join(name));
            loader.request(source, TextureColorSpace::Auto)
        });
        (loader.load().unwrap(), ids)
    };
    let (free, free_ids) = load(usize::MAX);
    // The bound is below the size of the smallest texture and holds only a few tiles.
    let (bound, bound_ids) = load(60_000);
    for (a, b) in free_ids.into_iter().zip(bound_ids) {
        for i in 0..400 {
            let (s, t) = (i as f32 * 0.617, i as f32 * 0.213 - 20.0);
            let lookup = Lookup {
                st: Vec2::new(s, t),
                dx: Vec2::new(1e-4 * (i * i % 900) as f32, 1e-3),
                dy: Vec2::new(0.0, 0.02),
                filter: Filter {
                    wrap_s: Wrap::Periodic,
                    wrap_t: Wrap::Mirror,
                    derivatives: true,
                    ..Filter::default()
                },
            };
            assert_eq!(free.sample(a, &lookup), bound.sample(b, &lookup), "{a:?} at ({s}, {t})");
        }
    }
    assert!(bound.cache().bytes() <= 60_000, "{}", bound.cache().bytes());
    assert!(bound.cache().reads() > free.cache().reads());
}

#[test]
fn read_failures_during_the_render_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tx");
    fs::write(&path, tiled_pyramid(256)).unwrap();
    let loader = TextureLoader::with_memory(60_000);
    let id = loader.request(TextureSource::File(path.clone()), TextureColorSpace::Raw);
    let store = loader.load().unwrap();
    let sample = |s: f32| {
        let st = Vec2::new(s, 0.75);
        store.sample(id, &Lookup { st, ..Lookup::default() })
    };
    sample(0.1);
    assert_eq!(store.cache().failure(), None);
    fs::File::options().write(true).open(&path).unwrap().set_len(1000).unwrap();
    sample(0.9);
    let failure = store.cache().failure().expect("it is cut short");
    assert!(failure.contains("a.tx"), "{failure}");
}

#[test]
fn tiled_tiffs_give_their_texels() {
    let bytes = tiled_pyramid(256);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tx");
    fs::write(&path, &bytes).unwrap();
    let loader = TextureLoader::new();
    let file = loader.request(TextureSource::File(path), TextureColorSpace::Raw);
    let memory = TextureSource::Memory { name: PathBuf::from("b.tx"), bytes: bytes.into() };
    let memory = loader.request(memory, TextureColorSpace::Raw);
    let store = loader.load().unwrap();
    assert_eq!(store.cache().reads(), 0, "nothing was looked at");
    assert_eq!(store.get(file).levels(), 9);
    for i in 0..300 {
        // The wrap modes of the file apply outside of the image: periodic along s, clamped along t.
        let lookup = Lookup {
            st: Vec2::new(i as f32 * 0.117 - 3.0, i as f32 * 0.0153 - 1.0),
            dx: Vec2::new(1e-4 * (i * 13 % 700) as f32, 0.0),
            dy: Vec2::new(0.0, 1e-3),
            ..Lookup::default()
        };
        let found = store.sample(file, &lookup);
        assert_eq!(found, store.sample(memory, &lookup));
        let beyond = Lookup { st: lookup.st + Vec2::new(1.0, 0.0), ..lookup };
        let (a, b) = (found.unwrap().value, store.sample(file, &beyond).unwrap().value);
        assert_close(a, b, 2e-3, "a period further");
    }
}

/// A colour ramp of 50 × 38 pixels with mip levels in tiles of 16 × 16, as `maketx` writes it.
const TILES: &[u8] = include_bytes!("../../textures/tiles.exr");

#[test]
fn tiled_exrs_give_their_texels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.exr");
    fs::write(&path, TILES).unwrap();
    let loader = TextureLoader::new();
    let file = loader.request(TextureSource::File(path), TextureColorSpace::Auto);
    let memory = TextureSource::Memory { name: PathBuf::from("b.exr"), bytes: TILES.into() };
    let memory = loader.request(memory, TextureColorSpace::Auto);
    let store = loader.load().unwrap();
    for id in [file, memory] {
        let texture = store.get(id);
        assert_eq!((texture.width(), texture.height(), texture.channels()), (50, 38, 3));
        assert_eq!(texture.levels(), 6);
        assert_eq!(texture.info().wrap.as_deref(), Some("periodic,mirror"));
    }
    for i in 0..300 {
        let lookup = Lookup {
            st: Vec2::new(i as f32 * 0.117 - 3.0, i as f32 * 0.0153 - 1.0),
            dx: Vec2::new(1e-3 * (i * 13 % 700) as f32, 0.0),
            dy: Vec2::new(0.0, 1e-3),
            ..Lookup::default()
        };
        assert_eq!(store.sample(file, &lookup), store.sample(memory, &lookup));
    }
    assert!(store.cache().reads() > 0);
}

#[test]
fn damaged_tiles_are_black() {
    let folder = tempfile::tempdir().unwrap();
    for (extension, bytes) in [("exr", TILES.to_vec()), ("tif", tiled_pyramid(128))] {
        for at in (0..bytes.len()).step_by(bytes.len() / 200) {
            let path = folder.path().join(format!("{at}.{extension}"));
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            fs::write(&path, damaged).unwrap();
            let loader = TextureLoader::with_memory(100_000);
            let id = loader.request(TextureSource::File(path), TextureColorSpace::Auto);
            // Any result is valid, if the lookup returns.
            let Ok(store) = loader.load() else { continue };
            for i in 0..16 {
                let st = Vec2::new(i as f32 / 16.0, i as f32 * 0.37 % 1.0);
                let lookup = Lookup { st, ..Lookup::default() };
                assert!(store.sample(id, &lookup).is_some());
            }
        }
    }
}

#[test]
fn threads_share_a_bounded_cache() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tif");
    fs::write(&path, tiled_pyramid(512)).unwrap();
    let loader = TextureLoader::with_memory(40_000);
    let id = loader.request(TextureSource::File(path), TextureColorSpace::Auto);
    let store = loader.load().unwrap();
    let look = |seed: usize| -> Vec<_> {
        (0..2000)
            .map(|i| {
                let st =
                    Vec2::new((i * 7919 % 1013) as f32 / 1013.0, ((i + seed) * 104_729 % 997) as f32 / 997.0);
                store.sample(id, &Lookup { st, ..Lookup::default() })
            })
            .collect()
    };
    let expected = [0, 1, 2, 3].map(look);
    std::thread::scope(|scope| {
        for (seed, expected) in expected.iter().enumerate() {
            scope.spawn(move || assert_eq!(&look(seed), expected));
        }
    });
}
