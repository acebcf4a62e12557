"""The table from primitives to rules.

A rule is a function `(k, eqn, *values)`: `k` is the `KernelExporter` that stands
where the operations go, `values` are the operands. It returns one value, a list
of values, or None when the equation has no results.
"""
from __future__ import annotations

import importlib
from typing import Any, Callable

Rule = Callable[..., Any]

# Primitives are told apart by name and, where JAX uses one name for two of
# them, by the module that defines them (see `_key`).
RULES: dict[Any, Rule] = {}

FAMILIES = ("arith", "shapes", "contractions", "control", "refs", "sync",
            "grid", "tpu", "gpu", "composite")


def rule(*primitives):
  """Registers the decorated function for primitives, given as objects or names."""
  def register(function: Rule) -> Rule:
    for primitive in primitives:
      assert primitive not in RULES, primitive
      RULES[primitive] = function
    return function
  return register


def find(primitive) -> Rule | None:
  """The rule of a primitive: by identity first, then by name."""
  return RULES.get(primitive) or RULES.get(primitive.name)


def load() -> None:
  """Imports the modules that fill the table."""
  for family in FAMILIES:
    importlib.import_module(f"pallas_mlir.exporting.{family}")
