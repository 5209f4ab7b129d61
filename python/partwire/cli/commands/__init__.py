"""The commands, one module each; a command is imported when it is asked for."""
