"""The scripts that people write to put an archive's streams together, as good as they can be.

Each is a program: ``python SCRIPT OUTPUT FILE…`` reads files of JSON Lines and writes a message of
each stream into a file of JSON Lines. They know deltas of text, thinking, tool calls, usage and
ends, believe what they read, and use nothing of partwire.
"""
