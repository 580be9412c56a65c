"""Removing penetrations and pass-throughs from a motion, with a certificate."""
