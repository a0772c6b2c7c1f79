"""Choosing the bandwidth."""

from parzen.bandwidth._rules import RULES, scott, silverman

__all__ = ["RULES", "scott", "silverman"]
