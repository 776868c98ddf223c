//! The shipped library: compiled code and interpreter give the same bits, and many threads can compile at once. (Random
//! units are compared in `differential.rs`.)

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use language_support::generate::{self, Random, TestHost};
use language_support::{compiled, shipped};
use shading::hir::{Const, Unit};
use shading::interp::{self, Listing, RunOptions};
use shading::opt::OptLevel;
use shading::{
    InstanceOptions, ShaderGlobals, ShaderHost, ShaderInstance, ShadingContext, ShadingSystem, Source,
    Template, TextureHandle, TextureRequest,
};

/// Shading points per shader and mode.
const POINTS: u64 = 200;

fn system() -> ShadingSystem {
    shipped::system(Arc::new(TestHost))
}

/// Returns a shading point with ordinary numbers, some of them on the borders where patterns change.
fn point(seed: u64) -> ShaderGlobals {
    let mut random = Random::new(seed);
    let mut globals = generate::globals(seed);
    if seed.is_multiple_of(2) {
        let mut direction = || {
            let v = [random.float(), random.float(), random.float()];
            let length = v.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
            v.map(|x| x / length)
        };
        globals.n = direction().into();
        globals.ng = globals.n;
        globals.i = direction().into();
        globals.dpdu = direction().into();
        globals.dpdv = direction().into();
    }
    globals.u = if random.once_in(4) {
        (random.below(9) as f32) / 8.0
    } else {
        random.float()
    };
    globals.v = if random.once_in(4) {
        (random.below(9) as f32) / 8.0
    } else {
        random.float()
    };
    globals
}

/// Returns the first difference between a run of compiled code and one of the interpreter.
fn difference(
    instance: &ShaderInstance,
    context: &mut ShadingContext,
    unit: &Unit,
    globals: &ShaderGlobals,
    system: &ShadingSystem,
) -> Option<String> {
    let options = RunOptions { host: &TestHost, ..RunOptions::new(globals) };
    let expected = interp::run(unit, &options);
    instance.run(globals, context).unwrap();
    compiled::difference(instance, context, system.closures(), &expected)
}

/// Compares all outputs of a template, raw and optimised; fully optimised results may differ from raw ones.
fn compare(system: &ShadingSystem, template: &Template) {
    use OptLevel::{Exact, Full, None};
    for (optimize, oracle) in [(None, None), (Exact, None), (Full, Full)] {
        let raw = InstanceOptions { optimize: oracle, ..InstanceOptions::default() };
        let options = InstanceOptions { optimize, packets: true, ..InstanceOptions::default() };
        let name = template.name();
        let (unit, _, _) = system.optimized(template, &raw).unwrap_or_else(|e| panic!("{name}: {e}"));
        let instance = system
            .instantiate(template.clone(), &options)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut context = system.context();
        for seed in 0..POINTS {
            let globals = point(seed);
            if let Some(difference) = difference(&instance, &mut context, &unit, &globals, system) {
                panic!("{name} ({optimize:?}) at point {seed}: {difference}");
            }
        }
        let points: Vec<ShaderGlobals> = (0..POINTS).map(point).collect();
        if let Some(difference) = compiled::batch_difference(&instance, &points, || system.context()) {
            panic!("{name} ({optimize:?}) as a batch: {difference}");
        }
    }
}

#[test]
fn shipped_shaders_run_as_interpreted() {
    let system = system();
    let mut groups = 0;
    for name in shipped::names() {
        let loaded = system.load(shipped::find(name).unwrap()).unwrap_or_else(|e| panic!("{e}"));
        for template in &loaded.templates {
            groups += usize::from(matches!(template, Template::Group(_)));
            compare(&system, template);
        }
    }
    println!("{groups} groups are shipped");
}

/// Groups of shipped units: nested, with expressions, overridden globals and unconnected inputs.
const GROUPS: &str = r"
group wall(float scale = 4, color tint = (0.8, 0.3, 0.2), output color result, output float height) {
    brick bricks(scale = scale, brick_color = tint, s = u + 0.1 * bumps.value, t = v);
    fbm bumps(position = P * 3);
    result = bricks.result * (0.5 + 0.5 * bumps.value);
    height = bricks.height;
}
group painted(float wear = 0.5, output closure color surface) {
    wall inner(scale = 6);
    wall moved(tint = (0.1, 0.2, 0.9)) with { P = P * 2; }
    checker squares(a = inner.result, b = moved.result);
    matte base(albedo = squares.result);
    coated top(base = base.surface, amount = wear * inner.height);
    surface = top.surface;
}
";

#[test]
fn groups_run_as_interpreted() {
    let system = system();
    let loaded = system.load(Source::new("groups.ksl", GROUPS)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(loaded.templates.len(), 2);
    for template in &loaded.templates {
        compare(&system, template);
    }
}

/// Closures that are created once, in branches and in loops, together with strings in the same memory, and more of them than
/// have fixed offsets.
#[test]
fn closures_and_texts_do_not_overwrite_each_other() {
    let system = ShadingSystem::new(generate::registry(), Arc::new(TestHost));
    let many =
        |count: usize| -> String { (0..count).map(|i| format!(" sum += tinted({i} * u, P);")).collect() };
    for count in [0, 1, 400, 1000] {
        let text = format!(
            r#"shader mixed(output string before = "", output string after = "", output closure color surface = 0,
                output closure color last = 0, output int same = 0)
            {{
                closure color sum = tinted(u, N);
                before = format("%g", u);
                for (int i = 0; i < 3; i++) {{ sum += v * tinted(i * u, I); }}
                if (v > 0.5) {{ sum += tinted(2, P);{many} }} else {{ sum = 0.5 * coat(sum, v); }}
                after = concat(before, format(", after %g", v));
                surface = sum + glossy(N, u, 3) + tinted(v, I);
                last = tinted(v, I);
                same = before == format("%g", u);
            }}"#,
            many = many(count)
        );
        let name = format!("mixed_{count}");
        let loaded = system
            .load(Source::new(
                name,
                text.replace("shader mixed", &format!("shader mixed_{count}")),
            ))
            .unwrap_or_else(|e| panic!("{e}"));
        compare(&system, &loaded.templates[0]);
    }
}

#[test]
fn compiled_closures_scaled_by_zero_are_null() {
    let system = ShadingSystem::new(generate::registry(), Arc::new(TestHost));
    let text = "shader scaled(output closure color surface = 0, output closure color other = 0) {
        float huge = 1e30 * (1e30 + u), zero = 0 * floor(u / 100);
        surface = zero * (huge * glossy(N, u, 3)) + huge * (zero * tinted(u, N));
        closure color part = zero * tinted(v, I);
        other = huge * (part + zero * part);
    }";
    let loaded = system.load(Source::new("scaled.ksl", text)).unwrap_or_else(|e| panic!("{e}"));
    compare(&system, &loaded.templates[0]);
}

/// Hundreds of loops over variables of all types, which exceed register allocation, so that compiled code keeps variables in
/// memory.
#[test]
fn large_units_run_as_interpreted() {
    let system = ShadingSystem::new(generate::registry(), Arc::new(TestHost));
    let turns: String = (0..250)
        .map(|i| {
            format!(
                "float x{i} = u * {i}; color k{i} = v; string s{i} = text; closure color c{i} = sum;
                for (int i = 0; i < int(x{i}) % 3; i++) {{
                    x{i} += sin(x{i}); k{i}[i] = x{i}; s{i} = format(\"%d\", i); m[i][1] += x{i};
                    if (x{i} > {i} * v) c{i} = tinted(x{i}, N) + c{i};
                }}
                r += x{i}; c += k{i} * 0.1; if (s{i} != text) text = s{i}; if (v > 0.{i}) sum = c{i};\n"
            )
        })
        .collect();
    let text = format!(
        "shader large(output float r = 0, output color c = 0, output string text = \"\", output matrix m = 1,
            output closure color sum = 0) {{\n{turns} }}"
    );
    let loaded = system.load(Source::new("large.ksl", text)).unwrap_or_else(|e| panic!("{e}"));
    compare(&system, &loaded.templates[0]);
}

#[test]
fn exit_ends_a_unit_within_a_default() {
    let system = ShadingSystem::new(generate::registry(), Arc::new(TestHost));
    let text = "struct pair { float a; float b; };
        float ends(float x, float at) { if (x < at) exit(); return x; }
        pair both(float x) { pair p = { ends(x, 0.2), ends(1 - x, 0.3) }; return p; }
        shader ending(float first = ends(u, 0.4), pair two = both(v), output float a = first + 1,
            output float b = ends(a, 1.7), output float c = two.a, output int ran = 0) { ran = 1; c = two.b; }";
    let loaded = system.load(Source::new("ending.ksl", text)).unwrap_or_else(|e| panic!("{e}"));
    compare(&system, &loaded.templates[0]);
}

/// A host that resolves a texture only when a given number of threads request it at the same time.
struct Meeting {
    threads: usize,
    here: Mutex<usize>,
    everybody: Condvar,
}

impl ShaderHost for Meeting {
    fn texture_handle(&self, _: &TextureRequest) -> Option<TextureHandle> {
        let mut here = self.here.lock().unwrap();
        *here += 1;
        self.everybody.notify_all();
        let wait = self
            .everybody
            .wait_timeout_while(here, Duration::from_secs(60), |here| *here < self.threads);
        let (here, result) = wait.unwrap();
        // Released before the panic, so that other threads can report too.
        drop(here);
        assert!(!result.timed_out(), "a thread that compiles keeps others from compiling");
        Some(TextureHandle(0))
    }
}

/// Textures are requested during code generation. If a lock were held then, the second thread would never reach its
/// request.
#[test]
fn no_lock_is_held_while_shaders_compile() {
    const THREADS: usize = 64;
    let host = Arc::new(Meeting {
        threads: THREADS,
        here: Mutex::new(0),
        everybody: Condvar::new(),
    });
    let system = shipped::system(host);
    let text = "shader look(output color result = 0) { result = texture(\"wood\", u, v); }";
    system.load(Source::new("look.ksl", text)).unwrap_or_else(|e| panic!("{e}"));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let template = system.template("look").expect("it is loaded");
                let instance = system.instantiate(template, &InstanceOptions::default());
                instance.unwrap_or_else(|e| panic!("{e}"));
            });
        }
    });
}

#[test]
fn sixty_four_threads_compile_at_once() {
    let shared = system();
    shared.load(Source::new("groups.ksl", GROUPS)).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<&str> = shipped::names().into_iter().chain(["wall", "painted"]).collect();
    let globals = point(1);
    let first = |system: &ShadingSystem, name: &str| {
        let template = system.template(name).unwrap_or_else(|| panic!("no {name}"));
        let instance = system
            .instantiate(template, &InstanceOptions::default())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut context = system.context();
        instance.run(&globals, &mut context).unwrap();
        let outputs = 0..instance.outputs().len();
        let values: Vec<Const> = outputs.clone().map(|i| instance.output(i, &context).unwrap()).collect();
        let closures =
            outputs.map(|i| Listing::of(instance.closure(i, &context).unwrap(), system.closures()));
        (values, closures.collect::<Vec<_>>())
    };
    let alone = system();
    alone.load(Source::new("groups.ksl", GROUPS)).unwrap_or_else(|e| panic!("{e}"));
    let expected: Vec<_> = names.iter().map(|name| first(&alone, name)).collect();
    std::thread::scope(|scope| {
        for thread in 0..64 {
            let (names, expected, shared, first) = (&names, &expected, &shared, &first);
            scope.spawn(move || {
                // Each thread has its own order, so that several threads use a name first at the same time.
                for i in 0..6 {
                    let at = (thread * 7 + i * 11) % names.len();
                    let (values, closures) = first(shared, names[at]);
                    let (wanted, listed) = &expected[at];
                    assert!(values.iter().zip(wanted).all(|(a, b)| a.same(b)), "{}", names[at]);
                    assert!(closures.iter().zip(listed).all(|(a, b)| a.same(b)), "{}", names[at]);
                }
            });
        }
    });
}
