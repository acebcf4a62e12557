# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the Pallas calls of a function and makes a module of them.

The calls are met where JAX lowers them: batching, differentiation, discharge of
refs and sharding have happened by then, so what is exported is what would run.
"""
from __future__ import annotations

import collections
import contextlib
import os
import re
import threading
from typing import Callable

import jax
from jax._src import core, source_info_util
from jax._src.interpreters import mlir
from jax._src.pallas import mpmd
from jax._src.pallas import pallas_call as pallas_call_module

from . import devices
from .exporting import calls, complex_numbers, registry
from .exporting import types as T
from .exporting.kernel import KernelExporter
from .exporting.shapes import reshape
from .errors import ExportError, VerificationError
from .prefetched import find_index_operands

# A place in this package is no place in the user's code.
source_info_util.register_exclusion(os.path.dirname(__file__))

PLACEHOLDER = "pallas_mlir_exported"

_local = threading.local()
_original_rules: dict[str, Callable] = {}
# The rule for a call outside of an export: set by `pallas_mlir.jax`.
backend: Callable | None = None
_install_lock = threading.Lock()


class ModuleExporter:
  """A module with one function per call."""

  def __init__(self, in_process=False, index_operands=()):
    self.k = KernelExporter(in_process)
    # Values that take the place of prefetched arguments.
    self._index_operands = index_operands
    self._names: set[str] = set()
    self.entries: list[str] = []

  def add(self, primitive: str, in_avals, out_avals, params, mesh=None) -> str:
    """Appends the function of a call, on the devices of a mesh, and returns its name."""
    try:
      return self._add(primitive, in_avals, out_avals, params, mesh)
    except (ExportError, VerificationError) as error:
      # What is wrong with the call itself has the place of the kernel.
      if error.where:
        raise
      raise type(error)(str(error), ":".join(map(str, _source(params)))) from error

  def _add(self, primitive: str, in_avals, out_avals, params, mesh) -> str:
    registry.load()
    k = self.k
    _check_static([*in_avals, *out_avals])
    params, in_avals, out_avals = complex_numbers.split_call(params, in_avals, out_avals)
    name = self._unique(_name_of(params))
    in_types = _argument_types(k, primitive, in_avals, params)
    out_types = calls.array_types(k, out_avals)
    k.b.block = k.b.body
    k.b.location = _call_location(k, params)
    function = k.do("func.func", regions=1, sym_name=k.b.str_attr(name),
                    function_type=k.b.type_attr(k.b.function_type(in_types, out_types)), **_device_attributes(k, mesh))
    location = k.b.location
    with k.inside(k.b.add_block(function, 0, in_types)) as arguments:
      if primitive == "mpmd_map":
        results = calls.mpmd_map(k, arguments, in_avals, out_avals, **_without_out_avals(params))
      else:
        num_dynamic = params["grid_mapping"].num_dynamic_grid_bounds
        for i, value in enumerate(self._index_operands, num_dynamic):
          if value.shape:
            arguments[i] = k.constant(value, value.shape, value.dtype)
        # JAX also takes the size of a grid dimension from an array of one element.
        bounds = [reshape(k, a, v, ()) if v.shape else a for a, v in zip(arguments, in_avals[:num_dynamic])]
        sizes = [calls.grid_size(k, b, v) for b, v in zip(bounds, in_avals)]
        results = calls.pallas_call(k, [*sizes, *arguments[num_dynamic:]], out_avals, **_without_out_avals(params))
      k.b.location = location
      k.do("func.return", results)
    self.entries.append(name)
    return name

  def _unique(self, name: str) -> str:
    candidate, count = name, 0
    while candidate in self._names:
      count += 1
      candidate = f"{name}_{count}"
    self._names.add(candidate)
    return candidate

  def prepare(self, jaxpr, arguments):
    """Takes what is known before the calls come; a module for all arguments needs none of it."""

  def verify(self):
    self.k.verify()

  def text(self, locations=False) -> str:
    return self.k.b.print(locations)


def _check_static(avals):
  for aval in avals:
    symbolic = [d for d in getattr(aval, "shape", ()) if not isinstance(d, int)]
    if symbolic:
      raise ExportError(f"an array of shape {tuple(aval.shape)} has the symbolic dimension {symbolic[0]}; call the kernel with static shapes")


def _without_out_avals(params):
  return {name: value for name, value in params.items() if name != "out_avals"}


def _device_attributes(k, mesh):
  """How the devices are arranged, where there are several or the number of one does not show it."""
  if mesh is None or len(mesh.axis_names) < 2 and mesh.size < 2:
    return {}
  axes = ", ".join(f'["{name}", {size} : i64]' for name, size in mesh.shape.items())
  return {"pallas.device_mesh": k.attr(f"[{axes}]")}


def _name_of(params) -> str:
  name = params.get("name")
  if not name:
    jaxpr = params.get("jaxpr") or params["jaxprs"][0]
    name = jaxpr.debug_info.func_name if jaxpr.debug_info else "kernel"
  return re.sub(r"\W", "_", name) or "kernel"


# Where JAX wraps kernels into functions of its own.
_WRAPPERS = os.path.join("jax", "_src", "pallas", "")


def _source(params):
  """File and line of the kernel, or nothing."""
  jaxpr = params.get("jaxpr") or params["jaxprs"][0]
  return _source_of(jaxpr, wrappers=False) or _source_of(jaxpr, wrappers=True)


def _source_of(jaxpr, wrappers: bool):
  info = jaxpr.debug_info.func_src_info if jaxpr.debug_info else None
  found = re.search(r" at (.+):(\d+)$", info or "")
  if found and (wrappers or _WRAPPERS not in found.group(1)):
    return found.group(1), int(found.group(2))
  inner = (j for eqn in jaxpr.eqns for j in core.jaxprs_in_params(eqn.params)) if found else ()
  return next(filter(None, (_source_of(j, wrappers) for j in inner)), ())


def _call_location(k, params):
  """Where the kernel begins. An object that is called has no place: then its first equation with a place,
  and for one without equations the line that runs it."""
  source = _source(params)
  if source:
    return k.b.file_location(*source, 0)
  jaxpr = params.get("jaxpr") or params["jaxprs"][0]
  tracebacks = [eqn.source_info.traceback for eqn in jaxpr.eqns] + [source_info_util.Traceback.get_traceback()]
  return next(filter(None, map(k.location, tracebacks)), None) or k.b.unknown_location()


def _argument_types(k, primitive, in_avals, params):
  if primitive == "mpmd_map":
    kernel_vars = params["jaxprs"][0].invars
    return [calls.array_types(k, [a])[0] if T.is_ref(v.aval) else k.type_of(a) for a, v in zip(in_avals, kernel_vars)]
  num_dynamic = params["grid_mapping"].num_dynamic_grid_bounds
  return [k.type_of(a) for a in in_avals[:num_dynamic]] + calls.array_types(k, in_avals[num_dynamic:])


# Lowering rules

def _rule(primitive: str):
  def lower(ctx, *nodes, **params):
    exporter = getattr(_local, "exporter", None)
    if exporter is not None:
      mesh = getattr(ctx.module_context.axis_context, "mesh", None)
      exporter.add(primitive, ctx.avals_in, ctx.avals_out, params, mesh)
      if ctx.tokens_in is not None and params.get("interpret"):
        ctx.set_tokens_out(ctx.tokens_in)
      return jax.ffi.ffi_lowering(PLACEHOLDER)(ctx, *nodes)
    if backend is not None:
      return backend(primitive, _original_rules[primitive], ctx, *nodes, **params)
    return _original_rules[primitive](ctx, *nodes, **params)
  return lower


def install_rules():
  """Puts our rules in front of JAX's on the CPU; they pass on what they are not asked for."""
  with _install_lock:
    if _original_rules:
      return
    _original_rules["pallas_call"] = pallas_call_module._pallas_call_lowering
    # The module's own name for it has no meaning.
    _original_rules["mpmd_map"] = mlir._lowerings[mpmd.mpmd_map_p].rule
    mlir.register_lowering(pallas_call_module.pallas_call_p, _rule("pallas_call"), platform="cpu")
    mlir.register_lowering(mpmd.mpmd_map_p, _rule("mpmd_map"), platform="cpu")
    devices.install()


@contextlib.contextmanager
def collecting(exporter):
  saved = getattr(_local, "exporter", None)
  _local.exporter = exporter
  try:
    yield exporter
  finally:
    _local.exporter = saved


def _export(exporter, fn: Callable, args, kwargs):
  install_rules()
  # A function of our own: JAX keeps what it lowered for `fn`, and that must not
  # be our placeholders when `fn` is called.
  def exported(*args, **kwargs):
    return fn(*args, **kwargs)

  traced = jax.jit(exported).trace(*args, **kwargs)
  exporter.prepare(traced.jaxpr, jax.tree.leaves((args, kwargs)))
  with collecting(exporter):
    traced.lower(lowering_platforms=("cpu",))
  if not exporter.entries:
    raise ExportError("the function reaches no pallas_call")
  exporter.verify()
  return exporter


def export_module(fn: Callable, *args, **kwargs) -> ModuleExporter:
  """Lowers `fn` for these arguments and exports the calls that it reaches, in order."""
  return _export(ModuleExporter(), fn, args, kwargs)


class _SingleCalls:
  """Takes each call into a module of its own."""

  def __init__(self):
    self.exporters: list[ModuleExporter] = []

  @property
  def entries(self):
    return [name for e in self.exporters for name in e.entries]

  def add(self, *call):
    self.exporters.append(ModuleExporter())
    return self.exporters[-1].add(*call)

  def prepare(self, jaxpr, arguments):
    pass

  def verify(self):
    for exporter in self.exporters:
      exporter.verify()


class CollectedCalls(_SingleCalls):
  """The calls of a function for arguments, of which `evaluate` computes those that index maps read."""

  def __init__(self):
    super().__init__()
    self._calls: list[tuple] = []
    self._jaxpr, self._arguments = None, ()

  def prepare(self, jaxpr, arguments):
    self._jaxpr, self._arguments = jaxpr, arguments

  def add(self, primitive, in_avals, out_avals, params, mesh=None):
    self._calls.append((primitive, in_avals, out_avals, params, mesh))
    return super().add(*self._calls[-1])

  def pairs(self) -> list[tuple[ModuleExporter, ModuleExporter]]:
    """Each call in a module of its own, twice, as nothing is evaluated."""
    return list(zip(self.exporters, self.exporters))

  def evaluate(self) -> list[tuple[ModuleExporter, ModuleExporter]]:
    """Pairs of modules for each call: as it is, and with the values of prefetched arguments.

    JAX lowers a function once that is called twice, so its call has a pair for each set of values that index maps read."""
    uses = find_index_operands(self._jaxpr, self._arguments)
    left = collections.Counter(_kernel(call) for call in self._calls)
    pairs = []
    for call, exporter in zip(self._calls, self.exporters):
      kernel = _kernel(call)
      left[kernel] -= 1
      found = uses.get(kernel, [])
      # The last call of a kernel takes all uses that are left.
      mine, uses[kernel] = (found[:1], found[1:]) if left[kernel] else (found, [])
      pairs += [(exporter, self._evaluated(call, exporter, values)) for values in _distinct(mine) or [None]]
    return pairs

  @staticmethod
  def _evaluated(call, exporter, values) -> ModuleExporter:
    if not values:
      return exporter
    evaluated = ModuleExporter(index_operands=values)
    evaluated.add(*call)
    return evaluated


def _kernel(call) -> int:
  return id(call[3].get("jaxpr"))


def _distinct(uses) -> list:
  """Values of the prefetched arguments, each once; `None` where they are not known."""
  by_content = {None if values is None else tuple((v.shape, v.dtype, v.tobytes()) for v in values): values for values in uses}
  return list(by_content.values())


def export_calls(fn: Callable, *args, **kwargs) -> list[ModuleExporter]:
  """The calls that `fn` reaches, each in a module of its own."""
  return _export(_SingleCalls(), fn, args, kwargs).exporters


def collect_calls(fn: Callable, *args, **kwargs) -> CollectedCalls:
  """The calls that `fn` reaches, of which nothing has run yet."""
  return _export(CollectedCalls(), fn, args, kwargs)
