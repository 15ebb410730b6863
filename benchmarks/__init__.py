"""Speed, measured as a ratio to an anchor that runs in turn with the subject on the same machine: `make bench`."""
