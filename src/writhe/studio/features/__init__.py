"""One module for each feature of the studio; `protocol.registry` discovers them."""
