//! An interpreter of naga's intermediate representation, as far as generated programs use it. It stands in for a GPU.

mod program;
mod value;

use naga::{
    Block, Expression, Function, GlobalVariable, Handle, Literal, Module, RelationalFunction, SampleLevel,
    Statement, Type, TypeInner,
};
pub use program::{Program, is_numeric, numbers};
pub use value::{Place, Value};

/// Looks up a texture by its name, the coordinates, and the derivatives of the coordinates along x and y.
pub type Sample<'a> = &'a dyn Fn(&str, [f32; 2], [f32; 2], [f32; 2]) -> [f32; 4];

/// A program with the values of its variables.
pub struct Interpreter<'a> {
    module: &'a Module,
    globals: Vec<Value>,
    calls: Vec<Call>,
    sample: Sample<'a>,
}

/// A call in progress.
struct Call {
    arguments: Vec<Value>,
    locals: Vec<Value>,
    /// Values of expressions that were evaluated.
    values: Vec<Option<Value>>,
}

/// Control flow after a statement.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Value>),
}

impl<'a> Interpreter<'a> {
    /// Creates an interpreter; `initial` contains values of variables of the module by name.
    pub fn new(
        module: &'a Module,
        initial: &dyn Fn(&str, Handle<Type>) -> Option<Value>,
        sample: Sample<'a>,
    ) -> Self {
        let value = |variable: &GlobalVariable| {
            let name = variable.name.as_deref().unwrap_or_default();
            initial(name, variable.ty).unwrap_or_else(|| zero(module, variable.ty))
        };
        Interpreter {
            module,
            globals: module.global_variables.iter().map(|(_, variable)| value(variable)).collect(),
            calls: vec![],
            sample,
        }
    }

    /// Calls a function by name.
    pub fn call(&mut self, name: &str, arguments: Vec<Value>) -> Value {
        let found = self
            .module
            .functions
            .iter()
            .find(|(_, function)| function.name.as_deref() == Some(name));
        let (_, function) = found.unwrap_or_else(|| panic!("no function {name}"));
        self.run(function, arguments).expect("the function returns a value")
    }

    fn run(&mut self, function: &'a Function, arguments: Vec<Value>) -> Option<Value> {
        let mut locals = vec![];
        for (_, variable) in function.local_variables.iter() {
            locals.push(zero(self.module, variable.ty));
        }
        self.calls.push(Call {
            arguments,
            locals,
            values: vec![None; function.expressions.len()],
        });
        for (handle, variable) in function.local_variables.iter() {
            if let Some(init) = variable.init {
                let value = self.value(function, init);
                let depth = self.calls.len() - 1;
                self.calls[depth].locals[handle.index()] = value;
            }
        }
        let flow = self.block(function, &function.body);
        self.calls.pop();
        match flow {
            Flow::Return(value) => value,
            _ => None,
        }
    }

    fn block(&mut self, function: &'a Function, block: &'a Block) -> Flow {
        for statement in block {
            match self.statement(function, statement) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn statement(&mut self, function: &'a Function, statement: &'a Statement) -> Flow {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    let value = self.evaluate(function, handle);
                    self.set(handle, value);
                }
            }
            Statement::Block(block) => return self.block(function, block),
            Statement::If { condition, accept, reject } => {
                let taken = self.value(function, *condition).truth();
                return self.block(function, if taken { accept } else { reject });
            }
            Statement::Loop { body, continuing, break_if } => loop {
                match self.block(function, body) {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => break,
                    flow @ Flow::Return(_) => return flow,
                }
                if let flow @ Flow::Return(_) = self.block(function, continuing) {
                    return flow;
                }
                if break_if.is_some_and(|condition| self.value(function, condition).truth()) {
                    break;
                }
            },
            Statement::Break => return Flow::Break,
            Statement::Continue => return Flow::Continue,
            Statement::Return { value } => {
                return Flow::Return(value.map(|value| self.value(function, value)));
            }
            Statement::Store { pointer, value } => {
                let value = self.value(function, *value);
                let pointer = self.value(function, *pointer);
                *self.target(&pointer) = value;
            }
            Statement::Call { function: callee, arguments, result } => {
                let arguments = arguments.iter().map(|&argument| self.value(function, argument)).collect();
                let module = self.module;
                let value = self.run(&module.functions[*callee], arguments);
                if let (Some(result), Some(value)) = (result, value) {
                    self.set(*result, value);
                }
            }
            other => panic!("{other:?} is not used"),
        }
        Flow::Next
    }

    fn set(&mut self, handle: Handle<Expression>, value: Value) {
        let depth = self.calls.len() - 1;
        self.calls[depth].values[handle.index()] = Some(value);
    }

    fn target(&mut self, pointer: &Value) -> &mut Value {
        let Value::Pointer(place, path) = pointer else {
            panic!("{pointer:?} is no pointer")
        };
        let mut target = match place {
            Place::Local(depth, index) => &mut self.calls[*depth].locals[*index],
            Place::Global(index) => &mut self.globals[*index],
        };
        for &index in path {
            let Value::List(list) = target else { panic!("no parts") };
            target = &mut list[index];
        }
        target
    }

    fn value(&mut self, function: &'a Function, handle: Handle<Expression>) -> Value {
        let depth = self.calls.len() - 1;
        match &self.calls[depth].values[handle.index()] {
            Some(value) => value.clone(),
            None => self.evaluate(function, handle),
        }
    }

    fn evaluate(&mut self, function: &'a Function, handle: Handle<Expression>) -> Value {
        let depth = self.calls.len() - 1;
        match &function.expressions[handle] {
            Expression::Literal(literal) => of_literal(*literal),
            Expression::Constant(constant) => self.constant(self.module.constants[*constant].init),
            Expression::ZeroValue(ty) => zero(self.module, *ty),
            Expression::Compose { ty, components } => {
                let parts = components.iter().map(|&part| self.value(function, part)).collect();
                composed(self.module, *ty, parts)
            }
            Expression::Access { base, index } => {
                let index = self.value(function, *index).index();
                part(self.value(function, *base), index)
            }
            Expression::AccessIndex { base, index } => part(self.value(function, *base), *index as usize),
            Expression::Splat { size, value } => {
                Value::List(vec![self.value(function, *value); *size as usize])
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.value(function, *vector);
                let lanes = pattern[..*size as usize].iter();
                Value::List(lanes.map(|&lane| vector.list()[lane as usize].clone()).collect())
            }
            Expression::FunctionArgument(index) => self.calls[depth].arguments[*index as usize].clone(),
            Expression::GlobalVariable(variable) => Value::Pointer(Place::Global(variable.index()), vec![]),
            Expression::LocalVariable(variable) => {
                Value::Pointer(Place::Local(depth, variable.index()), vec![])
            }
            Expression::Load { pointer } => {
                let pointer = self.value(function, *pointer);
                self.target(&pointer).clone()
            }
            Expression::ImageSample { image, coordinate, level, .. } => {
                let [at, dx, dy] = match level {
                    SampleLevel::Gradient { x, y } => {
                        [*coordinate, *x, *y].map(|handle| self.value(function, handle).numbers())
                    }
                    _ => panic!("{level:?} is not used"),
                };
                let name = self.image(function, *image);
                let pair = |list: &[f32]| [list[0], list[1]];
                Value::vector(&(self.sample)(name, pair(&at), pair(&dx), pair(&dy)))
            }
            Expression::ImageQuery { .. } => Value::List(vec![Value::Word(64), Value::Word(64)]),
            Expression::Unary { op, expr } => value::unary(*op, &self.value(function, *expr)),
            Expression::Binary { op, left, right } => {
                let (left, right) = (self.value(function, *left), self.value(function, *right));
                value::binary(*op, &left, &right)
            }
            Expression::Select { condition, accept, reject } => {
                let [condition, accept, reject] =
                    [*condition, *accept, *reject].map(|handle| self.value(function, handle));
                value::select(&condition, &accept, &reject)
            }
            Expression::Relational { fun, argument } => {
                let argument = self.value(function, *argument);
                let mut list = argument.list().iter().map(Value::truth);
                Value::Bool(match fun {
                    RelationalFunction::All => list.all(|truth| truth),
                    RelationalFunction::Any => list.any(|truth| truth),
                    other => panic!("{other:?} is not used"),
                })
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let args = [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten();
                let args: Vec<Value> = args.map(|handle| self.value(function, handle)).collect();
                value::math(*fun, &args.iter().collect::<Vec<_>>())
            }
            Expression::As { expr, kind, convert } => {
                value::convert(&self.value(function, *expr), *kind, convert.is_some())
            }
            other => panic!("{other:?} is not used"),
        }
    }

    fn image(&self, function: &Function, handle: Handle<Expression>) -> &'a str {
        match function.expressions[handle] {
            Expression::GlobalVariable(variable) => {
                let module = self.module;
                module.global_variables[variable].name.as_deref().unwrap_or_default()
            }
            _ => panic!("no texture"),
        }
    }

    fn constant(&self, handle: Handle<Expression>) -> Value {
        match &self.module.global_expressions[handle] {
            Expression::Literal(literal) => of_literal(*literal),
            Expression::ZeroValue(ty) => zero(self.module, *ty),
            Expression::Constant(constant) => self.constant(self.module.constants[*constant].init),
            Expression::Splat { size, value } => Value::List(vec![self.constant(*value); *size as usize]),
            Expression::Compose { ty, components } => {
                let parts = components.iter().map(|&part| self.constant(part)).collect();
                composed(self.module, *ty, parts)
            }
            other => panic!("{other:?} is not used"),
        }
    }
}

fn of_literal(literal: Literal) -> Value {
    match literal {
        Literal::F32(x) => Value::Float(x),
        Literal::I32(x) => Value::Int(x),
        Literal::U32(x) => Value::Word(x),
        Literal::Bool(x) => Value::Bool(x),
        other => panic!("{other:?} is not used"),
    }
}

/// Returns a part of a composite, or a pointer to it; an index out of range is that of the last part.
fn part(base: Value, index: usize) -> Value {
    match base {
        Value::Pointer(place, mut path) => {
            path.push(index);
            Value::Pointer(place, path)
        }
        Value::List(mut list) => {
            let last = list.len() - 1;
            list.swap_remove(index.min(last))
        }
        other => panic!("{other:?} has no parts"),
    }
}

/// Composes a value; a vector may be composed of vectors, and a matrix of numbers.
fn composed(module: &Module, ty: Handle<Type>, parts: Vec<Value>) -> Value {
    match module.types[ty].inner {
        TypeInner::Vector { .. } => {
            let flat = parts.into_iter().flat_map(|part| match part {
                Value::List(list) => list,
                scalar => vec![scalar],
            });
            Value::List(flat.collect())
        }
        TypeInner::Matrix { rows, .. } if !matches!(parts.first(), Some(Value::List(_))) => {
            let columns = parts.chunks(rows as usize).map(|column| Value::List(column.to_vec()));
            Value::List(columns.collect())
        }
        _ => Value::List(parts),
    }
}

/// Returns the zero of a type.
pub fn zero(module: &Module, ty: Handle<Type>) -> Value {
    let scalar = |kind: naga::ScalarKind| match kind {
        naga::ScalarKind::Sint => Value::Int(0),
        naga::ScalarKind::Uint => Value::Word(0),
        naga::ScalarKind::Bool => Value::Bool(false),
        _ => Value::Float(0.0),
    };
    match &module.types[ty].inner {
        TypeInner::Scalar(of) => scalar(of.kind),
        TypeInner::Vector { size, scalar: of } => Value::List(vec![scalar(of.kind); *size as usize]),
        TypeInner::Matrix { columns, rows, .. } => {
            Value::List(vec![Value::vector(&vec![0.0; *rows as usize]); *columns as usize])
        }
        TypeInner::Array { base, size: naga::ArraySize::Constant(size), .. } => {
            Value::List(vec![zero(module, *base); size.get() as usize])
        }
        TypeInner::Struct { members, .. } => {
            Value::List(members.iter().map(|member| zero(module, member.ty)).collect())
        }
        _ => Value::Bool(false),
    }
}
