"""Editing a document: the editor's state, commands, poses, the scene to solve in."""
