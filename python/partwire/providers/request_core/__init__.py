"""What all encoders of requests share: inputs, turns, state, ids, media, findings."""
