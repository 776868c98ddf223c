"""Shows a bake of Kiln in Blender: python blender_lightmap.py FOLDER, or run it in Blender's text editor.

Imports FOLDER/model.glb and gives each material the light of the lightmap: base colour times irradiance over pi.
"""

import math
import sys
from pathlib import Path

import bpy


def show(slot, primitive, mesh, image):
    """Replaces the surface of a slot by the lightmap's light."""
    material = slot.material.copy() if slot.material else bpy.data.materials.new("lit")
    # Objects may share a mesh, but not their places.
    slot.link, slot.material = "OBJECT", material
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
    output = next(node for node in nodes if node.type == "OUTPUT_MATERIAL")
    uv, place, texture = (nodes.new(f"ShaderNode{kind}") for kind in ("UVMap", "Mapping", "TexImage"))
    uv.uv_map = mesh.uv_layers[primitive["texCoord"]].name
    (x, y), (width, height) = primitive["offset"], primitive["scale"]
    # In Blender v runs up.
    place.inputs["Location"].default_value = (x, 1 - y - height, 0)
    place.inputs["Scale"].default_value = (width, height, 1)
    texture.image, texture.extension = image, "EXTEND"
    product, light = nodes.new("ShaderNodeVectorMath"), nodes.new("ShaderNodeEmission")
    product.operation = "MULTIPLY"
    color = shader.inputs["Base Color"] if shader else None
    if color and color.links:
        links.new(color.links[0].from_socket, product.inputs[1])
    else:
        product.inputs[1].default_value = color.default_value[:3] if color else (0.8, 0.8, 0.8)
    light.inputs["Strength"].default_value = 1 / math.pi
    # Lamps keep their own light.
    glow, both = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeAddShader")
    glow.inputs["Strength"].default_value = 0
    for of, name in (("Emission Color", "Color"), ("Emission Strength", "Strength")) if shader else ():
        glow.inputs[name].default_value = shader.inputs[of].default_value
        for link in shader.inputs[of].links:
            links.new(link.from_socket, glow.inputs[name])
    for source, target in (
        (uv.outputs["UV"], place.inputs["Vector"]),
        (place.outputs["Vector"], texture.inputs["Vector"]),
        (texture.outputs["Color"], product.inputs[0]),
        (product.outputs["Vector"], light.inputs["Color"]),
        (light.outputs["Emission"], both.inputs[0]),
        (glow.outputs["Emission"], both.inputs[1]),
        (both.outputs["Shader"], output.inputs["Surface"]),
    ):
        links.new(source, target)


def load(folder):
    """Imports a bake."""
    bpy.ops.import_scene.gltf(filepath=str(folder / "model.glb"))
    pages = sorted(folder.glob("irradiance.*.exr"), key=lambda path: int(path.suffixes[-2][1:])) or [folder / "irradiance.exr"]
    images = [bpy.data.images.load(str(path.resolve())) for path in pages]
    for node in bpy.data.objects:
        said = node.get("lightmap")
        if node.type != "MESH" or said is None:
            continue
        for slot, primitive in zip(node.material_slots, said["primitives"]):
            if primitive:
                show(slot, primitive, node.data, images[int(primitive.get("page", 0))])


if __name__ == "__main__":
    load(Path(sys.argv[-1]))
