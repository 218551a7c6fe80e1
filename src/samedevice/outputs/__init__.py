"""outputs: what came out of blocks: comparing, recording, checking. It runs nothing."""
