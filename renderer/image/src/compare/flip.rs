//! The FLIP image difference metric (LDR).
//!
//! Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström & Fairchild 2020, "FLIP: A Difference Evaluator for Alternating
//! Images", Proc. ACM CGIT 3(2). This is the paper's LDR measure; sections and equations at the lines are the paper's.

use std::sync::LazyLock;

use glam::{Mat3, Vec3};
use rayon::prelude::*;

use crate::Image;
use renderer_base::color::Rgb;
use renderer_base::math::{cbrt, exp, hypot, pow};

/// Pixels per degree of the usual observer: 0.7 m from a 0.7 m wide screen of 3840 pixels.
const PIXELS_PER_DEGREE: f32 = 0.7 * (3840.0 / 0.7) * (std::f32::consts::PI / 180.0);

/// The FLIP error of each pixel, in `[0,1]`, row-major. The images are linear Rec.709; values outside `[0,1]` are
/// clamped, which is how a screen shows them at exposure 0. Not-a-number counts as black.
///
/// # Panics
/// When the images differ in size.
pub fn flip(a: &Image, b: &Image) -> Vec<f32> {
    assert_eq!((a.width, a.height), (b.width, b.height), "images of different size");
    let (seen_a, seen_b) = (Seen::new(a), Seen::new(b));
    let color = seen_a
        .hunt_lab
        .par_iter()
        .zip(&seen_b.hunt_lab)
        .map(|(&a, &b)| color_error(a, b));
    let pairs = seen_a.features.par_iter().zip(&seen_b.features);
    let feature = pairs.map(|(a, b)| feature_error(*a, *b));
    // The features' difference amplifies the colours' (eq. 18).
    color.zip(feature).map(|(color, feature)| pow(color, 1.0 - feature)).collect()
}

/// An image as the observer sees it.
struct Seen {
    /// L*a*b* after the contrast sensitivity filter, with Hunt's adjustment.
    hunt_lab: Vec<Vec3>,
    /// Strength of edges and of points.
    features: Vec<[f32; 2]>,
}

impl Seen {
    fn new(image: &Image) -> Seen {
        let clamped = |i: usize| {
            let Rgb { r, g, b } = image.rgb(i % image.width, i / image.width);
            Vec3::new(r, g, b)
                .to_array()
                .map(|v| if v.is_nan() { 0.0 } else { v.clamp(0.0, 1.0) })
        };
        let opponent: Vec<Vec3> = (0..image.width * image.height)
            .into_par_iter()
            .map(|i| ycxcz_from_xyz(xyz_from_rgb() * Vec3::from(clamped(i))))
            .collect();
        let size = (image.width, image.height);
        let planes: [Vec<f32>; 3] = std::array::from_fn(|c| opponent.iter().map(|v| v[c]).collect());
        let [y, cx, cz] = std::array::from_fn(|c| contrast_filter(&planes[c], size, &SENSITIVITY[c]));
        let hunt_lab = (0..y.len())
            .into_par_iter()
            .map(|i| hunt_lab(Vec3::new(y[i], cx[i], cz[i])))
            .collect();
        // Features are sought in the unfiltered luminance, scaled to [0,1] (sec. 4.2).
        let luminance: Vec<f32> = planes[0].par_iter().map(|y| (y + 16.0) / 116.0).collect();
        Seen { hunt_lab, features: features(&luminance, size) }
    }
}

/// One Gaussian of a contrast sensitivity function: its height `a` and width `b` (table 1).
type Term = (f32, f32);

/// The contrast sensitivity of the channels Y, Cx and Cz (table 1).
const SENSITIVITY: [[Term; 2]; 3] =
    [[(1.0, 0.0047), (0.0, 1e-5)], [(1.0, 0.0053), (0.0, 1e-5)], [(34.1, 0.04), (13.5, 0.025)]];

/// Removes the detail that the observer's eye does not resolve in a channel (sec. 4.1.1).
fn contrast_filter(plane: &[f32], size: (usize, usize), terms: &[Term; 2]) -> Vec<f32> {
    use std::f32::consts::PI;
    // Three standard deviations of the widest Gaussian of all channels.
    let radius = (3.0 * (0.04 / (2.0 * PI * PI)).sqrt() * PIXELS_PER_DEGREE).ceil() as i32;
    let mut out = vec![0.0; plane.len()];
    let mut total = 0.0;
    for &(a, b) in terms.iter().filter(|(a, _)| *a > 0.0) {
        // Each Gaussian (eq. 3) is a product of one of x and one of y; only their sum is normalised.
        let degrees = |i: i32| i as f32 / PIXELS_PER_DEGREE;
        let kernel: Vec<f32> = (-radius..=radius).map(|i| exp(-(PI * degrees(i)).powi(2) / b)).collect();
        let height = a * (PI / b).sqrt();
        total += height * kernel.iter().sum::<f32>().powi(2);
        let filtered = convolve(plane, size, &kernel, &kernel);
        out.par_iter_mut().zip(filtered).for_each(|(out, v)| *out += height * v);
    }
    out.par_iter_mut().for_each(|v| *v /= total);
    out
}

/// Strength of edges and of points in a luminance plane (sec. 4.2).
fn features(luminance: &[f32], size: (usize, usize)) -> Vec<[f32; 2]> {
    // The width of the detectors is that of the eye's: 0.082 degrees.
    let sigma = 0.5 * 0.082 * PIXELS_PER_DEGREE;
    let radius = (3.0 * sigma).ceil() as i32;
    let gauss = |x: f32| exp(-x * x / (2.0 * sigma * sigma));
    let tabulate = |f: &dyn Fn(f32) -> f32| (-radius..=radius).map(|i| f(i as f32)).collect::<Vec<f32>>();
    let smooth = tabulate(&gauss);
    // First and second derivatives of the Gaussian (eqs. 11 and 12).
    let edge = balanced(tabulate(&|x| -x * gauss(x)), &smooth);
    let point = balanced(tabulate(&|x| (x * x / (sigma * sigma) - 1.0) * gauss(x)), &smooth);
    let strength = |kernel: &[f32]| {
        let across = convolve(luminance, size, kernel, &smooth);
        let down = convolve(luminance, size, &smooth, kernel);
        across.into_par_iter().zip(down).map(|(x, y)| hypot(x, y)).collect::<Vec<f32>>()
    };
    strength(&edge).into_iter().zip(strength(&point)).map(|(e, p)| [e, p]).collect()
}

/// Scales a derivative so that, multiplied by `smooth` along the other axis, its positive weights sum to 1 and its
/// negative ones to −1.
fn balanced(mut derivative: Vec<f32>, smooth: &[f32]) -> Vec<f32> {
    let across: f32 = smooth.iter().sum();
    let positive: f32 = derivative.iter().filter(|v| **v > 0.0).sum::<f32>() * across;
    let negative: f32 = -derivative.iter().filter(|v| **v < 0.0).sum::<f32>() * across;
    derivative
        .iter_mut()
        .for_each(|v| *v /= if *v < 0.0 { negative } else { positive });
    derivative
}

/// The difference of two colours, redistributed to `[0,1]` (sec. 4.1.2 and 4.1.3).
fn color_error(a: Vec3, b: Vec3) -> f32 {
    const EXPONENT: f32 = 0.7;
    const KNEE: f32 = 0.4;
    const KNEE_VALUE: f32 = 0.95;
    // The greatest difference there is: between pure green and pure blue.
    static GREATEST: LazyLock<f32> = LazyLock::new(|| {
        let of = |rgb| hunt_adjust(lab_from_xyz(xyz_from_rgb() * rgb));
        pow(hyab(of(Vec3::Y), of(Vec3::Z)), EXPONENT)
    });
    let greatest = *GREATEST;
    let error = pow(hyab(a, b), EXPONENT);
    let knee = KNEE * greatest;
    if error < knee {
        error * KNEE_VALUE / knee
    } else {
        KNEE_VALUE + (error - knee) / (greatest - knee) * (1.0 - KNEE_VALUE)
    }
}

/// The difference of two pixels' edges and points (eq. 16).
fn feature_error(a: [f32; 2], b: [f32; 2]) -> f32 {
    let difference = (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
    (std::f32::consts::FRAC_1_SQRT_2 * difference).sqrt().min(1.0)
}

/// Distance for large differences of colour: city-block in lightness, Euclidean in chroma (eq. 7).
fn hyab(a: Vec3, b: Vec3) -> f32 {
    let d = a - b;
    d.x.abs() + hypot(d.y, d.z)
}

/// From filtered YCxCz to adjusted L*a*b*, through the colours that a screen can show.
fn hunt_lab(ycxcz: Vec3) -> Vec3 {
    static RGB_FROM_XYZ: LazyLock<Mat3> = LazyLock::new(|| xyz_from_rgb().inverse());
    let rgb = *RGB_FROM_XYZ * xyz_from_ycxcz(ycxcz);
    hunt_adjust(lab_from_xyz(xyz_from_rgb() * rgb.clamp(Vec3::ZERO, Vec3::ONE)))
}

/// Colours look less colourful when they are dark (eq. 6).
fn hunt_adjust(lab: Vec3) -> Vec3 {
    let chroma = 0.01 * lab.x;
    Vec3::new(lab.x, chroma * lab.y, chroma * lab.z)
}

/// Linear Rec.709 to CIE XYZ (IEC 61966-2-1).
fn xyz_from_rgb() -> Mat3 {
    Mat3::from_cols(
        Vec3::new(0.412_390_8, 0.212_639, 0.019_330_82),
        Vec3::new(0.357_584_33, 0.715_168_7, 0.119_194_78),
        Vec3::new(0.180_480_8, 0.072_192_32, 0.950_532_14),
    )
}

/// The white of Rec.709, D65.
fn white() -> Vec3 {
    xyz_from_rgb() * Vec3::ONE
}

/// The linear opponent space in which the eye's filters act (eq. 2).
fn ycxcz_from_xyz(xyz: Vec3) -> Vec3 {
    let n = xyz / white();
    Vec3::new(116.0 * n.y - 16.0, 500.0 * (n.x - n.y), 200.0 * (n.y - n.z))
}

fn xyz_from_ycxcz(v: Vec3) -> Vec3 {
    let y = (v.x + 16.0) / 116.0;
    Vec3::new(y + v.y / 500.0, y, y - v.z / 200.0) * white()
}

/// CIE 1976 L*a*b*.
fn lab_from_xyz(xyz: Vec3) -> Vec3 {
    const DELTA: f32 = 6.0 / 29.0;
    let f = |t: f32| {
        if t > DELTA.powi(3) {
            cbrt(t)
        } else {
            t / (3.0 * DELTA * DELTA) + 4.0 / 29.0
        }
    };
    let [x, y, z] = (xyz / white()).to_array().map(f);
    Vec3::new(116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z))
}

/// Convolves a plane with the product of a kernel in x and one in y, both of odd length; beyond its border the plane
/// continues with its outermost values.
fn convolve(plane: &[f32], (width, height): (usize, usize), across: &[f32], down: &[f32]) -> Vec<f32> {
    let clamp = |i: usize, k: usize, radius: usize, size: usize| (i + k).saturating_sub(radius).min(size - 1);
    let mut rows = vec![0.0; plane.len()];
    rows.par_chunks_mut(width).zip(plane.par_chunks(width)).for_each(|(out, row)| {
        for (x, out) in out.iter_mut().enumerate() {
            let taps = across.iter().enumerate();
            *out = taps.map(|(k, w)| w * row[clamp(x, k, across.len() / 2, width)]).sum();
        }
    });
    let mut out = vec![0.0; plane.len()];
    out.par_chunks_mut(width).enumerate().for_each(|(y, out)| {
        for (k, w) in down.iter().enumerate() {
            let start = clamp(y, k, down.len() / 2, height) * width;
            out.iter_mut()
                .zip(&rows[start..start + width])
                .for_each(|(out, v)| *out += w * v);
        }
    });
    out
}
