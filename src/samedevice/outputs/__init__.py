"""outputs: what came out of blocks: comparing, recording, checking. Runs nothing."""
