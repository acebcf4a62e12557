# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of Mosaic GPU kernels that reach several devices at once."""
from __future__ import annotations

from jax._src.pallas.mosaic_gpu import primitives as gpu

from . import types as T
from .kernel import takes_constants
from .operands import as_i32, operands, unflatten
from .refs import axes_attr, on_all_devices, place, view
from .registry import rule


def _transforms(tree, leaves):
  return () if tree is None else unflatten(tree, leaves)


@rule(gpu.multimem_store_p)
@takes_constants
def _multimem_store(k, eqn, *values):
  p = eqn.params
  value, ref, *leaves = operands(eqn, values)
  everywhere = on_all_devices(k, ref.value, p["collective_axes"])
  target, indexer, indices = place(k, everywhere, ref.aval, _transforms(p["transforms_tree"], leaves))
  k.op("pallas.swap", [target, *indices, k.materialize(value.value, value.aval)], k.type_of(value.aval), indexer=indexer)


@rule(gpu.multimem_load_reduce_p)
@takes_constants
def _multimem_load_reduce(k, eqn, *values):
  p, out = eqn.params, eqn.outvars[0].aval
  ref, *leaves = operands(eqn, values)
  target, _ = view(k, ref.value, ref.aval, _transforms(p["tree"], leaves))
  kind = p["reduction_op"]
  if kind in ("max", "min") and T.is_unsigned(out.dtype):
    kind = f"u{kind}"
  return k.op("pallas.multimem_load_reduce", [target], k.type_of(out), kind=k.attr(f"#pallas.combining<{kind}>"),
              deviceAxes=axes_attr(k, p["collective_axes"]))


@rule(gpu.semaphore_signal_multicast_p)
@takes_constants
def _semaphore_signal_multicast(k, eqn, *values):
  ref, transforms, increment = unflatten(eqn.params["args_tree"], operands(eqn, values))
  semaphore, _ = view(k, ref.value, ref.aval, transforms)
  everywhere = on_all_devices(k, semaphore, eqn.params["collective_axes"])
  k.do("pallas.semaphore_signal", [everywhere, as_i32(k, increment)], operandSegmentSizes=k.b.i32_array([1, 1, 0, 0]))
