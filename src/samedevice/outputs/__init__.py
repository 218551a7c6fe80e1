"""outputs: what came out of blocks: comparing, recording, checking. PageRuns nothing."""
