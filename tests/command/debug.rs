//! `kiln debug`: the values of all layers equal those of single layers.

use std::fs;

use tempfile::TempDir;

use crate::program::{message, refused, run};

const GROUPS: &str = "
shader twice(float x = 1, string name = \"none\", output float y = 0) { y = 2 * x; }
group inner(float x = 1, output float z = 0) { twice a(x = x); twice b(x = a.y + u); z = b.y; }
group outer(float scale = 3, output float result = 0, output closure color surface = 0)
{
    inner i(x = scale);
    twice last(x = i.z, name = \"end\");
    matte m(albedo = last.y);
    result = last.y;
    surface = m.surface;
}
";

#[test]
fn values_of_all_layers_are_shown() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("g.ksl"), GROUPS).unwrap();
    let debug = |args: &str| {
        let output = run(at, &format!("debug {args}"));
        assert!(output.status.success(), "{}", message(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.collect::<Vec<String>>()
    };
    let lines = debug("g.ksl --at 0.25,0.5 --param scale=5");
    for expected in [
        "outer at u = 0.25, v = 0.5",
        "scale = 5",
        "│ x = 5 from scale",
        "│ ├─ a : twice",
        "│ │ └▶ y = 10 float",
        "│ │ x = 10.25 from a.y + u",
        "│ └▶ z = 20.5 float",
        "│ x = 20.5 from i.z",
        "└▶ result = 41 float",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}\n{}", lines.join("\n"));
    }
    assert!(lines.iter().any(|line| line.contains("name") && line.contains("end")));
    assert!(
        lines.iter().any(|line| line.starts_with("└▶ surface = (41, 41, 41) * diffuse")),
        "{lines:?}"
    );
    let short = debug("g.ksl --levels 1");
    assert!(short.len() < lines.len() && !short.iter().any(|line| line.contains("a : twice")));
    // A unit has only inputs and outputs.
    assert_eq!(
        debug("g.ksl:twice"),
        ["twice at u = 0.5, v = 0.5", "x 1.0 default", "name \"none\" default", "└▶ y = 2 float"]
    );
    // Values have the same syntax as in `kiln render`: colours by name, text without quotes.
    let matte = debug("matte --param albedo=#ff0000");
    assert!(matte.iter().any(|line| line.contains("(1, 0, 0) * diffuse")), "{matte:?}");
    let named = debug("g.ksl:twice --param name=a(b)");
    assert!(named.iter().any(|line| line == "name = a(b)"), "{named:?}");
    refused(at, "debug g.ksl --param scal=1", &["no parameter `scal`", "`scale`"]);
    refused(at, "debug g.ksl:nothing", &["`nothing`"]);
}
