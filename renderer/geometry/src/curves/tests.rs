//! Curves against dense samples of their spheres.

use glam::{DVec3, Vec3, Vec4};

use super::{CurveBasis, CurveSet, CurveStyle, Curves, RayFrame};
use crate::placement::SHUTTER_OPEN;

/// Numbers in `[0,1)` by a linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next()) * 2.0 - 1.0
    }
}

fn strand(numbers: &mut Numbers, basis: CurveBasis, style: CurveStyle, radius: f64) -> Curves {
    let count = 7;
    let vertex = |_| {
        let p = numbers.vector().as_vec3();
        p.extend((radius * (0.5 + numbers.next())) as f32)
    };
    let vertices: Vec<Vec4> = (0..count).map(vertex).collect();
    Curves::new(CurveSet {
        basis,
        style,
        strands: vec![count],
        normals: if style == CurveStyle::Flat {
            vec![Vec3::new(0.3, 1.0, 0.2); count as usize]
        } else {
            vec![]
        },
        vertices,
        attributes: vec![],
    })
    .expect("the curve is valid")
}

/// First hit on any primitive, by distance.
fn first_hit(curves: &Curves, origin: DVec3, direction: DVec3, near: f64) -> Option<f64> {
    let frame = RayFrame::new(origin, direction, SHUTTER_OPEN);
    let hits = (0..curves.primitive_count())
        .filter_map(|primitive| curves.intersect(primitive, &frame, [near, f64::INFINITY], 0.0));
    hits.map(|hit| hit.t).min_by(f64::total_cmp)
}

/// Distances of the entry and the last exit of a ray by spheres about dense samples of the curve.
fn sampled(curves: &Curves, origin: DVec3, direction: DVec3) -> Option<[f64; 2]> {
    const STEPS: u32 = 4000;
    let mut found: Option<[f64; 2]> = None;
    for segment in 0..curves.segment_count() as u32 {
        let frame = RayFrame::new(origin, direction, SHUTTER_OPEN);
        let power = curves.cubic_in(&frame, segment).power();
        for step in 0..=STEPS {
            let v = power.at(f64::from(step) / f64::from(STEPS));
            let chord = v.w * v.w - v.x * v.x - v.y * v.y;
            if chord >= 0.0 {
                let [low, high] = [v.z - chord.sqrt(), v.z + chord.sqrt()];
                let [a, b] = found.unwrap_or([low, high]);
                found = Some([a.min(low), b.max(high)]);
            }
        }
    }
    found
}

const BASES: [CurveBasis; 4] =
    [CurveBasis::Linear, CurveBasis::Bezier, CurveBasis::BSpline, CurveBasis::CatmullRom];

/// Tubes are entered where the first sphere is, and left where the last one is.
#[test]
fn tubes_are_envelopes_of_spheres() {
    let mut numbers = Numbers(7);
    let (mut hits, mut wrong) = (0, vec![]);
    for index in 0..400 {
        let basis = BASES[index % 4];
        let radius = [0.3, 0.05, 0.01][index % 3];
        let curves = strand(&mut numbers, basis, CurveStyle::Round, radius);
        for _ in 0..20 {
            let origin = numbers.vector().normalize() * 5.0;
            let target = numbers.vector() * 0.7;
            let direction = (target - origin).normalize();
            let found = first_hit(&curves, origin, direction, 0.0);
            let expected = sampled(&curves, origin, direction).map(|[low, _]| low);
            match (found, expected) {
                (Some(found), Some(expected)) => {
                    hits += 1;
                    if (found - expected).abs() > 5e-3 * radius {
                        wrong.push((basis, radius, found, expected));
                    }
                }
                (None, None) => {}
                // The samples miss the rim.
                (Some(_), None) => {}
                (None, Some(expected)) => wrong.push((basis, radius, f64::NAN, expected)),
            }
        }
    }
    assert!(hits > 500, "{hits}");
    assert!(
        wrong.is_empty(),
        "{} of {hits}: {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(10)]
    );
}

/// A ray that crosses a smooth tube enters it as often as it leaves it. Corners hide parts of surfaces in others.
#[test]
fn tubes_are_closed() {
    let mut numbers = Numbers(11);
    let mut crossings = 0;
    for index in 0..200 {
        let curves = strand(
            &mut numbers,
            BASES[2 + index % 2],
            CurveStyle::Round,
            [0.02, 0.004][index / 2 % 2],
        );
        for _ in 0..20 {
            let origin = numbers.vector().normalize() * 5.0;
            let direction = (numbers.vector() * 0.7 - origin).normalize();
            let (mut near, mut count, mut last) = (0.0, 0, 0.0);
            while let Some(t) = first_hit(&curves, origin, direction, near) {
                (near, last) = (t + 1e-9, t);
                count += 1;
                assert!(count < 100);
            }
            let expected = sampled(&curves, origin, direction);
            assert!(
                count % 2 == 0,
                "{:?}: {count} hits, the last at {last}, {expected:?}",
                BASES[2 + index % 2]
            );
            crossings += count;
        }
    }
    assert!(crossings > 200, "{crossings}");
}
