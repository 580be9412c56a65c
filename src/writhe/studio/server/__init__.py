"""The web server of the studio: sessions, jobs, security, precompilation."""
