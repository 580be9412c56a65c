"""The studio: a local web server, its documents, and the browser client."""
