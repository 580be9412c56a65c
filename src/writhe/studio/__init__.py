"""The studio: a local web server, its documents, and the page that people pose in."""
