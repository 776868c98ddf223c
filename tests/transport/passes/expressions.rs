//! Light path expressions: a published table, locations of errors, and the automaton against an exhaustive matcher.

use renderer::passes::{Automaton, Event, EventKind, Expression, Label, LabelTable, Scattering};
use support::stats::Rng;

fn automaton(texts: &[&str]) -> (Automaton, LabelTable) {
    let mut labels = LabelTable::new();
    let parse =
        |text: &&str| Expression::parse(text, &mut labels).unwrap_or_else(|error| panic!("{text}: {error}"));
    let expressions: Vec<Expression> = texts.iter().map(parse).collect();
    (Automaton::new(&expressions, &labels).expect("few states"), labels)
}

/// The expressions that match a path.
fn found(automaton: &Automaton, path: &[Event]) -> Vec<u16> {
    let state = path.iter().fold(automaton.start(), |state, event| automaton.next(state, event));
    automaton.found(state).to_vec()
}

/// Events as symbols: kind, scattering or `_`, and an optional label.
fn event(text: &str, labels: &LabelTable) -> Event {
    let mut symbols = text.chars();
    let kind = symbols.next().expect("a kind");
    let scattering = symbols.next().expect("a class");
    Event {
        kind: EventKind::ALL.into_iter().find(|of| of.symbol() == kind).expect("a kind"),
        scattering: Scattering::ALL
            .into_iter()
            .find(|of| of.symbol().unwrap_or('_') == scattering)
            .expect("a class"),
        closure: labels.get(symbols.as_str()),
        object: Label::OTHER,
    }
}

/// The paths and expressions of OSL's test of its accumulator. Its last path has custom event types, which an object's
/// emission and a glossy lobe replace here. In one path, a shadow ray crosses a surface undeviated: here, expressions
/// that do not name the crossing ignore it and match; in OSL they do not.
#[test]
fn expressions_match_the_table_of_osl() {
    let expressions = [
        "C[SG]*D*L",
        "C[SG]*D{2,3}L",
        "C[SG]*D*<L.'3'>",
        "C[SG]*<.D'1'>D*L",
        "C<.[SG]>+D*L",
        "CD+L",
        "CD+<Ts>L",
        "C<R[^D]>+D*L",
        "C([SG]*D){1,2}L",
        "CDG+O",
    ];
    const BEAUTY: u16 = 0;
    const DIFFUSE_2_3: u16 = 1;
    const LIGHT_3: u16 = 2;
    const OBJECT_1: u16 = 3;
    const SPECULAR: u16 = 4;
    const DIFFUSE: u16 = 5;
    const SHADOW: u16 = 6;
    const REFLECTIONS: u16 = 7;
    const NO_CAUSTIC: u16 = 8;
    const CUSTOM: u16 = 9;
    let table: [(&str, &[u16]); 13] = [
        ("C_ TS TS RD L_", &[BEAUTY, SPECULAR, NO_CAUSTIC]),
        ("C_ TS TS RD RG L_", &[]),
        ("C_ TS TS RD RD L_", &[BEAUTY, DIFFUSE_2_3, SPECULAR, NO_CAUSTIC]),
        ("C_ RG RD RG RD RG RD L_", &[]),
        ("C_ RG RD RG RD L_", &[NO_CAUSTIC]),
        ("C_ RD RD L_", &[BEAUTY, DIFFUSE_2_3, DIFFUSE, NO_CAUSTIC]),
        ("C_ RD RS RD L_", &[NO_CAUSTIC]),
        ("C_ RD Ts L_", &[BEAUTY, DIFFUSE, SHADOW, NO_CAUSTIC]),
        ("C_ TS TS RD L_3", &[BEAUTY, LIGHT_3, SPECULAR, NO_CAUSTIC]),
        ("C_ RD1 RD L_", &[BEAUTY, DIFFUSE_2_3, OBJECT_1, DIFFUSE, NO_CAUSTIC]),
        ("C_ RS RD RG L_", &[]),
        ("C_ RS RD L_", &[BEAUTY, SPECULAR, REFLECTIONS, NO_CAUSTIC]),
        ("C_ RD RG O_", &[CUSTOM]),
    ];
    let (automaton, labels) = automaton(&expressions);
    for (path, expected) in table {
        let events: Vec<Event> = path.split(' ').map(|text| event(text, &labels)).collect();
        assert_eq!(found(&automaton, &events), expected, "{path}");
    }
}

#[test]
fn errors_have_locations() {
    for (text, place, message) in [
        ("C<RX>L", 3..4, "`X` does not belong here"),
        ("C(D|SL", 1..2, "this parenthesis has no end"),
        ("C[DSL", 1..2, "this set has no end"),
        ("C<RD", 1..2, "this group has no end"),
        ("C<RD'coat>L", 4..5, "this label has no end"),
        ("CD{2,1}L", 2..7, "this is no number of repetitions"),
        ("CD**L", 2..4, "this is repeated twice"),
        ("CD)L", 2..3, "`)` does not belong here"),
        ("C<DR>L", 2..3, "`D` does not belong here"),
        ("C<>L", 1..3, "this group is empty"),
        ("*", 0..1, "`*` does not belong here"),
        ("", 0..0, "the expression is empty"),
        ("C\u{e9}L", 1..3, "`\u{e9}` does not belong here"),
    ] {
        let error = Expression::parse(text, &mut LabelTable::new()).expect_err(text);
        assert_eq!((error.place, error.message.as_str()), (place, message), "{text}");
    }
    let nested = format!("C{}D{}L", "(".repeat(100), ")".repeat(100));
    assert!(Expression::parse(&nested, &mut LabelTable::new()).is_err());
}

/// An automaton of unbounded size is an error and does not exhaust memory.
#[test]
fn too_many_states_are_an_error() {
    for text in ["C(((D{64}){64}){64}){64}L", "C.*D.{20}L"] {
        let mut labels = LabelTable::new();
        let expression = Expression::parse(text, &mut labels).unwrap();
        assert!(Automaton::new(&[expression], &labels).is_err(), "{text}");
    }
}

const LABELS: [&str; 2] = ["coat", "lamp"];

fn random_path(rng: &mut Rng, table: &LabelTable) -> Vec<Event> {
    let mut pick = |count: u64| (rng.next_u64() % count) as usize;
    let label = |n: usize| LABELS.get(n).map_or(Label::OTHER, |name| table.get(name));
    let mut path = vec![Event::CAMERA];
    for _ in 0..pick(6) {
        let kind = [EventKind::Reflection, EventKind::Transmission, EventKind::Volume][pick(3)];
        path.push(Event {
            kind,
            scattering: Scattering::ALL[pick(4)],
            closure: label(pick(4)),
            object: label(pick(4)),
        });
    }
    if pick(5) > 0 {
        let kind = [EventKind::Light, EventKind::Background, EventKind::Object][pick(3)];
        path.push(Event { object: label(pick(4)), ..Event::end(kind) });
    }
    path
}

/// A repeatable or non-repeatable expression.
fn random_atom(rng: &mut Rng, depth: u32) -> String {
    let mut pick = |count: u64| (rng.next_u64() % count) as usize;
    let symbol = ["D", "G", "S", "s", "R", "T", "V", "L", "B", "O", "."][pick(11)];
    let groups = [
        "<RD>",
        "<.G>",
        "<T[^s]>",
        "<RD'coat'>",
        "<.[DG]'coat'>",
        "<[^T].>",
        "<L.'lamp'>",
        "<R.[^'coat']>",
        "<Ts>",
    ];
    let group = groups[pick(groups.len() as u64)];
    match pick(if depth == 0 { 4 } else { 6 }) {
        0 | 1 => symbol.to_owned(),
        2 => group.to_owned(),
        3 => format!("[{}{symbol}{group}]", ["", "^"][pick(2)]),
        4 => format!("({}|{})", random_expression(rng, depth - 1), random_expression(rng, depth - 1)),
        _ => format!("({})", random_expression(rng, depth - 1)),
    }
}

fn random_expression(rng: &mut Rng, depth: u32) -> String {
    let count = 1 + rng.next_u64() % 3;
    let repeats = ["", "", "", "", "*", "+", "?", "{1,2}", "{2}", "{1,}"];
    let part = |rng: &mut Rng| {
        let repeat = repeats[(rng.next_u64() % repeats.len() as u64) as usize];
        format!("{}{repeat}", random_atom(rng, depth))
    };
    (0..count).map(|_| part(rng)).collect()
}

/// 25,000 pairs of random expressions and paths, four expressions in each automaton.
#[test]
fn the_automaton_matches_an_exhaustive_matcher() {
    let mut rng = Rng::new(7);
    let (mut pairs, mut matches) = (0, 0);
    while pairs < 25_000 {
        let mut labels = LabelTable::new();
        for name in LABELS {
            labels.insert(name);
        }
        let texts: Vec<String> = (0..4).map(|_| format!("C{}", random_expression(&mut rng, 2))).collect();
        let parse =
            |text: &String| Expression::parse(text, &mut labels).unwrap_or_else(|e| panic!("{text}: {e}"));
        let expressions: Vec<Expression> = texts.iter().map(parse).collect();
        let Ok(automaton) = Automaton::new(&expressions, &labels) else {
            continue;
        };
        for _ in 0..50 {
            let path = random_path(&mut rng, &labels);
            let found = found(&automaton, &path);
            for (number, expression) in (0..).zip(&expressions) {
                let slow = expression.matches(&path);
                assert_eq!(found.contains(&number), slow, "{}: {path:?}", texts[usize::from(number)]);
                matches += u32::from(slow);
            }
            pairs += 4;
        }
    }
    assert!(matches > 1_000, "only {matches} of {pairs} match: the test says little");
}

/// Nested repetitions of the empty expression match the empty path, for any depth.
#[test]
fn nested_empty_repetitions_terminate() {
    let nothing = (0..12).fold("()".to_owned(), |inner, _| format!("({inner}{{64}})"));
    let optional = (0..12).fold("(|)".to_owned(), |inner, _| format!("({inner}*)"));
    for nested in [nothing, optional] {
        let mut labels = LabelTable::new();
        let expression = Expression::parse(&format!("C{nested}L"), &mut labels).expect("it is one");
        let automaton = Automaton::new(&[expression], &labels).expect("it is small");
        let lamp = Event::end(EventKind::Light);
        assert_eq!(found(&automaton, &[Event::CAMERA, lamp]), [0], "{nested}");
        assert!(found(&automaton, &[Event::CAMERA, lamp, lamp]).is_empty(), "{nested}");
    }
}
