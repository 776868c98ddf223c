//! `kiln gallery`: the page and its pictures, incremental rendering, errors, and the page of the shipped library.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use renderer::image::read;
use tempfile::TempDir;

use crate::program::{done, message, refused, run};

/// Names and descriptions with characters that are special in HTML.
const UNITS: &str = "
// Stripes & <b>more</b>.
shader lines
[[ string help = \"stripes </script><script>alert('1')</script> & \\\"more\\\"\", string category = \"pattern\",
   string aliases = \"zebra\" ]]
(
    float count = 4 [[ string help = \"how many\", float min = 1, float max = 9 ]],
    string kind = \"plain\" [[ string options = \"plain|odd<\" ]],
    color tint = color(1, 0.2, 0) [[ string page = \"Looks\" ]],
    output color result = 0)
{
    result = tint * mod(floor(count * u), 2.0);
}
surface paint
[[ string category = \"paint\", string example = \"lines pattern(count = 2); paint body(albedo = pattern.result);\" ]]
(color albedo = 0.5, output closure color surface = 0)
{
    surface = albedo * diffuse(N);
}
background dusk(color low = 1) { Ci = low * background(); }
displacement waves(float height = 1) { P += height * N; }
";

const ARGS: &str = "--size 24x24 --spp 2";

fn page(at: &Path) -> String {
    fs::read_to_string(at.join("out/index.html")).unwrap()
}

fn pictures(at: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(at.join("out/pictures")).unwrap();
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect()
}

/// Text between two markers.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split(end).next().unwrap()
}

fn unescaped(html: &str) -> String {
    let mut text = String::new();
    for (index, part) in html.split('<').enumerate() {
        text += if index == 0 {
            part
        } else {
            part.split_once('>').map_or("", |(_, rest)| rest)
        };
    }
    text.replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The calls of one kind, of all units.
fn calls(page: &str, kind: &str) -> Vec<String> {
    let start = format!("<pre data-use={kind} tabindex=0>");
    let parts = page.split(start.as_str()).skip(1);
    parts.map(|part| unescaped(part.split("</pre>").next().unwrap())).collect()
}

#[test]
fn units_have_cards_and_detail_pages() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::create_dir_all(at.join("lib/more")).unwrap();
    fs::write(at.join("lib/a.ksl"), UNITS).unwrap();
    fs::write(at.join("lib/more/lines.osl"), "shader lines(output float y = 0) { y = v; }").unwrap();
    fs::write(at.join("lib/notes.txt"), "no shader").unwrap();
    done(at, &format!("gallery lib -o out {ARGS}"));
    let page = page(at);
    assert_eq!(page.matches("<li data-category=").count(), 5);
    for id in ["lines", "paint", "dusk", "waves", "lines-2"] {
        assert!(page.contains(&format!("<a href=\"#{id}\">")), "{id}");
        assert!(page.contains(&format!("<article id=\"{id}\"")), "{id}");
    }
    // Names and descriptions of units are escaped, and the page loads no external resources.
    assert!(!page.contains("alert('1')") && !page.contains("<b>more"));
    assert!(
        page.contains(
            "&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;more&quot;"
        )
    );
    assert!(!page.contains("http:") && !page.contains("https:"));
    assert_eq!(page.matches("<script>").count(), 2);
    // Text of the search index.
    let searched = between(&page, "<li data-category=\"pattern\" data-search=\"", "\"");
    for word in ["lines", "stripes", "pattern", "zebra", "count", "tint", "odd&lt;", "result"] {
        assert!(searched.contains(word), "{word}: {searched}");
    }
    // Parameters of the unit.
    let view = between(&page, "<article id=\"lines-2\"", "</article>");
    assert!(view.contains("<code>y</code>"));
    let view = between(&page, "<article id=\"lines\"", "</article>");
    for part in [
        "1 … 9",
        "background:#ff7c00",
        "odd&lt;",
        "Looks",
        "how many",
        "<i class=c>// Stripes &amp;",
    ] {
        assert!(view.contains(part), "{part}");
    }
    assert!(between(&page, "<article id=\"waves\"", "</article>").contains("a displacement"));
    // Pictures equal those of `kiln render`.
    let made = pictures(at);
    assert_eq!(
        made.keys().collect::<Vec<_>>(),
        ["dusk.jpg", "lines-2.jpg", "lines.jpg", "paint.jpg"]
    );
    done(at, &format!("render lib/a.ksl:paint --example -o p.jpg {ARGS} --quiet"));
    assert!(made["paint.jpg"] == fs::read(at.join("p.jpg")).unwrap());
    // The code snippets to copy compile.
    let scene = calls(&page, "scene").join("\n");
    assert!(scene.contains("material paint_1 = paint_look();"), "{scene}");
    assert!(scene.contains("light dusk_1 : environment { shader = dusk("), "{scene}");
    assert!(scene.contains("displacement = waves("), "{scene}");
    for command in calls(&page, "command") {
        let line = command.strip_prefix("kiln ").unwrap().replace('"', "");
        if !line.contains('(') {
            done(at, &format!("{line} {ARGS} --quiet"));
        }
    }
}

#[test]
fn only_changed_pictures_are_rendered_again() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let tone = |name: &str, value: f32| {
        let text = format!("shader {name}(output color c = 0) {{ c = color({value}, u, v); }}");
        fs::write(at.join(format!("{name}.ksl")), text).unwrap();
    };
    tone("first", 0.2);
    tone("second", 0.4);
    let gallery = |args: &str| {
        let spp = if args.contains("--spp") { "" } else { "--spp 2" };
        let output = run(at, &format!("gallery . -o out --size 24x24 {spp} {args}"));
        assert!(output.status.success(), "{}", message(&output));
        message(&output)
    };
    assert!(gallery("").contains("2 pictures rendered"));
    let (before, text) = (pictures(at), page(at));
    assert!(gallery("--threads 1").contains("0 pictures rendered"));
    assert!(before == pictures(at) && text == page(at));
    // A gallery from scratch has the same bytes.
    fs::remove_dir_all(at.join("out")).unwrap();
    assert!(gallery("--threads 1").contains("2 pictures rendered"));
    assert!(before == pictures(at) && text == page(at));
    tone("second", 0.9);
    assert!(gallery("").contains("1 picture rendered"));
    let after = pictures(at);
    assert!(before["first.jpg"] == after["first.jpg"] && before["second.jpg"] != after["second.jpg"]);
    // A changed comment changes the page, but no picture.
    fs::write(
        at.join("first.ksl"),
        "// new\nshader first(output color c = 0) { c = color(0.2, u, v); }",
    )
    .unwrap();
    assert!(gallery("").contains("0 pictures rendered"));
    assert!(page(at).contains("// new"));
    // Missing pictures are rendered again, other settings render other pictures, and unused pictures are removed.
    fs::remove_file(at.join("out/pictures/first.jpg")).unwrap();
    assert!(gallery("").contains("1 picture rendered"));
    assert!(gallery("--spp 3").contains("2 pictures rendered"));
    fs::write(at.join("out/pictures/mine.jpg"), "mine").unwrap();
    fs::remove_file(at.join("second.ksl")).unwrap();
    gallery("");
    assert_eq!(pictures(at).keys().collect::<Vec<_>>(), ["first.jpg", "mine.jpg"]);
}

#[test]
fn errors_do_not_affect_other_units() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("lib")).unwrap();
    fs::write(at.join("lib/a.ksl"), UNITS).unwrap();
    fs::write(
        at.join("lib/wrong.ksl"),
        "shader wrong(output color c = 0) { c = nothing<here>; }",
    )
    .unwrap();
    let example = "shader lost [[ string example = \"nowhere at(); lost x(a = at.y);\" ]] (float a = 0, output color c = 0) { c = a; }";
    fs::write(at.join("lib/lost.ksl"), example).unwrap();
    let output = run(at, &format!("gallery lib -o out {ARGS}"));
    let text = message(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("wrong.ksl:1") && text.contains("2 shaders with mistakes"),
        "{text}"
    );
    assert!(text.contains("nowhere"), "{text}");
    let page = page(at);
    let view = between(&page, "<article id=\"wrong\"", "</article>");
    assert!(view.contains("wrong.ksl:1") && view.contains("&lt;here&gt;"), "{view}");
    assert!(between(&page, "<article id=\"lost\"", "</article>").contains("nowhere"));
    assert_eq!(pictures(at).keys().collect::<Vec<_>>(), ["dusk.jpg", "lines.jpg", "paint.jpg"]);
}

#[test]
fn foreign_files_are_not_overwritten() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("a.ksl"), "shader a(output color c = 1) { c = u; }").unwrap();
    fs::create_dir_all(at.join("site")).unwrap();
    fs::create_dir_all(at.join("empty")).unwrap();
    fs::write(at.join("site/index.html"), "mine").unwrap();
    for (args, words) in [
        ("a.ksl -o site", ["index.html", "no earlier `kiln gallery`"]),
        ("a.ksl -o a.ksl", ["a.ksl", "not a folder"]),
        ("none.ksl -o out", ["none.ksl", "there is no"]),
        ("site/index.html -o out", ["no file of shaders", ".ksl"]),
        ("empty -o out", ["holds no shaders", ".ksl"]),
    ] {
        refused(at, &format!("gallery {args}"), &words);
    }
}

/// Every shipped unit has a visible picture, and its calls compile.
#[test]
fn shipped_units_have_visible_pictures() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    done(at, "gallery -o out --size 16x16 --spp 1 --quiet");
    let page = page(at);
    let mut count = 0;
    for name in pictures(at).keys() {
        let image = read(&at.join("out/pictures").join(name)).unwrap();
        let (mut least, mut most) = (f32::MAX, 0.0f32);
        for v in &image.data {
            least = least.min(*v);
            most = most.max(*v);
        }
        assert!(most - least > 0.05, "{name} is flat: from {least} to {most}");
        count += 1;
    }
    assert!(count > 100, "{count} pictures");
    let scene = calls(&page, "scene");
    let is_displacement = |call: &&String| call.contains("displacement = ");
    assert_eq!(scene.len(), count + scene.iter().filter(is_displacement).count());
    fs::write(at.join("calls.kiln"), scene.join("\n").replace("stage_", "out/pictures/")).unwrap();
    let text = fs::read_to_string(at.join("calls.kiln")).unwrap();
    let text = ["image", "heights", "normals"].iter().fold(text, |text, name| {
        text.replace(&format!("out/pictures/{name}.png"), "out/pictures/brick.jpg")
    });
    let cameras = "camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }\n";
    fs::write(at.join("calls.kiln"), format!("{cameras}{text}")).unwrap();
    done(at, "check calls.kiln");
}

#[test]
fn text_of_the_shipped_library_is_up_to_date() {
    let folder = TempDir::new().unwrap();
    done(folder.path(), "gallery -o library.md --quiet");
    let made = fs::read_to_string(folder.path().join("library.md")).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/library.md");
    let known = fs::read_to_string(&path).unwrap_or_default();
    if known != made && std::env::var_os("UPDATE").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }
    assert!(
        known == made,
        "renderer/docs/library.md is out of date: `kiln gallery -o renderer/docs/library.md` makes it, and so does \
         UPDATE=1 cargo test --release --workspace --test command text_of_the_shipped_library"
    );
}
