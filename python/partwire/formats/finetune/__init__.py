"""Training data: JSON Lines in which each line is one conversation.

``openai`` is what OpenAI takes for fine-tuning, ``sharegpt`` is ``conversations`` of ``from`` and
``value``, and ``messages`` is what chat templates take: arguments of calls as objects, reasoning.
"""
