//! Random closure trees as source text: every closure of the table, nested layers and coats, and sums whose weights add
//! up to one.

use crate::stats::Rng;

/// A closure that returns at most the incoming light. Normals other than `N` occur only with `bent`, since a shader
/// that computes a normal is not uniform.
pub fn tree(rng: &mut Rng, depth: u32, bent: bool) -> String {
    Generator { rng, bent }.tree(depth)
}

struct Generator<'r> {
    rng: &'r mut Rng,
    bent: bool,
}

impl Generator<'_> {
    fn below(&mut self, n: usize) -> usize {
        ((self.rng.next_1d() * n as f32) as usize).min(n - 1)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn tree(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        match self.below(6) {
            0 | 1 => format!("layer({}, {})", self.tree(depth - 1), self.tree(depth - 1)),
            2 => {
                let (base, n, tint) = (self.tree(depth - 1), self.normal(), self.color());
                let (alpha, ior) = (self.alpha(), self.ior());
                format!("coat({base}, {n}, {alpha}, {ior}, {tint})")
            }
            3 | 4 => self.sum(depth),
            _ => self.leaf(),
        }
    }

    /// A weighted sum with weights that may be colours; each channel adds up to one.
    fn sum(&mut self, depth: u32) -> String {
        let terms = 2 + self.below(3);
        let shares: Vec<[f32; 3]> = (0..terms).map(|_| [(); 3].map(|()| 0.05 + self.rng.next_1d())).collect();
        let total: [f32; 3] = std::array::from_fn(|i| shares.iter().map(|share| share[i]).sum());
        let terms: Vec<String> = shares
            .iter()
            .map(|share| {
                // Rounded down, so that printed digits do not add up to more than one.
                let [r, g, b]: [f32; 3] = std::array::from_fn(|i| (share[i] / total[i] * 1e4).floor() / 1e4);
                format!("color({r}, {g}, {b}) * {}", self.tree(depth - 1))
            })
            .collect();
        format!("({})", terms.join(" + "))
    }

    fn normal(&mut self) -> String {
        if self.bent && self.below(4) == 0 {
            let [x, y, z] = [(); 3].map(|()| self.rng.next_1d() * 1.2 - 0.6);
            format!("normalize(N + vector({x}, {y}, {z}))")
        } else {
            "N".to_owned()
        }
    }

    fn color(&mut self) -> String {
        if self.below(2) == 0 {
            return "color(1)".to_owned();
        }
        let [r, g, b] = [(); 3].map(|()| self.rng.next_1d());
        format!("color({r}, {g}, {b})")
    }

    fn alpha(&mut self) -> &'static str {
        self.pick(&["0", "0.003", "0.05", "0.2", "0.5", "1"])
    }

    fn ior(&mut self) -> &'static str {
        self.pick(&["1", "1.01", "1.33", "1.5", "2.4"])
    }

    /// Parameters of a thin film, possibly none.
    fn film(&mut self) -> String {
        let thickness = self.pick(&["", "", "0", "5", "300", "1500"]);
        let ior = self.pick(&["1", "1.33", "2.2"]);
        match thickness {
            "" => String::new(),
            _ => format!(", \"thinfilm_thickness\", {thickness}, \"thinfilm_ior\", {ior}"),
        }
    }

    fn leaf(&mut self) -> String {
        let n = self.normal();
        let (c, d) = (self.color(), self.color());
        let (ax, ay) = (self.alpha(), self.alpha());
        let ior = self.ior();
        let distribution = self.pick(&["ggx", "beckmann"]);
        let sigma = self.pick(&["0", "0.1", "0.2", "0.4", "1"]);
        let eta = self.pick(&["0", "1.5", "0.6667", "1"]);
        let several = self.pick(&["", "", ", \"energy_compensation\", 1"]);
        let film = self.film() + several;
        match self.below(26) {
            0 => "transparent()".to_owned(),
            1 => "transparent_bsdf()".to_owned(),
            2 => format!("diffuse({n})"),
            3 => format!("oren_nayar({n}, {sigma})"),
            4 => format!("translucent({n})"),
            5 => format!("reflection({n})"),
            6 => format!("reflection({n}, {ior})"),
            7 => format!("refraction({n}, {ior})"),
            8 => format!("microfacet(\"{distribution}\", {n}, {ax}, {eta}, {})", self.below(3)),
            9 => format!(
                "microfacet(\"{distribution}\", {n}, dPdu, {ax}, {ay}, {eta}, {}{several})",
                self.below(3)
            ),
            10 => format!("phong({n}, {})", self.pick(&["1", "20", "500"])),
            11 => format!("ward({n}, dPdu, {ax}, {ay})"),
            12 => format!("subsurface(1.5, 0, color(1), {c})"),
            13 => format!("oren_nayar_diffuse_bsdf({n}, {c}, {sigma}{several})"),
            // Burley's model creates energy at higher roughness.
            14 => format!(
                "burley_diffuse_bsdf({n}, {c}, {})",
                self.pick(&["0", "0.1", "0.2", "1, \"limited\", 1"])
            ),
            15 => format!("translucent_bsdf({n}, {c})"),
            16 => format!("subsurface_bssrdf({n}, {c}, color(1), 0)"),
            17 => {
                format!("dielectric_bsdf({n}, dPdu, {c}, {d}, {ax}, {ay}, {ior}, \"{distribution}\"{film})")
            }
            18 => format!(
                "conductor_bsdf({n}, dPdu, {ax}, {ay}, color(0.2, 0.9, 1.1), color(3.9, 2.4, 0), \"{distribution}\"{film})"
            ),
            19 => format!(
                "generalized_schlick_bsdf({n}, dPdu, {c}, {d}, {ax}, {ay}, color(0.04, 0.2, 0.9), color(1), 5, \"{distribution}\"{film})"
            ),
            20 => format!("lambert({c}, {n})"),
            21 => format!(
                "coated_diffuse_bsdf({n}, {c}, {ax}, {ior}, {}, \"{distribution}\"{several})",
                self.below(2)
            ),
            22 => format!("burley_sheen_bsdf({n}, {c})"),
            23 => format!("clearcoat_bsdf({n}, {ax})"),
            24 => format!("thin_transmission_bsdf({n}, dPdu, {ax}, {ay}, {ior}, \"{distribution}\")"),
            _ => format!("mirror({c}, {n})"),
        }
    }
}
