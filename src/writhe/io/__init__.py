"""Motion files in and out, joint names to roles."""
