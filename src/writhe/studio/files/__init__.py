"""Files in and out of the studio: documents, imports, exports, shared files."""
