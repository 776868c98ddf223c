//! Colours of black bodies and of wavelengths, as tables in the code.

use shading_compiler::eval::color;
use shading_compiler::eval::color_system::ColorSystem;
use shading_compiler::hir::{Const, Operand};

use super::literal;
use super::writer::FunctionWriter;
use crate::error::RasterError;

/// Interpolation of the fifth roots of colours, as in `shading_compiler::eval::color`. Above the table, the hue is constant
/// and the intensity grows with the temperature.
const BLACKBODY: &str = "\
fn @NAME(temperature: f32) -> vec3f {
    if (!(temperature >= 800.0)) {
        return vec3f(1e-6, 0.0, 0.0);
    }
    var table = array<vec3f, @LENGTH>(@TABLE);
    let root = kiln_cbrt((min(temperature, @END) - 800.0) / 2.0);
    let at = root * root;
    let index = min(i32(at), @LAST);
    let rest = at - f32(index);
    let x = table[index] * (1.0 - rest) + table[min(index + 1, @LAST)] * rest;
    let square = x * x;
    return square * square * x * max(temperature / @END, 1.0);
}

";

const WAVELENGTH: &str = "\
fn @NAME(wavelength: f32) -> vec3f {
    let at = (wavelength - 380.0) / 5.0;
    let index = kiln_int(at);
    if (index < 0 || index > 79) {
        return vec3f(0.0);
    }
    var table = array<vec3f, 81>(@TABLE);
    let rest = at - f32(index);
    let xyz = table[index] * (1.0 - rest) + table[index + 1] * rest;
    return max(kiln_transform_vector(@MATRIX, xyz) * 0.3968254, vec3f(0.0));
}

";

/// Temperature at the end of the table [K].
const END: f32 = 40_000.0;

impl FunctionWriter<'_, '_> {
    /// `blackbody`; `a` is the temperature.
    pub(super) fn blackbody(&mut self, args: &[Operand], a: &str) -> Result<String, RasterError> {
        let system = self.color_system(args)?;
        let name = format!("blackbody_{}", system.number());
        let mut table = vec![];
        loop {
            let root = (table.len() as f32).sqrt();
            let temperature = root * root * root * 2.0 + 800.0;
            // Above the end of the compiler's table the values are exact.
            let colors = color::blackbody(temperature, system).map(|x| libm::pow(f64::from(x), 0.2) as f32);
            table.push(colors);
            if temperature > END {
                break;
            }
        }
        let text = BLACKBODY
            .replace("@NAME", &name)
            .replace("@LENGTH", &table.len().to_string())
            .replace("@LAST", &(table.len() - 1).to_string())
            .replace("@END", &literal::float(END))
            .replace("@TABLE", &self.triples(&table));
        self.inputs.functions.insert(name.clone(), text);
        Ok(format!("{name}({a})"))
    }

    /// `wavelength_color`; `a` is the wavelength.
    pub(super) fn wavelength_color(&mut self, args: &[Operand], a: &str) -> Result<String, RasterError> {
        let system = self.color_system(args)?;
        let name = format!("wavelength_color_{}", system.number());
        let matrix = literal::constant(&Const::Matrix(system.rgb_from_xyz()), &mut self.strings);
        let text = WAVELENGTH
            .replace("@NAME", &name)
            .replace("@TABLE", &self.triples(&color::CIE_1931))
            .replace("@MATRIX", &matrix);
        self.inputs.functions.insert(name.clone(), text);
        Ok(format!("{name}({a})"))
    }

    fn color_system(&self, args: &[Operand]) -> Result<ColorSystem, RasterError> {
        match self.constant(args[1]) {
            Some(Const::Int(number)) => Ok(ColorSystem::numbered(*number)),
            _ => Err(RasterError::Text("a colour system that is known at run time only")),
        }
    }

    fn triples(&mut self, list: &[[f32; 3]]) -> String {
        let list: Vec<String> = list
            .iter()
            .map(|&triple| literal::constant(&Const::Triple(triple), &mut self.strings))
            .collect();
        list.join(", ")
    }
}
