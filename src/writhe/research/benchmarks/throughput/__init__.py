"""Benchmarks of work in bulk: folders of clips, GPU batches, large databases."""
