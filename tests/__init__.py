"""Tests, and the fuzzers that run as a module."""
