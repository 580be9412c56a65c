"""The scene of a document: actors, objects and contacts, as the solvers need it."""
