"""Speed, growth and memory of partwire, measured beside what people use today.

Run ``python -m bench`` (or ``make bench``). Speed is reported, never tested: the exit status is 0
unless something crashed or a result was wrong.
"""
