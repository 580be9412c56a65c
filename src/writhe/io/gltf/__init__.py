"""glTF files: the binary container, nodes, skins and animations; reading and writing."""
