//! Shapes of programs: families of texts of any size, for tests of compile time.

/// A family of texts: its name, the size of the small text, and the text of any size.
pub type Shape = (&'static str, usize, fn(usize) -> String);

/// Returns `text(i)` for each `i` below `count`, joined.
fn repeat(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

/// Returns a unit with these statements.
fn unit(body: &str) -> String {
    format!("shader a(float p = 0.5, output color c = 0, output float r = 0) {{ {body} }}")
}

/// Returns statements in `count` nested constructs, each opened by `open(i)`.
fn nested(count: usize, open: impl Fn(usize) -> String, inner: &str) -> String {
    unit(&format!("{}{inner}{}", repeat(count, open), "}".repeat(count)))
}

/// Returns a group of `count` layers of a unit `n`, with the arguments of each.
fn layers(unit: &str, count: usize, args: impl Fn(usize) -> String) -> String {
    let layers = repeat(count, |i| format!("n l{i}({}); ", args(i)));
    let last = count - 1;
    format!("{unit}\ngroup g(float p = 0.5, output float r) {{ n l(); {layers} r = l{last}.r; }}")
}

/// A unit with an addition.
const ADD: &str = "shader n(float x = 0, float y = 0, output float r = 0) { r = x + y * u; }";

/// A unit that prints, and therefore runs only if its output is read.
const PRINT: &str = "shader n(float x = 0, float y = 0, output float r = 0) \
    { if (x < -1) printf(\"%g\", x); r = x + y * u; }";

/// An overload of a built-in name that does not take its arguments.
const OVERLOADED: &str = "struct box { float a; };\nvector transform(box b, vector x) { return x; }\n";

fn before(i: usize) -> String {
    if i == 0 { "l".to_owned() } else { format!("l{}", i - 1) }
}

/// The shapes.
pub const SHAPES: &[Shape] = &[
    ("nested loops", 12, |n| {
        nested(n, |i| format!("for (int i{i} = 0; i{i} < 2; i{i}++) {{ "), "r += u;")
    }),
    ("nested loops left early", 8, |n| {
        nested(
            n,
            |i| format!("while (r < {i}) {{ r += u; if (r > v) break; if (r > p) continue; "),
            "r += u;",
        )
    }),
    ("nested endless loops", 12, |n| {
        nested(n, |i| format!("while (1) {{ if (u > {i}) return; "), "r += u;")
    }),
    ("loops in a row", 150, |n| {
        unit(&repeat(n, |i| {
            format!("for (int i = 0; i < int(u * {i}); i++) r += sin(u * i); ")
        }))
    }),
    ("loops that share variables", 100, |n| {
        let sums = repeat(n, |i| format!("float x{i} = u + {i}; "));
        let loops = repeat(n, |i| format!("while (x{i} < v) x{i} += x{}; ", (i + 7) % n));
        unit(&format!("{sums}{loops}{}", repeat(n, |i| format!("r += x{i}; "))))
    }),
    ("nested conditions", 12, |n| {
        nested(n, |i| format!("if (u > 0.{i}) {{ r += v * {i}; "), "r += u;")
    }),
    ("conditions in a row", 300, |n| {
        unit(&repeat(n, |i| format!("if (u > 0.{i}) r += v * {i}; else r -= v; ")))
    }),
    ("a choice of many", 200, |n| {
        let choices = repeat(n, |i| format!("if (u > 0.{i}) r = v * {i}; else "));
        unit(&format!("{choices} r = u;"))
    }),
    ("a switch", 300, |n| {
        unit(&format!(
            "int i = int(u * 100); {}",
            repeat(n, |i| format!("if (i == {i}) r = v * {i}; "))
        ))
    }),
    ("early returns", 300, |n| {
        unit(&repeat(n, |i| format!("if (u > 0.{i}) return; r += v; ")))
    }),
    ("early returns past many variables", 150, |n| {
        let set = repeat(n, |i| format!("float x{i} = sin(u * {i}); if (u > 0.{i}) return; "));
        unit(&format!("{set}{}", repeat(n, |i| format!("r += x{i}; "))))
    }),
    ("a sum", 30, |n| {
        unit(&format!("r = u{};", repeat(n, |i| format!(" + v * {i}"))))
    }),
    ("sums", 40, |n| {
        unit(&repeat(n, |k| {
            format!("r += u{}; ", repeat(30, |i| format!(" + v * {}", i * k)))
        }))
    }),
    ("parentheses", 25, |n| {
        unit(&format!("r = {}u{};", "(v + ".repeat(n), ")".repeat(n)))
    }),
    ("choices in choices", 12, |n| {
        unit(&format!(
            "r = {}u{};",
            repeat(n, |i| format!("(u > 0.{i} ? ")),
            " : v)".repeat(n)
        ))
    }),
    ("conditions joined", 12, |n| {
        unit(&format!(
            "if (u > 0.5{}) r = 1;",
            repeat(n, |i| format!(" && (v > 0.{i} || u < 0.{i})"))
        ))
    }),
    ("calls in calls", 12, |n| {
        unit(&format!("r = {}u{};", "sin(".repeat(n), ")".repeat(n)))
    }),
    ("calls of the prelude in calls", 8, |n| {
        unit(&format!("r = {}u{};", "smoothstep(0, 1, ".repeat(n), ")".repeat(n)))
    }),
    ("calls in a row", 100, |n| {
        unit(&repeat(n, |i| format!("r += noise(\"perlin\", P * {i}); ")))
    }),
    ("calls with many arguments", 50, |n| {
        unit(&repeat(n, |i| {
            format!(
                "printf(\"{}\\n\"{}); ",
                "%g ".repeat(30),
                repeat(30, |k| format!(", u * {}", k * i))
            )
        }))
    }),
    ("functions", 100, |n| {
        let functions = repeat(n, |i| {
            format!("float f{i}(float x) {{ if (x > 0.{i}) return x; return x * {i}; }}\n")
        });
        functions + &unit(&repeat(n, |i| format!("r += f{i}(u); ")))
    }),
    ("functions of functions", 12, |n| {
        let functions = repeat(n, |i| {
            format!(
                "float f{}(float x) {{ if (x > 0.{i}) return x; return f{i}(x) * {i}; }}\n",
                i + 1
            )
        });
        format!(
            "float f0(float x) {{ return x; }}\n{functions}{}",
            unit(&format!("r = f{n}(u);"))
        )
    }),
    ("one function, many calls", 200, |n| {
        let turn = "if (y > 1) return y; else y += u;";
        format!("float f(float x) {{ float y = x; for (int i = 0; i < 40; i++) {turn} return y; }}\n")
            + &unit(&repeat(n, |i| format!("r += f(u * {i}); ")))
    }),
    ("functions in a ring", 100, |n| {
        let declared = repeat(n, |i| format!("float f{i}(float x);\n"));
        let defined = repeat(n, |i| format!("float f{i}(float x) {{ return f{}(x) + {i}; }}\n", (i + 1) % n));
        declared + &defined + &unit("r = f0(u);")
    }),
    ("overloads", 60, |n| {
        let structs = repeat(n, |i| {
            format!("struct s{i} {{ float x; }};\nfloat f(s{i} s) {{ return s.x; }}\n")
        });
        structs + &unit(&repeat(n, |i| format!("s{i} x{i} = {{ u }}; r += f(x{i}); ")))
    }),
    ("calls of an overloaded built-in name", 24, |n| {
        OVERLOADED.to_owned()
            + &unit(&format!(
                "vector q = {}P{}; r = q[0];",
                "transform(\"common\", ".repeat(n),
                ")".repeat(n)
            ))
    }),
    ("functions that call an overloaded built-in name", 40, |n| {
        let functions = repeat(n, |i| {
            format!("vector f{}(vector x) {{ return transform(\"common\", f{i}(x)); }}\n", i + 1)
        });
        format!(
            "{OVERLOADED}vector f0(vector x) {{ return x; }}\n{functions}{}",
            unit(&format!("r = f{n}(P)[0];"))
        )
    }),
    ("arguments that fit no function with the expected type", 40, |n| {
        let functions = repeat(n, |i| {
            format!(
                "float f{0}(float x) {{ return length(f{i}(x)); }} vector f{0}(float x) {{ return vector(length(f{i}(x))); }}\n",
                i + 1
            )
        });
        format!(
            "float f0(float x) {{ return x; }} vector f0(float x) {{ return x; }}\n{functions}{}",
            unit(&format!("r = f{n}(u);"))
        )
    }),
    ("functions whose result is the type of a call", 40, |n| {
        let functions =
            repeat(n, |i| format!("typeof(f{i}(x)) f{}(any x) {{ return f{i}(x) + 1; }}\n", i + 1));
        format!(
            "typeof(x) f0(any x) {{ return x; }}\n{functions}{}",
            unit(&format!("r = f{n}(u);"))
        )
    }),
    ("lists in arguments", 24, |n| {
        format!(
            "float f(float a[1]) {{ return a[0]; }}\n{}",
            unit(&format!("r = {}u{};", "f({".repeat(n), "})".repeat(n)))
        )
    }),
    ("derivatives", 150, |n| {
        unit(&format!(
            "float x = u; {} r = Dx(x) + Dy(x);",
            repeat(n, |i| format!("x = sin(x) * {i}; "))
        ))
    }),
    ("derivatives of many", 100, |n| {
        unit(&repeat(n, |i| format!("r += Dx(u * {i}) + filterwidth(v * {i}); ")))
    }),
    ("derivatives in loops", 8, |n| {
        nested(
            n,
            |i| format!("for (int i{i} = 0; i{i} < 40; i{i}++) {{ r += Dx(r * i{i}); "),
            "r += u;",
        )
    }),
    ("variables", 300, |n| {
        unit(&format!(
            "float x = u; {} r = x;",
            repeat(n, |i| format!("float x{i} = x * {i}; x += x{i}; "))
        ))
    }),
    ("nested structures", 12, |n| {
        let structs = repeat(n, |i| format!("struct s{} {{ s{i} a; float x; }};\n", i + 1));
        let path = ".a".repeat(n);
        format!(
            "struct s0 {{ float x; }};\n{structs}{}",
            unit(&format!("s{n} s; s{path}.x = u; r = s{path}.x;"))
        )
    }),
    ("copies of structures", 100, |n| {
        "struct s { float a; float b; color c[4]; };\n".to_owned()
            + &unit(&format!(
                "s x; x.a = u; {} r = x.a;",
                repeat(n, |i| format!("s x{i} = x; x = x{i}; x.a += v; "))
            ))
    }),
    ("long arrays", 200, |n| {
        unit(&format!(
            "float x[{n}] = {{ {} }}; r = x[int(u * {n})];",
            repeat(n, |i| format!("{i}, ")).trim_end_matches(", ")
        ))
    }),
    ("stores", 200, |n| {
        unit(&format!(
            "float x[{n}]; {} r = x[int(u * {n})];",
            repeat(n, |i| format!("x[{i}] = u * {i}; "))
        ))
    }),
    ("stores at unknown indices", 150, |n| {
        unit(&format!(
            "float x[100]; {} r = x[int(v)];",
            repeat(n, |i| format!("x[int(u * {i})] = {i}; "))
        ))
    }),
    ("swizzles", 200, |n| {
        unit(&repeat(n, |i| format!("c[{}] = c.r * u + {i}; ", i % 3)))
    }),
    ("strings", 150, |n| {
        unit(&repeat(n, |i| format!("printf(\"%s %g {i}\\n\", \"text{i}\", u * {i}); ")))
    }),
    ("a long string", 4000, |n| unit(&format!("printf(\"{}\");", "text ".repeat(n)))),
    ("strings joined", 12, |n| {
        unit(&format!(
            "string s = \"\"; {} r = strlen(s);",
            repeat(n, |i| format!("s = concat(s, format(\"%d\", int(u * {i}))); "))
        ))
    }),
    ("closures", 12, |n| {
        format!(
            "shader a(output closure color c = 0) {{ c = diffuse(N); {} }}",
            repeat(n, |i| format!("c = c * u + {i} * diffuse(N); "))
        )
    }),
    ("sums of closures", 300, |n| {
        format!(
            "shader a(output closure color c = 0) {{ {} }}",
            repeat(n, |i| format!("c = c + (u * {i}) * diffuse(N); "))
        )
    }),
    ("messages", 100, |n| {
        unit(&repeat(n, |i| format!("setmessage(\"m{i}\", u); getmessage(\"m{i}\", r); ")))
    }),
    ("texture lookups", 60, |n| {
        unit(&repeat(n, |i| {
            format!("c += texture(\"wood\", u * {i}, v, \"wrap\", \"clamp\"); ")
        }))
    }),
    ("attributes", 100, |n| {
        unit(&repeat(n, |i| {
            format!("float a{i} = 0; getattribute(\"a{i}\", a{i}); r += a{i}; ")
        }))
    }),
    ("parameters", 150, |n| {
        format!(
            "shader a({} output float r = 0) {{ {} }}",
            repeat(n, |i| format!("float p{i} = u * {i} [[ string label = \"x\" ]], ")),
            repeat(n, |i| format!("r += p{i}; "))
        )
    }),
    ("a structure with a default", 150, |n| {
        format!(
            "struct s {{ {} }};\nshader a(s x = {{ {} }}, output float r = 0) {{ r = x.a0; }}",
            repeat(n, |i| format!("float a{i}; ")),
            repeat(n, |i| format!("{i}, ")).trim_end_matches(", ")
        )
    }),
    ("outputs", 150, |n| {
        format!(
            "shader a({} float p = 0) {{ {} }}",
            repeat(n, |i| format!("output float o{i} = 0, ")),
            repeat(n, |i| format!("o{i} = u * {i}; "))
        )
    }),
    ("units", 40, |n| {
        repeat(n, |i| format!("shader a{i}(output float r = 0) {{ r = {i} * u; }}\n"))
    }),
    ("comments", 2000, |n| {
        repeat(n, |i| format!("// comment {i}\n/* {i} */")) + &unit("r = u;")
    }),
    ("macros", 200, |n| {
        repeat(n, |i| format!("#define M{i}(x) (x + {i})\n"))
            + &unit(&repeat(n, |i| format!("r += M{i}(u); ")))
    }),
    ("macros of macros", 24, |n| {
        "#define M0(x) (x)\n".to_owned()
            + &repeat(n, |i| format!("#define M{}(x) M{i}(x)\n", i + 1))
            + &unit(&format!("r = M{n}(u);"))
    }),
    ("conditions of the preprocessor", 300, |n| {
        repeat(n, |i| format!("#if {i} > 3 && defined(x{i})\n#endif\n")) + &unit("r = u;")
    }),
    ("a chain of layers", 150, |n| {
        layers(ADD, n, |i| format!("x = {}.r, y = p", before(i)))
    }),
    ("a chain of layers, each read twice", 150, |n| {
        layers(ADD, n, |i| format!("x = {0}.r, y = {0}.r", before(i)))
    }),
    ("layers that read one", 150, |n| {
        layers(ADD, n, |i| format!("x = l.r, y = p * {i}"))
    }),
    ("layers that print", 150, |n| {
        layers(PRINT, n, |i| format!("x = {}.r, y = p", before(i)))
    }),
    ("layers that print, read by the last", 100, |n| {
        let reads = repeat(n, |i| format!(" + l{i}.r"));
        layers(PRINT, n, |i| format!("x = {i}"))
            .replace(&format!("r = l{}.r", n - 1), &format!("r = l.r{reads}"))
    }),
    ("layers that loop", 60, |n| {
        layers(
            "shader n(float x = 0, output float r = 0) { r = x; while (r < u) r += v; }",
            n,
            |i| format!("x = {}.r", before(i)),
        )
    }),
    ("layers with derivatives", 60, |n| {
        layers("shader n(float x = 0, output float r = 0) { r = x + Dx(x); }", n, |i| {
            format!("x = {}.r", before(i))
        })
    }),
    ("layers under overrides", 60, |n| {
        let layer = |i: usize| format!("n l{i}(x = {0}.r) with {{ P = {0}.r; }} ", before(i));
        format!(
            "shader n(float x = 0, output float r = 0) {{ r = x + P[0]; }}\n\
             group g(output float r) {{ n l(); {} r = l{}.r; }}",
            repeat(n, layer),
            n - 1
        )
    }),
    ("functions in expressions of a group", 40, |n| {
        let functions = repeat(n, |i| format!("float f{i}(float x) {{ return x + {i}; }}\n"));
        functions + &layers(ADD, n, |i| format!("x = f{i}({}.r), y = p", before(i)))
    }),
    ("groups in groups", 12, |n| {
        let level = |i: usize| {
            format!(
                "group g{}(float x = 0, output float r) {{ g{i} a(x = x); r = a.r + u; }}\n",
                i + 1
            )
        };
        format!(
            "shader g0(float x = 0, output float r = 0) {{ r = x + u; }}\n{}",
            repeat(n, level)
        )
    }),
    ("expressions of a group", 60, |n| {
        layers(ADD, n, |i| format!("x = {}.r * 2 + sin(u * {i}), y = p * p", before(i)))
    }),
];
