//! Aliases of parameters: other names by which callers set a value.

use std::sync::Arc;

use shading::hir::Const;
use shading::{
    ClosureRegistry, Diagnostics, GraphError, InstanceOptions, LiveInputs, NoHost, ShaderGlobals,
    ShaderGroupTemplate, ShadingSystem, Source, Template, Value,
};

fn system() -> ShadingSystem {
    ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost))
}

const UNITS: &str = r#"struct size { float w; float h; };
    shader base(
        color albedo = 0 [[ string aliases = "Kd, diffuseColor" ]],
        float rough = 0 [[ string aliases = "r1,both" ]],
        float metal = 0 [[ string aliases = "both" ]],
        size extent = {1, 2} [[ string aliases = "box" ]],
        output float r = 0)
    { r = albedo.r + 10 * albedo.g + 100 * rough + 1000 * extent.w; }
    shader one(output color c = 1) { c = color(u, 2, 3); }"#;

/// The output `r` of a template where `u` is 0.25.
fn run(system: &ShadingSystem, template: Template, inputs: Vec<(String, Value)>) -> Result<f32, Diagnostics> {
    let options = InstanceOptions {
        inputs,
        outputs: vec!["r".to_owned()],
        ..InstanceOptions::default()
    };
    let instance = system.instantiate(template, &options)?;
    let mut context = system.context();
    let globals = ShaderGlobals { u: 0.25, ..ShaderGlobals::default() };
    instance.run(&globals, &mut context).unwrap();
    match instance.output(0, &context).unwrap() {
        Const::Float(value) => Ok(value),
        other => panic!("{other:?}"),
    }
}

/// The output of a group that calls `base` with arguments.
fn given(args: &str) -> Result<f32, Diagnostics> {
    let system = system();
    let text = format!("{UNITS}\ngroup g(output float r = 0) {{ one o(); base b({args}); r = b.r; }}");
    let loaded = system.load(Source::new("test.ksl", text))?;
    run(&system, loaded.templates[2].clone(), vec![])
}

#[track_caller]
fn error(found: Result<f32, Diagnostics>, message: &str) {
    let errors = found.expect_err(message);
    assert_eq!(errors.list.len(), 1, "{errors}");
    assert!(errors.list[0].message.contains(message), "{errors}");
    assert!(!errors.list[0].labels.is_empty(), "it has no place: {errors}");
    assert!(!errors.list[0].hints.is_empty(), "it has no hint: {errors}");
}

#[test]
fn arguments_reach_parameters_by_their_aliases() {
    assert_eq!(given("Kd = o.c").unwrap(), 1020.25);
    assert_eq!(given("diffuseColor = (2, 1, 0), r1 = u + 0").unwrap(), 1037.0);
    assert_eq!(given("diffuseColor.g = 3").unwrap(), 1030.0);
    assert_eq!(given("Kd = o.c, albedo.r = 4").unwrap(), 1024.0);
    assert_eq!(given("box.w = 7").unwrap(), 7000.0);
    assert_eq!(given("box = {3, 3}").unwrap(), 3000.0);
}

#[test]
fn values_are_set_once_by_name_or_alias() {
    error(given("Kd = 1, albedo = 2"), "`albedo` is given twice, as `Kd` and as `albedo`");
    error(given("Kd = 1, diffuseColor = 2"), "`albedo` is given twice");
    error(given("albedo.r = 1, Kd.r = 2"), "`albedo[0]` is given twice");
    error(given("albedo.r = 1, albedo.x = 2"), "as `albedo.r` and as `albedo.x`");
    error(
        given("both = 1"),
        "`both` is an alias of several inputs of `base`: `rough`, `metal`",
    );
}

#[test]
fn aliases_that_no_caller_can_use_are_errors() {
    for text in [
        "shader s(float a = 0 [[ string aliases = \"b\" ]], float b = 0, output float r = 0) { r = a + b; }",
        "group s(float a = 0 [[ string aliases = \"b\" ]], float b = 0, output float r = 0) { r = a + b; }",
        "shader s(float a = 0 [[ string aliases = \"r\" ]], output float r = 0) { r = a; }",
    ] {
        let errors = system().load(Source::new("test.ksl", text)).expect_err(text);
        let message = &errors.list[0].message;
        assert!(message.contains("is the name of another parameter"), "{errors}");
    }
}

#[test]
fn groups_have_the_aliases_that_they_declare() {
    let system = system();
    let text = format!(
        "{UNITS}\ngroup g(color tint = 0 [[ string aliases = \"Kd\" ]], output float r = 0) {{ base b(Kd = tint); r = b.r; }}
        group h(output float r = 0) {{ g a(Kd = (4, 0, 0)); r = a.r; }}"
    );
    let loaded = system.load(Source::new("test.ksl", text)).unwrap();
    assert_eq!(run(&system, loaded.templates[3].clone(), vec![]).unwrap(), 1004.0);
    let given = vec![("Kd.g".to_owned(), 2.0.into())];
    assert_eq!(run(&system, loaded.templates[2].clone(), given).unwrap(), 1020.0);
    let unknown = vec![("diffuseColor".to_owned(), 2.0.into())];
    assert!(run(&system, loaded.templates[2].clone(), unknown).is_err());
}

#[test]
fn programs_use_aliases() {
    let system = system();
    let loaded = system.load(Source::new("test.ksl", UNITS)).unwrap();
    let mut group = ShaderGroupTemplate::new("g");
    group.add("o", loaded.templates[1].clone()).unwrap();
    group.add("b", loaded.templates[0].clone()).unwrap();
    group.set("b.albedo", 5.0).unwrap();
    group.connect("o.c", "b.Kd").unwrap();
    group.connect("o.c.g", "b.diffuseColor.r").unwrap();
    group.expose_input("b.r1", "rough").unwrap();
    group.expose_output("b.r", "r").unwrap();
    let ambiguous = group.set("b.both", 1.0);
    assert!(matches!(ambiguous, Err(GraphError::AmbiguousAlias { .. })), "{ambiguous:?}");
    let group = Template::Group(Arc::new(group));
    let given = vec![("rough".to_owned(), 1.0.into())];
    assert_eq!(run(&system, group.clone(), given).unwrap(), 1122.0);
    // An exposed input does not inherit the aliases of its inner parameter.
    let given = vec![("r1".to_owned(), 1.0.into())];
    assert!(run(&system, group, given).is_err());
}

/// The output `r` with live inputs, and their values.
fn live(given: &[(&str, Value)], live: LiveInputs) -> (f32, Vec<Const>) {
    let system = system();
    let text = r#"shader s(color albedo = 0.5 [[ string aliases = "Kd,diffuseColor", int interactive = 1 ]], output float r = 0)
        { r = albedo.r + 10 * albedo.g + 100 * albedo.b; }"#;
    let loaded = system.load(Source::new("test.ksl", text)).unwrap();
    let options = InstanceOptions {
        inputs: given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        live,
        ..InstanceOptions::default()
    };
    let instance = system.instantiate(loaded.templates[0].clone(), &options).unwrap();
    let values = instance.live_inputs().iter().map(|input| input.value.clone()).collect();
    let mut context = system.context();
    instance.run(&ShaderGlobals::default(), &mut context).unwrap();
    let mut numbers = [0.0];
    instance.output_numbers(0, &context, &mut numbers).unwrap();
    let changed = instance.with_inputs(&[("Kd", Value::from(2.0))]).unwrap();
    changed.run(&ShaderGlobals::default(), &mut context).unwrap();
    let mut moved = [0.0];
    changed.output_numbers(0, &context, &mut moved).unwrap();
    assert_eq!(moved[0], 222.0, "{given:?}");
    (numbers[0], values)
}

#[test]
fn live_inputs_have_values_given_by_alias() {
    let named = |name: &str| LiveInputs::Named(vec![name.to_owned()]);
    let grey = |x: f32| vec![Const::Triple([x; 3])];
    assert_eq!(live(&[], LiveInputs::Marked), (55.5, grey(0.5)));
    for name in ["albedo", "Kd", "diffuseColor"] {
        let given = [(name, Value::from(0.25))];
        assert_eq!(live(&given, LiveInputs::Marked), (27.75, grey(0.25)), "{name}");
        assert_eq!(live(&given, named("albedo")), (27.75, grey(0.25)), "{name}");
        assert_eq!(live(&given, named("Kd")), (27.75, grey(0.25)), "{name}");
    }
    // Components of a live input.
    let parts = [("Kd.g", Value::from(1.0)), ("albedo[2]", Value::from(2))];
    assert_eq!(live(&parts, LiveInputs::Marked), (210.5, vec![Const::Triple([0.5, 1.0, 2.0])]));
}
