"""Making skins: blobs to a distance field, to triangles, to skinning weights."""
