"""Which joint of a skeleton plays which anatomical role."""
