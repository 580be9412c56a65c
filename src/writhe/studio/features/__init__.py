"""Features of the studio, one module each, by subject; `protocol.registry` finds them."""
