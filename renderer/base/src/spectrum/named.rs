//! Named materials: indices of refraction of dielectrics and metals, with Mitsuba's names.

use crate::color::Rgb;

/// Name accepted in place of a metal for a perfect mirror: index 0, absorption 1.
const PERFECT_MIRROR: &str = "none";

/// The index of refraction of a dielectric at 589 nm; the name is case-insensitive.
pub fn dielectric(name: &str) -> Option<f32> {
    let found = DIELECTRICS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(found.1)
}

/// The complex index of refraction of a metal or semiconductor, `[eta, k]`, by its chemical formula; `none` reflects
/// everything.
pub fn metal(name: &str) -> Option<[Rgb; 2]> {
    if name == PERFECT_MIRROR {
        return Some([Rgb::BLACK, Rgb::WHITE]);
    }
    let found = METALS.iter().find(|metal| metal.names.contains(&name))?;
    Some([Rgb::from(found.eta), Rgb::from(found.k)])
}

/// Names of [`dielectric`].
pub fn dielectrics() -> impl Iterator<Item = &'static str> {
    DIELECTRICS.iter().map(|(name, _)| *name)
}

/// Names of [`metal`].
pub fn metals() -> impl Iterator<Item = &'static str> {
    let names = METALS.iter().flat_map(|metal| metal.names.iter().copied());
    names.chain([PERFECT_MIRROR])
}

struct Metal {
    names: &'static [&'static str],
    eta: [f32; 3],
    k: [f32; 3],
}

// Hecht 2001, "Optics", fourth edition, between 0 and 20 °C, and makers' data.
#[rustfmt::skip]
const DIELECTRICS: &[(&str, f32)] = &[
    ("vacuum", 1.0),
    ("helium", 1.000036),
    ("hydrogen", 1.000132),
    ("air", 1.000277),
    ("carbon dioxide", 1.00045),
    ("water", 1.3330),
    ("acetone", 1.36),
    ("ethanol", 1.361),
    ("carbon tetrachloride", 1.461),
    ("glycerol", 1.4729),
    ("benzene", 1.501),
    ("silicone oil", 1.52045),
    ("bromine", 1.661),
    ("water ice", 1.31),
    ("fused quartz", 1.458),
    ("pyrex", 1.470),
    ("acrylic glass", 1.49),
    ("polypropylene", 1.49),
    ("bk7", 1.5046),
    ("sodium chloride", 1.544),
    ("amber", 1.55),
    ("pet", 1.5750),
    ("diamond", 2.419),
];

// The measurements of the IOR database of luxpop.com (Palik's "Handbook of optical constants of solids" and others) as
// linear Rec.709, converted as light is (`Use::Emission`): the values that Mitsuba 3.9's `conductor` computes. Channels
// below 0 are 0.
#[rustfmt::skip]
const METALS: &[Metal] = &[
    Metal { names: &["Ag"], eta: [0.1552762, 0.116728, 0.1383876], k: [4.828354, 3.122222, 2.146901] },
    Metal { names: &["Al"], eta: [1.657501, 0.8804047, 0.5212445], k: [9.223811, 6.269502, 4.837004] },
    Metal { names: &["AlAs", "AlAs_palik"], eta: [3.605296, 3.232938, 2.216319], k: [0.0006794373, 0.0, 0.007512709] },
    Metal { names: &["AlSb", "AlSb_palik"], eta: [0.0, 4.139375, 4.669254], k: [0.0, 0.09400908, 1.30057] },
    Metal { names: &["Au"], eta: [0.143036, 0.3753071, 1.442045], k: [3.982997, 2.385556, 1.603359] },
    Metal { names: &["Be", "Be_palik"], eta: [4.185012, 3.185029, 2.784061], k: [3.835466, 3.010122, 2.868994] },
    Metal { names: &["Cr"], eta: [4.369668, 2.916505, 1.654905], k: [5.206547, 4.231306, 3.754699] },
    Metal { names: &["CsI", "CsI_palik"], eta: [2.1449, 1.702319, 1.662427], k: [0.0, 0.0, 0.0] },
    Metal { names: &["Cu"], eta: [0.2010055, 0.9237495, 1.102215], k: [3.913262, 2.453045, 2.14209] },
    Metal { names: &["Cu2O", "Cu2O_palik"], eta: [3.551773, 2.94987, 2.751875], k: [0.114207, 0.1938969, 0.6061339] },
    Metal { names: &["CuO", "CuO_palik"], eta: [3.247541, 2.447805, 2.21022], k: [0.5210896, 0.5700307, 0.7221789] },
    Metal { names: &["Cu_palik"], eta: [0.2132285, 0.9197154, 1.102411], k: [3.921873, 2.457332, 2.136584] },
    Metal { names: &["Hg", "Hg_palik"], eta: [2.398939, 1.440028, 0.9095704], k: [6.327587, 4.371925, 3.421764] },
    Metal { names: &["HgTe", "HgTe_palik"], eta: [4.77904, 3.231196, 2.659901], k: [1.631613, 1.58081, 1.729287] },
    Metal { names: &["Ir", "Ir_palik"], eta: [3.0863, 2.082191, 1.617915], k: [5.592153, 4.067088, 3.267312] },
    Metal { names: &["K", "K_palik"], eta: [0.06404319, 0.04640977, 0.03818491], k: [2.1042, 1.34894, 0.9131259] },
    Metal { names: &["Li", "Li_palik"], eta: [0.2657909, 0.1956183, 0.2209486], k: [3.540155, 2.311123, 1.668607] },
    Metal { names: &["MgO", "MgO_palik"], eta: [2.089584, 1.650723, 1.594879], k: [0.000000000004, 0.0, 0.000000000025] },
    Metal { names: &["Mo", "Mo_palik"], eta: [4.483974, 3.525131, 2.77631], k: [4.111437, 3.420827, 3.150607] },
    Metal { names: &["Na_palik"], eta: [0.06026936, 0.05614095, 0.06198843], k: [3.179273, 2.11249, 1.579041] },
    Metal { names: &["Nb", "Nb_palik"], eta: [3.420074, 2.790093, 2.395629], k: [3.441395, 2.737666, 2.579746] },
    Metal { names: &["Ni_palik"], eta: [2.367305, 1.663373, 1.467078], k: [4.498812, 3.050153, 2.345439] },
    Metal { names: &["Rh", "Rh_palik"], eta: [2.585793, 1.860216, 1.554263], k: [6.78226, 4.702987, 3.976073] },
    Metal { names: &["Se", "Se_palik"], eta: [4.058311, 2.842935, 2.820853], k: [0.7540495, 0.6384435, 0.5218076] },
    Metal { names: &["Se-e", "Se-e_palik"], eta: [5.722849, 4.165736, 4.081338], k: [0.8711363, 1.105157, 1.56532] },
    Metal { names: &["SiC", "SiC_palik"], eta: [3.172342, 2.525972, 2.479371], k: [0.000000753766, 0.0, 0.000010192531] },
    Metal { names: &["SnTe", "SnTe_palik"], eta: [4.52425, 1.981645, 1.281591], k: [0.0, 0.0, 0.0] },
    Metal { names: &["Ta", "Ta_palik"], eta: [2.062721, 2.392939, 2.627929], k: [2.40836, 1.741486, 1.947028] },
    Metal { names: &["Te", "Te_palik"], eta: [7.390234, 4.482105, 2.637106], k: [3.256022, 3.527059, 3.292054] },
    Metal { names: &["Te-e", "Te-e_palik"], eta: [7.508907, 4.296429, 2.369988], k: [5.583929, 4.947205, 3.997592] },
    Metal { names: &["ThF4", "ThF4_palik"], eta: [1.830714, 1.442229, 1.387648], k: [0.0, 0.0, 0.0] },
    Metal { names: &["TiC", "TiC_palik"], eta: [3.700528, 2.837422, 2.582287], k: [3.265635, 2.351589, 2.172791] },
    Metal { names: &["TiN", "TiN_palik"], eta: [1.64845, 1.150516, 1.379823], k: [3.368328, 1.943498, 1.102068] },
    Metal { names: &["TiO2", "TiO2_palik"], eta: [3.45661, 2.801736, 2.905175], k: [0.0001052648, 0.0, 0.0006528865] },
    Metal { names: &["TiO2-e", "TiO2-e_palik"], eta: [3.106565, 2.513168, 2.582444], k: [0.000029751605, 0.0, 0.0001826981] },
    Metal { names: &["VC", "VC_palik"], eta: [3.657566, 2.752736, 2.532672], k: [3.068301, 2.198687, 1.963193] },
    Metal { names: &["VN", "VN_palik"], eta: [2.865602, 2.119189, 1.940091], k: [3.032243, 2.056116, 1.616306] },
    Metal { names: &["V_palik"], eta: [4.277582, 3.512949, 2.761071], k: [3.491301, 2.889455, 3.111522] },
    Metal { names: &["W"], eta: [4.370817, 3.300246, 2.998407], k: [3.500641, 2.604874, 2.273233] },
    Metal { names: &["a-C"], eta: [2.944046, 2.227136, 1.968162], k: [0.8874649, 0.7992985, 0.81529] },
    Metal { names: &["d-C", "d-C_palik"], eta: [2.70872, 2.318826, 2.228898], k: [0.0, 0.0, 0.0] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_once() {
        let mut names: Vec<_> = metals().collect();
        assert!(names.iter().all(|name| metal(name).is_some()));
        names.sort_unstable();
        names.dedup();
        // The 71 pairs of files in `data/ior` of Mitsuba 3.9.1, and `none`.
        assert_eq!(names.len(), 72);
        assert_eq!(dielectrics().count(), 23);
        assert!(dielectrics().all(|name| dielectric(name).is_some()));
    }

    #[test]
    fn names_lead_to_indices() {
        assert_eq!(dielectric("BK7"), Some(1.5046));
        assert_eq!(dielectric("water ice"), Some(1.31));
        assert_eq!(dielectric("unobtainium"), None);
        assert_eq!(metal("none"), Some([Rgb::BLACK, Rgb::WHITE]));
        assert_eq!(metal("Se-e"), metal("Se-e_palik"));
        assert_eq!(metal("Xx"), None);
        let [eta, k] = metal("Au").expect("gold");
        assert_eq!((eta.g, k.r), (0.375_307_1, 3.982_997));
    }
}
