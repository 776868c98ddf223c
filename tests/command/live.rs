//! `kiln live`: the page's picture follows its values, its view and the files.

use std::fs;
use std::path::Path;

use renderer::render::{RenderSettings, Silent, render};
use renderer::scene::build::{Built, build};
use renderer::scene::desc::SceneDesc;
use renderer::scene::load::{LoadOptions, MaterialValue, from_text};
use renderer::scene::reshade::Reshader;
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{has_denoiser, refused};
use crate::server::Server;

const PAINT: &str = "surface paint(
    float level = 0.5 [[ string help = \"how bright\", float min = 0, float max = 1 ]],
    string kind = \"a\" [[ string options = \"a|b\" ]],
    output closure color surface = 0,
    output color plain = level)
{
    surface = level * diffuse(N);
}
";

/// A page's view of a session.
struct Page {
    server: Server,
    number: u64,
}

impl Page {
    fn open(folder: &Path, args: &str) -> Page {
        let server = Server::start(folder, args);
        Page { server, number: 0 }
    }

    /// Waits for an update that satisfies `wanted`.
    fn news(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..1000 {
            let (head, body) = self.server.answer(&format!("GET /news?after={} HTTP/1.1", self.number));
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            let news: Value = serde_json::from_slice(&body).unwrap();
            self.number = news["number"].as_u64().unwrap();
            if wanted(&news) {
                return news;
            }
        }
        panic!("no such news");
    }

    /// The last update.
    fn state(&self) -> Value {
        let (_, body) = self.server.answer("GET /news?after=0 HTTP/1.1");
        serde_json::from_slice(&body).unwrap()
    }

    /// The picture once it has all samples.
    fn picture(&mut self, samples: u64) -> Vec<u8> {
        self.news(|news| news["samples"] == samples && news["wrong"] == false);
        self.shown()
    }

    fn shown(&self) -> Vec<u8> {
        let (head, body) = self.server.answer("GET /picture.png?exposure=0 HTTP/1.1");
        assert!(head.contains("image/png"), "{head}");
        body
    }

    fn change(&self, change: &str) {
        let (head, _) = self.server.post("/change", &self.server.origin(), change);
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
}

#[test]
fn a_page_changes_parameters_and_the_view() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("paint.ksl"), PAINT).unwrap();
    let mut page = Page::open(folder.path(), "live paint.ksl --size 24x24 --spp 4 --param level=0.4");
    let first = page.picture(4);
    let news = page.state();
    let choices = &news["choices"];
    assert_eq!((&choices["name"], &news["params"]["level"]), (&"paint".into(), &"0.4".into()));
    assert_eq!(choices["params"][0]["max"], 1.0);
    assert_eq!(choices["params"][1]["options"], "a|b");
    assert_eq!(choices["show"], serde_json::json!(["plain"]));

    page.change("{\"params\": {\"level\": \"0.9\"}}");
    let brighter = page.picture(4);
    assert_ne!(first, brighter);
    page.change("{\"params\": {\"level\": \"0.4\"}}");
    assert_eq!(page.picture(4), first, "the same values make the same picture");
    page.change("{\"orbit\": [0.5, 0.2, 0.8]}");
    assert_ne!(page.picture(4), first);
    page.change("{\"orbit\": [0, 0, 1], \"on\": \"cube\"}");
    assert_ne!(page.picture(4), first);
    page.change("{\"on\": null}");
    assert_eq!(page.picture(4), first);
    page.change("{\"params\": {\"level\": \"}\"}}");
    let wrong = page.news(|news| news["wrong"] == true);
    assert!(wrong["words"].as_str().unwrap().contains("no value"), "{wrong}");
    page.change("{\"params\": {\"level\": null}}");
    page.picture(4);

    let (_, answer) = page.server.answer("GET /pick?x=0.5&y=0.5 HTTP/1.1");
    let answer = String::from_utf8(answer).unwrap();
    assert!(
        answer.contains("object      subject") && answer.contains("level   0.5    default"),
        "{answer}"
    );
}

/// The last picture of a command line.
fn picture_of(folder: &Path, args: &str) -> Vec<u8> {
    Page::open(folder, args).picture(2)
}

#[test]
fn changed_values_give_the_picture_of_a_scene_loaded_with_them() {
    let folder = TempDir::new().unwrap();
    let options = "--size 20x20 --spp 2";
    // A surface, a pattern that is shown as a light, and zeros, for which the compiler makes other machine code.
    let cases = [
        (
            "car_paint",
            "",
            &[("coat", "0.3"), ("coat", "0"), ("flake_color", "red"), ("coat", "0.6")][..],
        ),
        ("fbm", "", &[("scale", "7"), ("octaves", "2"), ("scale", "0")]),
        (
            "emitter",
            " --on cube",
            &[("scale", "3"), ("scale", "0"), ("radiance", "red"), ("scale", "2")],
        ),
        ("glass", "", &[("alpha", "0.2"), ("ior", "1.2"), ("alpha", "0")]),
    ];
    for (shader, more, changes) in cases {
        let mut page = Page::open(folder.path(), &format!("live {shader} {options}{more}"));
        page.picture(2);
        let mut given = std::collections::BTreeMap::new();
        for (name, value) in changes {
            given.insert(*name, *value);
            page.change(&format!("{{\"params\": {{\"{name}\": \"{value}\"}}}}"));
            let changed = page.picture(2);
            let params: String =
                given.iter().map(|(name, value)| format!(" --param {name}={value}")).collect();
            let fresh = picture_of(folder.path(), &format!("live {shader} {options}{more}{params}"));
            assert!(changed == fresh, "{shader} {given:?}");
        }
    }
}

const ROOM: &str = "film { size = (20, 20); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); fov = 40; }
light sky : environment { color = 0.3; }
material lamp = emitter(radiance = (1, 0.9, 0.8), scale = 2);
material floor = matte(albedo = fbm(scale = 3) * 0.5);
shape ground : plane { size = 20; material = floor; }
shape bulb : sphere { radius = 0.4; transform = translate(0.5, 1, 0); material = lamp; }
shape ball : sphere { radius = 0.5; transform = translate(-0.5, 0.5, 0); material = plastic(albedo = 0.4); }
";

#[test]
fn material_parameters_of_scenes_can_be_changed() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("room.kiln"), ROOM).unwrap();
    let options = "live room.kiln --spp 2";
    let mut page = Page::open(folder.path(), options);
    let first = page.picture(2);
    let news = page.state();
    assert_eq!(news["materials"], serde_json::json!(["floor", "lamp"]));
    let (_, answer) = page.server.answer("GET /material?name=lamp HTTP/1.1");
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let params = answer["params"].as_array().unwrap();
    let of = |name: &str| params.iter().find(|param| param["name"] == name).unwrap();
    assert_eq!(
        (of("scale")["default"].as_str(), &answer["unit"]),
        (Some("2"), &"emitter".into())
    );
    let mut given = String::new();
    for (path, value) in [
        ("material.lamp.scale", "5"),
        ("material.floor.albedo", "(0.1, 0.6, 0.2)"),
        ("material.lamp.radiance", "(1, 0, 0)"),
    ] {
        page.change(&format!("{{\"sets\": {{\"{path}\": \"{value}\"}}}}"));
        let changed = page.picture(2);
        given += &format!(" --set {path}={}", value.replace(' ', ""));
        assert!(changed == picture_of(folder.path(), &format!("{options}{given}")), "{given}");
    }
    page.change("{\"sets\": {\"material.lamp.scale\": null, \"material.lamp.radiance\": null, \"material.floor.albedo\": null}}");
    assert!(page.picture(2) == first);
    page.change("{\"sets\": {\"material.wall.albedo\": \"1\"}}");
    let wrong = page.news(|news| news["wrong"] == true);
    assert!(
        wrong["words"].as_str().unwrap().contains("about nothing in the scene"),
        "{wrong}"
    );
}

const MATERIALS: &str = "film { size = (12, 12); }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); fov = 40; }
light sky : environment { shader = dawn(level = 0.2); }
surface dawn(float level = 1) { Ci = level * mix(color(1, 0.5, 0.2), color(0.2, 0.4, 1), 0.5 + 0.5 * I[1]) * background(); }
surface glow(float level = 1) { Ci = level * noise(8 * P) * emission(); }
surface sheet(float opacity = 0.5) { Ci = opacity * diffuse(N) + (1 - opacity) * transparent(); }
group worn(float wear = 0.5, output closure color surface)
{
    fbm    pattern(scale = 5, position = P);
    bump   relief(height = pattern.value * wear);
    plastic body(albedo = (0.2, 0.3, 0.6), n = relief.n);
    surface = body.surface;
}
material floor = matte(albedo = 0.5);
material worn = worn();
material pane = glass();
material lamp = glow();
material veil = sheet();
shape ground : plane { size = 20; material = floor; }
shape a : sphere { radius = 0.5; transform = translate(-1, 0.5, 0); material = worn; }
shape b : sphere { radius = 0.5; transform = translate(0, 0.5, 0.5); material = pane; }
shape c : sphere { radius = 0.3; transform = translate(1, 0.5, 0); material = lamp; }
shape d : rectangle { size = (0.6, 0.6); transform = translate(0.5, 1.2, 0.5); material = veil; }
";

/// The radiance of a small picture.
fn radiance(desc: &SceneDesc, built: &Built) -> Vec<u32> {
    let settings = RenderSettings { samples: 0..2, total: 2, ..RenderSettings::new(desc, built) };
    let done = render(&built.scene, &settings, &Silent, &false.into()).unwrap();
    done.state.film.develop().data.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn reshaded_scenes_equal_rebuilt_scenes() {
    let options = LoadOptions::default();
    let (mut desc, _) = from_text("scene.kiln", MATERIALS, Path::new(""), &options).unwrap();
    let (mut built, reshader) = Reshader::build(&desc, None, 0).unwrap();
    let mut reshader = reshader.unwrap();
    let mut set: Vec<(&str, &str)> = vec![];
    for (path, value) in [
        ("material.floor.albedo", "(0.1, 0.7, 0.2)"),
        ("material.worn.wear", "0.9"),
        ("material.worn.wear", "0"),
        ("material.lamp.level", "4"),
        ("material.lamp.level", "0"),
        ("material.lamp.level", "0.3"),
        ("material.pane.alpha", "0.2"),
        ("material.pane.attenuation_color", "(0.4, 0.9, 0.6)"),
        ("material.veil.opacity", "0.9"),
    ] {
        set.retain(|(known, _)| *known != path);
        set.push((path, value));
        let id = MaterialValue::parse(path, value).unwrap().set(&mut desc).unwrap();
        let changed = reshader.with_surfaces(&built, &desc, &[id]);
        let changed = changed.unwrap_or_else(|| panic!("{path} {value} is built from scratch"));
        assert!(std::sync::Arc::ptr_eq(changed.scene.host(), built.scene.host()));
        let options = LoadOptions {
            set: set.iter().map(|(path, value)| format!("{path}={value}").into()).collect(),
            ..LoadOptions::default()
        };
        let (fresh, _) = from_text("scene.kiln", MATERIALS, Path::new(""), &options).unwrap();
        let scratch = build(&fresh, None, 0).unwrap();
        assert_eq!(changed.names, scratch.names, "{path} {value}");
        assert_eq!(changed.scene.fingerprint(), scratch.scene.fingerprint(), "{path} {value}");
        assert!(radiance(&desc, &changed) == radiance(&fresh, &scratch), "{path} {value}");
        built = changed;
    }
    // A material that becomes opaque changes how rays pass it; this requires a new scene.
    let id = MaterialValue::parse("material.veil.opacity", "1")
        .unwrap()
        .set(&mut desc)
        .unwrap();
    assert!(reshader.with_surfaces(&built, &desc, &[id]).is_none());
    assert!(MaterialValue::parse("material.floor.albedo", "image(\"a.png\")").is_none());
    assert!(MaterialValue::parse("material.floor.one_sided", "true").is_none());
    assert!(
        MaterialValue::parse("material.wall.albedo", "1")
            .unwrap()
            .set(&mut desc)
            .is_none()
    );
}

#[test]
fn unsaved_texts_are_rendered() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("paint.ksl");
    fs::write(&file, PAINT).unwrap();
    fs::write(
        folder.path().join("scene.kiln"),
        format!("import \"paint.ksl\";\n{}", ROOM.replace("plastic(albedo = 0.4)", "paint()")),
    )
    .unwrap();
    for name in ["paint.ksl", "scene.kiln"] {
        let mut page = Page::open(folder.path(), &format!("live {name} --size 16x16 --spp 2"));
        let first = page.picture(2);
        let typed = |page: &Page, text: Option<String>| {
            let sent = serde_json::json!({"file": file, "text": text}).to_string();
            let (head, _) = page.server.post("/text", &page.server.origin(), &sent);
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        };
        typed(&page, Some(PAINT.replace("level * diffuse", "0.1 * diffuse")));
        assert_ne!(page.picture(2), first, "{name}");
        let (head, _) = page.server.post("/text", "http://evil.example", "{}");
        assert!(head.starts_with("HTTP/1.1 403"), "{head}");
        typed(&page, None);
        assert_eq!(page.picture(2), first, "{name}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), PAINT);
}

#[test]
fn updates_come_with_their_picture() {
    let folder = TempDir::new().unwrap();
    let mut page = Page::open(folder.path(), "live plastic --size 16x12 --spp 2");
    let png = page.picture(2);
    let (_, sent) = page.server.answer("GET /next?after=0 HTTP/1.1");
    let (length, rest) = sent.split_first_chunk::<4>().unwrap();
    let (news, pixels) = rest.split_at(u32::from_le_bytes(*length) as usize);
    let news: Value = serde_json::from_slice(news).unwrap();
    assert_eq!((&news["size"], pixels.len()), (&serde_json::json!([16, 12]), 16 * 12 * 4));
    let shown = image::load_from_memory(&png).unwrap().to_rgba8();
    assert!(shown.as_raw() == pixels);
}

#[test]
fn finished_pictures_are_denoised_if_the_library_is_installed() {
    let folder = TempDir::new().unwrap();
    let is_installed = has_denoiser();
    let mut page = Page::open(folder.path(), "live plastic --size 16x16 --spp 4");
    let noisy = page.picture(4);
    let news = page.state();
    assert_eq!(news["denoise"].is_null(), !is_installed);
    if is_installed {
        page.change("{\"denoise\": true}");
        page.news(|news| news["denoised"] == true && news["samples"] == 4);
        let clean = page.shown();
        assert_ne!(clean, noisy);
        page.change("{\"denoise\": false}");
        assert_eq!(page.picture(4), noisy);
    }
}

#[test]
fn saved_files_are_shown_and_other_pages_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("paint.ksl");
    fs::write(&file, PAINT).unwrap();
    let mut page = Page::open(folder.path(), "live paint.ksl --size 16x16 --spp 2");
    let first = page.picture(2);
    fs::write(&file, PAINT.replace("level * diffuse", "level * diffused")).unwrap();
    let wrong = page.news(|news| news["wrong"] == true);
    assert!(wrong["words"].as_str().unwrap().contains("did you mean `diffuse`?"), "{wrong}");
    fs::write(&file, PAINT.replace("level * diffuse", "0.1 * diffuse")).unwrap();
    assert_ne!(page.picture(2), first);

    for origin in ["http://evil.example", "null"] {
        let (head, _) = page.server.post("/change", origin, "{}");
        assert!(head.starts_with("HTTP/1.1 403"), "{origin}: {head}");
    }
    let (head, _) = page.server.post("/change", &page.server.origin(), "no JSON");
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    refused(folder.path(), "live paint.ksl --variations level=0..1:3", &["--variations"]);
    refused(folder.path(), "live nowhere.kiln", &["no such file"]);
    refused(folder.path(), "live plastik", &["plastic"]);
}

#[test]
fn requests_without_token_and_from_other_sites_are_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("paint.ksl"), PAINT).unwrap();
    let server = Server::start(folder.path(), "live paint.ksl --size 8x8 --spp 1");
    let origin = server.origin();
    let host = format!("Host: {}", origin.strip_prefix("http://").unwrap());
    let status = |first: &str, lines: &[&str]| {
        let (head, body) = server.sent(&format!("{first}\r\n{}\r\n\r\n", lines.join("\r\n")));
        for header in [
            "Cross-Origin-Resource-Policy: same-origin",
            "Content-Security-Policy: default-src 'none';",
            "frame-ancestors vscode-webview: vscode-file:",
            "X-Frame-Options: DENY",
            "Referrer-Policy: no-referrer",
            "Cache-Control: no-store",
        ] {
            assert!(head.contains(header), "{first}: {header} is not in\n{head}");
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        (head[9..12].to_owned(), text)
    };
    // Another user of the machine knows only the port.
    for target in ["/", "/next?after=0", "/news?after=0", "/picture.png", "/page.js", "/material?name=a"] {
        for token in ["", "/0123456789abcdef0123456789abcdef", "/?token="] {
            let (status, text) = status(&format!("GET {token}{target} HTTP/1.1"), &[&host]);
            assert_eq!(status, "403", "{token}{target}");
            assert!(text.contains("token") && !text.contains("paint"), "{text}");
        }
    }
    let post = ["Content-Length: 2", "", "{}"];
    for target in ["/change", "/text"] {
        let lines = [&[&*host], &post[..]].concat();
        assert_eq!(status(&format!("POST {target} HTTP/1.1"), &lines).0, "403");
    }
    // A page of another site, even with the token.
    let page = server.with_token("GET / HTTP/1.1");
    let change = server.with_token("POST /change HTTP/1.1");
    let close = "Connection: close";
    for lines in [
        &["Host: rebound.example"][..],
        &[&host, "Origin: http://evil.example"],
        &[&host, "Origin: http://localhost:1"],
        &[&host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"],
        &[&host, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: websocket", "Upgrade: websocket"],
    ] {
        assert_eq!(status(&page, lines).0, "403", "{lines:?}");
        assert_eq!(status(&change, &[lines, &post[..]].concat()).0, "403", "{lines:?}");
    }
    // The page itself, a link to it, and a panel of an editor; also at port 80 and behind a forwarded port.
    for lines in [
        &[&*host, close][..],
        &["Host: 127.0.0.1", close],
        &["Host: localhost:8080", close],
        &[
            &host,
            close,
            "Sec-Fetch-Site: none",
            "Sec-Fetch-Mode: navigate",
            "Sec-Fetch-Dest: document",
        ],
        &[
            &host,
            close,
            "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Mode: navigate",
            "Sec-Fetch-Dest: iframe",
        ],
    ] {
        assert_eq!(status(&page, lines).0, "200", "{lines:?}");
    }
    let own = format!("Origin: {origin}");
    let lines = [&[&*host, &own, close], &post[..]].concat();
    assert_eq!(status(&change, &lines), ("200".to_owned(), "{}".to_owned()));
}

/// Processor time of a process [ticks of 10 ms].
#[cfg(target_os = "linux")]
fn processor_time(id: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Returns whether a process uses almost no processor time for a second.
#[cfg(target_os = "linux")]
fn is_idle(id: u32) -> bool {
    let before = processor_time(id);
    std::thread::sleep(std::time::Duration::from_secs(1));
    processor_time(id) - before < 10
}

#[cfg(target_os = "linux")]
#[test]
fn closed_pages_cause_no_rendering() {
    let folder = TempDir::new().unwrap();
    let args = "live plastic --size 64x64 --spp 4000000000 --threads 1";
    let mut page = Page::open(folder.path(), args);
    let shown = page.news(|news| news["samples"].as_u64() >= Some(2));
    // The page's waiting request and its connection are closed.
    let mut waiting = page.server.connect();
    let line = page.server.with_token("GET /next?after=1000000 HTTP/1.1");
    let head = format!("{line}\r\nHost: localhost\r\n\r\n");
    std::io::Write::write_all(&mut waiting, head.as_bytes()).unwrap();
    drop(waiting);
    crate::program::wait_for("the pause", || is_idle(page.server.id()));
    // The picture is refined further.
    let number = page.number;
    let later = page.news(|news| news["number"].as_u64() > Some(number));
    assert!(later["samples"].as_u64() > shown["samples"].as_u64());
}

#[cfg(target_os = "linux")]
#[test]
fn idle_connections_neither_spin_nor_block_the_page() {
    let folder = TempDir::new().unwrap();
    for limit in [40, 1024] {
        let mut command = std::process::Command::new("sh");
        let program = format!(
            "ulimit -n {limit}; exec {} live plastic --size 8x8 --spp 1 --threads 1",
            crate::program::PROGRAM
        );
        command.args(["-c", &program]).current_dir(folder.path());
        let mut page = Page { server: Server::spawn(command), number: 0 };
        page.picture(1);
        let idle: Vec<_> = (0..90).map(|_| page.server.connect()).collect();
        page.picture(1);
        crate::program::wait_for("rest", || is_idle(page.server.id()));
        drop(idle);
    }
}

#[test]
fn custom_cameras_are_shown_turned_and_inspected() {
    const OWN: &str = "camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); fov = 40; }";
    const CUSTOM: &str = "shader lens(float fov = 40, output vector direction = 0) {
        direction = vector((u - 0.5) * 2 * tan(radians(fov / 2)), (v - 0.5) * 2 * tan(radians(fov / 2)), 1); }
        camera main : custom { shader = lens(); from = (0, 1, 4); to = (0, 0.5, 0); }";
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("own.kiln"), ROOM).unwrap();
    fs::write(folder.path().join("custom.kiln"), ROOM.replace(OWN, CUSTOM)).unwrap();
    let mut pages =
        ["own", "custom"].map(|name| Page::open(folder.path(), &format!("live {name}.kiln --spp 2")));
    let first = pages[1].picture(2);
    pages[0].picture(2);
    let inspected = |page: &Page| {
        let (_, body) = page.server.answer("GET /pick?x=0.35&y=0.6 HTTP/1.1");
        let text = String::from_utf8(body).unwrap();
        text.lines().find(|line| line.starts_with("object")).map(str::to_owned)
    };
    assert!(inspected(&pages[0]).is_some_and(|object| object.contains("ball")));
    assert_eq!(inspected(&pages[1]), inspected(&pages[0]));
    for page in &mut pages {
        page.change("{\"orbit\": [0.5, 0.2, 0.8]}");
    }
    let turned = pages[1].picture(2);
    assert!(turned != first);
    pages[1].change("{\"sets\": {\"material.lamp.scale\": \"5\"}}");
    assert!(pages[1].picture(2) != turned);
}
