"""Which release of JAX this package reads: it handles JAX's own structures, and those change."""
from __future__ import annotations

import os

import jax

TESTED = "0.10.2"


def check() -> None:
  if jax.__version__ == TESTED or os.environ.get("PALLAS_MLIR_ANY_JAX", "0") not in ("", "0"):
    return
  raise ImportError(
      f"pallas_mlir is made for jax {TESTED}, but jax {jax.__version__} is installed; install jax=={TESTED}, "
      "or set PALLAS_MLIR_ANY_JAX=1 to try without a promise")
