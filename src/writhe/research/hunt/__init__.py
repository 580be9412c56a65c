"""Hunting for false certificates, foreign exceptions and reader crashes with random cases."""
