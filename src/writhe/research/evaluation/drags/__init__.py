"""Scripted drags: their scenes and targets, and how a method performs in them."""
