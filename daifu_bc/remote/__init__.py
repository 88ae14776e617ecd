"""Nobody at the terminal: a crash waits, is found from another terminal, and is mended from there.

In: a crash that no policy and no terminal has decided. Out: the decision of whoever attached, or None when the time is
up. Always true: a healthy process has no thread and no socket of this room; whatever goes wrong here is one line on
stderr, and the crash is decided as if this room were not there.

A crashed process: settings, folder, post (the socket), talk (one attached console), waiting (joins them).
Whoever attaches: find (which processes wait), client (one conversation), and the commands attach, listing, joblog.
Both: wire (the messages).
"""
