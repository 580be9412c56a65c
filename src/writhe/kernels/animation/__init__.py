"""Kernels of animation: frames between keys under pins, joint limits and contacts."""
