"""How deep skins overlap: the measure beside the certificate."""
