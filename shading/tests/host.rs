//! Services of a host: globals, attributes of any type by handle, live inputs; and types that may be sent to other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use shading::{
    AttributeHandle, ClosureRegistry, ClosureTypes, Const, HostGlobal, InstanceOptions, Kind, LiveInputs,
    NoHost, ShaderGlobals, ShaderHost, ShaderInstance, ShadingContext, ShadingSystem, Source, Template, Type,
};

/// Host whose attributes can be read by handle only; counts reads by name.
#[derive(Default)]
struct HandleHost {
    named: AtomicU32,
}

impl ShaderHost for HandleHost {
    fn attribute_handle(&self, name: &str) -> Option<AttributeHandle> {
        ["hour", "sun", "floor"]
            .iter()
            .position(|known| *known == name)
            .map(|index| AttributeHandle(index as u32))
    }

    fn attribute_by_handle(&self, globals: &ShaderGlobals, handle: AttributeHandle) -> Option<[f32; 4]> {
        Some(match handle.0 {
            0 => [6.5, 0.0, 0.0, 0.0],
            1 => [0.1, 0.2, 0.3, 0.0],
            _ => [globals.object as f32, 0.0, 0.0, 0.0],
        })
    }

    fn attribute(&self, _: &ShaderGlobals, _: &str, _: &str) -> Option<[f32; 4]> {
        self.named.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn any_attribute_handle(&self, name: &str, _: Kind) -> Option<AttributeHandle> {
        ["town", "frame", "weights"]
            .iter()
            .position(|known| *known == name)
            .map(|index| AttributeHandle(index as u32))
    }

    fn any_attribute_by_handle(
        &self,
        _: &ShaderGlobals,
        handle: AttributeHandle,
        index: Option<u32>,
        kind: Kind,
    ) -> Option<Const> {
        let weights = [1.0, 2.0, 3.0, 4.0, 5.0].map(Const::Float);
        Some(match (handle.0, index) {
            (0, _) => Const::String("Basel".into()),
            (1, _) => Const::Matrix(std::array::from_fn(|i| i as f32)),
            (_, Some(index)) => weights.get(index as usize)?.clone(),
            // An attribute of another kind is missing.
            (_, None) if kind == Kind::STRING => Const::Int(1),
            (_, None) => Const::Array(weights.to_vec()),
        })
    }

    fn any_attribute(&self, _: &ShaderGlobals, _: &str, _: &str, _: Option<u32>, _: Kind) -> Option<Const> {
        self.named.fetch_add(1, Ordering::Relaxed);
        None
    }
}

fn host_and_system(globals: &[(&str, Type)]) -> (Arc<HandleHost>, ShadingSystem) {
    let host = Arc::new(HandleHost::default());
    let globals = globals
        .iter()
        .map(|(name, ty)| HostGlobal::new(name, *ty).expect("a free name"));
    let system = ShadingSystem::new(ClosureRegistry::default(), host.clone()).with_globals(globals);
    (host, system)
}

/// Compiles the last unit or group of a source.
fn instance(system: &ShadingSystem, text: &str, live: &[&str]) -> Arc<ShaderInstance> {
    let loaded = system
        .load(Source::new("test.ksl", text))
        .unwrap_or_else(|errors| panic!("{errors}"));
    let options = InstanceOptions {
        live: LiveInputs::Named(live.iter().map(|name| (*name).to_owned()).collect()),
        ..InstanceOptions::default()
    };
    let template = loaded.templates.last().expect("a template").clone();
    system
        .instantiate(template, &options)
        .unwrap_or_else(|errors| panic!("{errors}"))
}

fn outputs(system: &ShadingSystem, instance: &ShaderInstance) -> Vec<Const> {
    let mut context = system.context();
    let globals = ShaderGlobals { u: 0.5, object: 7, ..ShaderGlobals::default() };
    instance.run(&globals, &mut context).expect("runs");
    let all = 0..instance.outputs().len();
    all.map(|index| instance.output(index, &context).expect("an output")).collect()
}

#[test]
fn shaders_read_globals_of_the_host() {
    let (host, system) =
        host_and_system(&[("hour", Type::FLOAT), ("sun", Type::COLOR), ("floor", Type::INT)]);
    let text = "float twice() { return 2 * hour; }
                shader clock(float hour_in = hour, output float a = 0, output color b = 0, output int c = 0)
                { a = twice() + hour_in; b = sun * 10; c = floor + 1; }";
    let found = outputs(&system, &instance(&system, text, &[]));
    assert_eq!(found[0], Const::Float(19.5));
    assert_eq!(found[1], Const::Triple([1.0, 2.0, 3.0].map(|x: f32| x / 10.0 * 10.0)));
    assert_eq!(found[2], Const::Int(8));
    assert_eq!(host.named.load(Ordering::Relaxed), 0);
}

#[test]
fn groups_connect_globals_of_the_host() {
    let (_, system) = host_and_system(&[("hour", Type::FLOAT), ("sun", Type::COLOR)]);
    let text = "shader add(float a = 0, float b = 0, float c = 0, output float sum = 0) { sum = a + b + c; }
                group day(output float sum) { add x(a = hour, b = hour * 2, c = sun.g); sum = x.sum; }";
    let found = outputs(&system, &instance(&system, text, &[]));
    assert_eq!(found, [Const::Float(6.5 + 13.0 + 0.2)]);
}

#[test]
fn globals_of_the_host_are_no_variables() {
    let (_, system) = host_and_system(&[("hour", Type::FLOAT)]);
    let text = "shader wrong(output float a = 0) { hour = 1; a = huor; }";
    let errors = system.load(Source::new("test.ksl", text)).expect_err("wrong").to_string();
    assert!(errors.contains("`hour` cannot be written"), "{errors}");
    assert!(errors.contains("did you mean `hour`?"), "{errors}");
    // A parameter hides a global of the same name.
    let text = "shader own(float hour = 1, output float a = 0) { a = hour; }";
    assert_eq!(outputs(&system, &instance(&system, text, &[])), [Const::Float(1.0)]);
}

#[test]
fn names_of_host_globals_are_checked() {
    for name in ["", "P", "Ci", "M_PI", "for", "color", "1st", "a b", "a;b", "f()", "é", "__x"] {
        assert!(HostGlobal::new(name, Type::FLOAT).is_err(), "{name}");
    }
    for ty in [Type::VOID, Type::CLOSURE, Type::array(Type::FLOAT.base, 0)] {
        assert!(HostGlobal::new("hour", ty).is_err(), "{ty}");
    }
}

#[test]
fn attributes_of_all_types_are_read_by_handle() {
    let (host, system) = host_and_system(&[("town", Type::STRING), ("frame", Type::MATRIX)]);
    let text = "shader all(output string a = \"\", output matrix b = 0, output float c[5] = {0, 0, 0, 0, 0},
                           output float d = 0, output string e = \"none\")
                {
                    a = concat(town, \"!\"); b = frame;
                    getattribute(\"weights\", c); getattribute(\"weights\", 3, d); getattribute(\"weights\", e);
                }";
    let found = outputs(&system, &instance(&system, text, &[]));
    assert_eq!(found[0], Const::String("Basel!".into()));
    assert_eq!(found[1], Const::Matrix(std::array::from_fn(|i| i as f32)));
    assert_eq!(found[2], Const::Array([1.0, 2.0, 3.0, 4.0, 5.0].map(Const::Float).to_vec()));
    assert_eq!(found[3], Const::Float(4.0));
    assert_eq!(found[4], Const::String("none".into()));
    assert_eq!(host.named.load(Ordering::Relaxed), 0);
}

const LIVE: &str =
    "shader live(float a = 2, int b = 3, color c = 0.5, vector d = vector(1, 2, 3), float fixed = 1,
                                output float sum = 0, output color tint = 0, output vector way = 0)
                    { sum = a == 0 ? -1 : u / a + b * fixed; tint = c; way = d + Dx(a); }";

#[test]
fn live_inputs_change_without_compiling() {
    let (_, system) = host_and_system(&[]);
    let first = instance(&system, LIVE, &["a", "b", "c", "d"]);
    let tint = |x| Const::Triple([x; 3]);
    let way = Const::Triple([1.0, 2.0, 3.0]);
    assert_eq!(outputs(&system, &first), [Const::Float(3.25), tint(0.5), way.clone()]);
    let second = first
        .with_inputs(&[("a", 0.25.into()), ("b", 7.into()), ("c", 0.75.into())])
        .expect("live");
    assert!(second.shares_code_with(&first));
    assert_eq!(outputs(&system, &second), [Const::Float(9.0), tint(0.75), way.clone()]);
    // Zeros change the structure of the code only if they are folded.
    let zero = second.with_inputs(&[("a", 0.0.into()), ("d", [0.0; 3].into())]).expect("live");
    assert_eq!(
        outputs(&system, &zero),
        [Const::Float(-1.0), tint(0.75), Const::Triple([0.0; 3])]
    );
    assert_eq!(outputs(&system, &first), [Const::Float(3.25), tint(0.5), way]);
    assert_ne!(first.statistics().fingerprint, second.statistics().fingerprint);
}

#[test]
fn live_inputs_equal_folded_ones() {
    let (_, system) = host_and_system(&[]);
    let live = instance(&system, LIVE, &["a", "b"]);
    for (a, b) in [(1.0f32, 2), (-3.5, -8), (f32::INFINITY, 1), (1e-30, 1 << 24)] {
        let options = InstanceOptions {
            inputs: vec![("a".into(), a.into()), ("b".into(), b.into())],
            ..InstanceOptions::default()
        };
        let folded = system
            .instantiate(system.named("live").expect("loaded"), &options)
            .expect("compiles");
        let live = live.with_inputs(&[("a", a.into()), ("b", b.into())]).expect("live");
        assert_eq!(outputs(&system, &live), outputs(&system, &folded), "{a} {b}");
    }
}

#[test]
fn live_inputs_of_groups_and_packets() {
    let (_, system) = host_and_system(&[]);
    let text = "shader scale(float by = 1, output float r = 0) { r = u * by; }
                group two(float by = 2 [[ int interactive = 1 ]], float other = 1, output float r)
                { scale first(by = by); scale second(by = by + other); r = first.r + second.r; }";
    system.load(Source::new("two.ksl", text)).expect("compiles");
    let options = InstanceOptions {
        live: LiveInputs::Marked,
        packets: true,
        ..InstanceOptions::default()
    };
    let two = system
        .instantiate(system.named("two").expect("loaded"), &options)
        .expect("compiles");
    let names: Vec<&str> = two.live_inputs().iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["by"]);
    let four = two.with_inputs(&[("by", 4.0.into())]).expect("live");
    let points: Vec<ShaderGlobals> = (0..9)
        .map(|i| ShaderGlobals { u: i as f32, ..ShaderGlobals::default() })
        .collect();
    let mut numbers = vec![0.0; points.len()];
    let mut output = [shading::BatchOutput { index: 0, numbers: &mut numbers }];
    assert_eq!(four.run_batch(&points, &mut system.context(), &mut output), Ok(points.len()));
    let expected: Vec<f32> = (0..9).map(|i| i as f32 * 9.0).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn shared_types_are_sync() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<ShadingSystem>();
    shared::<ShaderInstance>();
    shared::<Template>();
    shared::<InstanceOptions>();
    shared::<ClosureRegistry>();
    shared::<ClosureTypes<Lobe>>();
    shared::<shading::Diagnostics>();
    shared::<shading::ShaderGroupTemplate>();
    shared::<NoHost>();
    sent::<ShadingContext>();
}

/// Does not compile if a context is `Sync`, because two implementations would apply.
trait Unshared<T> {
    fn check() {}
}
struct Any;
struct OfSync;
impl<T: ?Sized> Unshared<Any> for T {}
impl<T: ?Sized + Sync> Unshared<OfSync> for T {}

#[test]
fn contexts_are_not_sync() {
    <ShadingContext as Unshared<_>>::check();
}

shading::closures! {
    /// A closure.
    enum Lobe {
        /// Without parameters.
        Glow = glow(),
    }
}
