//! Library functions with arguments of any type, called out of line by compiled code.

use super::color;
use super::color_system::ColorSystem;
use super::dual::Dual;
use super::fingerprint;
use super::noise::{self, GaborOptions, NoiseKind, NoisePoint};
use super::search::{self, Pattern};
use super::spline::{self, Basis};
use super::text::Arg;
use crate::builtins::Builtin;
use crate::hir::{Const, Kind};

/// A library function with the facts about a call that are known at compile time.
#[derive(Clone, Debug)]
pub struct Function {
    builtin: Builtin,
    /// Kind of the result; with derivatives, the kind of the value.
    gives: Kind,
    /// True if the operands are followed by their derivatives along x and those along y, and the result likewise.
    dual: bool,
    /// Regular expression that is constant over all calls.
    pattern: Option<Result<Pattern, String>>,
}

impl Function {
    /// Creates a function for a call with operands of which some are known constants.
    pub fn new(builtin: Builtin, gives: Kind, operands: &[Option<&Const>]) -> Function {
        let pattern = pattern_operand(builtin).and_then(|(i, whole)| match operands.get(i) {
            Some(Some(Const::String(text))) => Some(Pattern::new(text, whole)),
            _ => None,
        });
        Function { builtin, gives, dual: false, pattern }
    }

    /// Returns the function with derivatives, whose result is an array of the value and its derivatives.
    #[must_use]
    pub fn with_derivatives(self) -> Function {
        Function { gives: self.gives.element(), dual: true, ..self }
    }

    /// Evaluates the function; returns the value, and an error message about the arguments.
    pub fn call(&self, args: &[Arg<'_>]) -> (Const, Option<String>) {
        use Builtin as B;
        let given = LibraryArguments::new(args, self.dual);
        let mut problem = None;
        let value = match self.builtin {
            B::Blackbody => Const::Triple(color::blackbody(given.float(0), given.color_system())),
            B::WavelengthColor => {
                Const::Triple(color::wavelength_color(given.float(0), given.color_system()))
            }
            B::Hash => Const::Int(hash(args)),
            B::GetChar => Const::Int(search::getchar(given.text(0), given.int(1))),
            B::Stoi => Const::Int(search::stoi(given.text(0))),
            B::Stof => Const::Float(search::stof(given.text(0))),
            B::Split => split(&given),
            B::SplitCount => {
                let pieces = search::split(given.text(0), given.text(1), given.int(2));
                Const::Int(pieces.len() as i32)
            }
            B::RegexMatch | B::RegexSearch => {
                let found = self.search(&given, &mut problem, |pattern, text| pattern.matches(text));
                Const::Int(i32::from(found.unwrap_or(false)))
            }
            B::RegexMatchPlaces | B::RegexSearchPlaces => {
                let count = given.count(0);
                let places = self.search(&given, &mut problem, |pattern, text| pattern.places(text, count));
                let places = places.unwrap_or_else(|| vec![0; count]);
                Const::Array(places.into_iter().map(Const::Int).collect())
            }
            B::Spline => self.spline(&given),
            B::SplineInverse => {
                let last = given.operands - 1;
                let knots = given.floats(last);
                let count = given.knots(knots.len());
                let x = given.dual(1);
                self.number(spline::inverse(Basis::from_name(given.text(0)), x, &knots[..count]))
            }
            B::Noise | B::PNoise => self.noise(&given, &mut problem),
            _ => {
                debug_assert!(false, "{:?} is not in the library", self.builtin);
                self.gives.zero()
            }
        };
        (value, problem)
    }

    fn number(&self, x: Dual) -> Const {
        if self.dual {
            Const::Array([x.value, x.dx, x.dy].map(Const::Float).to_vec())
        } else {
            Const::Float(x.value)
        }
    }

    fn triple(&self, x: [Dual; 3]) -> Const {
        let parts = Dual::parts(x);
        if self.dual {
            Const::Array(parts.map(Const::Triple).to_vec())
        } else {
            Const::Triple(parts[0])
        }
    }

    fn search<R>(
        &self,
        given: &LibraryArguments<'_>,
        problem: &mut Option<String>,
        f: impl Fn(&Pattern, &str) -> Result<R, String>,
    ) -> Option<R> {
        let (at, whole) = pattern_operand(self.builtin)?;
        let made;
        let pattern = match &self.pattern {
            Some(pattern) => pattern,
            None => {
                made = Pattern::new(given.text(at), whole);
                &made
            }
        };
        let found = match pattern {
            Ok(pattern) => f(pattern, given.text(at - 1)),
            Err(error) => Err(error.clone()),
        };
        found.map_err(|error| *problem = Some(error)).ok()
    }

    fn spline(&self, given: &LibraryArguments<'_>) -> Const {
        let basis = Basis::from_name(given.text(0));
        let x = given.dual(1);
        let last = given.operands - 1;
        let lanes = if self.gives == Kind::TRIPLE { 3 } else { 1 };
        let count = given.knots(given.floats(last).len() / lanes);
        let curve = |lane: usize| spline::spline(basis, x, count, |i| given.element(last, i * lanes + lane));
        if lanes == 1 {
            self.number(curve(0))
        } else {
            self.triple([0, 1, 2].map(curve))
        }
    }

    /// `(kind, coordinates, periods if it is periodic)`. For a kind that may be Gabor noise, its options and the derivatives
    /// of the coordinates along x and along y follow.
    fn noise(&self, given: &LibraryArguments<'_>, problem: &mut Option<String>) -> Const {
        /// Number of options of Gabor noise.
        const OPTIONS: usize = 5;
        let name = given.text(0);
        let periodic = self.builtin == Builtin::PNoise;
        let numbers = (1..given.operands)
            .take_while(|&i| matches!(given.args[i], Arg::Floats(_)))
            .count();
        let coordinates = if periodic { numbers / 2 } else { numbers };
        let first = 1 + numbers;
        let has_options = given.operands == first + OPTIONS + 2 * coordinates;
        let mut at = [Dual::default(); 4];
        let mut period = [0.0; 4];
        let mut footprint = [[0.0; 4]; 2];
        let mut count = 0;
        for i in 1..=coordinates {
            for lane in 0..given.count(i).min(4 - count) {
                at[count] = given.element(i, lane);
                if periodic {
                    period[count] = given.element(i + coordinates, lane).value;
                }
                for (axis, changes) in footprint.iter_mut().enumerate().filter(|_| has_options) {
                    let changes_at = first + OPTIONS + axis * coordinates;
                    changes[count] = given.element(changes_at + i - 1, lane).value;
                }
                count += 1;
            }
        }
        let options = if has_options {
            GaborOptions {
                anisotropic: given.int(first),
                do_filter: given.int(first + 1) != 0,
                direction: [0, 1, 2].map(|lane| given.element(first + 2, lane).value),
                bandwidth: given.float(first + 3),
                impulses: given.float(first + 4),
            }
        } else {
            GaborOptions::default()
        };
        let point = NoisePoint {
            at: &at[..count],
            period: periodic.then_some(&period[..count]),
            options,
            footprint: footprint.map(|changes| [changes[0], changes[1], changes[2]]),
        };
        let kind = NoiseKind::from_name(name).unwrap_or_else(|| {
            *problem = Some(format!("noise type \"{name}\" is unknown"));
            NoiseKind::Null
        });
        if self.gives == Kind::TRIPLE {
            self.triple(point.three(kind))
        } else {
            self.number(point.one(kind))
        }
    }
}

/// Index of the operand that is a regular expression, and whether it must match the whole text.
fn pattern_operand(builtin: Builtin) -> Option<(usize, bool)> {
    match builtin {
        Builtin::RegexMatch => Some((1, true)),
        Builtin::RegexSearch => Some((1, false)),
        Builtin::RegexMatchPlaces => Some((2, true)),
        Builtin::RegexSearchPlaces => Some((2, false)),
        _ => None,
    }
}

/// `(int)`, `(float)`, `(float, float)`, `(point)`, `(point, float)` or `(string)`
fn hash(args: &[Arg<'_>]) -> i32 {
    let mut keys = vec![];
    for arg in args {
        match arg {
            Arg::Ints(list) => keys.extend(list.iter().map(|i| *i as u32)),
            Arg::Floats(list) => keys.extend(list.iter().map(|&x| noise::key(x))),
            Arg::Strings(list) => return fingerprint::hash(list.first().copied().unwrap_or_default()),
        }
    }
    noise::hash_bits(&keys)
}

/// `(results, text, separator, maxsplit)`: returns `results` with the pieces in its first elements.
fn split(given: &LibraryArguments<'_>) -> Const {
    let Some(Arg::Strings(before)) = given.args.first() else {
        return Const::Array(vec![]);
    };
    let max_pieces = given.int(3).min(before.len() as i32);
    let pieces = search::split(given.text(1), given.text(2), max_pieces);
    let rest = &before[pieces.len().min(before.len())..];
    let texts = pieces.iter().chain(rest);
    Const::Array(texts.map(|text| Const::String((*text).into())).collect())
}

struct LibraryArguments<'a> {
    args: &'a [Arg<'a>],
    /// Number of operands without their derivatives.
    operands: usize,
    dual: bool,
}

impl<'a> LibraryArguments<'a> {
    fn new(args: &'a [Arg<'a>], dual: bool) -> LibraryArguments<'a> {
        let operands = if dual { args.len() / 3 } else { args.len() };
        LibraryArguments { args, operands, dual }
    }

    fn text(&self, i: usize) -> &'a str {
        match self.args.get(i) {
            Some(Arg::Strings(list)) => list.first().copied().unwrap_or_default(),
            _ => "",
        }
    }

    fn int(&self, i: usize) -> i32 {
        match self.args.get(i) {
            Some(Arg::Ints(list)) => list.first().copied().unwrap_or_default(),
            _ => 0,
        }
    }

    /// The second argument of functions that return colours.
    fn color_system(&self) -> ColorSystem {
        ColorSystem::numbered(self.int(1))
    }

    fn floats(&self, i: usize) -> &'a [f32] {
        match self.args.get(i) {
            Some(Arg::Floats(list)) => list,
            _ => &[],
        }
    }

    fn float(&self, i: usize) -> f32 {
        self.floats(i).first().copied().unwrap_or_default()
    }

    /// Number of values of an argument.
    fn count(&self, i: usize) -> usize {
        match self.args.get(i) {
            Some(Arg::Ints(list)) => list.len(),
            Some(Arg::Floats(list)) => list.len(),
            Some(Arg::Strings(list)) => list.len(),
            None => 0,
        }
    }

    /// Returns a number of an argument with its derivatives; 0 after the last.
    fn element(&self, i: usize, at: usize) -> Dual {
        let part = |part: usize| {
            let list = self.floats(i + part * self.operands);
            list.get(at).copied().unwrap_or_default()
        };
        if self.dual {
            Dual::new(part(0), part(1), part(2))
        } else {
            Dual::from(part(0))
        }
    }

    fn dual(&self, i: usize) -> Dual {
        self.element(i, 0)
    }

    /// Number of knots of a spline that are used: all, or the number given by an argument.
    fn knots(&self, all: usize) -> usize {
        if self.operands == 4 {
            usize::try_from(self.int(2)).unwrap_or(0).min(all)
        } else {
            all
        }
    }
}
