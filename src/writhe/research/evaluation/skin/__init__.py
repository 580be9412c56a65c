"""The penetration depth of skins, a measure in addition to the certificate."""
