//! Lattice noises with OSL's values: its hash, gradients and scales are facts that pictures depend on.
//!
//! Everything is written over arrays of lattice corners, in the shape that the compiler turns into vector instructions.
//! A coordinate beyond ±2³¹ is in the last cell; a coordinate that is not finite gives NaN.
//!
//! Ken Perlin, "Improving Noise", SIGGRAPH 2002, for the gradients and the fade; Bob Jenkins, "lookup3.c", 2006, for the
//! hash.

/// Corner offsets along x, y, z and w: corner `i` of a cell has bit `k` of `i` as its offset along axis `k`.
const fn offset(corner: usize, axis: usize) -> u32 {
    (corner >> axis & 1) as u32
}

/// Where the hash of `keys` keys starts.
const fn seed(keys: u32) -> u32 {
    0xdead_beef_u32.wrapping_add(keys << 2).wrapping_add(13)
}

/// The reversible mixing step of lookup3.
#[inline(always)]
fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    (a, b, c)
}

/// The last step of lookup3.
#[inline(always)]
fn finish(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

/// lookup3 of one to five words.
#[inline(always)]
fn hash<const K: usize>(k: [u32; K]) -> u32 {
    let s = seed(K as u32);
    let key = |i: usize| if i < K { k[i] } else { 0 };
    let (mut a, mut b, mut c) = (
        s.wrapping_add(key(0)),
        s.wrapping_add(key(1)),
        s.wrapping_add(key(2)),
    );
    if K > 3 {
        (a, b, c) = mix(a, b, c);
        a = a.wrapping_add(key(3));
        b = b.wrapping_add(key(4));
    }
    finish(a, b, c)
}

/// All 32 bits as a number in `[0,1]`.
#[inline(always)]
fn unit(bits: u32) -> f32 {
    const SCALE: f32 = (1.0 / u32::MAX as f64) as f32;
    bits as f32 * SCALE
}

/// The cell of a coordinate, and where in the cell.
#[inline(always)]
fn cell(x: f32) -> (u32, f32) {
    let floor = x.floor();
    (floor as i32 as u32, x - floor)
}

/// Perlin's fade curve.
#[inline(always)]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[inline(always)]
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a * (1.0 - t) + b * t
}

/// `x` with its sign turned over when bit `BIT` of `h` is set.
#[inline(always)]
fn turn<const BIT: u32>(x: f32, h: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ ((h >> BIT & 1) << 31))
}

/// Gradients ±1 … ±8.
#[inline(always)]
fn gradient1(h: u32, x: f32) -> f32 {
    turn::<3>(1.0 + (h & 7) as f32, h) * x
}

/// Gradients (±1, ±2) and (±2, ±1).
#[inline(always)]
fn gradient2(h: u32, x: f32, y: f32) -> f32 {
    let first = h & 7 < 4;
    let u = if first { x } else { y };
    let v = 2.0 * if first { y } else { x };
    turn::<0>(u, h) + turn::<1>(v, h)
}

/// Gradients to the middles of a cube's edges, four of them twice.
#[inline(always)]
fn gradient3(h: u32, x: f32, y: f32, z: f32) -> f32 {
    let h = h & 15;
    let u = if h < 8 { x } else { y };
    let other = if h | 2 == 14 { x } else { z };
    let v = if h < 4 { y } else { other };
    turn::<0>(u, h) + turn::<1>(v, h)
}

/// Gradients to the middles of a tesseract's edges.
#[inline(always)]
fn gradient4(h: u32, x: f32, y: f32, z: f32, w: f32) -> f32 {
    let h = h & 31;
    let u = if h < 24 { x } else { y };
    let v = if h < 16 { y } else { z };
    let s = if h < 8 { z } else { w };
    turn::<0>(u, h) + turn::<1>(v, h) + turn::<2>(s, h)
}

/// The hashes of a cell's corners and how far a point is from each, along `D` axes.
struct Corners<const D: usize, const N: usize> {
    hashes: [u32; N],
    offsets: [[f32; N]; D],
    fades: [f32; D],
}

#[inline(always)]
fn corners<const D: usize, const N: usize>(p: [f32; D]) -> Corners<D, N> {
    let cells = p.map(cell);
    Corners {
        hashes: std::array::from_fn(|i| {
            hash::<D>(std::array::from_fn(|axis| {
                cells[axis].0.wrapping_add(offset(i, axis))
            }))
        }),
        offsets: std::array::from_fn(|axis| std::array::from_fn(|i| cells[axis].1 - offset(i, axis) as f32)),
        fades: cells.map(|(_, f)| fade(f)),
    }
}

/// Interpolates the upper half of the corners with the lower half.
#[inline(always)]
fn halve<const N: usize, const HALF: usize>(v: [f32; N], t: f32) -> [f32; HALF] {
    std::array::from_fn(|i| lerp(v[i], v[i + HALF], t))
}

/// Along x, then y: the order in which OSL rounds.
#[inline(always)]
fn square([a, b, c, d]: [f32; 4], u: f32, v: f32) -> f32 {
    lerp(lerp(a, b, u), lerp(c, d, u), v)
}

impl Corners<1, 2> {
    #[inline(always)]
    fn noise(&self, shift: u32) -> f32 {
        let g = |i: usize| gradient1(self.hashes[i] >> shift, self.offsets[0][i]);
        0.25 * lerp(g(0), g(1), self.fades[0])
    }
}

impl Corners<2, 4> {
    #[inline(always)]
    fn noise(&self, shift: u32) -> f32 {
        let [x, y] = &self.offsets;
        let g = std::array::from_fn(|i| gradient2(self.hashes[i] >> shift, x[i], y[i]));
        0.6616 * square(g, self.fades[0], self.fades[1])
    }
}

impl Corners<3, 8> {
    #[inline(always)]
    fn noise(&self, shift: u32) -> f32 {
        let [x, y, z] = &self.offsets;
        let g: [f32; 8] = std::array::from_fn(|i| gradient3(self.hashes[i] >> shift, x[i], y[i], z[i]));
        0.982 * square(halve(g, self.fades[2]), self.fades[0], self.fades[1])
    }
}

impl Corners<4, 16> {
    #[inline(always)]
    fn noise(&self, shift: u32) -> f32 {
        let [x, y, z, w] = &self.offsets;
        let g: [f32; 16] =
            std::array::from_fn(|i| gradient4(self.hashes[i] >> shift, x[i], y[i], z[i], w[i]));
        let g: [f32; 8] = halve(g, self.fades[3]);
        0.8344 * square(halve(g, self.fades[2]), self.fades[0], self.fades[1])
    }
}

/// From signed to `[0,1]`.
#[inline(always)]
fn unsigned(x: f32) -> f32 {
    0.5 * (x + 1.0)
}

/// Signed gradient noise along a line, about `[-1,1]`.
pub fn perlin1(x: f32) -> f32 {
    corners([x]).noise(0)
}

/// Signed gradient noise in the plane.
pub fn perlin2(x: f32, y: f32) -> f32 {
    corners([x, y]).noise(0)
}

/// Signed gradient noise in space.
pub fn perlin3(p: [f32; 3]) -> f32 {
    corners(p).noise(0)
}

/// Signed gradient noise in space and time.
pub fn perlin4([x, y, z]: [f32; 3], w: f32) -> f32 {
    corners([x, y, z, w]).noise(0)
}

/// Each lane takes another byte of one hash.
const SHIFTS: [u32; 3] = [0, 8, 16];

/// Three signed noises along a line.
pub fn perlin1_triple(x: f32) -> [f32; 3] {
    let corners = corners([x]);
    SHIFTS.map(|s| corners.noise(s))
}

/// Three signed noises in the plane.
pub fn perlin2_triple(x: f32, y: f32) -> [f32; 3] {
    let corners = corners([x, y]);
    SHIFTS.map(|s| corners.noise(s))
}

/// Three signed noises in space.
pub fn perlin3_triple(p: [f32; 3]) -> [f32; 3] {
    let corners = corners(p);
    SHIFTS.map(|s| corners.noise(s))
}

/// Three signed noises in space and time.
pub fn perlin4_triple([x, y, z]: [f32; 3], w: f32) -> [f32; 3] {
    let corners = corners([x, y, z, w]);
    SHIFTS.map(|s| corners.noise(s))
}

/// Gradient noise along a line, `[0,1]`.
pub fn uperlin1(x: f32) -> f32 {
    unsigned(perlin1(x))
}

/// Gradient noise in the plane, `[0,1]`.
pub fn uperlin2(x: f32, y: f32) -> f32 {
    unsigned(perlin2(x, y))
}

/// Gradient noise in space, `[0,1]`.
pub fn uperlin3(p: [f32; 3]) -> f32 {
    unsigned(perlin3(p))
}

/// Gradient noise in space and time, `[0,1]`.
pub fn uperlin4(p: [f32; 3], w: f32) -> f32 {
    unsigned(perlin4(p, w))
}

/// Three noises along a line, `[0,1]`.
pub fn uperlin1_triple(x: f32) -> [f32; 3] {
    perlin1_triple(x).map(unsigned)
}

/// Three noises in the plane, `[0,1]`.
pub fn uperlin2_triple(x: f32, y: f32) -> [f32; 3] {
    perlin2_triple(x, y).map(unsigned)
}

/// Three noises in space, `[0,1]`.
pub fn uperlin3_triple(p: [f32; 3]) -> [f32; 3] {
    perlin3_triple(p).map(unsigned)
}

/// Three noises in space and time, `[0,1]`.
pub fn uperlin4_triple(p: [f32; 3], w: f32) -> [f32; 3] {
    perlin4_triple(p, w).map(unsigned)
}

/// One value in `[0,1]` for each unit of a line.
pub fn cell1(x: f32) -> f32 {
    unit(hash([cell(x).0]))
}

/// One value for each unit square.
pub fn cell2(x: f32, y: f32) -> f32 {
    unit(hash([x, y].map(|x| cell(x).0)))
}

/// One value for each unit cube.
pub fn cell3(p: [f32; 3]) -> f32 {
    unit(hash(p.map(|x| cell(x).0)))
}

/// One value for each unit cube and unit of time.
pub fn cell4([x, y, z]: [f32; 3], w: f32) -> f32 {
    unit(hash([x, y, z, w].map(|x| cell(x).0)))
}

/// The lane is one more key.
const LANES: [u32; 3] = [0, 1, 2];

/// Three values for each unit of a line.
pub fn cell1_triple(x: f32) -> [f32; 3] {
    let x = cell(x).0;
    LANES.map(|lane| unit(hash([x, lane])))
}

/// Three values for each unit square.
pub fn cell2_triple(x: f32, y: f32) -> [f32; 3] {
    let [x, y] = [x, y].map(|x| cell(x).0);
    LANES.map(|lane| unit(hash([x, y, lane])))
}

/// Three values for each unit cube.
pub fn cell3_triple(p: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = p.map(|x| cell(x).0);
    LANES.map(|lane| unit(hash([x, y, z, lane])))
}

/// Three values for each unit cube and unit of time.
pub fn cell4_triple([x, y, z]: [f32; 3], w: f32) -> [f32; 3] {
    let [x, y, z, w] = [x, y, z, w].map(|x| cell(x).0);
    LANES.map(|lane| unit(hash([x, y, z, w, lane])))
}
