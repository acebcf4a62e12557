"""The table from primitives to rules.

A rule is a function `(k, eqn, *values)`: `k` is the `KernelExporter` that stands
where the operations go, `values` are the operands. It returns one value, a list
of values, or None when the equation has no results.
"""
from __future__ import annotations

import importlib
from typing import Any, Callable

Rule = Callable[..., Any]

# Keys are names, or the primitives themselves where JAX uses a name twice.
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


# Primitives that bear the name of another one: a rule must name the object.
_AMBIGUOUS: set[Any] = set()


def find(primitive) -> Rule | None:
  """The rule of a primitive: by identity first, then by name."""
  found = RULES.get(primitive)
  return found if found or primitive in _AMBIGUOUS else RULES.get(primitive.name)


def load() -> None:
  """Imports the modules that fill the table."""
  from jax._src.core import Primitive
  for family in FAMILIES:
    importlib.import_module(f"pallas_mlir.exporting.{family}")
  for module in ("mosaic.sc_primitives", "mosaic_gpu.primitives"):
    members = vars(importlib.import_module(f"jax._src.pallas.{module}")).values()
    _AMBIGUOUS.update(p for p in members if isinstance(p, Primitive) and p.name in
                      ("load", "swap", "gather", "scatter", "bitcast", "semaphore_signal", "semaphore_wait"))
