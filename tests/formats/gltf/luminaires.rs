//! Lights of EXT_lights_ies.

use super::*;

const PROFILE: &str = "IES:LM-63-2019\nTILT=NONE\n1 -1 1 2 1 1 2 0 0 0\n1 1.00001 9\n0 90\n0\n683 683\n";

fn document(light: Value, instance: Value) -> Glb {
    Glb::new(json!({
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "lamp", "translation": [0, 3, 0], "extensions": { "EXT_lights_ies": instance } }],
        "extensionsUsed": ["EXT_lights_ies"],
        "extensions": { "EXT_lights_ies": { "lights": [light] } },
    }))
}

#[test]
fn lights_with_profiles_are_read() {
    let uri = format!(
        "data:application/x-ies-lm-63,{}",
        PROFILE.replace('\n', "%0A").replace(' ', "%20")
    );
    let instance = json!({ "light": 0, "multiplier": 2, "color": [1, 0.5, 4] });
    let mut embedded = document(json!({ "bufferView": 0 }), instance.clone());
    embedded.view(PROFILE.as_bytes());
    for glb in [embedded, document(json!({ "uri": uri }), instance)] {
        let model = glb.read().expect("it is valid");
        assert_eq!(model.warnings, [""; 0]);
        let [(name, LightKind::Luminaire { world_from_light, scale, luminaire })] = &model.lights[..] else {
            panic!("{:?}", model.lights)
        };
        assert_eq!(name, "lamp");
        assert_eq!(Vec3::from(world_from_light.translation), Vec3::Y * 3.0);
        assert_eq!(scale.to_array(), [2.0, 1.0, 2.0]);
        assert_eq!(luminaire.web.candela(Vec3::NEG_Z), 683.0);
    }
}

#[test]
fn lights_with_invalid_profiles_are_left_out() {
    let one = json!({ "light": 0 });
    for (light, instance, reason) in [
        (json!({ "uri": "none.ies" }), one.clone(), "cannot read none.ies"),
        (
            json!({ "uri": "data:,hello" }),
            one.clone(),
            "profile 0:1: there is no line `TILT=`",
        ),
        (json!({ "bufferView": 7 }), one.clone(), "a profile without a file"),
        (json!({}), one, "a profile without a file"),
        (json!({}), json!({ "light": 1 }), "a profile that does not exist"),
        (json!({}), json!({}), "a profile that does not exist"),
    ] {
        let model = document(light, instance).read().expect("the model is shown without it");
        let warnings = model.warnings.join("\n");
        assert!(
            model.lights.is_empty() && warnings.contains(reason) && warnings.contains("left out"),
            "expected `{reason}` in {warnings}"
        );
    }
}
