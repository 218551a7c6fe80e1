"""integration: adapters for pytest and MkDocs; hooks and what only they need."""
