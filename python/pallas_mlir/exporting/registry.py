"""The table from primitives to rules.

A rule is a function `(k, eqn, *values)`: `k` is the `KernelExporter` that stands
where the operations go, `values` are the operands. It returns one value, a list
of values, or None when the equation has no results.
"""
from __future__ import annotations

import importlib
import sys
from typing import Any, Callable

Rule = Callable[..., Any]

# Keys are names, or the primitives themselves where JAX uses a name twice.
RULES: dict[Any, Rule] = {}

# What some primitives become when they move random keys.
KEY_RULES: dict[str, Rule] = {}

FAMILIES = ("arith", "shapes", "contractions", "control", "refs", "sync",
            "grid", "host", "tpu", "matrix_unit", "composite", "special", "windows", "linalg", "spectral", "random", "pipelines")


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


# Modules of JAX that take long to import, with the families that export them: a
# kernel can hold their primitives only after the program imported them.
_ON_DEMAND = {"jax._src.pallas.mosaic_gpu.primitives": ("gpu", "gpu_devices", "tensor_memory"), "jax._src.pallas.mosaic.sc_primitives": ("sparse_core",)}
_loaded: set[str] = set()


def load() -> None:
  """Imports the modules that fill the table, as far as the program needs them."""
  for family in FAMILIES:
    importlib.import_module(f"pallas_mlir.exporting.{family}")
  for name, families in _ON_DEMAND.items():
    if name not in _loaded and name in sys.modules:
      _note_ambiguous(sys.modules[name])
      for family in families:
        importlib.import_module(f"pallas_mlir.exporting.{family}")
      _loaded.add(name)


def _note_ambiguous(module) -> None:
  from jax._src.core import Primitive
  _AMBIGUOUS.update(p for p in vars(module).values() if isinstance(p, Primitive) and p.name in
                    ("load", "swap", "gather", "scatter", "bitcast", "semaphore_signal", "semaphore_wait"))
