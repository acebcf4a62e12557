# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The releases of JAX that this package reads.

The exporter reads JAX's own structures, and those change from one release to the
next. The differences are here; every other module asks this one.
"""
from __future__ import annotations

import dataclasses
import functools
import importlib.util
import os
import sys

import jax

# The releases that the tests run with. Those from 0.11 on need Python 3.12.
TESTED = ("0.10.2", "0.11.0", "0.11.1", "0.11.2", "0.12.0.1")


def _check_jax() -> None:
  if jax.__version__ in TESTED or os.environ.get("PALLAS_MLIR_ANY_JAX", "0") not in ("", "0"):
    return
  remedy = TESTED[-1] if sys.version_info >= (3, 12) else TESTED[0]
  raise ImportError(
      f"pallas_mlir is tested with jax {', '.join(TESTED[:-1])} and {TESTED[-1]}, but jax {jax.__version__} is "
      f"installed; install jax=={remedy}, or set PALLAS_MLIR_ANY_JAX=1 to try without a promise")


def _check_python() -> None:
  """Compiled code is for one Python, or for all from 3.12 on."""
  if importlib.util.find_spec("._native", __package__):
    return
  folder = os.path.dirname(os.path.abspath(__file__))
  found = [name.split(".")[1] for name in sorted(os.listdir(folder)) if name.startswith("_native.") and name.count(".") == 2]
  wanted = ", ".join("CPython 3.12 or newer" if tag == "abi3" else tag for tag in found) or "no Python"
  raise ImportError(f"the compiled part of pallas_mlir in {folder} is for {wanted}, but this is CPython "
                    f"{sys.version_info.major}.{sys.version_info.minor}; install the wheel that is for this Python")


# Before what JAX keeps to itself is imported: another release may not have it.
_check_jax()
_check_python()

from jax._src import core, util
from jax._src.pallas import core as pallas_core


# Since 0.11 a Jaxpr holds its constants. Before, a ClosedJaxpr held the two apart.
_HAS_CLOSED_JAXPRS = hasattr(core, "ClosedJaxpr")


# Jaxprs

def is_closed(jaxpr) -> bool:
  """Whether `jaxpr` has the values of all its constants."""
  if _HAS_CLOSED_JAXPRS:
    return isinstance(jaxpr, core.ClosedJaxpr)
  return isinstance(jaxpr, core.Jaxpr) and len(jaxpr.consts) == len(jaxpr.constvars)


def consts_of(jaxpr) -> list:
  """The values that belong to `constvars`; an open jaxpr of 0.10 has none."""
  return list(getattr(jaxpr, "consts", ()))


def open_of(jaxpr):
  """The jaxpr with variables and equations: what a ClosedJaxpr wraps."""
  return jaxpr.jaxpr if _HAS_CLOSED_JAXPRS and isinstance(jaxpr, core.ClosedJaxpr) else jaxpr


def make_jaxpr(like, constvars, invars, outvars, eqns, consts):
  """A jaxpr as `like`, open or closed, with other variables, equations and constants."""
  inner = open_of(like)
  parts = (constvars, invars, outvars, eqns, inner.effects, inner.debug_info.with_unknown_names(), inner.is_high)
  if not _HAS_CLOSED_JAXPRS:
    return core.Jaxpr(*parts, consts=consts)
  opened = core.Jaxpr(*parts)
  return core.ClosedJaxpr(opened, consts) if is_closed(like) else opened


def with_consts(jaxpr, consts):
  """`jaxpr` closed over other values of its constants."""
  return core.ClosedJaxpr(open_of(jaxpr), consts) if _HAS_CLOSED_JAXPRS else jaxpr.with_consts(consts)


# Loops

def scan_counts(params) -> tuple[int, int]:
  """How many operands of a `scan` are constants, and how many are carried."""
  if "num_consts" in params:
    return params["num_consts"], params["num_carry"]
  consts, carry, *_ = params["ft_in"].unpack()
  return len(consts), len(carry)


def changed_scan_counts(params, num_consts: int, num_carry: int) -> dict:
  """The parameters that change when a `scan` gets other operands.

  Newer releases count by the trees of the user's arguments, which do not describe
  operands that were split; they go.
  """
  trees = {name: None for name in ("ft_in", "ft_out") if name in params}
  return {"num_consts": num_consts, "num_carry": num_carry, **trees}


# Pipelines inside of TPU kernels

def pipeline_to_jaxpr():
  """JAX's function that spells out an `emit_pipeline`, since 0.11.2; or None.

  It extends the axes that are bound where it is called by those that it is given.
  """
  function = getattr(sys.modules["jax._src.pallas.mosaic.pipeline"], "emit_pipeline_to_jaxpr", None)
  return function and functools.partial(function, grid_names=None, grid_sizes=())


def is_fetch(eqn) -> bool:
  """Whether a copy fetches a block for an `emit_pipeline`, whose function for that is the only mark."""
  traceback = eqn.source_info.traceback
  return traceback is not None and any(
      frame.function_name.endswith("copy_in") and frame.file_name.endswith("pallas/mosaic/pipeline.py")
      for frame in traceback.frames)


def pipeline_arguments(params, mapping):
  """Removes those of `params` that describe the layout of the operands of an `emit_pipeline`; returns a function of these.

  It yields constants of the index maps, the dynamic sizes of the grid, constants of the body, refs, and more parameters.
  """
  args_tree = params.pop("args_tree")
  if "refs_tree" in params:  # 0.11.0 and 0.11.1
    refs_tree = params.pop("refs_tree")
    for name in ("core_axis", "core_axis_name"):
      params.pop(name)

    def of_tree(arguments):
      given = args_tree.unflatten(arguments)
      return (list(given.all_index_map_consts), given.dynamic_grid_spec, given.body_consts,
              refs_tree.unflatten(given.refs_flat), {"core_id": given.core_id})
    return of_tree
  num_consts, num_extra = params.pop("body_consts_len"), params.pop("_num_extra_dynamic")
  offsets = params.pop("_static_grid_offsets")
  num_index_consts = sum(len(m.index_map_jaxpr.consts) for m in mapping.block_mappings)

  def in_order(arguments):
    consts, dynamic, body_consts, leaves = util.split_list(
        arguments, [num_index_consts, mapping.num_dynamic_grid_bounds + num_extra, num_consts])
    starts = iter(dynamic[mapping.num_dynamic_grid_bounds:])
    places = tuple(next(starts) if pallas_core.is_dynamic_dim(d) else d for d in offsets)
    return consts, dynamic, body_consts, args_tree.unflatten(leaves), {"_grid_offsets": places}
  return in_order


def step_index(place) -> tuple:
  """The grid indices of a step; newer releases pass an object that holds them."""
  return place.index if hasattr(place, "local_index") else place


def own_step(place, vmapped_dims):
  """The step as the body sees it, without grid dimensions that batching added."""
  index = tuple(i for at, i in enumerate(step_index(place)) if at not in vmapped_dims)
  return dataclasses.replace(place, index=index) if hasattr(place, "local_index") else index


def step_leaves(place) -> list:
  """All values of that object, in order."""
  return [*place.index, place.local_index] if hasattr(place, "local_index") else list(place)


# Names that moved, and names that came

def is_of(value, module, *names) -> bool:
  """Whether a value is of one of these classes of a module, which not every release has."""
  return isinstance(value, tuple(getattr(module, name) for name in names if hasattr(module, name)))


def host_memory_spaces() -> list:
  """Memory of the host, by each name that this release has for it."""
  spaces = [core.MemorySpace.Host]
  if hasattr(pallas_core.MemorySpace, "HOST"):
    spaces.append(pallas_core.MemorySpace.HOST)
  return spaces


def primitives(module, *names) -> list:
  """Those of these primitives of a module that this release has."""
  return [getattr(module, name) for name in names if hasattr(module, name)]


def tpu_info():
  """Where JAX keeps the table of chips: assignments elsewhere do not reach it."""
  try:
    from jax._src import tpu_info as module
  except ImportError:
    from jax._src.pallas.mosaic import tpu_info as module
  return module


# Dataclasses

def default_of(field):
  """The default of a field of a dataclass; None where it has none."""
  if field.default_factory is not dataclasses.MISSING:
    return field.default_factory()
  return None if field.default is dataclasses.MISSING else field.default


def settings_of_thread():
  """A function that gives another thread what this one has set, such as `jax.enable_x64` and meshes around it."""
  from jax._src import config
  states = [state for state in vars(config).values() if hasattr(state, "get_local") and hasattr(state, "set_local") and not isinstance(state, type)]
  local = [(state, state.get_local()) for state in states]

  def take():
    for state, value in local:
      state.set_local(value)

  return take
