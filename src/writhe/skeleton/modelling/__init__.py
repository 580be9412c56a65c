"""Skin generation: blobs, their distance field, its isosurface, skinning weights."""
