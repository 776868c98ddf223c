//! WGSL declarations of a pass: the structures `Lobes` and `Surface`, and functions on them.

use std::fmt::Write as _;

use crate::part::{LobeMember, Part, Parts, Pass};

/// Returns the declarations of lobes for a program with the given parts.
pub(crate) fn declarations(parts: Parts, pass: Pass) -> String {
    let members: Vec<LobeMember> = parts.iter().flat_map(Part::members).copied().collect();
    // WGSL does not allow empty structures.
    let mut text =
        "// Sums over closures: colours, and other quantities weighted by their mean.\nstruct Lobes {\n"
            .to_owned();
    if members.is_empty() {
        text += "    nothing: f32,\n";
    }
    for member in &members {
        let (name, ty) = named(*member);
        _ = writeln!(text, "    {name}: {ty},");
    }
    text += "}\n\n";
    text += &function("lobes_sum(a: Lobes, b: Lobes)", &members, |name, _| {
        format!("a.{name} + b.{name}")
    });
    text += &function("lobes_scaled(a: Lobes, weight: vec3f)", &members, |name, is_color| {
        let weight = if is_color { "weight" } else { "dot(weight, vec3f(0.33333334))" };
        format!("a.{name} * {weight}")
    });
    text += &truth(&members);
    for part in parts.iter() {
        text += add(part);
    }
    text += &reflected(parts);
    text += &over(parts);
    text += "fn lobes_under(base: Lobes, f0: vec3f, tint: vec3f, cosine: f32) -> Lobes {\n    \
             return lobes_scaled(base, max(vec3f(1.0) - kiln_environment(f0, vec3f(1.0), 0.0, cosine), vec3f(0.0)) * tint);\n}\n\n";
    text += &surface(parts, pass);
    text
}

fn named(member: LobeMember) -> (&'static str, &'static str) {
    match member {
        LobeMember::Color(name) => (name, "vec3f"),
        LobeMember::Mean(name, ty) => (name, ty),
    }
}

fn function(head: &str, members: &[LobeMember], value: impl Fn(&str, bool) -> String) -> String {
    let values: Vec<String> = members
        .iter()
        .map(|&member| value(named(member).0, matches!(member, LobeMember::Color(_))))
        .collect();
    format!("fn {head} -> Lobes {{\n    return Lobes({});\n}}\n\n", values.join(", "))
}

/// Returns the function that converts lobes to a truth value.
fn truth(members: &[LobeMember]) -> String {
    let tests: Vec<String> = members
        .iter()
        .filter_map(|member| match member {
            LobeMember::Color(name) => Some(format!("any(a.{name} != vec3f(0.0))")),
            LobeMember::Mean(..) => None,
        })
        .collect();
    let any = if tests.is_empty() { "false".to_owned() } else { tests.join(" || ") };
    format!("fn lobes_truth(a: Lobes) -> i32 {{\n    return select(0, 1, {any});\n}}\n\n")
}

/// Returns the function that adds to a part.
fn add(part: Part) -> &'static str {
    match part {
        Part::Diffuse => {
            "fn add_diffuse(l: ptr<function, Lobes>, color: vec3f) {\n    (*l).diffuse = (*l).diffuse + color;\n}\n\n"
        }
        Part::Normal => {
            "fn add_normal(l: ptr<function, Lobes>, color: vec3f, n: vec3f) {\n    \
             (*l).normal = (*l).normal + n * kiln_mean(color);\n}\n\n"
        }
        Part::Specular => {
            "fn add_specular(l: ptr<function, Lobes>, f0: vec3f, f90: vec3f, along: f32, across: f32) {\n    \
             (*l).f0 = (*l).f0 + f0;\n    (*l).f90 = (*l).f90 + f90;\n    \
             (*l).alpha = (*l).alpha + vec3f(along, across, 1.0) * (kiln_mean(f0) + 0.01 * kiln_mean(f90));\n}\n\n"
        }
        Part::Tangent => {
            "fn add_tangent(l: ptr<function, Lobes>, color: vec3f, t: vec3f) {\n    \
             (*l).tangent = (*l).tangent + t * kiln_mean(color);\n}\n\n"
        }
        Part::Coat => {
            "fn add_coat(l: ptr<function, Lobes>, f0: vec3f, alpha: f32) {\n    (*l).coat = (*l).coat + f0;\n    \
             (*l).coat_alpha = (*l).coat_alpha + vec2f(alpha, 1.0) * kiln_mean(f0);\n}\n\n"
        }
        Part::CoatNormal => {
            "fn add_coat_normal(l: ptr<function, Lobes>, color: vec3f, n: vec3f) {\n    \
             (*l).coat_normal = (*l).coat_normal + n * kiln_mean(color);\n}\n\n"
        }
        Part::Sheen => {
            "fn add_sheen(l: ptr<function, Lobes>, color: vec3f, alpha: f32) {\n    (*l).sheen = (*l).sheen + color;\n    \
             (*l).sheen_alpha = (*l).sheen_alpha + vec2f(alpha, 1.0) * kiln_mean(color);\n}\n\n"
        }
        Part::Transmission => {
            "fn add_transmission(l: ptr<function, Lobes>, color: vec3f, alpha: f32, ior: f32) {\n    \
             (*l).transmission = (*l).transmission + color;\n    \
             (*l).transmission_alpha = (*l).transmission_alpha + vec3f(alpha, ior, 1.0) * kiln_mean(color);\n}\n\n"
        }
        Part::Translucent => {
            "fn add_translucent(l: ptr<function, Lobes>, color: vec3f) {\n    (*l).translucent = (*l).translucent + color;\n}\n\n"
        }
        Part::Absorption => {
            "fn add_absorption(l: ptr<function, Lobes>, color: vec3f) {\n    (*l).absorption = (*l).absorption + color;\n}\n\n"
        }
        Part::Emission => {
            "fn add_emission(l: ptr<function, Lobes>, color: vec3f) {\n    (*l).emission = (*l).emission + color;\n}\n\n"
        }
        Part::Transparency => {
            "fn add_transparency(l: ptr<function, Lobes>, color: vec3f) {\n    \
             (*l).transparency = (*l).transparency + color;\n}\n\n"
        }
    }
}

/// Returns the function for the reflectance of the lobes; light that is not reflected reaches a lower layer.
fn reflected(parts: Parts) -> String {
    let mut terms = vec!["vec3f(0.0)".to_owned()];
    for part in parts.iter() {
        match part {
            Part::Diffuse => terms.push("l.diffuse".to_owned()),
            Part::Specular => {
                let alpha = "kiln_ratio(l.alpha.x, l.alpha.z)";
                terms.push(format!("kiln_environment(l.f0, l.f90, {alpha}, cosine)"));
            }
            Part::Coat => terms.push("l.coat".to_owned()),
            Part::Sheen => terms.push("l.sheen * kiln_sheen_albedo(cosine)".to_owned()),
            Part::Transmission => terms.push("l.transmission".to_owned()),
            Part::Translucent => terms.push("l.translucent".to_owned()),
            Part::Normal
            | Part::Tangent
            | Part::CoatNormal
            | Part::Absorption
            | Part::Emission
            | Part::Transparency => {}
        }
    }
    format!(
        "fn lobes_reflected(l: Lobes, cosine: f32) -> vec3f {{\n    return {};\n}}\n\n",
        terms.join(" + ")
    )
}

/// Returns the function that layers two surfaces. The base receives the light that the top does not reflect; a second
/// specular lobe becomes a coat.
fn over(parts: Parts) -> String {
    let mut text =
        "fn lobes_over(above: Lobes, base: Lobes, cosine: f32) -> Lobes {\n    var top = above;\n".to_owned();
    // Light that passes straight through the top reaches the base.
    if parts.contains(Part::Transparency) {
        text += "    top.transparency = vec3f(0.0);\n";
    }
    text += "    let left = max(vec3f(1.0) - lobes_reflected(top, cosine), vec3f(0.0));\n";
    if [Part::Coat, Part::Specular].into_iter().all(|part| parts.contains(part)) {
        text += "    if (top.alpha.z > 0.0 && base.alpha.z > 0.0) {\n        \
                 top.coat = top.coat + top.f0;\n        \
                 top.coat_alpha = top.coat_alpha + vec2f(kiln_ratio(top.alpha.x, top.alpha.z), 1.0) * kiln_mean(top.f0);\n        \
                 top.f0 = vec3f(0.0);\n        top.f90 = vec3f(0.0);\n        top.alpha = vec3f(0.0);\n";
        if parts.contains(Part::CoatNormal) && parts.contains(Part::Normal) {
            text +=
                "        top.coat_normal = top.coat_normal + top.normal;\n        top.normal = vec3f(0.0);\n";
        }
        if parts.contains(Part::Tangent) {
            text += "        top.tangent = vec3f(0.0);\n";
        }
        text += "    }\n";
    }
    text += "    return lobes_sum(top, lobes_scaled(base, left));\n}\n\n";
    text
}

/// Returns the structure `Surface` of a pass, and the function that converts lobes to it.
fn surface(parts: Parts, pass: Pass) -> String {
    let has = |part: Part, value: &str, instead: &str| {
        if parts.contains(part) {
            value.to_owned()
        } else {
            instead.to_owned()
        }
    };
    let color = |part: Part| has(part, &format!("l.{}", part.name()), "vec3f(0.0)");
    let opacity = has(Part::Transparency, "clamp(1.0 - kiln_mean(l.transparency), 0.0, 1.0)", "1.0");
    let normal = has(Part::Normal, "kiln_direction(l.normal, n)", "n");
    let specular = |value: &str, instead: &str| has(Part::Specular, value, instead);
    // Sums the specular lobe and the coat.
    let shining = |of_specular: &str, of_coat: &str, nothing: &str| {
        let lobes = [(Part::Specular, of_specular), (Part::Coat, of_coat)];
        let terms: Vec<&str> = lobes
            .into_iter()
            .filter(|(part, _)| parts.contains(*part))
            .map(|(_, text)| text)
            .collect();
        match terms[..] {
            [] => nothing.to_owned(),
            _ => format!("({})", terms.join(" + ")),
        }
    };
    let members: Vec<(&str, &str, String)> = match pass {
        Pass::Shadow => vec![("opacity", "f32", opacity)],
        Pass::Gbuffer => {
            let mut text = "// The surface for a G-buffer, for opacity 1.\nstruct Surface {\n".to_owned();
            text += "    albedo: vec3f,\n    normal: vec3f,\n    roughness: f32,\n    metalness: f32,\n    emission: vec3f,\n    opacity: f32,\n}\n\n";
            text += "fn surface_of(l: Lobes, n: vec3f) -> Surface {\n";
            _ = writeln!(text, "    let opacity = {opacity};");
            _ = writeln!(text, "    let whole = 1.0 / max(opacity, 0.0001);");
            _ = writeln!(text, "    let diffuse = {} * whole;", color(Part::Diffuse));
            _ = writeln!(text, "    let f0 = {} * whole;", shining("l.f0", "l.coat", "vec3f(0.0)"));
            _ = writeln!(text, "    let metalness = kiln_metalness(diffuse, f0);");
            let weight = shining("l.alpha.z", "l.coat_alpha.y", "0.0");
            let along = shining("l.alpha.x", "l.coat_alpha.x", "0.0");
            let across = shining("l.alpha.y", "l.coat_alpha.x", "0.0");
            let alpha = format!(
                "select(1.0, max(kiln_ratio({along}, {weight}), kiln_ratio({across}, {weight})), {weight} > 0.0)"
            );
            let emission = color(Part::Emission);
            _ = writeln!(
                text,
                "    return Surface(kiln_base_color(diffuse, f0, metalness), {normal}, sqrt({alpha}), metalness, {emission}, opacity);\n}}\n"
            );
            return text;
        }
        Pass::Forward => vec![
            ("diffuse", "vec3f", color(Part::Diffuse)),
            ("normal", "vec3f", normal),
            ("specular_f0", "vec3f", specular("l.f0", "vec3f(0.0)")),
            ("specular_f90", "vec3f", specular("l.f90", "vec3f(0.0)")),
            (
                "specular_alpha",
                "vec2f",
                specular(
                    "vec2f(kiln_ratio(l.alpha.x, l.alpha.z), kiln_ratio(l.alpha.y, l.alpha.z))",
                    "vec2f(0.0)",
                ),
            ),
            (
                "tangent",
                "vec3f",
                has(Part::Tangent, "kiln_direction(l.tangent, vec3f(0.0))", "vec3f(0.0)"),
            ),
            ("coat_f0", "vec3f", color(Part::Coat)),
            (
                "coat_alpha",
                "f32",
                has(Part::Coat, "kiln_ratio(l.coat_alpha.x, l.coat_alpha.y)", "0.0"),
            ),
            (
                "coat_normal",
                "vec3f",
                has(Part::CoatNormal, "kiln_direction(l.coat_normal, n)", "n"),
            ),
            ("sheen", "vec3f", color(Part::Sheen)),
            (
                "sheen_alpha",
                "f32",
                has(Part::Sheen, "kiln_ratio(l.sheen_alpha.x, l.sheen_alpha.y)", "0.0"),
            ),
            ("transmission", "vec3f", color(Part::Transmission)),
            (
                "transmission_alpha",
                "f32",
                has(
                    Part::Transmission,
                    "kiln_ratio(l.transmission_alpha.x, l.transmission_alpha.z)",
                    "0.0",
                ),
            ),
            (
                "ior",
                "f32",
                has(
                    Part::Transmission,
                    "kiln_ratio(l.transmission_alpha.y, l.transmission_alpha.z)",
                    "1.0",
                ),
            ),
            ("translucent", "vec3f", color(Part::Translucent)),
            ("absorption", "vec3f", color(Part::Absorption)),
            ("emission", "vec3f", color(Part::Emission)),
            ("opacity", "f32", opacity),
        ],
    };
    let mut text = "// The surface: lobes to add up; all weights are final.\nstruct Surface {\n".to_owned();
    for (name, ty, _) in &members {
        _ = writeln!(text, "    {name}: {ty},");
    }
    let values: Vec<String> = members.into_iter().map(|(_, _, value)| value).collect();
    _ = write!(
        text,
        "}}\n\nfn surface_of(l: Lobes, n: vec3f) -> Surface {{\n    return Surface({});\n}}\n\n",
        values.join(", ")
    );
    text
}
