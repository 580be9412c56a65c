"""A small FBX file as text: two bones, a skinned quadrilateral with everything, a rigid part."""

from __future__ import annotations

import base64
from pathlib import Path

TURN = "1,0,0,0,0,1,0,0,0,0,1,0"  # the first columns of a matrix without rotation


def _array(name: str, values: str) -> str:
    return f"{name}: *{values.count(',') + 1} {{ a: {values} }}"


def _model(number: int, name: str, kind: str, offset: str) -> str:
    return (
        f'Model: {number}, "Model::{name}", "{kind}" {{ Version: 232\n Properties70: {{ '
        f'P: "Lcl Translation", "Lcl Translation", "", "A",{offset} }} }}'
    )


def _geometry(number: int, height: str) -> str:
    """A square in the plane z = 0 from y = 0 to `height` centimetres."""
    points = f"-10,0,0,10,0,0,10,{height},0,-10,{height},0"
    return f"""Geometry: {number}, "Geometry::", "Mesh" {{
 {_array("Vertices", points)}
 {_array("PolygonVertexIndex", "0,1,2,-4")}
 GeometryVersion: 124
 LayerElementNormal: 0 {{ Version: 101 Name: "" MappingInformationType: "ByPolygonVertex"
  ReferenceInformationType: "Direct" {_array("Normals", "0,0,1,0,0,1,0,0,1,0,0,1")} }}
 LayerElementUV: 0 {{ Version: 101 Name: "map" MappingInformationType: "ByPolygonVertex"
  ReferenceInformationType: "IndexToDirect" {_array("UV", "0,0,1,0,1,1,0,1")}
  {_array("UVIndex", "0,1,2,3")} }}
 LayerElementMaterial: 0 {{ Version: 101 Name: "" MappingInformationType: "AllSame"
  ReferenceInformationType: "IndexToDirect" {_array("Materials", "0")} }}
 Layer: 0 {{ Version: 100
  LayerElement: {{ Type: "LayerElementNormal" TypedIndex: 0 }}
  LayerElement: {{ Type: "LayerElementUV" TypedIndex: 0 }}
  LayerElement: {{ Type: "LayerElementMaterial" TypedIndex: 0 }} }} }}"""


def _cluster(number: int, vertices: str, height: int) -> str:
    """The vertices that follow a bone at `height` centimetres."""
    weights = ",".join("1" for _ in vertices.split(","))
    return f"""Deformer: {number}, "SubDeformer::", "Cluster" {{ Version: 100
 {_array("Indexes", vertices)}
 {_array("Weights", weights)}
 {_array("Transform", f"{TURN},0,{-height},0,1")}
 {_array("TransformLink", f"{TURN},0,{height},0,1")} }}"""


def write_fbx(path: Path, picture: bytes, *, beside: str = "") -> Path:
    """Write the file, in centimetres; the picture inside, or beside it under the name `beside`."""
    content = "" if beside else f'Content: , "{base64.b64encode(picture).decode()}"'
    file = beside or "skin.png"
    objects = [
        _model(1, "Hips", "LimbNode", "0,100,0"),
        _model(2, "Head", "LimbNode", "0,60,0"),
        _model(3, "Body", "Mesh", "0,0,0"),
        _model(4, "Hat", "Mesh", "0,10,0"),
        _geometry(11, "160"),
        _geometry(12, "5"),
        'NodeAttribute: 21, "NodeAttribute::", "LimbNode" { TypeFlags: "Skeleton" }',
        'NodeAttribute: 22, "NodeAttribute::", "LimbNode" { TypeFlags: "Skeleton" }',
        """Material: 31, "Material::felt", "" { Version: 102 ShadingModel: "phong"
 Properties70: { P: "DiffuseColor", "Color", "", "A",0.2,0.4,0.6
  P: "EmissiveColor", "Color", "", "A",0,0,0 } }""",
        """Material: 32, "Material::cloth", "" { Version: 102 ShadingModel: "phong"
 Properties70: { P: "DiffuseColor", "Color", "", "A",0.8,0.8,0.8
  P: "EmissiveColor", "Color", "", "A",0,0,0 } }""",
        f"""Video: 41, "Video::skin", "Clip" {{ Type: "Clip" Filename: "{file}"
 RelativeFilename: "{file}" {content} }}""",
        f"""Texture: 42, "Texture::skin", "" {{ Type: "TextureVideoClip" Version: 202
 TextureName: "Texture::skin" Media: "Video::skin" FileName: "{file}"
 RelativeFilename: "{file}" }}""",
        'Deformer: 51, "Deformer::", "Skin" { Version: 101 }',
        _cluster(52, "0,1", 100),
        _cluster(53, "2,3", 160),
        'Deformer: 61, "Deformer::", "BlendShape" { Version: 100 }',
        'Deformer: 62, "SubDeformer::taller", "BlendShapeChannel" { Version: 100 '
        f"DeformPercent: 0 {_array('FullWeights', '100')} }}",
        f"""Geometry: 63, "Geometry::taller", "Shape" {{ Version: 100
 {_array("Indexes", "2,3")} {_array("Vertices", "0,20,0,0,20,0")} }}""",
    ]
    links = [(1, 0), (2, 1), (3, 0), (4, 2), (11, 3), (12, 4), (21, 1), (22, 2), (31, 4), (32, 3)]
    links += [(51, 11), (52, 51), (53, 51), (1, 52), (2, 53), (61, 11), (62, 61), (63, 62)]
    links += [(41, 42)]
    rows = [f'C: "OO",{a},{b}' for a, b in links] + ['C: "OP",42,32, "DiffuseColor"']
    path.write_text(
        """; FBX 7.4.0 project file
FBXHeaderExtension: { FBXHeaderVersion: 1003 FBXVersion: 7400 }
GlobalSettings: { Version: 1000 Properties70: {
 P: "UpAxis", "int", "Integer", "",1
 P: "UpAxisSign", "int", "Integer", "",1
 P: "FrontAxis", "int", "Integer", "",2
 P: "FrontAxisSign", "int", "Integer", "",1
 P: "CoordAxis", "int", "Integer", "",0
 P: "CoordAxisSign", "int", "Integer", "",1
 P: "UnitScaleFactor", "double", "Number", "",1 } }
"""
        + "Objects: {\n"
        + "\n".join(objects)
        + "\n}\nConnections: {\n"
        + "\n".join(rows)
        + "\n}\n"
    )
    return path
