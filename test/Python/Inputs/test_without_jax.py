"""A suite that has nothing to do with JAX."""
import sys


def test_imports():
  assert "jax" not in sys.modules and "pallas_mlir" not in sys.modules
