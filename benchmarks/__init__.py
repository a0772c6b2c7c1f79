"""Measurements against named peers; ``python -m benchmarks NAME`` runs ``benchmarks/NAME.py``."""
