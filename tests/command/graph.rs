//! `kiln graph`: contents and layout of the drawing of a group, and the syntax of Graphviz.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::program::{done, refused};

const GROUPS: &str = "
shader wave(float scale = 1, float phase = 0, output float height = 0) { height = sin(scale * u + phase); }
group pair(float scale = 4, string name = \"<&>\", output float sum)
{
    wave first(scale = scale);
    wave second(scale = scale < 2 ? 1 : scale * 3) with { u = first.height; };
    sum = first.height + second.height;
}
group three(color tint = (1, 0.5, 0), output closure color surface)
{
    pair  waves(scale = 9);
    matte body(albedo = tint * waves.sum);
    surface = body.surface;
}
group deep(output closure color surface)
{
    three inner();
    surface = inner.surface;
}
group loop_a(output float x) { wave w(scale = v2.height); wave v2(scale = w.height); x = w.height; }
";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("groups.ksl"), GROUPS.split("group loop_a").next().unwrap()).unwrap();
    folder
}

fn drawn(at: &Path, args: &str, file: &str) -> String {
    done(at, &format!("graph {args} -o {file}"));
    fs::read_to_string(at.join(file)).unwrap()
}

#[test]
fn groups_are_boxes_in_boxes() {
    let folder = folder();
    let at = folder.path();
    let svg = drawn(at, "groups.ksl", "deep.svg");
    // Groups deep, three and pair; two instances of waves and one of matte.
    assert_eq!(svg.matches("class=\"box group\"").count(), 3);
    assert_eq!(svg.matches("class=\"box\"").count(), 3);
    for text in [
        ">inner <tspan class=\"soft\">three<",
        "= &quot;&lt;&amp;&gt;&quot;",
        "scale &lt; 2",
        "with u",
        "= 9",
        "tint * waves.sum",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    assert!(!svg.contains("= sum"));
    assert_eq!(svg, drawn(at, "groups.ksl:deep", "again.svg"));
    let closed = drawn(at, "groups.ksl --depth 0", "closed.svg");
    assert_eq!(closed.matches("class=\"box group\"").count(), 1);
    assert_eq!(closed.matches("class=\"box closed\"").count(), 1);
    let once = drawn(at, "groups.ksl --depth 1", "once.svg");
    assert_eq!(once.matches("class=\"box group\"").count(), 2);
    // Inputs with default values are counted, or drawn on request.
    assert!(svg.contains(">1 default<") && !svg.contains(">phase<"));
    assert!(drawn(at, "groups.ksl --defaults", "all.svg").contains(">phase<"));
    // Units and materials of scenes are also drawn as boxes.
    assert_eq!(drawn(at, "brick", "brick.svg").matches("class=\"box\"").count(), 1);
    let scene = "material red = three(tint = (1, 0, 0));\nimport \"groups.ksl\";\n\
                 camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }";
    fs::write(at.join("a.kiln"), scene).unwrap();
    let material = drawn(at, "a.kiln:red", "red.svg");
    assert!(material.contains("= (1, 0, 0)") && material.contains(">three<"), "{material}");
}

#[test]
fn invalid_groups_and_outputs_cause_errors() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("loop.ksl"), GROUPS).unwrap();
    for (args, words) in [
        ("groups.ksl -o a.png", ["a.png", ".svg"]),
        ("groups.ksl:pai -o a.svg", ["`pai`", "`pair`"]),
        ("loop.ksl -o a.svg", ["loop_a", "w"]),
        ("nothing -o a.svg", ["`nothing`", ""]),
    ] {
        refused(at, &format!("graph {args}"), &words);
    }
}

type Point = [f64; 2];

/// Two opposite corners of a collapsed box.
type Corners = (Point, Point);

/// Collapsed boxes, wires as points along them, and groups, all in picture coordinates.
#[derive(Default)]
struct Picture {
    boxes: Vec<Corners>,
    groups: Vec<Corners>,
    wires: Vec<Vec<Point>>,
}

fn attribute<'t>(line: &'t str, name: &str) -> &'t str {
    let (_, rest) = line
        .split_once(&format!(" {name}=\""))
        .unwrap_or_else(|| panic!("no {name} in {line}"));
    rest.split('"').next().unwrap()
}

fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
    words
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().unwrap())
        .collect()
}

/// Parses a picture; the translations of SVG groups apply to their contents.
fn picture(svg: &str) -> Picture {
    let mut picture = Picture::default();
    let mut corners: Vec<Point> = vec![[0.0, 0.0]];
    for line in svg.lines() {
        let [x, y] = *corners.last().unwrap();
        if line.starts_with("<g ") {
            let by = numbers(attribute(line, "transform"));
            corners.push([x + by[0], y + by[1]]);
        } else if line == "</g>" {
            corners.pop();
        } else if line.starts_with("<rect class=\"box") {
            let [width, height] = ["width", "height"].map(|name| numbers(attribute(line, name))[0]);
            let rect = ([x, y], [x + width, y + height]);
            match attribute(line, "class") {
                "box group" => picture.groups.push(rect),
                _ => picture.boxes.push(rect),
            }
        } else if line.starts_with("<path class=\"wire\"") {
            let points = along(attribute(line, "d"));
            picture
                .wires
                .push(points.iter().map(|point| [x + point[0], y + point[1]]).collect());
        }
    }
    picture
}

/// Points along a path of horizontal lines and curves.
fn along(path: &str) -> Vec<Point> {
    let mut points: Vec<Point> = vec![];
    let mut rest = path;
    while !rest.is_empty() {
        let end = rest[1..]
            .find(|c: char| c.is_ascii_uppercase())
            .map_or(rest.len(), |end| end + 1);
        let values = numbers(&rest[1..end]);
        let last = points.last().copied().unwrap_or_default();
        match (&rest[..1], &values[..]) {
            ("M", [x, y]) => points.push([*x, *y]),
            ("H", [x]) => {
                points.extend((1..=8).map(|i| [last[0] + (x - last[0]) * f64::from(i) / 8.0, last[1]]));
            }
            ("C", [a, b, c, d, e, f]) => points.extend((1..=32).map(|i| {
                let t = f64::from(i) / 32.0;
                let bezier = |p: f64, q: f64, r: f64, s: f64| {
                    let k = 1.0 - t;
                    k * k * k * p + 3.0 * k * k * t * q + 3.0 * k * t * t * r + t * t * t * s
                };
                [bezier(last[0], *a, *c, *e), bezier(last[1], *b, *d, *f)]
            })),
            other => panic!("{other:?} in {path}"),
        }
        rest = &rest[end..];
    }
    points
}

fn overlap(a: &Corners, b: &Corners) -> bool {
    (0..2).all(|axis| a.0[axis] < b.1[axis] - 0.2 && b.0[axis] < a.1[axis] - 0.2)
}

fn holds(outer: &Corners, inner: &Corners) -> bool {
    (0..2).all(|axis| outer.0[axis] < inner.0[axis] && inner.1[axis] < outer.1[axis])
}

/// Asserts that neighbouring boxes do not overlap, that nested boxes are contained, and that no wire crosses a box.
fn check(name: &str, svg: &str) {
    let picture = picture(svg);
    let all: Vec<&Corners> = picture.boxes.iter().chain(&picture.groups).collect();
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            assert!(!overlap(a, b) || holds(a, b) || holds(b, a), "{name}: {a:?} and {b:?}");
        }
    }
    for wire in &picture.wires {
        for point in wire {
            for corners in &picture.boxes {
                let inside = (0..2)
                    .all(|axis| corners.0[axis] + 0.2 < point[axis] && point[axis] < corners.1[axis] - 0.2);
                assert!(!inside, "{name}: a wire at {point:?} is in {corners:?}");
            }
        }
    }
}

#[test]
fn boxes_do_not_overlap_and_wires_cross_none() {
    let folder = folder();
    let at = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scene = root.join("scenes/material_ball.kiln");
    let mut names: Vec<String> = ["pair", "three", "deep"].map(|name| format!("groups.ksl:{name}")).to_vec();
    for name in ["gilded_marble", "weathered_paint", "stone_floor", "core"] {
        names.push(format!("{}:{name}", scene.display()));
    }
    for entry in fs::read_dir(root.join("shaders")).unwrap() {
        let path = entry.unwrap().path();
        if fs::read_to_string(&path)
            .unwrap()
            .lines()
            .any(|line| line.starts_with("group "))
        {
            names.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let svg = drawn(at, &name, "a.svg");
        check(&name, &svg);
        let dot = drawn(at, &name, "a.dot");
        graphviz(&name, &dot);
        // Nested groups are nested clusters.
        let groups = svg.matches("class=\"box group\"").count();
        assert_eq!(dot.matches("subgraph cluster_").count(), groups, "{name}");
        // Graphviz knows the character widths of this font, even without installed fonts.
        assert_eq!(dot.matches("fontname=\"Courier\"").count(), 2, "{name}");
    }
}

/// Parses a Graphviz file: brackets and tags match, and the ports of all edges exist.
fn graphviz(name: &str, dot: &str) {
    let mut ports: Vec<String> = vec![];
    let mut depth = 0;
    assert!(dot.starts_with("digraph \"") && dot.ends_with("}\n"), "{name}");
    for line in dot.lines() {
        let line = line.trim();
        if line.ends_with('{') {
            depth += 1;
        } else if line == "}" {
            depth -= 1;
        } else if let Some((node, label)) = line.split_once(" [label=<") {
            let label = label.strip_suffix(">];").unwrap_or_else(|| panic!("{name}: {line}"));
            assert_eq!(label.matches('<').count(), label.matches('>').count(), "{name}: {line}");
            for tag in ["TABLE", "TR", "TD", "B"] {
                let opened =
                    label.matches(&format!("<{tag}>")).count() + label.matches(&format!("<{tag} ")).count();
                assert_eq!(opened, label.matches(&format!("</{tag}>")).count(), "{name}: {tag} in {line}");
            }
            let named = label.split("PORT=\"").skip(1);
            ports.extend(named.map(|port| format!("{node}:{}", port.split('"').next().unwrap())));
        } else if let Some((from, to)) = line.strip_suffix(';').and_then(|edge| edge.split_once(" -> ")) {
            for end in [from, to] {
                let (port, side) = end.rsplit_once(':').unwrap();
                assert!(["e", "w"].contains(&side), "{name}: {line}");
                assert!(ports.iter().any(|known| known == port), "{name}: no {port}: {line}");
            }
        } else {
            assert!(line.ends_with(';') && line.matches('"').count() % 2 == 0, "{name}: {line}");
        }
    }
    assert_eq!(depth, 0, "{name}");
}
