// Reflectances.

fn kiln_mean(color: vec3f) -> f32 {
    return dot(color, vec3f(0.33333334));
}

fn kiln_ratio(a: f32, b: f32) -> f32 {
    if (b == 0.0) {
        return 0.0;
    }
    return a / b;
}

fn kiln_or(n: vec3f, instead: vec3f) -> vec3f {
    return select(n, instead, dot(n, n) == 0.0);
}

fn kiln_direction(sum: vec3f, instead: vec3f) -> vec3f {
    let size = dot(sum, sum);
    if (size == 0.0) {
        return instead;
    }
    return sum * inverseSqrt(size);
}

// Reflectance at normal incidence; an index of 0 is that of a mirror.
fn kiln_f0(ior: f32) -> vec3f {
    if (ior == 0.0) {
        return vec3f(1.0);
    }
    let r = (ior - 1.0) / (ior + 1.0);
    return vec3f(r * r);
}

fn kiln_conductor_f0(n: vec3f, k: vec3f) -> vec3f {
    let below = n - vec3f(1.0);
    let above = n + vec3f(1.0);
    return (below * below + k * k) / max(above * above + k * k, vec3f(1e-6));
}

// `refract` of OSL's microfacet closure: 0 reflects, 1 refracts, 2 does both.
fn kiln_reflects(refracts: i32) -> f32 {
    return select(1.0, 0.0, refracts == 1);
}

fn kiln_refracts(refracts: i32) -> f32 {
    return select(1.0, 0.0, refracts == 0);
}

// The roughness of GGX that is about as wide as a cosine lobe.
fn kiln_phong(exponent: f32) -> f32 {
    return sqrt(2.0 / (max(exponent, 0.0) + 2.0));
}

// A diffuse body under a smooth dielectric interface, which reflects light at entry, at exit, and back into the body.
fn kiln_under_coat(albedo: vec3f, ior: f32) -> vec3f {
    let outside = kiln_diffuse_fresnel(ior);
    let inside = 1.0 - (1.0 - outside) / max(ior * ior, 1e-6);
    return albedo * (1.0 - outside) * (1.0 - inside) / max(vec3f(1.0) - albedo * inside, vec3f(1e-3));
}

// Reflectance of a dielectric for diffuse light, fitted for indices between 1 and 2 (Egan and Hilgeman 1973).
fn kiln_diffuse_fresnel(ior: f32) -> f32 {
    let inverse = 1.0 / max(ior, 1e-3);
    let inside = -1.4399 * inverse * inverse + 0.7099 * inverse + 0.6681 + 0.0636 * ior;
    return clamp(1.0 - (1.0 - inside) * ior * ior, 0.0, 0.99);
}

// Directional albedo of Oren and Nayar's model (1994, eq. 30): the integral over the light's directions. Where it
// exceeds 1 at grazing angles, the model is scaled down as in the path tracer.
fn kiln_oren_nayar(sigma: f32, cosine: f32) -> f32 {
    let variance = max(sigma, 0.0) * max(sigma, 0.0);
    let a = 1.0 - 0.5 * variance / (variance + 0.33);
    let b = 0.45 * variance / (variance + 0.09);
    let c = clamp(cosine, 0.0, 1.0);
    let s = sqrt(1.0 - c * c);
    let below = 0.5 * (kiln_acos(c) - s * c);
    let above = c * (1.0 + s + s * s) / (3.0 * (1.0 + s));
    return (a + 0.63661975 * b * s * (below + above)) / max(a + 0.5 * b, 1.0);
}

fn kiln_absorption(albedo: vec3f, depth: f32, color: vec3f) -> vec3f {
    if (depth <= 0.0) {
        return vec3f(0.0);
    }
    return (vec3f(1.0) - albedo) * log(max(color, vec3f(1e-6))) * (-1.0 / depth);
}

// Directional albedo of GGX with Schlick's Fresnel term (Karis 2014, "Physically based shading on mobile").
fn kiln_environment(f0: vec3f, f90: vec3f, alpha: f32, cosine: f32) -> vec3f {
    let r = sqrt(clamp(alpha, 0.0, 1.0)) * vec4f(-1.0, -0.0275, -0.572, 0.022) + vec4f(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * cosine)) * r.x + r.y;
    return f0 * clamp(-1.04 * a + r.z, 0.0, 1.0) + f90 * clamp(1.04 * a + r.w, 0.0, 1.0);
}

fn kiln_sheen_albedo(cosine: f32) -> f32 {
    let grazing = 1.0 - cosine;
    return 0.1 + 0.4 * grazing * grazing * grazing;
}

// Metalness of a surface, if a metal reflects its colour and a dielectric 0.04.
fn kiln_metalness(diffuse: vec3f, f0: vec3f) -> f32 {
    let d = max(diffuse.x, max(diffuse.y, diffuse.z));
    let s = max(f0.x, max(f0.y, f0.z));
    // An index of 1.5 may be rounded to more.
    if (s <= 0.04001) {
        return 0.0;
    }
    let b = d / 0.96 + s - 0.08;
    let root = max(b * b - 0.16 * (0.04 - s), 0.0);
    return clamp((-b + sqrt(root)) / 0.08, 0.0, 1.0);
}

fn kiln_base_color(diffuse: vec3f, f0: vec3f, metalness: f32) -> vec3f {
    let body = diffuse / (0.96 * max(1.0 - metalness, 0.0001));
    let metal = (f0 - vec3f(0.04 * (1.0 - metalness))) / max(metalness, 0.0001);
    return clamp(mix(body, metal, metalness * metalness), vec3f(0.0), vec3f(1.0));
}
