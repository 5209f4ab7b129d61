"""Statistics of an archive: what is in it, as sums that any number of tasks can share.

:mod:`.measures` says what is counted, :mod:`.counting` counts it in some documents, :mod:`.tally`
adds that up, :mod:`.figures` makes figures of it, and :mod:`.report` a page.
"""
