"""One module for each feature of the studio; `protocol` finds them by itself."""
