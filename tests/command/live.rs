//! `kiln live`: the page's picture follows its values, its view and the files.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::refused;
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

    /// Waits for news that are `wanted`.
    fn news(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..1000 {
            let (head, body) = self
                .server
                .answer(&format!("GET /news?after={} HTTP/1.1", self.number));
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            let news: Value = serde_json::from_slice(&body).unwrap();
            self.number = news["number"].as_u64().unwrap();
            if wanted(&news) {
                return news;
            }
        }
        panic!("no such news");
    }

    /// The picture once it has all samples.
    fn picture(&mut self, samples: u64) -> Vec<u8> {
        self.news(|news| news["samples"] == samples && news["wrong"] == false);
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
    let mut page = Page::open(
        folder.path(),
        "live paint.ksl --size 24x24 --spp 4 --param level=0.4",
    );
    let first = page.picture(4);
    let news = page.news(|_| true);
    let choices = &news["choices"];
    assert_eq!(
        (&choices["name"], &news["params"]["level"]),
        (&"paint".into(), &"0.4".into())
    );
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

    let (_, told) = page.server.answer("GET /pick?x=0.5&y=0.5 HTTP/1.1");
    let told = String::from_utf8(told).unwrap();
    assert!(
        told.contains("object      subject") && told.contains("level   0.5    default"),
        "{told}"
    );
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
    assert!(
        wrong["words"]
            .as_str()
            .unwrap()
            .contains("did you mean `diffuse`?"),
        "{wrong}"
    );
    fs::write(&file, PAINT.replace("level * diffuse", "0.1 * diffuse")).unwrap();
    assert_ne!(page.picture(2), first);

    for origin in ["http://evil.example", "null"] {
        let (head, _) = page.server.post("/change", origin, "{}");
        assert!(head.starts_with("HTTP/1.1 403"), "{origin}: {head}");
    }
    let (head, _) = page.server.post("/change", &page.server.origin(), "no JSON");
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    refused(
        folder.path(),
        "live paint.ksl --variations level=0..1:3",
        &["--variations"],
    );
    refused(folder.path(), "live nowhere.kiln", &["no such file"]);
    refused(folder.path(), "live plastik", &["plastic"]);
}
