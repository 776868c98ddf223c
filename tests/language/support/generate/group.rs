//! Random groups as source: nested groups with shared instances, overrides, samples, inputs of any type, defaults that
//! nodes compute, expressions of whole numbers, recursion, assignments of globals, derivatives and closures.

use std::fmt::Write as _;

use super::Random;

/// The units of generated groups. Values stay small, so that results are finite.
pub const UNITS: &str = r#"
struct pair { float a; color b; };
float climb(int n) { return n <= 0 ? u + P[0] : 0.5 * climb(n - 1); }
typeof(x) twice(any x) { return 2 * x; }
shader wave(float k = 1, color t = 0.25, output float r = 0, output color c = 0)
{ r = k * u + t.g; c = color(u, v, k) + t; }
shader place(float a = 0, output float r = 0, output point q = 0, output normal n = 0)
{ P = P + a; N = N * 0.5; r = P[0] + 2 * P[1] + N[2] + climb(2); q = P; n = N; }
shader rec(float a = climb(1), output float r = 0, output float d = 0)
{ r = climb(3) + a; d = Dx(climb(1)) + Dy(a); }
shader smp(float h = 0, color s = 0.5, float k = h + u, output float r = 0, output color c = 0)
{
    r = sample(h, with { u = 0.75; }) - sample(k, with { P = 2 * P; v = u; });
    c = sample(s, with { u = v; v = u; }) + h;
}
shader slope(float h = 0, output float r = 0, output float x = 0)
{ r = h + Dx(h); for (int i = 0; i < 2; ++i) x += sample(h, with { u = u + i; }) + Dy(h); }
shader anyk(any x = 0.5, float k = 0, float j = 1, output float r = 0, output float y = 0)
{
    if (iscolor(x)) { r = x.g + isconnected(k); y = isgiven(j); }
    else if (isfloat(x)) r = x * k;
    else if (isint(x)) r = x + 3;
    else if (isarray(x)) { for (int i = 0; i < arraylength(x); ++i) r += x[i]; }
    else r = -1;
    y += j;
}
shader list(float a[] = {1, 2}, output float r = 0) { for (int i = 0; i < arraylength(a); ++i) r += a[i] * (i + 1); }
shader pick(float a = 0, float b = 0, float t = 0, output float r = 0) { if (t > 0.5) r = a; else r = b + 1; }
shader both(pair s = {1, 2}, float k = 0, output pair o = {0, 0}, output float r = 0)
{ o.a = s.a + k; o.b = 2 * s.b; r = s.a + s.b.r; }
shader lobe(closure color base = 0, color w = 1, output closure color s = 0) { s = base + w * diffuse(N); }
shader note(float x = 0, output float r = 0) { setmessage("m", x); printf("note %g\n", x); r = x; }
shader ask(float order = 0, output float r = 0)
{ float o = 0.5 * order, q = -1; int ok = getmessage("m", q); printf("ask %g\n", q); r = q * ok + o; }
"#;

/// Units with side effects.
const EFFECTS: [&str; 2] = ["note", "ask"];

/// Name, inputs and outputs of a unit.
type Signature = (&'static str, &'static [(&'static str, Ty)], &'static [(&'static str, Ty)]);

/// Units of [`UNITS`] with their inputs and outputs.
const SIGNATURES: [Signature; 13] = [
    ("note", &[("x", Ty::Float)], &[("r", Ty::Float)]),
    ("ask", &[("order", Ty::Float)], &[("r", Ty::Float)]),
    (
        "wave",
        &[("k", Ty::Float), ("t", Ty::Color)],
        &[("r", Ty::Float), ("c", Ty::Color)],
    ),
    ("place", &[("a", Ty::Float)], &[("r", Ty::Float)]),
    ("rec", &[("a", Ty::Float)], &[("r", Ty::Float), ("d", Ty::Float)]),
    (
        "smp",
        &[("h", Ty::Float), ("s", Ty::Color), ("k", Ty::Float)],
        &[("r", Ty::Float), ("c", Ty::Color)],
    ),
    ("slope", &[("h", Ty::Float)], &[("r", Ty::Float), ("x", Ty::Float)]),
    (
        "anyk",
        &[("x", Ty::Any), ("k", Ty::Float), ("j", Ty::Float)],
        &[("r", Ty::Float), ("y", Ty::Float)],
    ),
    ("list", &[("a", Ty::List)], &[("r", Ty::Float)]),
    (
        "pick",
        &[("a", Ty::Float), ("b", Ty::Float), ("t", Ty::Float)],
        &[("r", Ty::Float)],
    ),
    (
        "both",
        &[("s.a", Ty::Float), ("s.b", Ty::Color), ("k", Ty::Float)],
        &[("r", Ty::Float), ("o.a", Ty::Float), ("o.b", Ty::Color)],
    ),
    ("lobe", &[("base", Ty::Closure), ("w", Ty::Color)], &[("s", Ty::Closure)]),
    (
        "wave",
        &[("k", Ty::Float), ("t", Ty::Color)],
        &[("r", Ty::Float), ("c", Ty::Color)],
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ty {
    Float,
    Color,
    Closure,
    List,
    Any,
}

/// A unit or a group that nodes can be instances of.
#[derive(Clone, Debug)]
struct Part {
    name: String,
    inputs: Vec<(String, Ty)>,
    outputs: Vec<(String, Ty)>,
}

/// Source text of random groups, the last of which contains others.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Units and groups.
    pub text: String,
    /// Name of the last group.
    pub name: String,
    /// Its float and colour inputs with constant defaults, which can be live.
    pub live: Vec<String>,
    /// True if they may print, and set and read messages, so that the effects depend on the requested outputs.
    pub has_effects: bool,
}

/// Returns random groups for a seed.
pub fn groups(seed: u64) -> Groups {
    let has_effects = seed.is_multiple_of(4);
    let mut writer = Writer {
        random: Random::new(seed ^ 0x0067_0072),
        values: vec![],
        parts: SIGNATURES
            .iter()
            .filter(|(name, ..)| has_effects || !EFFECTS.contains(name))
            .map(|(name, inputs, outputs)| {
                let owned = |list: &[(&str, Ty)]| list.iter().map(|&(n, ty)| (n.to_owned(), ty)).collect();
                Part {
                    name: (*name).to_owned(),
                    inputs: owned(inputs),
                    outputs: owned(outputs),
                }
            })
            .collect(),
    };
    let mut text = UNITS.to_owned();
    let mut last = (String::new(), vec![]);
    for index in 0..1 + writer.random.below(3) {
        last = writer.group(&format!("g{index}"), &mut text);
    }
    Groups { text, name: last.0, live: last.1, has_effects }
}

struct Writer {
    random: Random,
    /// Values that can be read, by their paths.
    values: Vec<(String, Ty)>,
    parts: Vec<Part>,
}

impl Writer {
    /// Adds a group to the text; returns its name and its inputs that can be live.
    fn group(&mut self, name: &str, text: &mut String) -> (String, Vec<String>) {
        let mut inputs = vec![];
        let (mut late, mut live) = (vec![], vec![]);
        self.values.clear();
        let mut params = String::new();
        for index in 0..self.random.below(4) {
            let input = format!("i{index}");
            let ty = *self.random.pick(&[Ty::Float, Ty::Color, Ty::Any, Ty::Float]);
            let type_name = match ty {
                Ty::Color => "color",
                Ty::Any => "any",
                _ => "float",
            };
            let default = match self.random.below(4) {
                0 if ty != Ty::Any => self.value(ty, 1),
                // Computed by a node, which is declared later.
                1 if ty == Ty::Float => {
                    late.push(format!("d{index}"));
                    format!("d{index}.r + {}", self.value(ty, 0))
                }
                _ => {
                    if ty != Ty::Any {
                        live.push(input.clone());
                    }
                    format!("0.{}", 25 + 25 * self.random.below(3))
                }
            };
            let _ = write!(params, "{type_name} {input} = {default}, ");
            inputs.push((input, ty));
        }
        let mut body = String::new();
        for node in late {
            let _ = writeln!(body, "    wave {node}(k = {}){}", self.value(Ty::Float, 1), self.overrides());
        }
        self.values.extend(inputs.iter().filter(|(_, ty)| *ty != Ty::Any).cloned());
        let any: Vec<String> = inputs
            .iter()
            .filter(|(_, ty)| *ty == Ty::Any)
            .map(|(name, _)| name.clone())
            .collect();
        for index in 0..2 + self.random.below(6) {
            let count = self.parts.len();
            // Recent groups are used more often.
            let latest = count - 1 - self.random.below(3.min(count));
            let chosen = if self.random.once_in(4) { latest } else { self.random.below(count) };
            let part = self.parts[chosen].clone();
            let node = format!("n{index}");
            let mut args = vec![];
            for (input, ty) in &part.inputs {
                if self.random.once_in(4) {
                    continue;
                }
                let value = match ty {
                    Ty::Any if !any.is_empty() && self.random.once_in(3) => self.random.pick(&any).clone(),
                    ty => self.value(*ty, 2),
                };
                args.push(format!("{input} = {value}"));
            }
            let _ = writeln!(body, "    {} {node}({}){}", part.name, args.join(", "), self.overrides());
            let outputs = part.outputs.iter().map(|(output, ty)| (format!("{node}.{output}"), *ty));
            self.values.extend(outputs);
        }
        let mut outputs = vec![];
        for index in 0..1 + self.random.below(3) {
            let ty = *self.random.pick(&[Ty::Float, Ty::Float, Ty::Color, Ty::Closure]);
            let (output, value) = (format!("r{index}"), self.value(ty, 2));
            let type_name = match ty {
                Ty::Color => "color",
                Ty::Closure => "closure color",
                _ => "float",
            };
            let _ = write!(params, "output {type_name} {output}, ");
            let _ = writeln!(body, "    {output} = {value};");
            outputs.push((output, ty));
        }
        let params = params.trim_end_matches(", ");
        let _ = writeln!(text, "group {name}({params})\n{{\n{body}}}");
        let name = name.to_owned();
        self.parts.push(Part { name: name.clone(), inputs, outputs });
        (name, live)
    }

    /// Returns the overrides of a node, if any, and the end of the statement.
    fn overrides(&mut self) -> String {
        if !self.random.once_in(3) {
            return ";".to_owned();
        }
        let mut list = String::new();
        for (global, ty) in [("u", Ty::Float), ("v", Ty::Float), ("P", Ty::Color), ("N", Ty::Color)] {
            if self.random.once_in(2) {
                let value = match ty {
                    Ty::Color => format!("{global} * 0.5 + {}", self.value(Ty::Float, 1)),
                    ty => self.value(ty, 1),
                };
                let _ = write!(list, "{global} = {value}; ");
            }
        }
        if list.is_empty() {
            ";".to_owned()
        } else {
            format!(" with {{ {list}}}")
        }
    }

    /// Returns a value of an earlier node or an input, or an expression.
    fn value(&mut self, ty: Ty, depth: usize) -> String {
        let random = &mut self.random;
        let known: Vec<&String> = self
            .values
            .iter()
            .filter(|(_, known)| *known == ty)
            .map(|(path, _)| path)
            .collect();
        if !known.is_empty() && !random.once_in(3) {
            // Recent values are read more often, so that chains are long.
            let at = known.len() - 1 - random.below(known.len()).min(random.below(known.len()));
            return known[at].clone();
        }
        match ty {
            Ty::Float if depth > 0 => match random.below(9) {
                0 => format!("{} * 0.5 + {}", self.value(ty, depth - 1), self.value(ty, depth - 1)),
                1 => format!("(u > 1/2 ? {} : 1/4)", self.value(ty, depth - 1)),
                2 => format!("climb({})", self.random.below(3)),
                3 => format!("twice({}) / 4", self.value(ty, depth - 1)),
                4 => format!("{}[1]", self.variable(Ty::Color)),
                5 => "attribute(\"wear\", 1)".to_owned(),
                6 => "attribute(\"none\", 1/2)".to_owned(),
                7 => "u + v / 2".to_owned(),
                _ => "1 / 2".to_owned(),
            },
            Ty::Float => (*random.pick(&["u", "v", "1/2", "0.25", "2", "P[0]"])).to_owned(),
            Ty::Color if depth > 0 => match random.below(4) {
                0 => format!("({}, u, 1/2)", self.value(Ty::Float, depth - 1)),
                1 => format!("{} * {}", self.value(ty, depth - 1), self.value(Ty::Float, depth - 1)),
                2 => format!("color({})", self.value(Ty::Float, depth - 1)),
                _ => "(0.5, 1/4, 1)".to_owned(),
            },
            Ty::Color => (*random.pick(&["0.5", "(1, 0, 1/2)", "color(u, v, 0)"])).to_owned(),
            Ty::Closure => format!("{} * diffuse(N)", self.value(Ty::Color, depth.min(1))),
            Ty::List => match random.below(3) {
                0 => "{1, 1/2}".to_owned(),
                1 => format!("{{{}, {}}}", self.value(Ty::Float, 0), self.value(Ty::Float, 0)),
                _ => format!("{{u, {}, 3}}", self.value(Ty::Float, 0)),
            },
            Ty::Any => match random.below(6) {
                0 => self.value(Ty::Color, depth),
                1 => "3".to_owned(),
                2 => format!("{{{}, 1/2}}", self.value(Ty::Float, 0)),
                3 => "\"wood\"".to_owned(),
                _ => self.value(Ty::Float, depth),
            },
        }
    }

    /// Returns a path of a type, or an expression of the type in parentheses.
    fn variable(&mut self, ty: Ty) -> String {
        let known: Vec<&String> = self
            .values
            .iter()
            .filter(|(_, known)| *known == ty)
            .map(|(path, _)| path)
            .collect();
        match known[..] {
            [] => "P".to_owned(),
            _ => known[self.random.below(known.len())].clone(),
        }
    }
}
