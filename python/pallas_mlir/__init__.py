# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pallas kernels as MLIR modules, and compiled on the CPU.

  import pallas_mlir
  print(pallas_mlir.export(f, x, y))

  import pallas_mlir.jax          # every pl.pallas_call on the CPU runs compiled
"""
import sys

# First, because it checks the releases of JAX and Python.
from . import release
from .errors import CompileError, ExportError, KernelError, PallasError, StillRunning, VerificationError

__version__ = "0.1.0"
# The releases of JAX that the tests run with.
TESTED_JAX = release.TESTED
__all__ = ["TESTED_JAX", "CompileError", "ExportError", "KernelError", "PallasError", "StillRunning", "VerificationError",
           "explain", "export", "show", "trace", "tune", "view"]


def export(fn, *args, locations: bool = False, **kwargs) -> str:
  """The verified module of the Pallas calls that `fn(*args)` reaches: one function each, in order."""
  from .module import export_module
  return export_module(fn, *args, **kwargs).text(locations)


def show(fn, *args, pipeline: str = "pallas-to-llvm", **kwargs) -> str:
  """The module of `fn(*args)`, and the module after each pass of a pipeline that changed it."""
  from . import _native
  from .module import export_module
  exporter = export_module(fn, *args, **kwargs)
  return f"// As exported\n{exporter.text()}\n{_native.run_pipeline(exporter.k.b, pipeline, True)}"


def explain(fn, *args, target: str = "tpu", **kwargs):
  """The problems that a target has with the kernels of `fn(*args)`, and the memory they take; it prints as a table per call.

  `target` is `tpu`, or one of its chips such as `tpu:v5e`.
  """
  from .explanation import explain_calls
  from .module import export_calls
  return explain_calls(export_calls(fn, *args, **kwargs), target)


def trace(fn, *args, **kwargs):
  """Calls `fn(*args)` and records when its kernels did what: cores, copies, waits and semaphores of all devices.

  `.save(path)` writes a file for Perfetto, `.events` has them as dictionaries, `.result` is what the call gave.
  """
  from .timeline import record
  return record(fn, args, kwargs)


def tune(make, configs, *args, target: str = "cpu", **options):
  """Searches configurations for the one with which `make(config)(*args)` is fastest: see `pallas_mlir.tuning.tune`.

  It prints as a table; `.best.config` is the fastest, `.save_picture(path)` draws predictions and measurements.
  """
  from . import tuning
  return tuning.tune(make, configs, *args, target=target, **options)


def view(fn, *args, target: str = "tpu", pipeline: str = "pallas-to-llvm", file=None, seconds: float = 600, libtpu: bool = False, **kwargs):
  """A page about the kernels of `fn(*args)`, which it runs checked: grid walk, blocks, memory, timeline, findings, stages.

  It shows itself in a notebook; elsewhere it is written to `file`, or to KERNEL.html in the current folder. Kernels that run
  longer than `seconds` are given up, and the page tells; they go on in the background until the process ends. While they do,
  what would wait for them (`trace` and checked calls) raises `StillRunning`; calls that are not checked run. With `libtpu` the
  compiler of the target's chip estimates cycles, beside those that the cost model predicts; it takes seconds.
  """
  from .viewing import view_function
  if not isinstance(seconds, (int, float)) or not seconds > 0:
    raise ValueError(f"seconds={seconds!r} is no time that kernels may run; give a number above 0")
  page = view_function(fn, args, kwargs, target, pipeline, seconds, libtpu)
  if file is not None or "ipykernel" not in sys.modules:
    # Names of files end at 255 bytes.
    page.save(file if file is not None else f"{page.title.split(',')[0][:200]}.html")
  return page


def load_ipython_extension(ipython):
  """`%load_ext pallas_mlir` in a notebook: adds `%%pallas_check`."""
  from .notebook import PallasMagics
  ipython.register_magics(PallasMagics)
