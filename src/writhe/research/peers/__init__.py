"""Side by side with the peers: workloads, adapters, metrics. See README.md here."""
