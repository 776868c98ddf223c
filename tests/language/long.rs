//! Long expressions: chains of 300 operands and 100 nested calls compile, raw and optimised, and have the right value.

use std::sync::Arc;

use language_support::generate::{TestHost, globals};
use shading::hir::Const;
use shading::opt::OptLevel;
use shading::{ClosureRegistry, InstanceOptions, ShadingSystem, Source};

/// Checks the value of output `r` of the last unit or group of a text, at a point with u = 0.5.
fn check(text: &str, expected: f32) {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(TestHost));
    let loaded = system.load(Source::new("long.ksl", text)).unwrap_or_else(|e| panic!("{e}"));
    let template = loaded.templates.last().expect("a unit or group");
    let mut point = globals(1);
    point.u = 0.5;
    for optimize in [OptLevel::None, OptLevel::Full] {
        let options = InstanceOptions { optimize, ..InstanceOptions::default() };
        let instance = system.instantiate(template.clone(), &options).unwrap_or_else(|e| panic!("{e}"));
        let mut context = system.context();
        instance.run(&point, &mut context).unwrap();
        let r = instance.outputs().iter().position(|o| o.name == "r").expect("an output r");
        let found = instance.output(r, &context).unwrap();
        assert!(found.same(&Const::Float(expected)), "{found:?}, not {expected}: {text}");
    }
}

/// Returns the value of an expression in a unit that has the functions.
fn check_expression(functions: &str, expression: &str, expected: f32) {
    check(
        &format!("{functions} shader a(output float r = 0) {{ int n = int(u * 2); r = {expression}; }}"),
        expected,
    );
}

/// Returns a chain of 300 operands.
fn chain(first: &str, operator: &str, operand: impl Fn(u32) -> String) -> String {
    let rest: String = (1..300).map(|i| format!(" {operator} {}", operand(i))).collect();
    format!("{first}{rest}")
}

/// Returns 100 nested calls.
fn nested(open: impl Fn(u32) -> String, inner: &str, close: &str) -> String {
    let opened: String = (0..100).rev().map(open).collect();
    format!("{opened}{inner}{}", close.repeat(100))
}

#[test]
fn chains_of_300_operands() {
    let number = |i: u32| i.to_string();
    check_expression("", &chain("u", "+", number), 44_850.5);
    check_expression("", &chain("u", "-", number), -44_849.5);
    check_expression("", &chain("u", "*", |i| ["2.0", "u"][i as usize % 2].to_owned()), 0.25);
    // Products have precedence: u · 2 for each of the 149 even operands.
    let products = |i: u32| format!("{i} {} u", ["+", "*"][i as usize % 2]);
    let sum: f32 = (1..300).map(|i| if i % 2 == 0 { i as f32 + 0.5 } else { i as f32 * 0.5 }).sum();
    check_expression("", &chain("u", "+", products), 0.5 + sum);
    check_expression("", &chain("n", "&&", |i| format!("u < {i}")), 1.0);
    check_expression("", &chain("n == 2", "||", |i| format!("u > {i} * n")), 0.0);
    check_expression("", &chain("n", "^", number), (1..300).fold(1, |a, b| a ^ b) as f32);
    // Conditional expressions nest, up to a depth of 256.
    let choices: String = (0..200).map(|i| format!("n == {i} * 2 - 397 ? {i} : ")).collect();
    check_expression("", &format!("{choices} 7"), 199.0);
}

#[test]
fn calls_nested_100_deep() {
    let up = "float up(float x) { return x + 1; }";
    check_expression(up, &nested(|_| "up(".to_owned(), "u", ")"), 100.5);
    let early = "float early(float x, float y) { if (x > y) return x; return y; }";
    check_expression(early, &nested(|i| format!("early({i} * n, "), "u", ")"), 99.0);
    let down = "float down(float x, int n) { if (n == 0) return x; return down(x - 1, n - 1); }";
    check_expression(down, &nested(|_| "down(".to_owned(), "u", ", 2)"), -199.5);
    check_expression("", &nested(|i| format!("max({i}, "), "u", ")"), 99.0);
    check_expression("", &nested(|_| "smoothstep(0, 1, ".to_owned(), "u", ")"), 0.5);
    check_expression("", &nested(|_| "length(color(".to_owned(), "u", ", 0, 0))"), 0.5);
}

#[test]
fn expressions_of_groups() {
    let unit = "shader n(float x = 0, output float r = 0) { r = x; }";
    let group = |x: &str| format!("{unit} group g(output float r) {{ n a(x = {x}); r = a.r; }}");
    check(&group(&chain("u", "+", |i| i.to_string())), 44_850.5);
    check(&group(&nested(|i| format!("max({i}, "), "u", ")")), 99.0);
    let chain: String = (1..300).map(|i| format!("n a{i}(x = a{}.r + 1); ", i - 1)).collect();
    check(
        &format!("{unit} group g(output float r) {{ n a0(x = u); {chain} r = a299.r; }}"),
        299.5,
    );
}

/// A unit with a chain of `else if` of `count` conditions.
fn choices(count: usize) -> String {
    let choices: String = (1..=count).map(|i| format!("if (n == {i}) r = {i}; else ")).collect();
    format!("shader a(output float r = 0) {{ int n = int(u * 1600); {choices} r = -1; }}")
}

#[test]
fn chains_of_900_conditions() {
    check(&choices(256), -1.0);
    check(&choices(900), 800.0);
}

#[test]
fn longer_chains_are_one_error() {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(TestHost));
    let errors = system.load(Source::new("long.ksl", choices(50_000))).unwrap_err();
    let messages: Vec<&str> = errors.list.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(messages, ["this is nested too deeply"]);
    // Nested statements without braces would exhaust the parser's stack.
    let text = format!("shader a(output float r = 0) {{ {} r = 1; }}", "while (u > 2) ".repeat(100_000));
    let errors = system.load(Source::new("long.ksl", text)).unwrap_err();
    assert!(errors.list.iter().all(|error| error.message == "this is nested too deeply"));
}
