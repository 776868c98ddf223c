//! Wrong use of the interface returns an error, without a panic or undefined behaviour.

use std::sync::Arc;
use std::thread;

use shading::{
    BatchOutput, ClosureError, ClosureParam, ClosureRegistry, ClosureSignature, ClosureTree, ClosureTypes,
    Const, Global, GraphError, InstanceOptions, LiveError, LiveInputs, MIN_STACK, NoHost, ReportKind,
    RunError, ShaderGlobals, ShaderGroupTemplate, ShaderHost, ShaderInstance, ShadingContext, ShadingSystem,
    Source, Type, Value,
};

shading::closures! {
    /// Closures with parameters of all kinds.
    #[derive(Clone, Copy, Debug)]
    pub enum Lobe<'a> {
        /// Without parameters.
        Glow = glow(),
        /// One parameter.
        Matte = matte(normal n),
        /// Parameters of all types, with padding between them.
        Everything = everything(
            int count, string label, float w[3], closure base, color tint, matrix frame,
            point at = [1.0, 2.0, 3.0], int kinds[2] = [4, 5], string name = "x"
        ),
    }
}

struct OtherHost;
impl ShaderHost for OtherHost {}

const SHADERS: &str = "
    shader one(float a = 1, output float r = 0, output color c = 0) { r = a; c = a; }
    shader named(string s = \"\", float list[] = {1}, output float r = 0) { r = strlen(s) + arraylength(list); }
    surface all(output closure color surface = 0)
    {
        float w[3] = { 1, 2, 3 };
        surface = 0.5 * everything(7, \"seven\", w, 2 * matte(N) + glow(), color(1, 2, 3), matrix(2), \"name\", \"y\")
                + 3 * glow();
    }
    float deep(float x) { return x <= 0 ? 0 : 1 + deep(x - 1); }
    shader recursive(float depth = 4, output float r = 0) { r = deep(depth + u); }
";

fn system() -> (ShadingSystem, ClosureTypes<Lobe<'static>>) {
    let mut registry = ClosureRegistry::default();
    let lobes = ClosureTypes::register(&mut registry).expect("new names");
    let system = ShadingSystem::new(registry, Arc::new(NoHost));
    system
        .load(Source::new("test.ksl", SHADERS))
        .unwrap_or_else(|errors| panic!("{errors}"));
    (system, lobes)
}

fn instance(system: &ShadingSystem, name: &str) -> Arc<ShaderInstance> {
    system
        .instantiate(system.named(name).expect("loaded"), &InstanceOptions::default())
        .expect("compiles")
}

#[test]
fn closures_are_read_by_their_types() {
    let (system, lobes) = system();
    let all = instance(&system, "all");
    let mut context = system.context();
    let tree = all.run(&ShaderGlobals::default(), &mut context).expect("runs");
    let found: Vec<_> = tree.components().map(|c| (c.weight, lobes.read(&c))).collect();
    let [
        (half, Some(Lobe::Everything { count, label, w, base, tint, frame, at, kinds, name })),
        (three, Some(Lobe::Glow {})),
    ] = found[..]
    else {
        panic!("{found:?}");
    };
    assert_eq!((half, three), ([0.5; 3], [3.0; 3]));
    assert_eq!((count, label, w, tint), (7, "seven", [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]));
    assert_eq!((frame[0], frame[5], frame[1]), (2.0, 2.0, 0.0));
    assert_eq!((at, kinds, name), ([1.0, 2.0, 3.0], [4, 5], "y"));
    let inner: Vec<_> = base.components().map(|c| (c.weight, lobes.read(&c))).collect();
    assert!(
        matches!(inner[..], [([2.0, ..], Some(Lobe::Matte { .. })), (_, Some(Lobe::Glow {}))]),
        "{inner:?}"
    );
}

#[test]
fn trees_of_other_registries_are_not_misread() {
    mod other {
        shading::closures! {
            /// Other parameters with the same ids.
            #[derive(Clone, Copy, Debug)]
            pub enum Other<'a> {
                /// A string, where the other closure has no parameter.
                First = first(string text),
                /// A string, where the other closure has a normal.
                Second = matte(string text),
            }
        }
    }
    let (system, _) = system();
    let mut registry = ClosureRegistry::default();
    let others = ClosureTypes::<other::Other>::register(&mut registry).expect("new names");
    let all = instance(&system, "all");
    let mut context = system.context();
    let tree = all.run(&ShaderGlobals::default(), &mut context).expect("runs");
    fn each(tree: ClosureTree<'_>, others: &ClosureTypes<other::Other<'static>>) -> usize {
        tree.components().filter(|component| others.read(component).is_none()).count()
    }
    assert_eq!(each(tree, &others), 2);
    let error = ClosureTypes::<other::Other>::bind(system.closures()).expect_err("other types");
    assert_eq!(error, ClosureError::Unknown { name: "first" });
}

#[test]
fn enums_that_differ_from_the_registry_are_errors() {
    mod other {
        shading::closures! {
            /// Another name.
            pub enum Name {
                /// The parameter is called `n`.
                Matte = matte(normal normal_),
            }
        }
        shading::closures! {
            /// Another type.
            pub enum Kind {
                /// The parameter is a normal.
                Matte = matte(vector n),
            }
        }
    }
    let (system, _) = system();
    let error = ClosureTypes::<other::Kind>::bind(system.closures()).expect_err("another type");
    assert_eq!(error.to_string(), "closure matte(vector n) is registered as matte(normal n)");
    assert!(ClosureTypes::<other::Name>::bind(system.closures()).is_err());
    let mut registry = system.closures().clone();
    let error = ClosureTypes::<Lobe>::register(&mut registry).expect_err("twice");
    assert_eq!(error.to_string(), "closure glow() is registered twice");
    assert!(registry.get(shading::ClosureId(99)).is_none());
}

#[test]
fn parameters_of_closures_are_checked() {
    let wrong = |params: Vec<ClosureParam>| {
        ClosureRegistry::default().register(ClosureSignature { name: "c", params })
    };
    let base = |ty: Type| ty.base;
    for ty in [Type::VOID, Type::array(base(Type::CLOSURE), 2), Type::array(base(Type::FLOAT), 0)] {
        assert!(
            matches!(wrong(vec![ClosureParam::new("x", ty)]), Err(ClosureError::Type { .. })),
            "{ty}"
        );
    }
    let huge = Type::array(base(Type::FLOAT), u32::MAX);
    assert!(matches!(
        wrong(vec![ClosureParam::new("x", huge)]),
        Err(ClosureError::TooLarge { .. })
    ));
    let optional = ClosureParam::optional("x", Type::FLOAT, Const::Int(1));
    assert!(matches!(wrong(vec![optional]), Err(ClosureError::Default { .. })));
    let optional = ClosureParam::optional("x", Type::FLOAT, Const::Float(1.0));
    let after = vec![optional, ClosureParam::new("y", Type::FLOAT)];
    assert!(matches!(wrong(after), Err(ClosureError::Order { .. })));
}

#[test]
fn contexts_of_other_hosts_are_refused() {
    let (system, _) = system();
    let one = instance(&system, "one");
    let mut other = ShadingSystem::new(ClosureRegistry::default(), Arc::new(OtherHost)).context();
    let globals = ShaderGlobals::default();
    assert_eq!(one.run(&globals, &mut other).err(), Some(RunError::OtherHost));
    assert_eq!(
        one.run_batch(&[globals; 5], &mut other, &mut []).err(),
        Some(RunError::OtherHost)
    );
}

#[test]
fn outputs_are_of_the_last_run() {
    let (system, _) = system();
    let (one, all) = (instance(&system, "one"), instance(&system, "all"));
    let mut context: ShadingContext = system.context();
    assert_eq!(one.output(0, &context), Err(RunError::OtherInstance));
    one.run(&ShaderGlobals::default(), &mut context).expect("runs");
    assert_eq!(one.output(0, &context), Ok(Const::Float(1.0)));
    assert_eq!(one.output(2, &context), Err(RunError::NoSuchOutput));
    assert_eq!(one.output_numbers(9, &context, &mut [0.0]), Err(RunError::NoSuchOutput));
    assert!(one.closure(0, &context).expect("no closure, but an output").root().is_none());
    assert!(matches!(one.closure(usize::MAX, &context), Err(RunError::NoSuchOutput)));
    assert!(matches!(all.closure(0, &context), Err(RunError::OtherInstance)));
    // Buffers of any size are filled up to their end.
    let mut numbers = [9.0; 5];
    assert_eq!(one.output_numbers(1, &context, &mut numbers), Ok(()));
    assert_eq!(numbers, [1.0, 1.0, 1.0, 9.0, 9.0]);
    assert_eq!(one.output_numbers(1, &context, &mut []), Ok(()));
}

#[test]
fn short_buffers_of_batches_are_errors() {
    let (system, _) = system();
    let options = InstanceOptions { packets: true, ..InstanceOptions::default() };
    let one = system
        .instantiate(system.named("one").expect("loaded"), &options)
        .expect("compiles");
    let points = [ShaderGlobals::default(); 9];
    let short = Err(RunError::BufferTooShort);
    for (index, size, expected) in [
        (0, 0, short),
        (0, 8, short),
        (0, 9, Ok(9)),
        (1, 9, short),
        (1, 26, short),
        (1, 27, Ok(9)),
        (1, 100, Ok(9)),
    ] {
        let mut numbers = vec![0.0; size];
        let mut outputs = [BatchOutput { index, numbers: &mut numbers }];
        assert_eq!(
            one.run_batch(&points, &mut system.context(), &mut outputs),
            expected,
            "{index} {size}"
        );
        assert_eq!(one.run_batch(&[], &mut system.context(), &mut outputs), Ok(0));
    }
    let mut outputs = [BatchOutput { index: 7, numbers: &mut [] }];
    let found = one.run_batch(&points, &mut system.context(), &mut outputs);
    assert_eq!(found, Err(RunError::NoSuchOutput));
}

#[test]
fn names_and_values_that_do_not_fit_are_diagnostics() {
    let (system, _) = system();
    let error = system.named("onne").expect_err("unknown").to_string();
    assert!(error.contains("did you mean `one`?"), "{error}");
    let one = system.named("one").expect("loaded");
    let wrong = |inputs: Vec<(&str, Value)>, outputs: &[&str]| {
        let options = InstanceOptions {
            inputs: inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            outputs: outputs.iter().map(|name| (*name).to_owned()).collect(),
            ..InstanceOptions::default()
        };
        system.instantiate(one.clone(), &options).expect_err("wrong").to_string()
    };
    let invalid = [
        Value::Const(Const::Float(1.0), Type::COLOR),
        Value::Const(Const::Array(vec![]), Type::FLOAT),
        Value::Const(
            Const::Array(vec![Const::Int(1), Const::Float(1.0)]),
            Type::array(Type::FLOAT.base, 2),
        ),
        Value::Const(Const::Int(1), Type::VOID),
        Value::Uniform("x".into(), Type::STRING),
        Value::Uniform("x".into(), Type::VOID),
    ];
    for value in invalid {
        let message = format!("{value:?}");
        assert!(wrong(vec![("a", value.clone())], &[]).contains("not of the type"), "{message}");
        let mut group = ShaderGroupTemplate::new("g");
        group.add("x", one.clone()).expect("new");
        assert!(
            matches!(group.set("x.a", value), Err(GraphError::InvalidValue { .. })),
            "{message}"
        );
    }
    for name in ["", ".", "a.b.c", "b", "a[", "a[99999999999]", "ä"] {
        wrong(vec![(name, 1.0.into())], &[]);
    }
    wrong(vec![("a", "text".into())], &[]);
    wrong(vec![("a", Value::Const(Const::NullClosure, Type::CLOSURE))], &[]);
    wrong(vec![("a", Global::P.into())], &[]);
    wrong(vec![], &["nothing"]);
    wrong(vec![], &["a"]);
}

#[test]
fn groups_that_do_not_fit_are_errors() {
    let (system, _) = system();
    let one = system.named("one").expect("loaded");
    let mut group = ShaderGroupTemplate::new("g");
    group.add("x", one.clone()).expect("new");
    group.add("later", "nobody").expect("new");
    assert!(group.add("x", one).is_err());
    for path in ["", "x", "y.a", "x.b", "x.a.b", "x.a[1]", ".", "x..a"] {
        assert!(group.set(path, 1.0).is_err(), "{path}");
        assert!(group.connect("x.r", path).is_err(), "{path}");
        assert!(group.expose_input(path, "in").is_err(), "{path}");
        assert!(group.expose_output(path, "out").is_err(), "{path}");
    }
    assert!(group.connect("x.a", "x.a").is_err());
    assert!(group.override_global("nobody", Global::N, "x.c").is_err());
    group.connect("x.r", "x.a").expect("types fit");
    group
        .connect("later.anything", "x.a")
        .expect("looked up when the group is linked");
    group.expose_output("x.r", "r").expect("exists");
    assert!(group.expose_output("x.r", "r").is_err());
    assert!(system.check(&system.add_group(group).into()).is_err());
    // A cycle, an empty group, a group of itself.
    let mut cycle = ShaderGroupTemplate::new("cycle");
    cycle.add("x", system.named("one").expect("loaded")).expect("new");
    cycle.connect("x.r", "x.a").expect("types fit");
    cycle.expose_output("x.r", "r").expect("exists");
    assert!(
        system
            .instantiate(system.add_group(cycle), &InstanceOptions::default())
            .is_err()
    );
    let mut own = ShaderGroupTemplate::new("own");
    own.add("x", "own").expect("new");
    assert!(system.instantiate(system.add_group(own), &InstanceOptions::default()).is_err());
    let empty = system.add_group(ShaderGroupTemplate::new("empty"));
    if let Ok(empty) = system.instantiate(empty, &InstanceOptions::default()) {
        assert!(
            empty
                .run(&ShaderGlobals::default(), &mut system.context())
                .expect("runs")
                .root()
                .is_none()
        );
    }
}

#[test]
fn live_inputs_that_do_not_fit_are_errors() {
    let (system, _) = system();
    let make = |template: &str, name: &str| {
        let options = InstanceOptions {
            live: LiveInputs::Named(vec![name.to_owned()]),
            ..InstanceOptions::default()
        };
        system.instantiate(system.named(template).expect("loaded"), &options)
    };
    for (template, name) in [("one", "b"), ("one", "r"), ("one", ""), ("named", "s"), ("named", "list")] {
        assert!(make(template, name).is_err(), "{template} {name}");
    }
    let one = make("one", "a").expect("compiles");
    assert!(matches!(one.with_inputs(&[("b", 1.0.into())]), Err(LiveError::NotLive { .. })));
    for value in [
        "x".into(),
        [1.0; 3].into(),
        [0.0; 16].into(),
        Value::Global(Global::U),
        Value::Const(Const::Array(vec![]), Type::FLOAT),
    ] {
        assert!(matches!(one.with_inputs(&[("a", value)]), Err(LiveError::Value { .. })));
    }
    let folded = instance(&system, "one");
    assert!(folded.with_inputs(&[("a", 1.0.into())]).is_err());
    assert!(folded.with_inputs(&[]).is_ok());
}

/// Runs a function in a thread with a stack of this size.
fn with_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(bytes)
            .spawn_scoped(scope, work)
            .expect("a thread");
        thread.join().expect("no panic")
    })
}

/// Runs with an ever smaller stack until a run is refused; returns the number of runs.
fn deeper(run: &impl Fn() -> Result<(), RunError>) -> u32 {
    let block = std::hint::black_box([0u8; 16 << 10]);
    match run() {
        Ok(()) => 1 + deeper(run) + u32::from(std::hint::black_box(block)[0]),
        Err(error) => {
            assert_eq!(error, RunError::SmallStack);
            0
        }
    }
}

#[test]
fn small_stacks_are_refused() {
    let (system, _) = system();
    let one = instance(&system, "one");
    let run = || one.run(&ShaderGlobals::default(), &mut system.context()).map(|_| ());
    let count = with_stack(MIN_STACK + (512 << 10), || deeper(&run));
    assert!(count >= 8, "{count}");
}

#[test]
fn recursion_stays_within_the_stack() {
    let (system, _) = system();
    let recursive = instance(&system, "recursive");
    let run = |u: f32| {
        let globals = ShaderGlobals { u, ..ShaderGlobals::default() };
        let mut context = system.context();
        recursive.run(&globals, &mut context).expect("runs");
        (context.finished(), context.take_reports())
    };
    for bytes in [MIN_STACK + (128 << 10), 512 << 10, 2 << 20] {
        let (finished, reports) = with_stack(bytes, || run(1e6));
        assert!(
            !finished && reports.iter().any(|report| report.kind == ReportKind::TooDeep),
            "{bytes}"
        );
        assert!(with_stack(bytes, || run(4.0)).0, "{bytes}");
    }
}

#[test]
fn fuel_of_any_amount_is_fine() {
    let (system, _) = system();
    let recursive = instance(&system, "recursive");
    for fuel in [0, 1, u32::MAX] {
        let mut context = system.context();
        context.set_fuel(fuel);
        recursive.run(&ShaderGlobals::default(), &mut context).expect("runs");
    }
}

#[test]
fn strings_that_are_cut_are_reported() {
    let (system, _) = system();
    for (name, text) in [
        ("joined", "for (int i = 0; i < 17; ++i) s = concat(s, s);"),
        ("formatted", "for (int i = 0; i < 17; ++i) s = format(\"%s%s\", s, s);"),
    ] {
        let text = format!(
            "shader {name}(output float r = 0) {{ string s = format(\"%g\", u); {text} r = strlen(s); }}"
        );
        system.load(Source::new("cut.ksl", text)).expect("compiles");
        let cut = instance(&system, name);
        let mut context = system.context();
        cut.run(&ShaderGlobals::default(), &mut context).expect("runs");
        assert_eq!(cut.output(0, &context), Ok(Const::Float(65_536.0)));
        let reports = context.take_reports();
        let [report] = &reports[..] else { panic!("{name}: {reports:?}") };
        assert_eq!(report.kind, ReportKind::BadFormat);
        assert_eq!(report.message, "a string cannot have more than 65536 bytes, and is cut");
    }
}
