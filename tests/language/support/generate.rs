//! Random HIR: every operation, nested control flow, arrays, closures, recursive functions. The same seed gives the same
//! unit on every machine.
//!
//! Units are valid and mix ordinary numbers with zeros of both signs, infinities and NaNs. They end within the default
//! fuel, unless endless ones are requested.

mod cloud;
pub mod group;

use std::borrow::Cow;

use shading::builtins::{Builtin as B, Global};
use shading::derivative;
use shading::hir::kind::Element;
use shading::hir::verify::verify_all;
use shading::hir::{
    Axis, Block, ClosureId, Code, Const, Function, FunctionId, Kind, Local, LocalId, Op, Operand, Param,
    ScopeId, Stmt, TextureMapping, TextureOperand, TextureOperands, TextureOptions, Unit, UnitKind, Wrap,
};
use shading::runtime::globals::Triple;
use shading::ty::{Base, Type};
use shading::{
    ClosureParam, ClosureRegistry, ClosureSignature, CloudHandle, PointCloud, RayKind, ShaderGlobals,
    ShaderHost, Span, Subimage, TextureHandle, TextureInfo, TextureLookup, TextureRequest, TextureSample,
};

/// A small random number generator (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator whose numbers depend on the seed only.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995)
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..n`; `n` is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Returns true with probability 1/n.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns a random element of a list.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Returns a number in `[-4, 4)`.
    pub fn float(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 21) as f32 - 4.0
    }
}

/// Returns the closures that generated units use, and turns on verification of compiled code.
pub fn registry() -> ClosureRegistry {
    verify_all();
    let mut registry = ClosureRegistry::default();
    let lobes: [(&'static str, &[(&'static str, Type)]); 6] = [
        ("dark", &[]),
        ("diffuse", &[("n", Type::NORMAL)]),
        (
            "glossy",
            &[("n", Type::NORMAL), ("roughness", Type::FLOAT), ("lobes", Type::INT)],
        ),
        ("coat", &[("base", Type::CLOSURE), ("amount", Type::FLOAT)]),
        ("named", &[("label", Type::STRING), ("to", Type::MATRIX)]),
        // Ends with a triple at a multiple of 16 bytes.
        ("tinted", &[("amount", Type::FLOAT), ("tint", Type::COLOR)]),
    ];
    for (name, params) in lobes {
        registry
            .register(ClosureSignature {
                name,
                params: params.iter().map(|&(n, ty)| ClosureParam::new(n, ty)).collect(),
            })
            .unwrap();
    }
    registry
}

/// A host with one texture (some of its subimages are volumes), one space, one point cloud and two attributes.
#[derive(Clone, Copy, Debug, Default)]
pub struct TestHost;

impl ShaderHost for TestHost {
    fn texture_handle(&self, request: &TextureRequest) -> Option<TextureHandle> {
        let number = match &request.subimage {
            Subimage::First => 7,
            Subimage::Index(index) => (*index as u32) % 100,
            Subimage::Name(name) => name.len() as u32,
        };
        (request.file == "wood").then_some(TextureHandle(number))
    }

    fn is_volume(&self, request: &TextureRequest) -> bool {
        !matches!(request.subimage, Subimage::Index(index) if index % 2 != 0)
    }

    fn is_environment(&self, request: &TextureRequest) -> bool {
        !matches!(request.subimage, Subimage::Index(index) if index % 3 == 2)
    }

    fn texture(&self, handle: TextureHandle, lookup: &TextureLookup) -> TextureSample {
        let [s, t, _] = lookup.position;
        let bias = handle.0 as f32 + lookup.first_channel as f32 + lookup.width[0] + lookup.blur[1];
        TextureSample {
            value: [s + bias - 1.0, t, s * t, 0.5 + lookup.fill],
            ds: lookup.missing.unwrap_or([lookup.dx[0], lookup.dy[1], lookup.dx[2], s]),
            dt: [t, lookup.options.wrap_s as u32 as f32, lookup.options.interpolation as u32 as f32, 0.25],
        }
    }

    fn texture_info(
        &self,
        request: &TextureRequest,
        name: &str,
        st: Option<[f32; 2]>,
    ) -> Option<TextureInfo> {
        let [s, t] = st.unwrap_or([3.0, 4.0]);
        match (request.file.as_str(), name.len() % 3) {
            ("wood", 0) => Some(TextureInfo::Ints(vec![1, 2])),
            ("wood", 1) => Some(TextureInfo::Floats(vec![s, t, 0.5, 0.25])),
            ("wood", _) => Some(TextureInfo::Text("grain".to_owned())),
            _ => None,
        }
    }

    fn cloud_handle(&self, file: &str) -> Option<CloudHandle> {
        (file == "wood").then_some(CloudHandle(3))
    }

    fn cloud(&self, handle: CloudHandle) -> Option<&dyn PointCloud> {
        (handle == CloudHandle(3)).then_some(&cloud::TestCloud)
    }

    fn cloud_refusal(&self, file: &str) -> Option<Cow<'static, str>> {
        (file != "wood").then_some(Cow::Borrowed("it is not of wood"))
    }

    fn matrix(&self, globals: &ShaderGlobals, from: &str, to: &str) -> Option<[f32; 16]> {
        let mut m = shading::eval::matrix::diagonal(2.0);
        m[12] = globals.u;
        (from == "object" || to == "object").then_some(m)
    }

    fn attribute(&self, globals: &ShaderGlobals, object: &str, name: &str) -> Option<[f32; 4]> {
        match name {
            "wear" => Some([globals.v, object.len() as f32, 3.0, 4.0]),
            "tint" => Some([0.25, 0.5, 0.75, 1.0]),
            _ => None,
        }
    }
}

/// Returns a random shading point.
pub fn globals(seed: u64) -> ShaderGlobals {
    let mut random = Random::new(seed ^ 0x000f_00d5);
    let mut triple = || Triple::from([random.float(), random.float(), random.float()]);
    let mut globals = ShaderGlobals {
        p: triple(),
        i: triple(),
        n: triple(),
        ng: triple(),
        dpdu: triple(),
        dpdv: triple(),
        ps: triple(),
        dpdtime: triple(),
        dpdx: triple(),
        dpdy: triple(),
        didx: triple(),
        didy: triple(),
        ..ShaderGlobals::default()
    };
    globals.u = random.float();
    globals.v = random.float();
    globals.dudx = random.float();
    globals.dudy = random.float();
    globals.dvdx = random.float();
    globals.dvdy = random.float();
    globals.time = random.float();
    globals.dtime = random.float();
    globals.surface_area = random.float();
    globals.ray_kind = RayKind(1 << random.below(9));
    globals.backfacing = random.below(2) as i32;
    globals
}

/// An operation with the types of its operands and result.
#[derive(Clone, Debug)]
struct Template {
    op: Op,
    takes: Vec<Kind>,
    gives: Option<Kind>,
}

const NUMBERS: [Kind; 4] = [Kind::INT, Kind::FLOAT, Kind::TRIPLE, Kind::MATRIX];
const ELEMENTS: [Element; 6] = [
    Element::Int,
    Element::Float,
    Element::Triple,
    Element::Matrix,
    Element::String,
    Element::Closure,
];

/// The elements of units that can run in packets.
const NUMERIC: [Element; 4] = [Element::Int, Element::Float, Element::Triple, Element::Matrix];

/// The [`templates`] that can be used in units for packets.
fn numeric_templates() -> Vec<Template> {
    let is_number = |kind: &Kind| {
        let (Kind::One(element) | Kind::Array(element, _)) = kind;
        NUMERIC.contains(element)
    };
    let is_local = |op: Op| match op {
        Op::Builtin(builtin) => builtin.is_foldable() && !builtin.in_library(),
        Op::Texture(_) | Op::TextureInfo | Op::HasTextureInfo(_) => false,
        _ => true,
    };
    let mut list = templates();
    list.retain(|template| {
        template.gives.as_ref().is_some_and(is_number)
            && template.takes.iter().all(is_number)
            && is_local(template.op)
    });
    list
}

/// Operations in every form, except those on arrays.
fn templates() -> Vec<Template> {
    use Kind as K;
    let mut list = vec![];
    let mut add = |op: Op, takes: &[Kind], gives: Kind| {
        list.push(Template { op, takes: takes.to_vec(), gives: Some(gives) });
    };
    for element in ELEMENTS {
        add(Op::Copy, &[K::One(element)], K::One(element));
        add(Op::Truth, &[K::One(element)], K::INT);
    }
    add(Op::IntToFloat, &[K::INT], K::FLOAT);
    add(Op::FloatToInt, &[K::FLOAT], K::INT);
    add(Op::Splat, &[K::FLOAT], K::TRIPLE);
    add(Op::Diagonal, &[K::FLOAT], K::MATRIX);
    for kind in NUMBERS {
        for op in [Op::Add, Op::Sub, Op::Mul, Op::Div] {
            // Three times as frequent, because algebraic simplification and common subexpression elimination apply to them.
            for _ in 0..3 {
                add(op, &[kind; 2], kind);
            }
        }
        add(Op::Neg, &[kind], kind);
        add(Op::Eq, &[kind; 2], K::INT);
        add(Op::Ne, &[kind; 2], K::INT);
    }
    for op in [Op::Mod, Op::BitAnd, Op::BitOr, Op::BitXor, Op::Shl, Op::Shr] {
        add(op, &[K::INT; 2], K::INT);
    }
    add(Op::BitNot, &[K::INT], K::INT);
    add(Op::Not, &[K::INT], K::INT);
    add(Op::Eq, &[K::STRING; 2], K::INT);
    add(Op::Ne, &[K::STRING; 2], K::INT);
    for op in [Op::Lt, Op::Le, Op::Gt, Op::Ge] {
        add(op, &[K::INT; 2], K::INT);
        add(op, &[K::FLOAT; 2], K::INT);
    }
    for _ in 0..3 {
        add(Op::MakeTriple, &[K::FLOAT; 3], K::TRIPLE);
        add(Op::TripleGet, &[K::TRIPLE, K::INT], K::FLOAT);
        add(Op::TripleSet, &[K::TRIPLE, K::INT, K::FLOAT], K::TRIPLE);
        add(Op::ClosureAdd, &[K::CLOSURE; 2], K::CLOSURE);
        add(Op::ClosureMul, &[K::CLOSURE, K::FLOAT], K::CLOSURE);
        add(Op::ClosureMul, &[K::CLOSURE, K::TRIPLE], K::CLOSURE);
    }
    add(Op::MakeMatrix, &[K::FLOAT; 16], K::MATRIX);
    add(Op::MatrixGet, &[K::MATRIX, K::INT, K::INT], K::FLOAT);
    add(Op::MatrixSet, &[K::MATRIX, K::INT, K::INT, K::FLOAT], K::MATRIX);
    for global in Global::ALL {
        let kind = Kind::of(global.ty()).expect("globals have a kind");
        add(Op::Global(global), &[], kind);
        add(Op::GlobalDerivative(global, Axis::Y), &[], kind);
    }
    for axis in Axis::ALL {
        for kind in [K::FLOAT, K::TRIPLE] {
            for _ in 0..4 {
                add(Op::Derivative(axis), &[kind], kind);
            }
        }
    }
    for (id, signature) in registry().iter() {
        let takes: Vec<_> = signature.params.iter().filter_map(|p| Kind::of(p.ty)).collect();
        add(Op::MakeClosure(id), &takes, K::CLOSURE);
    }
    // With the footprint of the source, and with that of the point.
    for (i, (mapping, implicit_footprint)) in [
        (TextureMapping::Plane, false),
        (TextureMapping::Environment, false),
        (TextureMapping::Volume, false),
        (TextureMapping::Plane, false),
        (TextureMapping::Environment, true),
        (TextureMapping::Volume, true),
        (TextureMapping::Plane, true),
    ]
    .into_iter()
    .enumerate()
    {
        let all = TextureOperand::ALL.into_iter();
        let options = TextureOptions {
            mapping,
            wrap_s: Wrap::Mirror,
            channels: if i % 2 == 0 { 3 } else { 1 },
            derivatives: matches!(i, 2 | 3 | 5 | 6),
            implicit_footprint,
            optional: i == 2,
            operands: all.fold(TextureOperands::default(), |operands, option| {
                if (option as usize + i).is_multiple_of(3) || i == 3 {
                    operands.with(option)
                } else {
                    operands
                }
            }),
            ..TextureOptions::default()
        };
        let kinds = options.operand_kinds();
        add(Op::Texture(options), &kinds, K::Array(Element::Float, options.results()));
        add(Op::TextureError(options), &kinds, K::STRING);
    }
    for kind in [K::INT, K::FLOAT, K::TRIPLE, K::STRING, K::Array(Element::Int, 2)] {
        let operands = [K::STRING, K::STRING, K::FLOAT, K::FLOAT];
        add(Op::TextureInfo, &operands, kind);
        add(Op::HasTextureInfo(kind), &operands, K::INT);
    }
    for kind in [K::INT, K::FLOAT, K::TRIPLE] {
        add(Op::AttributeValue, &[K::STRING; 2], kind);
    }
    builtins(&mut add);
    list.push(Template { op: Op::Builtin(B::Printf), takes: vec![], gives: None });
    list
}

fn builtins(add: &mut impl FnMut(Op, &[Kind], Kind)) {
    use Kind as K;
    for signature in shading::builtins::signatures() {
        let kinds: Option<Vec<_>> = signature.params.iter().map(|&p| Kind::of(p)).collect();
        if let (Some(takes), Some(gives), false) = (kinds, Kind::of(signature.result), signature.variadic) {
            add(Op::Builtin(signature.builtin), &takes, gives);
        }
    }
    add(Op::Builtin(B::SpaceMatrix), &[K::STRING; 2], K::MATRIX);
    add(Op::Builtin(B::HasAttribute), &[K::STRING; 2], K::INT);
    add(Op::Builtin(B::Format), &[K::STRING, K::FLOAT, K::INT], K::STRING);
    add(Op::Builtin(B::Format), &[K::STRING, K::TRIPLE], K::STRING);
}

/// Returns a valid unit without endless loops, which depends on the seed only.
pub fn unit(seed: u64) -> Unit {
    write(seed, false, &ELEMENTS)
}

/// Returns a valid unit that can run in packets, with some endless loops if requested.
pub fn numeric_unit(seed: u64, endless: bool) -> Unit {
    write(seed, endless, &NUMERIC)
}

/// Returns a valid unit with some endless loops and recursions, which depends on the seed only.
pub fn endless_unit(seed: u64) -> Unit {
    write(seed, true, &ELEMENTS)
}

fn write(seed: u64, endless: bool, elements: &[Element]) -> Unit {
    let mut random = Random::new(seed);
    let mut functions = cranelift_entity::PrimaryMap::new();
    let is_numeric = elements.len() < ELEMENTS.len();
    let templates = if is_numeric { numeric_templates() } else { templates() };
    let count = if is_numeric { 0 } else { random.below(3) };
    for i in 0..count {
        let id = FunctionId::from_u32(i as u32);
        let mut writer = Writer::new(&mut random, &templates, elements, i);
        writer.endless = endless;
        functions.push(writer.function(id, i));
    }
    let mut writer = Writer::new(&mut random, &templates, elements, count);
    writer.endless = endless;
    writer.variables();
    writer.budget = 10 + writer.random.below(50);
    let params = writer.params();
    let mut body = vec![];
    writer.unknowns(&mut body);
    while writer.budget > 0 {
        writer.statement(&mut body);
    }
    writer.code.body = body;
    let mut unit = Unit {
        name: format!("generated_{seed}"),
        kind: UnitKind::Surface,
        params,
        metadata: vec![],
        globals: vec![],
        code: writer.code,
        functions,
        span: Span::default(),
    };
    derivative::expand(&mut unit);
    unit
}

struct Writer<'a> {
    random: &'a mut Random,
    templates: &'a [Template],
    /// Element types that variables may have.
    elements: &'a [Element],
    code: Code,
    /// Functions that can be called; each has a countdown, a float and a triple as parameters, and returns a float and a
    /// closure.
    functions: usize,
    /// True if endless loops and recursions may be generated.
    endless: bool,
    /// Variables that may be assigned.
    locals: Vec<(LocalId, Kind)>,
    /// Variables that may be read only: counters of loops.
    counters: Vec<LocalId>,
    open: Vec<ScopeId>,
    /// Number of blocks around the current one.
    depth: usize,
    /// Maximum number of times that the current block runs.
    repeats: usize,
    /// Number of statements that may still be generated.
    budget: usize,
}

impl<'a> Writer<'a> {
    fn new(
        random: &'a mut Random,
        templates: &'a [Template],
        elements: &'a [Element],
        functions: usize,
    ) -> Writer<'a> {
        Writer {
            random,
            templates,
            elements,
            code: Code::default(),
            functions,
            endless: false,
            locals: vec![],
            counters: vec![],
            open: vec![],
            depth: 0,
            repeats: 1,
            budget: 0,
        }
    }

    fn local(&mut self, kind: Kind) -> LocalId {
        let (Kind::One(element) | Kind::Array(element, _)) = kind;
        let base = match element {
            Element::Int => Base::Int,
            Element::Float => Base::Float,
            Element::Triple => *self.random.pick(&[Base::Color, Base::Point, Base::Vector, Base::Normal]),
            Element::Matrix => Base::Matrix,
            Element::String => Base::String,
            Element::Closure => Base::Closure,
        };
        let ty = match kind {
            Kind::One(_) => Type::single(base),
            Kind::Array(_, n) => Type::array(base, n),
        };
        self.code.locals.push(Local { name: String::new(), ty })
    }

    /// Creates initial variables of all kinds.
    fn variables(&mut self) {
        for &element in self.elements {
            for _ in 0..2 + self.random.below(4) {
                let local = self.local(Kind::One(element));
                self.locals.push((local, Kind::One(element)));
            }
            let array = Kind::Array(element, 1 + self.random.below(4) as u32);
            let local = self.local(array);
            self.locals.push((local, array));
        }
    }

    fn params(&mut self) -> Vec<Param> {
        let mut params = vec![];
        for (i, (local, _)) in self.locals.clone().into_iter().enumerate() {
            if self.random.once_in(2) {
                continue;
            }
            let mut init = vec![];
            if self.random.once_in(2) {
                self.statement(&mut init);
            }
            params.push(Param {
                name: format!("p{i}"),
                ty: self.code.locals[local].ty,
                is_unsized: false,
                is_any: false,
                queries_connection: false,
                queries_given: false,
                output: !self.random.once_in(4),
                local,
                init,
                default: None,
                struct_name: None,
                metadata: vec![],
                span: Span::default(),
            });
        }
        params
    }

    /// Assigns values known only at run time to most variables; otherwise nearly everything would be constant.
    fn unknowns(&mut self, out: &mut Block) {
        for (local, kind) in self.locals.clone() {
            if self.random.once_in(4) {
                continue;
            }
            let [u, v] = [Global::U, Global::V].map(|global| {
                let local = self.local(Kind::FLOAT);
                out.push(assign(local, Op::Global(global), vec![]));
                Operand::Local(local)
            });
            let text = |this: &mut Self, text: &str| this.constant(Const::String(text.into()));
            let (op, args) = match kind {
                Kind::One(Element::Int) => (Op::FloatToInt, vec![u]),
                Kind::One(Element::Float) => (Op::Mul, vec![u, v]),
                Kind::One(Element::Triple) => {
                    let triples = [Global::P, Global::I, Global::N, Global::DPdu];
                    (Op::Global(*self.random.pick(&triples)), vec![])
                }
                Kind::One(Element::Matrix) if self.is_numeric() => {
                    let numbers = [u, v, u, v].map(|x| [x, self.operand(Kind::FLOAT), x, v]);
                    (Op::MakeMatrix, numbers.concat())
                }
                Kind::One(Element::Matrix) => {
                    (Op::Builtin(B::SpaceMatrix), vec![text(self, "object"), text(self, "world")])
                }
                Kind::One(Element::String) => (Op::Builtin(B::Format), vec![text(self, "%.1f"), v]),
                Kind::One(Element::Closure) => {
                    let normal = self.local(Kind::TRIPLE);
                    out.push(assign(normal, Op::Global(Global::N), vec![]));
                    (Op::MakeClosure(ClosureId(1)), vec![Operand::Local(normal)])
                }
                Kind::Array(element, n) => {
                    let one = Kind::One(element);
                    (Op::MakeArray, (0..n).map(|_| self.operand(one)).collect())
                }
            };
            out.push(assign(local, op, args));
        }
    }

    /// Creates a function that calls itself as often as its first parameter says.
    fn function(mut self, id: FunctionId, index: usize) -> Function {
        let countdown = self.local(Kind::INT);
        let params = vec![countdown, self.local(Kind::FLOAT), self.local(Kind::TRIPLE)];
        let outputs = vec![self.local(Kind::FLOAT), self.local(Kind::CLOSURE)];
        self.variables();
        self.counters.push(countdown);
        let kinds = [Kind::FLOAT, Kind::TRIPLE, Kind::FLOAT, Kind::CLOSURE];
        let named = params[1..].iter().chain(&outputs).copied();
        self.locals.extend(named.zip(kinds));
        self.budget = 4 + self.random.below(10);
        let mut body = vec![];
        let scope = self.code.scopes.push("return");
        self.open.push(scope);
        let (zero, one) = (self.constant(Const::Int(0)), self.constant(Const::Int(1)));
        let (done, less) = (self.local(Kind::INT), self.local(Kind::INT));
        body.push(assign(done, Op::Le, vec![Operand::Local(countdown), zero]));
        let mut last = vec![];
        self.statement(&mut last);
        last.push(Stmt::Leave(scope));
        body.push(Stmt::If {
            condition: Operand::Local(done),
            then: last,
            otherwise: vec![],
        });
        body.push(assign(less, Op::Sub, vec![Operand::Local(countdown), one]));
        let args = vec![Operand::Local(less), self.operand(Kind::FLOAT), self.operand(Kind::TRIPLE)];
        let results = vec![self.target(Kind::FLOAT), self.target(Kind::CLOSURE)];
        body.push(Stmt::Call { function: id, args, results, span: Span::default() });
        while self.budget > 0 {
            self.statement(&mut body);
        }
        self.open.pop();
        self.code.body = vec![Stmt::Scope { scope, body }];
        Function {
            name: format!("recursive_{index}"),
            params,
            outputs,
            code: self.code,
            fuel: 1,
            sample: None,
        }
    }

    fn constant(&mut self, value: Const) -> Operand {
        Operand::Const(self.code.consts.push(value))
    }

    fn number(&mut self) -> f32 {
        const SPECIAL: [f32; 15] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            2.0,
            3.0,
            1e-40,
            1e-20,
            1e20,
            f32::MAX,
            f32::MIN_POSITIVE,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        if self.random.once_in(3) {
            self.random.float()
        } else {
            // Ordinary numbers are more frequent.
            let n = if self.random.once_in(4) { SPECIAL.len() } else { 7 };
            SPECIAL[self.random.below(n)]
        }
    }

    fn value(&mut self, kind: Kind) -> Const {
        const WORDS: [&str; 14] = [
            "",
            "wood",
            "lead",
            "object",
            "common",
            "world",
            "camera",
            "shadow",
            "wear",
            "tint",
            "%d %g",
            "<%s>",
            "%5.2f|%-4d",
            "naïve",
        ];
        match kind {
            Kind::One(Element::Int) => {
                let list = [0, 1, 2, 3, -1, 7, i32::MIN, i32::MAX];
                Const::Int(*self.random.pick(&list))
            }
            Kind::One(Element::Float) => Const::Float(self.number()),
            Kind::One(Element::Triple) if self.random.once_in(2) => Const::Triple([self.number(); 3]),
            Kind::One(Element::Triple) => Const::Triple(std::array::from_fn(|_| self.number())),
            Kind::One(Element::Matrix) if self.random.once_in(2) => {
                Const::Matrix(shading::eval::matrix::diagonal(self.number()))
            }
            Kind::One(Element::Matrix) => Const::Matrix(std::array::from_fn(|_| self.random.float())),
            Kind::One(Element::String) => Const::String((*self.random.pick(&WORDS)).into()),
            Kind::One(Element::Closure) => Const::NullClosure,
            Kind::Array(element, n) => Const::Array((0..n).map(|_| self.value(Kind::One(element))).collect()),
        }
    }

    /// Returns an operand: usually a variable, sometimes a constant.
    fn operand(&mut self, kind: Kind) -> Operand {
        if kind == Kind::INT && !self.counters.is_empty() && self.random.once_in(4) {
            return Operand::Local(*self.random.pick(&self.counters));
        }
        let fitting: Vec<_> = self.locals.iter().filter(|(_, k)| *k == kind).collect();
        if fitting.is_empty() || self.random.once_in(3) {
            let value = self.value(kind);
            return self.constant(value);
        }
        Operand::Local(self.random.pick(&fitting).0)
    }

    /// Returns a variable to assign: an existing one, or a new one, as the front end creates for each subexpression.
    fn target(&mut self, kind: Kind) -> LocalId {
        let fitting: Vec<_> = self.locals.iter().filter(|(_, k)| *k == kind).collect();
        if fitting.is_empty() || self.random.once_in(3) {
            let local = self.local(kind);
            self.locals.push((local, kind));
            return local;
        }
        self.random.pick(&fitting).0
    }

    fn statement(&mut self, out: &mut Block) {
        self.budget = self.budget.saturating_sub(1);
        let nested = self.depth < 5;
        match self.random.below(24) {
            0..3 if nested => self.branch(out),
            3 | 4 if nested => self.scope(out),
            5 | 6 if nested && self.repeats < 500 => self.repetition(out),
            7 if !self.open.is_empty() && self.depth > 0 => {
                let scope = *self.random.pick(&self.open);
                out.push(Stmt::Leave(scope));
            }
            8 if self.functions > 0 && self.repeats < 50 => self.call(out),
            9 | 10 => self.array(out),
            11 if !self.is_numeric() && self.random.once_in(2) => self.cloud(out),
            12 if !self.is_numeric() && self.random.once_in(4) => self.written_point(out),
            _ => self.operation(out),
        }
    }

    /// Returns whether the unit can run in packets.
    fn is_numeric(&self) -> bool {
        self.elements.len() < ELEMENTS.len()
    }

    fn block(&mut self) -> Block {
        let mut block = vec![];
        self.depth += 1;
        for _ in 0..self.random.below(5) {
            if self.budget > 0 {
                self.statement(&mut block);
            }
        }
        self.depth -= 1;
        block
    }

    fn branch(&mut self, out: &mut Block) {
        let condition = self.operand(Kind::INT);
        let then = self.block();
        let otherwise = if self.random.once_in(2) { self.block() } else { vec![] };
        out.push(Stmt::If { condition, then, otherwise });
    }

    fn scope(&mut self, out: &mut Block) {
        let scope = self.code.scopes.push("block");
        self.open.push(scope);
        let body = self.block();
        self.open.pop();
        out.push(Stmt::Scope { scope, body });
    }

    /// Generates a loop with few iterations: a constant number, or that of a variable.
    fn repetition(&mut self, out: &mut Block) {
        let counter = self.local(Kind::INT);
        let limit = self.local(Kind::INT);
        let done = self.local(Kind::INT);
        let turns = self.random.below(5) as i32;
        let start = self.constant(Const::Int(0));
        out.push(assign(counter, Op::Copy, vec![start]));
        let bound = self.bound(turns);
        if self.random.once_in(2) {
            let wild = self.operand(Kind::INT);
            out.push(assign(limit, Op::BitAnd, vec![wild, bound]));
        } else {
            out.push(assign(limit, Op::Copy, vec![bound]));
        }
        let scope = self.code.scopes.push("break");
        self.open.push(scope);
        self.counters.push(counter);
        let repeats = self.repeats;
        self.repeats *= turns as usize + 1;
        self.depth += 1;
        let mut body = vec![assign(done, Op::Ge, vec![Operand::Local(counter), Operand::Local(limit)])];
        body.push(Stmt::If {
            condition: Operand::Local(done),
            then: vec![Stmt::Leave(scope)],
            otherwise: vec![],
        });
        let again = self.code.scopes.push("continue");
        self.open.push(again);
        let turn = self.block();
        self.open.pop();
        body.push(Stmt::Scope { scope: again, body: turn });
        let one = self.constant(Const::Int(1));
        body.push(assign(counter, Op::Add, vec![Operand::Local(counter), one]));
        self.depth -= 1;
        self.repeats = repeats;
        self.open.pop();
        out.push(Stmt::Scope {
            scope,
            body: vec![Stmt::Loop { body, fuel: 1, span: Span::default() }],
        });
    }

    /// Returns a number of iterations or calls: `turns`, or sometimes an endless one.
    fn bound(&mut self, turns: i32) -> Operand {
        let endless = self.endless && self.random.once_in(4);
        self.constant(Const::Int(if endless { i32::MAX } else { turns }))
    }

    fn call(&mut self, out: &mut Block) {
        let function = FunctionId::from_u32(self.random.below(self.functions) as u32);
        let turns = self.random.below(3) as i32;
        let args = vec![self.bound(turns), self.operand(Kind::FLOAT), self.operand(Kind::TRIPLE)];
        let results = vec![self.target(Kind::FLOAT), self.target(Kind::CLOSURE)];
        out.push(Stmt::Call { function, args, results, span: Span::default() });
    }

    /// Generates an operation on an array.
    fn array(&mut self, out: &mut Block) {
        let arrays: Vec<_> = self
            .locals
            .iter()
            .copied()
            .filter(|(_, k)| matches!(k, Kind::Array(..)))
            .collect();
        let (local, kind) = *self.random.pick(&arrays);
        let Kind::Array(element, n) = kind else { return };
        let element = Kind::One(element);
        match self.random.below(4) {
            0 => {
                let args = (0..n).map(|_| self.operand(element)).collect();
                out.push(assign(local, Op::MakeArray, args));
            }
            1 => {
                let args = vec![Operand::Local(local), self.index(), self.operand(element)];
                out.push(assign(local, Op::ArraySet, args));
            }
            2 => {
                let args = vec![self.operand(kind), self.index()];
                let target = self.target(element);
                out.push(assign(target, Op::ArrayGet, args));
            }
            _ => {
                let args = vec![self.operand(kind)];
                out.push(assign(local, Op::Copy, args));
            }
        }
    }

    /// Usually in range.
    fn index(&mut self) -> Operand {
        if self.random.once_in(4) {
            return self.operand(Kind::INT);
        }
        let index = self.random.below(4) as i32;
        self.constant(Const::Int(index))
    }

    fn operation(&mut self, out: &mut Block) {
        let templates = self.templates;
        let Template { op, takes, gives } = self.random.pick(templates);
        let Some(gives) = gives else {
            let stmt = self.print();
            return out.push(stmt);
        };
        let indexed = matches!(op, Op::TripleGet | Op::TripleSet | Op::MatrixGet | Op::MatrixSet);
        let looks_up = matches!(op, Op::Texture(_) | Op::TextureError(_) | Op::TextureInfo);
        let args = takes
            .iter()
            .enumerate()
            .map(|(i, &kind)| match kind {
                Kind::INT if indexed => self.index(),
                // Usually an existing file.
                Kind::STRING if i == 0 && looks_up && !self.random.once_in(3) => {
                    self.constant(Const::String("wood".into()))
                }
                _ => self.operand(kind),
            })
            .collect();
        let target = self.target(*gives);
        out.push(assign(target, *op, args));
    }

    fn print(&mut self) -> Stmt {
        let format = *self.random.pick(&["%d|", "%g %s\n", "%s %d %f ", "%x%%", "%"]);
        let mut args = vec![self.constant(Const::String(format.into()))];
        for _ in 0..self.random.below(3) {
            let element = *self.random.pick(&ELEMENTS);
            let operand = if self.random.once_in(5) {
                let arrays: Vec<_> = self.locals.iter().map(|&(_, k)| k).collect();
                let kind = *self.random.pick(&arrays);
                self.operand(kind)
            } else {
                self.operand(Kind::One(element))
            };
            args.push(operand);
        }
        let builtin = *self.random.pick(&[B::Printf, B::Printf, B::Warning, B::Error]);
        Stmt::Op {
            dst: None,
            op: Op::Builtin(builtin),
            args,
            span: Span::default(),
        }
    }
}

fn assign(dst: LocalId, op: Op, args: Vec<Operand>) -> Stmt {
    Stmt::Op { dst: Some(dst), op, args, span: Span::default() }
}
