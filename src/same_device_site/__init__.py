"""same_device_site: what this site has beside the engine: the index of messages, names of PyTorch, versions, status."""
