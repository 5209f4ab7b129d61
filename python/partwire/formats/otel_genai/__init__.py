"""OpenTelemetry's GenAI conventions: input and output messages, and system instructions.

As attributes of a span, or a list of messages by itself; of 1.37 and later, with what
instrumentations write beside. The conventions know no times, no runs, and no errors of tools.
"""
