"""The inspector: one HTML page that shows streams and messages, with the sources put into it.

The page is built of ``typescript/inspector`` by ``make inspector``, and comes with the wheel.
"""
