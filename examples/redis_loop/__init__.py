"""An event queue, an agent and a review model in a loop, over Redis Streams: see README.md."""
