"""Random cases against independent answers and laws: `python -m tests.fuzz --help`.

A part is a module with `run(rng)`, one case that raises where something is wrong. A case is all
drawn from a generator that is seeded by the part's name and one number, so that this number is
the reproducer of a failure.
"""
