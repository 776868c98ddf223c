//! Point searches against brute force and known values.

use super::*;

#[test]
fn grid_points_match_brute_force() {
    let points = grid(6);
    let clouds = Clouds::new(&[("a.ply", &ply(&points))]);
    let centers = [Vec3::splat(2.0), Vec3::new(2.5, 2.0, 2.0), Vec3::splat(-1.0), Vec3::splat(9.0)];
    // Of points at equal distances, those with lower numbers are found.
    for (radius, most) in [(1.0, 40), (1.0, 4), (1.5, 30), (0.0, 5), (100.0, 40), (2.0, 1)] {
        check(&clouds, &points, &centers, radius, most);
    }
}

#[test]
fn random_points_match_brute_force() {
    let mut random = Random(17);
    for count in [1, 7, 8, 9, 100, 3000] {
        let mut point = || Vec3::from_array([(); 3].map(|()| random.between(-1.0, 1.0)));
        let mut points: Vec<Vec3> = (0..count).map(|_| point()).collect();
        // Some points coincide.
        let twins: Vec<Vec3> = points.iter().step_by(5).copied().collect();
        points.extend(twins);
        let clouds = Clouds::new(&[("a.ply", &ply(&points))]);
        let mut centers: Vec<Vec3> = (0..40).map(|_| 1.3 * point()).collect();
        centers.extend(points.iter().step_by(101));
        for (radius, most) in [(0.3, 40), (0.3, 7), (5.0, 40), (5.0, 3)] {
            check(&clouds, &points, &centers, radius, most);
        }
    }
}

/// The numbers and distances that a search of the grid finds at a point.
fn find(globals: ShaderGlobals, radius: &str, most: &str) -> (i32, Vec<i32>) {
    let clouds = Clouds::new(&[("a.ply", &ply(&grid(3)))]);
    let body = search(radius, most, "1");
    let outputs = "output int index[5] = {0}, output float distance[5] = {0}";
    let found = clouds.run(&[globals], outputs, &body);
    assert_eq!(found.reports, [""; 0]);
    let values = &found.values[0];
    (int(&values[0]), list(&values[1], int))
}

#[test]
fn unusual_radii_and_counts_are_valid() {
    let middle = at(Vec3::ONE);
    assert_eq!(find(middle, "0", "5").0, 1);
    assert_eq!(find(at(Vec3::splat(1.25)), "0", "5").0, 0);
    assert_eq!(find(middle, "-1", "5").0, 0);
    assert_eq!(find(middle, "sqrt(u - 1) / u", "5").0, 1);
    assert_eq!(find(middle, "1e30", "5"), (5, vec![13, 4, 10, 12, 14]));
    assert_eq!(find(middle, "1e30", "0").0, 0);
    assert_eq!(find(middle, "1e30", "-3").0, 0);
    assert_eq!(find(middle, "1e30", "1000000000").0, 5);
    let nan = ShaderGlobals { u: f32::NAN, ..middle };
    assert_eq!(find(nan, "u", "5").0, 0);
    assert_eq!(find(at(Vec3::new(1.0, f32::NAN, 1.0)), "1e30", "5").0, 0);
    assert_eq!(find(at(Vec3::new(1.0, f32::INFINITY, 1.0)), "1e30", "5").0, 0);
    assert_eq!(find(at(Vec3::splat(1e25)), "1e38", "5").0, 0);
    assert_eq!(find(at(Vec3::splat(1e15)), "1e38", "5").0, 5);
}

#[test]
fn empty_clouds_can_be_searched() {
    let clouds = Clouds::new(&[("a.ply", &ply(&[]))]);
    let body = search("1e30", "5", "1");
    let (values, reports) =
        clouds.run_once("output int index[2] = {1, 2}, output float distance[2] = {3, 4}", &body);
    assert_eq!(values, [Const::Int(0), ints(&[1, 2]), floats(&[3.0, 4.0])]);
    assert_eq!(reports, [""; 0]);
}

#[test]
fn points_without_finite_positions_are_not_found() {
    let text = String::from_utf8(ply(&grid(3)))
        .unwrap()
        .replace("format ascii", "format FORMAT");
    let header = text.split("end_header\n").next().unwrap().to_owned() + "end_header\n";
    let mut bytes = header.replace("FORMAT", "binary_little_endian").into_bytes();
    let points: Vec<Vec3> = (0..27)
        .map(|i| match i % 3 {
            0 => Vec3::new(i as f32, 0.0, 0.0),
            1 => Vec3::new(f32::NAN, 0.0, i as f32),
            _ => Vec3::new(0.0, f32::INFINITY, 0.0),
        })
        .collect();
    for p in &points {
        bytes.extend(p.to_array().iter().flat_map(|x| x.to_le_bytes()));
    }
    let clouds = Clouds::new(&[("a.ply", &bytes)]);
    check(&clouds, &points, &[Vec3::ZERO, Vec3::X * 30.0], 1e15, 20);
}
