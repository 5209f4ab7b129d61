"""Histories as providers' requests and answers have them: one module per dialect.

What an assistant said goes through the dialect's adapter, as the answer that it once was:
reasoning, calls, citations, tools that the provider ran and its state become what they become when
they are streamed, and an encoder sends them back as they came. What others said is read here.
"""
