# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table from primitives to rules.

A rule is a function `(k, eqn, *values)`: `k` is the `KernelExporter` to
which operations are added, `values` are the operands. It returns one value, a list
of values, or None when the equation has no results.
"""
from __future__ import annotations

import importlib
import sys
from typing import Any, Callable

from .. import release
from ..errors import ExportError

Rule = Callable[..., Any]

# Keys are names, or the primitives themselves where JAX uses a name twice.
RULES: dict[Any, Rule] = {}

# What some primitives become when they move random keys.
KEY_RULES: dict[str, Rule] = {}

FAMILIES = ("arith", "shapes", "contractions", "control", "refs", "masked", "sync",
            "grid", "host", "tpu", "matrix_unit", "composite", "special", "windows", "linalg", "spectral", "random", "pipelines")


def rule(*primitives):
  """Registers the decorated function for primitives, given as objects or names."""
  def register(function: Rule) -> Rule:
    for primitive in primitives:
      assert primitive not in RULES, primitive
      RULES[primitive] = function
    return function
  return register


class Params(dict):
  """The parameters of an equation, which remember those that a rule reads."""

  def __init__(self, params):
    super().__init__(params)
    self.read: set[str] = set()

  def __getitem__(self, name):
    self.read.add(name)
    return super().__getitem__(name)

  def get(self, name, default=None):
    self.read.add(name)
    return super().get(name, default)

  def __contains__(self, name):
    return super().__contains__(name)

  # Iterating over all of them, as `**params` does, reads all of them.
  def __iter__(self):
    self.read.update(super().keys())
    return super().__iter__()

  def keys(self):
    self.read.update(super().keys())
    return super().keys()

  def items(self):
    self.read.update(super().keys())
    return super().items()


# Parameters that need not be read, of any primitive.
_SETTLED = frozenset({
    # The types of the results have them.
    "new_dtype", "new_sizes", "shape", "dtype", "index_dtype", "limit_indices", "preferred_element_type", "result_avals",
    "weak_type", "output_shape", "slice_sizes", "sizes",
    # The placement of arrays, and promises to XLA about them. A kernel is on one device.
    "sharding", "out_sharding", "dimension_size_sharding", "in_shardings", "out_shardings", "in_layouts", "out_layouts", "donated_invars",
    "ctx_mesh", "mesh_axes", "keep_unused", "inline", "compiler_options_kvs", "name",
    # Hints on how fast or how exact the result may be, which don't change its meaning.
    "eviction_policy", "cache_modifier", "is_volatile", "accuracy", "unroll", "unique_indices", "indices_are_sorted",
    "prevent_cse", "policy", "accumulator_ilp", "is_stable",
    # They belong to derivatives, which are over when a kernel is exported.
    "jvp_jaxpr_fun", "jvp_jaxpr_thunk", "fwd_jaxpr_thunk", "bwd", "out_trees", "symbolic_zeros", "differentiated",
    "jvp", "transpose", "call_jvp",
})


# Parameters of single primitives that repeat other ones, or have no meaning here.
_SETTLED_OF: dict[str, set[str]] = {
    "custom_jvp_call": {"num_consts"},
    # How a scatter combines follows from its name.
    **{f"scatter{kind}": {"update_jaxpr", "update_consts"} for kind in ("", "-add", "-sub", "-mul", "-min", "-max")},
    # A reduction by a function of the user is read as a jaxpr.
    "reduce": {"computation"},
    # The place of a wait is where its copy went.
    "dma_wait": {"insert_dummy_device", "is_wait_send", "device_id_type"},
    # Copies of some rows stay on their device.
    "dma_start": {"device_id_type"},
    "pipeline_body": {"num_inputs"},
    # `platform_index` tells which branch is for which platform.
    "cond": {"branches_platforms"},
    # The definition that is not for kernels, and rules of XLA's fusions.
    "custom_fusion": {"jaxpr", "in_tree", "out_tree", "kernel_out_tree", "eval_rule", "pull_block_spec_rule", "push_block_spec_rule"},
    "debug_callback": {"effect"},
    "core_map": {"debug_info"},
    # The type of the result has the memory space.
    "get_global": {"what"},
    # `impl` is the unit that copies; windows over padding are copied at once, whatever the mode.
    "copy_gmem_to_smem": {"oob_mode", "impl"},
    # Only code that synchronizes has a form, which takes integers and yields nothing.
    **{name: {"flat_arg_types", "flat_ret_ty", "pytree_args", "pytree_ref_transforms", "pytree_ret_ty"}
       for name in ("inline_mgpu_p", "inline_mgpu")},
    # Copies without a barrier are over when they return, however many may be under way.
    "wait_gmem_to_smem": {"n"},
    "print_layout": {"fmt"},
    "all_reduce_ffs": {"reduce"},
    "all_reduce_population_count": {"reduce"},
    "custom_vjp_call": {"num_consts"},
    "custom_vmap_call": {"in_tree", "out_tree", "rule"},
    "linear_call": {"num_callee_consts", "num_res", "transpose_thunk"},
    "remat_opt": {"fun_jaxpr_thunk", "num_consts", "num_res"},
    "composite": {"version", "attributes"},
    # Where arrays lie outside of kernels.
    "device_put": {"copy_semantics", "devices", "srcs"},
    "pvary": {"axes"},
    "reshard": {"dst_sharding"},
    "sharding_constraint": {"context_mesh"},
    "layout_constraint": {"layout"},
    # The types of operands or results have these.
    "new_ref": {"memory_space"},
    "empty_ref": {"memory_space", "ty"},
    "empty2": {"memory_space"},
    "stochastic_round": {"target_dtype"},
    # A key has one implementation, which its type names.
    "prng_join": {"impl"},
    "random_wrap": {"impl"},
    # Nothing is summed up where one operand has no dimensions.
    "dot_general": {"dimension_numbers", "precision"},
    # The rule refuses all but the text that it knows.
    **{name: {"constraints", "pack", "result_shape_dtypes"} for name in ("elementwise_inline_asm_p", "elementwise_inline_asm")},
    "run_state": {"which_linear", "is_initialized"},
    # Threads of all devices share one memory here.
    "semaphore_signal": {"memory_scope"},
    "semaphore_wait": {"memory_scope"},
    "unpack_elementwise": {"unpacked_dtype"},
    # How NumPy prints what is not printed with a format.
    "debug_print": {"np_printoptions", "has_placeholders"},
    "check": {"err_tree"},
    # `release.scan_counts` reads one of the two trees.
    "scan": {"ft_in", "ft_out"},
}


def check_all_read(primitive, params: Params) -> None:
  """A parameter that its rule never reads may change what the primitive does: newer releases of JAX add such ones."""
  for name, value in dict.items(params):
    if name in params.read or name in _SETTLED or name in _SETTLED_OF.get(primitive.name, ()) or _is_unset(value):
      continue
    raise ExportError(f"the rule of '{primitive.name}' does not read its parameter '{name}', which is {_shown(value)}; "
                      f"leave it out, or use a release of JAX that pallas_mlir is tested with ({', '.join(release.TESTED)})")


def _is_unset(value) -> bool:
  return value is None or value is False or hasattr(value, "__len__") and len(value) == 0


def _shown(value) -> str:
  text = repr(value)
  return text if len(text) <= 60 else text[:57] + "..."


# Primitives that bear the name of another one: a rule must name the object.
_AMBIGUOUS: set[Any] = set()


def find(primitive) -> Rule | None:
  """The rule of a primitive: by identity first, then by name."""
  found = RULES.get(primitive)
  return found if found or primitive in _AMBIGUOUS else RULES.get(primitive.name)


# Modules of JAX that take long to import, with the families that export them: a
# kernel can hold their primitives only after the program imported them.
_ON_DEMAND = {"jax._src.pallas.mosaic_gpu.primitives": ("gpu", "gpu_devices", "tensor_memory", "warpgroup_code"), "jax._src.pallas.mosaic.sc_primitives": ("sparse_core",)}
_loaded: set[str] = set()


def load() -> None:
  """Imports the modules that fill the table, as far as the program needs them.

  A function may import such a module of JAX while it is traced: call this after tracing.
  """
  if not _loaded:
    for family in FAMILIES:
      importlib.import_module(f"pallas_mlir.exporting.{family}")
    _loaded.add("")
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
