"""The arithmetic of positions: which batch a draft context refuses, at which X and Y, and what each remedy changes.

In: the X and Y of a log, or a prompt described in words. Out: numbers, plain rows and plain text. No I/O, no regex.
"""
