"""running: blocks to outputs, in processes of their own."""
