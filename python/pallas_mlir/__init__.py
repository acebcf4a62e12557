"""Pallas kernels as MLIR modules, and compiled on the CPU.

  import pallas_mlir
  print(pallas_mlir.export(f, x, y))

  import pallas_mlir.jax          # every pl.pallas_call on the CPU runs compiled
"""
from .errors import CompileError, ExportError, PallasError, VerificationError

__version__ = "0.1.0"
__all__ = ["CompileError", "ExportError", "PallasError", "VerificationError", "export"]


def export(fn, *args, locations: bool = False, **kwargs) -> str:
  """The verified module of the Pallas calls that `fn(*args)` reaches: one function each, in order."""
  from .module import export_module
  return export_module(fn, *args, **kwargs).text(locations)
