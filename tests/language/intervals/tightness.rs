//! Bounds are tight: known units have bounds that are hardly wider than the range of their values.

use std::sync::Arc;

use language_support::boxes::{Corners, outside};
use language_support::generate::{self, Random};
use language_support::shipped;
use shading::bounds::{self, Bound, BoundsOptions, Range, ShadingBox};
use shading::builtins::Global;
use shading::hir::Const;
use shading::interp::{self, RunOptions, Value};
use shading::{InstanceOptions, NoHost, Source};

/// Expressions of `x`, from 0 to 1, or `P`, and the largest median ratio of the width of the bounds to that of the values.
const EXPRESSIONS: [(&str, f32); 20] = [
    ("x * 2 + 1", 1.01),
    ("1 - x", 1.01),
    ("x - x", 0.0),
    ("x * (1 - x)", 1.3),
    ("mix(0.2, 0.7, x)", 1.01),
    ("mix(3, 1, x * x)", 1.01),
    ("smoothstep(0.3, 0.8, x)", 1.01),
    ("smoothstep(0, 1, 1 - x)", 1.01),
    ("clamp(3 * x - 1, 0, 1)", 1.01),
    ("sqrt(x)", 1.05),
    ("exp(-x)", 1.05),
    ("pow(x, 2.2)", 1.05),
    ("sin(6 * x)", 1.05),
    ("abs(x - 0.5)", 1.01),
    ("x < 0.5 ? x : 1 - x", 1.6),
    ("floor(4 * x)", 1.01),
    ("length(vector(P))", 1.2),
    ("noise(\"perlin\", P)", 2.5),
    ("noise(\"cell\", 3 * P)", 1.01),
    ("max(0, x - 0.2) * 5", 1.01),
];

/// Number of boxes of an expression, and of points in each.
const BOXES: usize = 100;
const POINTS: usize = 200;

/// Median ratio of the width of the bounds to that of the values, over boxes of the given size.
fn ratio(expression: &str, size: f32) -> f32 {
    let system = shipped::system(Arc::new(NoHost));
    let text = format!("shader tested(output float result = 0) {{ float x = u; result = {expression}; }}");
    let loaded = system.load(Source::new("tested.ksl", text)).unwrap_or_else(|e| panic!("{e}"));
    let (unit, ..) = system.optimized(&loaded.templates[0], &InstanceOptions::default()).unwrap();
    let mut random = Random::new(1);
    let mut ratios = vec![];
    for _ in 0..BOXES {
        let mut first = generate::globals(random.bits());
        first.u = (random.float() + 4.0) / 8.0 * (1.0 - size);
        let mut second = first;
        second.u += size;
        second.p.0[..3].iter_mut().for_each(|x| *x += size);
        let corners = Corners { first, second };
        let shading_box = corners.shading_box();
        let bounds = bounds::evaluate(&unit, &BoundsOptions::new(&shading_box));
        let mut found: Option<Range> = None;
        for _ in 0..POINTS {
            let globals = corners.point(&mut random);
            let outcome = interp::run(&unit, &RunOptions::new(&globals));
            assert_eq!(outside(&bounds, &outcome), None, "{expression}");
            let Some(Value::Plain(Const::Float(x))) = outcome.output("result") else {
                panic!("{expression} is a number");
            };
            found = Some(found.map_or(Range::point(*x), |found| found.join(Range::point(*x))));
        }
        let (Some(Bound::Float(range)), Some(found)) = (bounds.output("result"), found) else {
            panic!("{expression} is a number");
        };
        assert!(!range.may_be_nan, "{expression}");
        if found.width() > 0.0 {
            ratios.push(range.width() / found.width());
        }
    }
    ratios.sort_by(f32::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(0.0)
}

#[test]
fn known_expressions_have_tight_bounds() {
    let mut wide = String::new();
    for (expression, max_ratio) in EXPRESSIONS {
        let found = ratio(expression, 0.1);
        println!("{expression}: {found}");
        if found.is_nan() || found > max_ratio {
            wide += &format!("{expression}: {found} > {max_ratio}\n");
        }
    }
    assert!(wide.is_empty(), "\n{wide}");
}

/// Sum of the largest weights of the closures of a shipped volume shader at points of a cube around the origin of object
/// space.
fn largest_extinction(name: &str, half_side: f32) -> f32 {
    let system = shipped::system(Arc::new(NoHost));
    let loaded = system.load(shipped::find(name).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let (unit, ..) = system.optimized(&loaded.templates[0], &InstanceOptions::default()).unwrap();
    let cube = [Range::new(-half_side, half_side); 3];
    let shading_box = ShadingBox::unknown().with(Global::P, cube).with_local("object", cube);
    let bounds = bounds::evaluate(&unit, &BoundsOptions::new(&shading_box));
    let Some(Bound::Closure(closure)) = bounds.output("Ci") else {
        panic!("{name} has a closure: {bounds:?}");
    };
    let components = closure.components().unwrap_or_else(|| panic!("{name} has known components"));
    let emission = system
        .closures()
        .iter()
        .find(|(_, signature)| signature.name == "emission")
        .unwrap()
        .0;
    let media = components.iter().filter(|component| component.id != emission);
    media.map(|component| component.weight[0].max.max(0.0)).sum()
}

#[test]
fn media_have_tight_bounds_of_their_extinction() {
    for (name, half_side, density) in [
        ("cloud", 1.0, 40.0),
        ("cloud", 0.01, 40.0),
        ("smoke", 1.0, 20.0),
        ("fog", 1.0, 0.1),
        ("fire", 0.1, 6.0),
    ] {
        let found = largest_extinction(name, half_side);
        assert!(found >= 0.0 && found <= 1.001 * density, "{name}: {found}");
    }
}
