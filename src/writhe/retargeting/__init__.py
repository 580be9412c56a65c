"""Motion of one skeleton carried over to another, with planted feet."""
