"""writhe in another process: `client` here, `serve` there, `wire` between them."""
