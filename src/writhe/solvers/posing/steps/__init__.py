"""Steps of standing feet during a drag."""
