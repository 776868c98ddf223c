//! Denoising: errors against references, bytes, sums of layers, and what is kept; without the library the message.
//!
//! Tests that need the library install it once into the cache of the tests. If the installation fails, they check
//! nothing.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::program::{done, has_denoiser, kiln, message, plane, run, scene_folder};
use renderer::compare::compare;
use renderer::image::{Image, NamedChannels, SampleType, read, read_channels, read_info};
use tempfile::TempDir;

/// A light over a floor with a ball of another material, in two light groups.
const SCENE: &str = "film { size = (96, 72); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
sampler { spp = 4; }
material grey = matte(albedo = (0.7, 0.5, 0.4));
material gold = metal(alpha = 0.3);
material lamp = emitter(radiance = 12);
light sky : environment { color = (0.1, 0.15, 0.2); group = sky; }
shape floor : plane { size = 6; material = grey; }
shape ball : sphere { center = (-0.6, 0.5, 0); radius = 0.5; material = gold; }
shape block : sphere { center = (0.6, 0.4, 0.3); radius = 0.4; material = grey; }
shape bulb : rectangle { size = (0.6, 0.6); material = lamp; transform = translate(0, 2, 0.5) * rotate((1, 0, 0), 90); }
";

/// Layers that the denoiser reads or preserves.
const LAYERS: &str = "--aov albedo --aov N --aov components --aov crypto --aov depth --light-groups each";

/// A folder with the scene; `None` if there is no library.
fn folder() -> Option<TempDir> {
    has_denoiser().then(|| scene_folder(SCENE))
}

/// Relative mean squared error of a picture.
fn error(picture: &Image, reference: &Image) -> f64 {
    compare(picture, reference).unwrap().rel_mse
}

fn picture(at: &Path, name: &str) -> Image {
    read(&at.join(name)).unwrap()
}

#[test]
fn without_the_library_the_error_names_the_install_command() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.kiln"), SCENE).unwrap();
    done(folder.path(), "render a.kiln --spp 1 -o a.exr");
    for args in ["denoise a.exr -o b.exr", "render a.kiln --denoise -o b.exr"] {
        let output = kiln(folder.path(), args)
            .env_remove("OIDN_DIR")
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .env("HOME", folder.path())
            .output()
            .unwrap();
        if output.status.success() {
            eprintln!("skipped: the system has Open Image Denoise");
            return;
        }
        let text = message(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("`kiln denoise --fetch`") && text.lines().count() == 1, "{text}");
    }
    // An explicitly named library is not replaced by another one.
    let output = kiln(folder.path(), "denoise a.exr -o b.exr")
        .env("OIDN_DIR", folder.path())
        .output()
        .unwrap();
    assert!(message(&output).contains("OIDN_DIR is"), "{}", message(&output));
    assert!(!folder.path().join("b.exr").exists());
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_damaged_library_in_the_cache_is_refused() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.kiln"), SCENE).unwrap();
    done(at, "render a.kiln --spp 1 -o a.exr");
    let tried = || {
        let mut command = kiln(at, "denoise a.exr -o b.exr");
        command.env_remove("OIDN_DIR").env("XDG_CACHE_HOME", at);
        message(&command.output().unwrap())
    };
    let libraries = at.join("kiln/oidn-2.5.1-manylinux2014_x86_64/lib");
    fs::create_dir_all(&libraries).unwrap();
    let library = libraries.join("libOpenImageDenoise.so.2");
    fs::write(&library, "no library").unwrap();
    assert!(tried().contains("its SHA-256 is not the known one"), "{}", tried());
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(&libraries, open).unwrap();
    assert!(tried().contains("can be written by other users"), "{}", tried());
}

/// pip runs without the files of the working folder and of `PYTHONPATH`, and with its own settings.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn fetching_runs_no_code_of_the_working_folder() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let index = at.join("index/pyoidn");
    for trap in ["here/pip", "path/pip", "home/.config/pip"] {
        fs::create_dir_all(at.join(trap)).unwrap();
    }
    fs::create_dir_all(&index).unwrap();
    for trap in ["here/pip/__init__.py", "path/pip/__init__.py", "path/sitecustomize.py", "here/urllib3.py"] {
        let code = format!("open({:?}, 'w').close()", at.join("stolen"));
        fs::write(at.join(trap), code).unwrap();
    }
    let wheel = "pyoidn-2.5.1.0-py3-none-manylinux2014_x86_64.whl";
    write_wheel(&index.join(wheel));
    fs::write(index.join("index.html"), format!("<a href=\"{wheel}\">{wheel}</a>")).unwrap();
    let address = format!("file://{}", at.join("index").display());
    let settings = format!("[global]\nindex-url = {address}\n");
    fs::write(at.join("home/.config/pip/pip.conf"), &settings).unwrap();
    fs::write(at.join("here/own.conf"), &settings).unwrap();
    let fetched = |variables: &[(&str, &str)]| {
        let mut command = kiln(&at.join("here"), "denoise --fetch");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PIP_") {
                command.env_remove(name);
            }
        }
        command
            .env("XDG_CACHE_HOME", at.join("cache"))
            .env("PYTHONPATH", at.join("path"))
            .envs(variables.iter().copied());
        let output = command.output().unwrap();
        assert!(!at.join("stolen").exists(), "code of the folder was run");
        message(&output)
    };
    let home = at.join("home").display().to_string();
    for variables in [&[("HOME", &*home), ("XDG_CONFIG_HOME", "")][..], &[("PIP_CONFIG_FILE", "own.conf")]] {
        let said = fetched(variables);
        if said.contains("there is no pip") {
            eprintln!("skipped: there is no pip");
            return;
        }
        let found = said.contains("the fetched pyoidn==2.5.1.0 is not the known one");
        assert!(found, "{variables:?}: {said}");
    }
}

/// Writes a wheel without content.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn write_wheel(path: &Path) {
    let mut writer = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux2014_x86_64\n";
    for (name, text) in [
        ("METADATA", "Metadata-Version: 2.1\nName: pyoidn\nVersion: 2.5.1.0\n"),
        ("WHEEL", tag),
        ("RECORD", ""),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        let name = format!("pyoidn-2.5.1.0.dist-info/{name}");
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn errors_are_smaller_and_bytes_are_the_same() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    done(at, "render a.kiln --spp 512 -o reference.exr");
    done(at, "render a.kiln --spp 8 --aov albedo --aov N -o a.exr");
    let reference = picture(at, "reference.exr");
    let noisy = error(&picture(at, "a.exr"), &reference);
    for quality in ["fast", "high"] {
        for (threads, out) in [(1, "one.exr"), (2, "two.exr"), (2, "again.exr")] {
            done(
                at,
                &format!("denoise a.exr -o {out} --quality {quality} --threads {threads} --quiet"),
            );
        }
        let bytes = |name: &str| fs::read(at.join(name)).unwrap();
        assert!(bytes("one.exr") == bytes("two.exr"), "{quality}: threads");
        assert!(bytes("two.exr") == bytes("again.exr"), "{quality}: repeated");
        let denoised = error(&picture(at, "one.exr"), &reference);
        assert!(denoised < 0.25 * noisy, "{quality}: {denoised} of {noisy}");
    }
}

/// A tiny light 2000 times as bright as its surroundings must not spread over neighbouring pixels.
#[test]
fn small_bright_lights_have_no_halo() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    let lamp = "material hot = emitter(radiance = 2000);
        shape star : sphere { center = (0.3, 1.2, 0); radius = 0.02; material = hot; }\n";
    fs::write(at.join("b.kiln"), format!("{SCENE}{lamp}")).unwrap();
    done(at, "render b.kiln --spp 32 --aov emission --denoise -o a.exr");
    let file = read_channels(&at.join("a.exr")).unwrap();
    let (emission, noisy, clean) = (plane(&file, "emission.R"), plane(&file, "noisy.R"), plane(&file, "R"));
    let lamp: Vec<usize> = (0..emission.len()).filter(|&pixel| emission[pixel] > 100.0).collect();
    assert!((1..20).contains(&lamp.len()), "{} pixels show the light", lamp.len());
    for &pixel in &lamp {
        assert!(
            (clean[pixel] / noisy[pixel] - 1.0).abs() < 0.05,
            "the brightness of the light is unchanged"
        );
        let dark = [pixel - 3, pixel + 3, pixel - 3 * 96, pixel + 3 * 96];
        for pixel in dark.into_iter().filter(|&pixel| emission[pixel] == 0.0) {
            assert!(clean[pixel] < 5.0, "{} next to the light", clean[pixel]);
        }
    }
}

#[test]
fn denoised_layers_add_up_and_data_layers_are_unchanged() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    done(at, &format!("render a.kiln {LAYERS} -o a.exr"));
    done(at, "denoise a.exr -o b.exr -o b.png --tone-map agx");
    let (before, after) = (at.join("a.exr"), at.join("b.exr"));
    let (a, b) = (read_channels(&before).unwrap(), read_channels(&after).unwrap());
    let lights = |file: &NamedChannels, channel: &str| -> Vec<String> {
        let names = file.planes.iter().map(|(name, _)| name.clone());
        names
            .filter(|name| name.starts_with("light_") && name.ends_with(channel))
            .collect()
    };
    let components = |channel: &str| -> Vec<String> {
        let names = renderer::passes::COMPONENTS.iter();
        names.map(|(name, _)| format!("{name}{channel}")).collect()
    };
    for channel in [".R", ".G", ".B"] {
        let beauty = plane(&b, &channel[1..]);
        assert_eq!(
            plane(&b, &format!("noisy{channel}")),
            plane(&a, &channel[1..]),
            "the noisy picture is kept"
        );
        for family in [components(channel), lights(&b, channel)] {
            assert!(family.len() >= 2, "{family:?}");
            for (pixel, &value) in beauty.iter().enumerate() {
                let sum: f64 = family.iter().map(|name| f64::from(plane(&b, name)[pixel])).sum();
                let difference = (sum - f64::from(value)).abs();
                assert!(
                    difference <= 1e-6 * f64::from(value).abs() + 1e-12,
                    "{family:?} at {pixel}: {sum} and {value}"
                );
            }
        }
        let diffuse = format!("direct_diffuse{channel}");
        assert_ne!(plane(&b, &diffuse), plane(&a, &diffuse), "components are denoised");
    }
    let kept = |name: &str| {
        ["crypto_", "albedo.", "N.", "depth."]
            .iter()
            .any(|start| name.starts_with(start))
    };
    let kept: Vec<_> = a.planes.iter().filter(|(name, _)| kept(name)).collect();
    assert!(kept.len() > 12);
    for (name, values) in kept {
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert!(bits(plane(&b, name)) == bits(values), "{name} is kept");
    }
    let samples = |path: &Path, name: &str| -> SampleType {
        let info = read_info(path).unwrap();
        let found = info.channels.into_iter().find(|(known, _)| known == name);
        found.unwrap().1
    };
    assert_eq!(samples(&after, "N.X"), SampleType::F16);
    assert_eq!(samples(&after, "R"), SampleType::F32);
    assert!(a.metadata.iter().all(|pair| b.metadata.contains(pair)));
    assert_eq!(picture(at, "b.png").width, 96);
    // A denoised picture is not denoised a second time.
    let again = run(at, "denoise b.exr -o c.exr");
    assert_eq!(again.status.code(), Some(1));
    assert!(message(&again).contains("denoised already"));
}

/// The alpha of a shadow catcher is less noisy, and exact where it has no noise.
#[test]
fn alpha_is_denoised() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    let caught = SCENE.replace("shape floor : plane {", "shape floor : plane { catcher = shadow;");
    fs::write(at.join("c.kiln"), caught).unwrap();
    done(at, "render c.kiln --transparent --spp 256 -o reference.exr");
    done(at, "render c.kiln --transparent --denoise -o c.exr");
    let alpha = |name: &str, channel: &str| {
        let file = read_channels(&at.join(name)).unwrap();
        plane(&file, channel).to_vec()
    };
    let (reference, noisy, clean) =
        (alpha("reference.exr", "A"), alpha("c.exr", "noisy.A"), alpha("c.exr", "A"));
    let error = |alpha: &[f32]| -> f32 { alpha.iter().zip(&reference).map(|(a, b)| (a - b).powi(2)).sum() };
    assert!(
        error(&clean) < 0.5 * error(&noisy),
        "{} before, {} after",
        error(&noisy),
        error(&clean)
    );
    let empty = (0..noisy.len()).filter(|&pixel| noisy[pixel] == 0.0 && reference[pixel] == 0.0);
    let exact = empty.clone().filter(|&pixel| clean[pixel] == 0.0).count();
    assert!(exact > 1000 && exact as f32 > 0.9 * empty.count() as f32, "{exact}");
    assert!(clean.iter().all(|alpha| (0.0..=1.0).contains(alpha)));
}

#[test]
fn render_and_merge_denoise_like_the_denoise_command() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    done(at, "render a.kiln --aov albedo --aov N --aov components -o a.exr");
    done(at, "denoise a.exr -o b.exr");
    done(
        at,
        "render a.kiln --denoise --aov albedo --aov N --aov components -o c.exr -o c.part",
    );
    let same = |x: &str, y: &str| {
        let (x, y) = (read_channels(&at.join(x)).unwrap(), read_channels(&at.join(y)).unwrap());
        assert!(x.planes == y.planes, "the same channels");
    };
    same("b.exr", "c.exr");
    // Parts contain the sums before denoising.
    done(at, "merge c.part -o d.exr");
    same("a.exr", "d.exr");
    done(at, "merge c.part --denoise -o e.exr");
    same("b.exr", "e.exr");
    // Feature layers that the command line does not request are not written.
    done(at, "render a.kiln --denoise fast -o f.exr -o f.png");
    let names: Vec<String> = read_channels(&at.join("f.exr"))
        .unwrap()
        .planes
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["B", "G", "R", "noisy.B", "noisy.G", "noisy.R"]);
    // The argument after `--denoise` may be the scene.
    done(at, "render --denoise a.kiln -o g.exr");
    assert!(read(&at.join("g.exr")).is_ok());
}

#[test]
fn drafts_are_denoised() {
    let Some(folder) = folder() else { return };
    let at = folder.path();
    done(at, "render a.kiln --quality draft -o a.exr");
    let names = read_channels(&at.join("a.exr")).unwrap().planes;
    assert!(names.iter().any(|(name, _)| name == "noisy.R"));
}
