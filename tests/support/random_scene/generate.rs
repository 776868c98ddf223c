//! Generator of random scenes.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};

use super::{
    Argument, Camera, Geometry, ImageFile, Lens, Light, MeshFormat, Node, RandomScene, Shape, Similarity,
    Sky, Surface, TriangleMesh,
};
use crate::stats::Rng;

/// Surroundings of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Objects under a sky, with or without a ground.
    Open,
    /// Objects in a closed room with lights.
    Room,
    /// Objects under a white sky of radiance 1, without other lights.
    Furnace,
}

/// Constraints on the contents of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The surroundings; `None` for either open or a room.
    pub setting: Option<Setting>,
    /// True if mirrors, clear glass and other specular lobes are allowed.
    pub specular: bool,
    /// True if lights that rays cannot hit are allowed: points, spots, distant lights.
    pub delta_lights: bool,
    /// True if bumps in world space are allowed.
    pub world_bumps: bool,
    /// True if the scene may have any size, rotation, and distance from the origin.
    pub anywhere: bool,
    /// True if all surfaces reflect or transmit all light.
    pub lossless: bool,
    /// True if there are media.
    pub media: bool,
}

impl Recipe {
    /// No constraints.
    pub const ANY: Recipe = Recipe {
        setting: None,
        specular: true,
        delta_lights: true,
        world_bumps: false,
        anywhere: true,
        lossless: false,
        media: false,
    };
}

pub fn generate(seed: u64, recipe: &Recipe) -> RandomScene {
    let mut generator = Generator {
        rng: Rng::new(seed ^ 0x7363_656e_6573),
        recipe: *recipe,
        glass_fits: true,
        scene: RandomScene {
            seed,
            materials: vec![],
            shapes: vec![],
            lights: vec![],
            images: vec![],
            camera: Camera { world: DAffine3::IDENTITY, lens: Lens::Panoramic },
        },
    };
    let setting = generator.make();
    let Generator { mut rng, scene, .. } = generator;
    let scene = if recipe.media { scene.with_media(recipe, setting) } else { scene };
    if recipe.anywhere {
        let placement = anywhere(&mut rng);
        scene.moved(&placement)
    } else {
        scene
    }
}

/// A random similarity without mirroring: any scale, any or an axis-aligned rotation, at the origin or up to 1000 times
/// the size away from it.
fn anywhere(rng: &mut Rng) -> Similarity {
    let scale = if rng.with_probability(0.4) {
        1.0
    } else {
        10f64.powf(rng.between(-3.0, 3.3))
    };
    let rotation = if rng.with_probability(0.5) {
        DMat3::IDENTITY
    } else {
        DMat3::from_quat(rng.rotation())
    };
    let away = if rng.with_probability(0.4) {
        0.0
    } else {
        10f64.powf(rng.between(0.0, 3.0))
    };
    Similarity {
        scale,
        rotation,
        translation: rng.direction().as_dvec3() * (away * scale),
    }
}

impl Rng {
    pub fn with_probability(&mut self, probability: f64) -> bool {
        f64::from(self.next_1d()) < probability
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.next_1d())
    }

    /// A random integer below `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        self.next_u64() % count
    }

    fn color(&mut self, low: f64, high: f64) -> DVec3 {
        DVec3::new(self.between(low, high), self.between(low, high), self.between(low, high))
    }

    pub fn rotation(&mut self) -> DQuat {
        let axis = self.direction().as_dvec3().normalize();
        DQuat::from_axis_angle(axis, self.between(0.0, TAU))
    }
}

struct Generator {
    rng: Rng,
    recipe: Recipe,
    /// True if the next surface may be glass. In a furnace, only closed objects may be: radiance in glass is multiplied
    /// by the square of the index, so that light which crosses only one interface breaks the energy balance.
    glass_fits: bool,
    scene: RandomScene,
}

impl Generator {
    fn make(&mut self) -> Setting {
        let either = if self.rng.with_probability(0.6) {
            Setting::Open
        } else {
            Setting::Room
        };
        let setting = self.recipe.setting.unwrap_or(either);
        match setting {
            Setting::Open => {
                if self.rng.with_probability(0.75) {
                    self.ground();
                }
            }
            Setting::Room => self.room(),
            Setting::Furnace => {}
        }
        for _ in 0..1 + self.rng.below(4) {
            self.object(setting);
        }
        match setting {
            Setting::Open => {
                let mut count = 1 + self.rng.below(2);
                if self.rng.with_probability(0.6) {
                    self.sky();
                    count -= 1;
                }
                for _ in 0..count {
                    self.light(setting);
                }
            }
            Setting::Room => {
                self.emitter(setting);
                if self.rng.with_probability(0.4) {
                    self.light(setting);
                }
            }
            Setting::Furnace => self
                .scene
                .lights
                .push(Light::Environment { sky: Sky::Constant(DVec3::ONE), rotation: DMat3::IDENTITY }),
        }
        self.camera(setting);
        setting
    }

    // ---- Shapes.

    fn add(&mut self, geometry: Geometry, world: DAffine3, surface: Surface) {
        self.scene.materials.push(surface);
        let flip_normals = self.rng.with_probability(0.1);
        self.scene.shapes.push(Shape {
            geometry,
            world,
            material: self.scene.materials.len() - 1,
            flip_normals,
            instance_of: None,
        });
    }

    /// A ground at y = 0, as a plane or as a mesh.
    fn ground(&mut self) {
        let wide = self.rng.with_probability(0.3);
        let size = if wide {
            self.rng.between(20.0, 80.0)
        } else {
            self.rng.between(4.0, 8.0)
        };
        let surface = self.surface(1, true, true);
        if self.rng.with_probability(0.5) {
            self.add(Geometry::Plane { size }, DAffine3::IDENTITY, surface);
        } else {
            let n = 1 + self.rng.below(3) as u32;
            let mesh =
                TriangleMesh::patch(n, n, |uv| (DVec3::new(uv.x - 0.5, 0.0, 0.5 - uv.y) * size, DVec3::Y));
            let mesh = if self.rng.with_probability(0.5) { mesh } else { mesh.faceted() };
            let geometry = self.mesh(mesh);
            self.add(geometry, DAffine3::IDENTITY, surface);
        }
    }

    /// The inside of a box from −3 to 3, with the floor at y = 0.
    fn room(&mut self) {
        let size = DVec3::new(6.0, 5.0, 6.0);
        let middle = DVec3::new(0.0, 2.5, 0.0);
        let surface = if self.rng.with_probability(0.7) {
            let albedo = self.rng.color(0.2, 0.8);
            Surface::of(Node::new("matte", vec![("albedo", Argument::Color(albedo))]))
        } else {
            self.surface(0, true, false)
        };
        self.add(Geometry::Cube { size }, DAffine3::from_translation(middle), surface);
    }

    fn object(&mut self, setting: Setting) {
        let earlier = self.scene.shapes.len();
        let first_object = earlier.min(usize::from(setting != Setting::Furnace));
        let center = if setting == Setting::Furnace {
            self.rng.direction().as_dvec3() * self.rng.between(0.0, 1.2)
        } else {
            let turn = self.rng.between(0.0, TAU);
            let away = self.rng.between(0.0, 1.5);
            DVec3::new(away * turn.cos(), self.rng.between(0.45, 1.6), away * turn.sin())
        };
        let turn = match self.rng.below(3) {
            0 => DQuat::IDENTITY,
            1 => DQuat::from_rotation_x(-0.5 * PI),
            _ => self.rng.rotation(),
        };
        let mut stretch = DVec3::splat(self.rng.between(0.3, 0.9));
        if self.rng.with_probability(0.4) {
            stretch *= self.rng.color(0.5, 1.3);
        }
        if self.rng.with_probability(0.2) {
            stretch.x = -stretch.x;
        }
        let world = DAffine3::from_scale_rotation_translation(stretch, turn, center);
        if earlier > first_object && self.rng.with_probability(0.3) {
            let base = first_object + self.rng.below((earlier - first_object) as u64) as usize;
            let mut shape = self.scene.shapes[base].clone();
            let has_uvs = !matches!(&shape.geometry, Geometry::Mesh(mesh, _) if mesh.uvs.is_empty());
            if self.rng.with_probability(0.5) {
                self.glass_fits = setting != Setting::Furnace || shape.geometry.is_closed();
                let surface = self.surface(2, has_uvs, true);
                self.scene.materials.push(surface);
                shape.material = self.scene.materials.len() - 1;
            }
            shape.world = world;
            shape.instance_of = Some(base);
            self.scene.shapes.push(shape);
            return;
        }
        let (geometry, has_uvs) = self.geometry();
        self.glass_fits = setting != Setting::Furnace || geometry.is_closed();
        let surface = self.surface(2, has_uvs, true);
        self.add(geometry, world, surface);
    }

    /// A shape of about unit size, and whether it has texture coordinates.
    fn geometry(&mut self) -> (Geometry, bool) {
        let rng = &mut self.rng;
        match rng.below(9) {
            0 => (
                Geometry::Sphere { center: rng.color(-0.2, 0.2), radius: rng.between(0.6, 1.1) },
                true,
            ),
            1 => (Geometry::Disk { radius: rng.between(0.6, 1.2) }, true),
            2 => (
                Geometry::Cylinder { radius: rng.between(0.4, 0.9), height: rng.between(0.5, 1.5) },
                true,
            ),
            3 => (
                Geometry::Rectangle { size: [rng.between(0.8, 2.0), rng.between(0.8, 2.0)] },
                true,
            ),
            4 => (Geometry::Cube { size: rng.color(0.8, 1.7) }, true),
            5 => (Geometry::Plane { size: rng.between(1.0, 2.0) }, true),
            _ => {
                let mesh = any_mesh(rng);
                // Smooth normals on facets lose light.
                let mesh = if self.recipe.lossless { mesh.faceted() } else { mesh };
                let has_uvs = !mesh.uvs.is_empty();
                (self.mesh(mesh), has_uvs)
            }
        }
    }

    fn mesh(&mut self, mesh: TriangleMesh) -> Geometry {
        let format = MeshFormat::ALL[self.rng.below(4) as usize];
        Geometry::Mesh(Arc::new(mesh), format)
    }

    // ---- Materials.

    /// A surface; `depth` bounds the nesting of groups.
    fn surface(&mut self, depth: u32, has_uvs: bool, may_pass: bool) -> Surface {
        let root = self.closure(depth, has_uvs, may_pass);
        Surface { one_sided: false, ..Surface::of(root) }
    }

    fn closure(&mut self, depth: u32, has_uvs: bool, may_pass: bool) -> Node {
        let nested = depth > 0 && self.rng.with_probability(0.35);
        if nested {
            let in_furnace = self.recipe.setting == Some(Setting::Furnace);
            self.glass_fits &= !in_furnace;
            match self.rng.below(3) {
                0 => {
                    let a = self.closure(depth - 1, has_uvs, may_pass);
                    let b = self.closure(depth - 1, has_uvs, may_pass);
                    let amount = self.share(has_uvs);
                    return Node::new("blend", vec![("a", call(a)), ("b", call(b)), ("amount", amount)]);
                }
                1 => {
                    let base = self.closure(depth - 1, has_uvs, false);
                    let mut arguments = vec![("base", call(base))];
                    arguments.push(("amount", Argument::Number(self.rng.between(0.3, 1.0))));
                    arguments.push(("ior", Argument::Number(self.rng.between(1.1, 2.0))));
                    arguments.push(("alpha", self.roughness()));
                    if !self.recipe.lossless && self.rng.with_probability(0.5) {
                        arguments.push(("tint", Argument::Color(self.rng.color(0.4, 1.0))));
                    }
                    return Node::new("coated", arguments);
                }
                _ if may_pass => {
                    let base = self.closure(depth - 1, has_uvs, false);
                    let opacity = self.share(has_uvs);
                    return Node::new("cutout", vec![("base", call(base)), ("opacity", opacity)]);
                }
                _ => {}
            }
        }
        if self.recipe.lossless {
            return self.lossless_lobe(may_pass);
        }
        let mut arguments = vec![];
        let unit = match self.rng.below(if may_pass { 11 } else { 8 }) {
            0..=2 => {
                arguments.push(("albedo", self.color(has_uvs)));
                "matte"
            }
            3 => {
                arguments.push(("albedo", self.color(has_uvs)));
                arguments.push(("sigma", Argument::Number(self.rng.between(0.1, 1.2))));
                "rough_matte"
            }
            4 => {
                arguments.push(("eta", Argument::Color(self.rng.color(0.2, 1.6))));
                arguments.push(("extinction", Argument::Color(self.rng.color(2.0, 4.0))));
                arguments.push(("alpha", self.roughness()));
                if has_uvs && self.rng.with_probability(0.3) {
                    arguments.push(("anisotropy", Argument::Number(self.rng.between(0.2, 0.9))));
                }
                "metal"
            }
            5 => {
                arguments.push(("albedo", self.color(has_uvs)));
                arguments.push(("alpha", self.roughness()));
                arguments.push(("ior", Argument::Number(self.rng.between(1.2, 2.0))));
                "plastic"
            }
            6 => {
                arguments.push(("base_color", self.color(has_uvs)));
                arguments.push(("metallic", Argument::Number(self.rng.between(0.0, 1.0))));
                let roughness = self.rng.between(if self.recipe.specular { 0.0 } else { 0.5 }, 1.0);
                arguments.push(("roughness", Argument::Number(roughness)));
                if may_pass && self.glass_fits && self.rng.with_probability(0.4) {
                    arguments.push(("transmission", Argument::Number(self.rng.between(0.0, 1.0))));
                    arguments.push(("thick", Argument::Number(self.rng.below(2) as f64)));
                }
                if may_pass && self.rng.with_probability(0.3) {
                    arguments.push(("alpha", Argument::Number(self.rng.between(0.2, 0.9))));
                    arguments.push(("alpha_mode", Argument::Text("blend".to_owned())));
                }
                return Node::new("gltf_pbr", arguments);
            }
            7 if self.recipe.specular => {
                arguments.push(("tint", Argument::Color(self.rng.color(0.3, 0.95))));
                "mirror_surface"
            }
            7 => {
                arguments.push(("albedo", self.color(has_uvs)));
                "matte"
            }
            8 | 9 if self.glass_fits => {
                arguments.push(("ior", Argument::Number(self.rng.between(1.1, 2.0))));
                arguments.push(("alpha", self.roughness()));
                if self.rng.with_probability(0.5) {
                    arguments.push(("transmission_tint", Argument::Color(self.rng.color(0.5, 1.0))));
                }
                "glass"
            }
            _ => {
                arguments.push(("reflectance", Argument::Color(self.rng.color(0.0, 0.5))));
                arguments.push(("transmittance", Argument::Color(self.rng.color(0.0, 0.5))));
                "translucent_sheet"
            }
        };
        if self.rng.with_probability(0.25)
            && let Some(normal) = self.normal(has_uvs)
        {
            arguments.push(("n", call(normal)));
        }
        Node::new(unit, arguments)
    }

    fn lossless_lobe(&mut self, may_pass: bool) -> Node {
        let kinds = match (may_pass, self.glass_fits) {
            (false, _) => 2,
            (true, false) => 3,
            (true, true) => 5,
        };
        match self.rng.below(kinds) {
            0 => Node::new("matte", vec![("albedo", Argument::Color(DVec3::ONE))]),
            1 => Node::new("mirror_surface", vec![]),
            2 => {
                let share = self.rng.color(0.0, 1.0);
                Node::new(
                    "translucent_sheet",
                    vec![
                        ("reflectance", Argument::Color(share)),
                        ("transmittance", Argument::Color(DVec3::ONE - share)),
                    ],
                )
            }
            _ => Node::new("glass", vec![("ior", Argument::Number(self.rng.between(1.05, 2.0)))]),
        }
    }

    /// A GGX roughness, sometimes 0 if allowed.
    fn roughness(&mut self) -> Argument {
        if self.recipe.lossless || (self.recipe.specular && self.rng.with_probability(0.35)) {
            Argument::Number(0.0)
        } else {
            Argument::Number(self.rng.between(0.12, 0.7))
        }
    }

    /// A weight between 0 and 1, constant or from a pattern.
    fn share(&mut self, has_uvs: bool) -> Argument {
        if has_uvs && self.rng.with_probability(0.5) {
            let (unit, key) =
                [("dots", "scale"), ("stripes", "scale"), ("tiles", "scale")][self.rng.below(3) as usize];
            let scale = Argument::Number((2 + self.rng.below(4)) as f64);
            let mut node = Node::new(unit, vec![(key, scale)]);
            node.output = "mask";
            return call(node);
        }
        Argument::Number(self.rng.between(0.1, 0.9))
    }

    fn color(&mut self, has_uvs: bool) -> Argument {
        if self.rng.with_probability(0.5) {
            return Argument::Color(self.rng.color(0.05, 0.85));
        }
        if self.rng.with_probability(0.3) {
            let world_from_pattern =
                DAffine3::from_rotation_translation(self.rng.rotation(), self.rng.direction().as_dvec3());
            let unit = ["marble", "wood", "voronoi", "fbm"][self.rng.below(4) as usize];
            let mut node = Node::new(unit, vec![("position", Argument::Position(world_from_pattern))]);
            if unit == "fbm" {
                node.arguments.push(("octaves", Argument::Number(3.0)));
                let (a, b) = (self.rng.color(0.0, 0.9), self.rng.color(0.0, 0.9));
                let mix = vec![("a", Argument::Color(a)), ("b", Argument::Color(b)), ("amount", call(node))];
                return call(Node::new("color_mix", mix));
            }
            return call(node);
        }
        if !has_uvs {
            return Argument::Color(self.rng.color(0.05, 0.85));
        }
        let (a, b) = (self.rng.color(0.0, 0.9), self.rng.color(0.0, 0.9));
        let scale = (2 + self.rng.below(6)) as f64;
        let node = match self.rng.below(6) {
            0 => Node::new(
                "checker",
                vec![
                    ("a", Argument::Color(a)),
                    ("b", Argument::Color(b)),
                    ("columns", Argument::Number(scale)),
                    ("rows", Argument::Number(scale)),
                ],
            ),
            1 => Node::new("brick", vec![("scale", Argument::Number(scale))]),
            2 => Node::new("gradient", vec![("a", Argument::Color(a)), ("b", Argument::Color(b))]),
            3 => Node::new("hexagons", vec![("scale", Argument::Number(scale))]),
            4 => Node::new("tiles", vec![("scale", Argument::Number(scale))]),
            _ => Node::new("image", vec![("file", Argument::Text(self.picture()))]),
        };
        call(node)
    }

    /// A perturbed normal. Maps are in tangent space, so that they rotate with the surface.
    fn normal(&mut self, has_uvs: bool) -> Option<Node> {
        if self.recipe.world_bumps && self.rng.with_probability(0.5) {
            let amount = Argument::Number(self.rng.between(0.1, 0.5));
            return Some(Node::new(
                "bump_noise",
                vec![("scale", Argument::Number(self.rng.between(2.0, 8.0))), ("amount", amount)],
            ));
        }
        if !has_uvs {
            return None;
        }
        if self.rng.with_probability(0.5) {
            let amount = self.rng.between(0.1, 0.8);
            return Some(Node::new("tilt", vec![("amount", Argument::Number(amount))]));
        }
        let file = self.normal_picture();
        Some(Node::new(
            "normal_map",
            vec![("file", Argument::Text(file)), ("strength", Argument::Number(self.rng.between(0.3, 1.0)))],
        ))
    }

    fn picture(&mut self) -> String {
        let name = format!("image{}.png", self.scene.images.len());
        let width = 4 + self.rng.below(5) as usize;
        let height = 4 + self.rng.below(5) as usize;
        let pixels = (0..width * height).map(|_| self.rng.color(0.0, 0.9).as_vec3().to_array());
        let image = ImageFile { name: name.clone(), width, pixels: pixels.collect() };
        self.scene.images.push(image);
        name
    }

    fn normal_picture(&mut self) -> String {
        let name = format!("normal{}.exr", self.scene.images.len());
        let pixels = (0..64).map(|_| {
            let n = DVec3::new(self.rng.between(-0.6, 0.6), self.rng.between(-0.6, 0.6), 1.0).normalize();
            (n * 0.5 + 0.5).as_vec3().to_array()
        });
        let image = ImageFile { name: name.clone(), width: 8, pixels: pixels.collect() };
        self.scene.images.push(image);
        name
    }

    // ---- Lights.

    fn sky(&mut self) {
        let rotation = if self.rng.with_probability(0.5) {
            DMat3::IDENTITY
        } else {
            DMat3::from_quat(self.rng.rotation())
        };
        let sky = match self.rng.below(3) {
            0 => Sky::Constant(self.rng.color(0.2, 1.0)),
            1 => Sky::Gradient(self.rng.color(0.3, 1.2), self.rng.color(0.0, 0.5)),
            _ => self.sky_map(),
        };
        self.scene.lights.push(Light::Environment { sky, rotation });
    }

    /// A smooth map with a bright spot.
    fn sky_map(&mut self) -> Sky {
        let (width, height) = (32, 16);
        let sun = self.rng.direction().as_dvec3();
        let power = self.rng.between(8.0, 60.0);
        let (sun_color, sky_color) = (self.rng.color(1.0, 8.0), self.rng.color(0.1, 0.8));
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| {
            let theta = PI * (f64::from(y) + 0.5) / f64::from(height);
            let phi = TAU * (f64::from(x) + 0.5) / f64::from(width);
            let d = DVec3::new(theta.sin() * phi.sin(), theta.cos(), -theta.sin() * phi.cos());
            let glow = (power * (d.dot(sun) - 1.0)).exp();
            (sky_color * (0.6 + 0.4 * d.y) + sun_color * glow).as_vec3().to_array()
        });
        let image = ImageFile {
            name: String::new(),
            width: width as usize,
            pixels: pixels.collect(),
        };
        Sky::Map(image, DVec3::ONE)
    }

    /// Above the objects, next to them or between them.
    fn light_position(&mut self, setting: Setting) -> DVec3 {
        let turn = self.rng.between(0.0, TAU);
        let (away, height) = match setting {
            Setting::Room => (self.rng.between(0.0, 2.4), self.rng.between(2.8, 4.6)),
            Setting::Open | Setting::Furnace => (self.rng.between(0.0, 3.0), self.rng.between(2.4, 4.5)),
        };
        DVec3::new(away * turn.cos(), height, away * turn.sin())
    }

    fn light(&mut self, setting: Setting) {
        if !self.recipe.delta_lights || self.rng.with_probability(0.4) {
            return self.emitter(setting);
        }
        let position = self.light_position(setting);
        let aim = (DVec3::new(0.0, 0.6, 0.0) - position).normalize();
        let light = match self.rng.below(if setting == Setting::Room { 2 } else { 3 }) {
            0 => Light::Point { position, intensity: self.rng.color(3.0, 20.0) },
            1 => {
                let cutoff = if self.rng.with_probability(0.3) {
                    self.rng.between(2.0, 8.0)
                } else {
                    self.rng.between(10.0, 100.0)
                };
                Light::Spot {
                    position,
                    direction: aim,
                    intensity: self.rng.color(5.0, 40.0),
                    cutoff,
                    beam_width: cutoff * self.rng.between(0.2, 1.0),
                    squared_cosine: cutoff < 89.0 && self.rng.with_probability(0.5),
                }
            }
            _ => Light::Directional { direction: aim, irradiance: self.rng.color(0.5, 3.0) },
        };
        self.scene.lights.push(light);
    }

    /// A shape that emits.
    fn emitter(&mut self, setting: Setting) {
        let position = self.light_position(setting);
        let size = self.rng.between(0.2, 0.7);
        let radiance = self.rng.color(2.0, 6.0) / (size * size);
        let aim = (DVec3::new(0.0, 0.6, 0.0) - position).normalize();
        let turn = DQuat::from_rotation_arc(DVec3::Z, aim);
        let turn = if self.rng.with_probability(0.3) {
            self.rng.rotation()
        } else {
            turn
        };
        let mut stretch = DVec3::splat(size);
        if self.rng.with_probability(0.3) {
            stretch *= self.rng.color(0.5, 1.2);
        }
        if self.rng.with_probability(0.2) {
            stretch.y = -stretch.y;
        }
        let world = DAffine3::from_scale_rotation_translation(stretch, turn, position);
        let (geometry, has_uvs) = self.geometry();
        let unit = if has_uvs && self.rng.with_probability(0.2) {
            "screen"
        } else {
            "emitter"
        };
        let color = if unit == "emitter" && has_uvs && self.rng.with_probability(0.25) {
            let checker = vec![
                ("a", Argument::Color(radiance)),
                ("b", Argument::Color(radiance * 0.1)),
                ("columns", Argument::Number(3.0)),
                ("rows", Argument::Number(2.0)),
            ];
            call(Node::new("checker", checker))
        } else {
            Argument::Color(radiance)
        };
        let mut surface =
            Surface::of(Node::new(unit, vec![("radiance", color), ("scale", Argument::Number(1.0))]));
        // Shapes without an inside often emit on both sides.
        surface.emits_both = self.rng.with_probability(0.4);
        self.add(geometry, world, surface);
    }

    // ---- Camera.

    fn camera(&mut self, setting: Setting) {
        let target = match setting {
            Setting::Furnace => DVec3::ZERO,
            Setting::Open | Setting::Room => DVec3::new(0.0, 0.7, 0.0),
        };
        let turn = self.rng.between(0.0, TAU);
        let rise = match setting {
            Setting::Furnace => self.rng.between(-1.2, 1.2),
            Setting::Open | Setting::Room => self.rng.between(0.1, 0.8),
        };
        let distance = if setting == Setting::Room {
            2.8
        } else {
            self.rng.between(4.0, 6.0)
        };
        let ahead = -DVec3::new(rise.cos() * turn.cos(), rise.sin(), rise.cos() * turn.sin());
        let from = target - ahead * distance;
        let right = ahead.cross(DVec3::Y).normalize();
        let frame = DMat3::from_cols(right, right.cross(ahead), -ahead);
        let lens = match self.rng.below(10) {
            0..=5 => Lens::Perspective {
                fov: self.rng.between(30.0, 60.0),
                aperture_radius: 0.0,
                focus_distance: distance,
            },
            6 | 7 => Lens::Perspective {
                fov: self.rng.between(30.0, 60.0),
                aperture_radius: self.rng.between(0.02, 0.2),
                focus_distance: distance,
            },
            8 => Lens::Orthographic { width: self.rng.between(3.0, 5.0) },
            _ => Lens::Panoramic,
        };
        self.scene.camera = Camera { world: DAffine3::from_mat3_translation(frame, from), lens };
    }
}

impl Geometry {
    /// Returns whether the shape is closed.
    pub(super) fn is_closed(&self) -> bool {
        match self {
            Geometry::Sphere { .. } | Geometry::Cube { .. } => true,
            Geometry::Mesh(mesh, _) => mesh.triangles.len() > 250,
            Geometry::Plane { .. }
            | Geometry::Rectangle { .. }
            | Geometry::Disk { .. }
            | Geometry::Cylinder { .. } => false,
        }
    }
}

fn call(node: Node) -> Argument {
    Argument::Call(Box::new(node))
}

/// A mesh of about unit size.
fn any_mesh(rng: &mut Rng) -> TriangleMesh {
    let mesh = match rng.below(4) {
        0 => {
            let n = 1 + rng.below(4) as u32;
            TriangleMesh::patch(n, n, |uv| (DVec3::new(2.0 * uv.x - 1.0, 2.0 * uv.y - 1.0, 0.0), DVec3::Z))
        }
        1 => wavy(rng),
        2 => TriangleMesh::patch(24, 12, |uv| {
            let p = sphere_point(uv);
            (p, p)
        }),
        _ => {
            let thin = rng.between(0.2, 0.45);
            TriangleMesh::patch(20, 10, |uv| torus_point(uv, thin))
        }
    };
    let mesh = if rng.with_probability(0.3) { mesh.faceted() } else { mesh };
    if rng.with_probability(0.25) { mesh.without_uvs() } else { mesh }
}

/// A point of the unit sphere in Kiln's parametrisation.
pub(super) fn sphere_point(uv: DVec2) -> DVec3 {
    let (sin_phi, cos_phi) = (TAU * uv.x).sin_cos();
    let (sin_theta, cos_theta) = (PI * uv.y).sin_cos();
    DVec3::new(sin_theta * cos_phi, sin_theta * sin_phi, -cos_theta)
}

fn torus_point(uv: DVec2, thin: f64) -> (DVec3, DVec3) {
    let (sin_u, cos_u) = (TAU * uv.x).sin_cos();
    let (sin_v, cos_v) = (TAU * uv.y).sin_cos();
    let n = DVec3::new(cos_v * cos_u, cos_v * sin_u, sin_v);
    let ring = DVec3::new(cos_u, sin_u, 0.0) * 0.7;
    (ring + n * thin, n)
}

fn wavy(rng: &mut Rng) -> TriangleMesh {
    let (height, waves, phase) = (rng.between(0.05, 0.25), rng.between(2.0, 5.0), rng.between(0.0, TAU));
    TriangleMesh::patch(10, 10, |uv| {
        let (x, y) = (2.0 * uv.x - 1.0, 2.0 * uv.y - 1.0);
        let (a, b) = (waves * x + phase, waves * y);
        let z = height * a.sin() * b.cos();
        let n = DVec3::new(-height * waves * a.cos() * b.cos(), height * waves * a.sin() * b.sin(), 1.0);
        (DVec3::new(x, y, z), n.normalize())
    })
}
