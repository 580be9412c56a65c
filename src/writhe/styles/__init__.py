"""Motion styles learned from clips, and motions along a path in a style."""
