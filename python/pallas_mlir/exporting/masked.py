# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masked accesses of refs and atomic ones: loads and stores of Triton's kind."""
from __future__ import annotations

import numpy as np
from jax._src.indexing import Slice
from jax._src.state import indexing

from . import types as T
from .arith import convert
from .kernel import Constant, takes_constants
from .operands import Operand, operands, unflatten
from .refs import place, trivial_indexer
from .registry import rule


def _mask(k, mask, shape):
  """A mask of the shape that is accessed."""
  if isinstance(mask.value, Constant):
    return k.constant(T.as_numpy(mask.value.value, mask.aval), shape, mask.aval.dtype)
  aval = mask.aval
  return mask.value if tuple(aval.shape) == tuple(shape) else k.splat(mask.value, shape, aval.dtype, len(aval.shape))


# Loads and stores of Triton's kind compute an address per element: elements stay
# in place where others lie outside of the ref. `ref[...]` moves the whole slice.

def _start(k, entry):
  """The start of a slice, or a scalar index: an integer if it is known, else None."""
  start = entry.start if isinstance(entry, Slice) else entry
  known = k.known(start.value) if isinstance(start, Operand) else start
  return None if known is None or np.ndim(known) else int(known)


def may_leave(k, transforms, *, slices_only) -> bool:
  """Whether an access may select what lies outside of its ref, where its arrays of indices don't."""
  last = transforms[-1] if transforms else None
  if not isinstance(last, indexing.NDIndexer):
    return False
  for entry, size in zip(last.indices, last.shape):
    is_slice = isinstance(entry, Slice)
    if not is_slice and (slices_only or last.int_indexer_shape):
      continue
    start, length = _start(k, entry), entry.size if is_slice else 1
    # The verifier refuses sizes that the kernel alone knows.
    if not isinstance(length, int) or length == 0:
      continue
    extent = (length - 1) * entry.stride + 1 if is_slice else 1
    if start is None or not isinstance(size, int) or not 0 <= start <= size - extent:
      return True
  return False


@rule("masked_load")
@takes_constants
def _masked_load(k, eqn, *values):
  ref, transforms, mask, other = unflatten(eqn.params["args_tree"], operands(eqn, values))
  target, indexer, indices = place(k, ref.value, ref.aval, transforms)
  out = eqn.outvars[0].aval
  # Single elements outside have no value, so that they may move inside.
  if mask is None and not may_leave(k, transforms, slices_only=True):
    return k.op("pallas.get", [target, *indices], k.type_of(out), indexer=indexer)
  extra = [] if mask is None else [_mask(k, mask, out.shape)]
  if other is not None:
    value = k.materialize(other.value, other.aval)
    value = convert(k, value, other.aval.shape, other.aval.dtype, out.dtype)
    extra.append(value if other.aval.shape == out.shape else k.splat(value, out.shape, out.dtype))
  return k.op("pallas.masked_load", [target, *indices, *extra], k.type_of(out), indexer=indexer,
              operandSegmentSizes=k.b.i32_array([1, len(indices), int(mask is not None), int(other is not None)]))


@rule("masked_swap")
@takes_constants
def _masked_swap(k, eqn, *values):
  ref, transforms, value, mask = unflatten(eqn.params["args_tree"], operands(eqn, values))
  target, indexer, indices = place(k, ref.value, ref.aval, transforms)
  type_ = k.type_of(eqn.outvars[0].aval)
  stored = k.materialize(value.value, value.aval)
  if mask is not None:
    chosen = _mask(k, mask, value.aval.shape)
  elif may_leave(k, transforms, slices_only=False):
    chosen = k.constant(True, value.aval.shape, np.dtype(bool))
  else:
    return k.op("pallas.swap", [target, *indices, stored], type_, indexer=indexer)
  return k.op("pallas.masked_swap", [target, *indices, stored, chosen], type_, indexer=indexer)


@rule("atomic_rmw")
@takes_constants
def _atomic_rmw(k, eqn, *values):
  ref, transforms, value, mask = unflatten(eqn.params["args_tree"], operands(eqn, values))
  target, indexer, indices = place(k, ref.value, ref.aval, transforms)
  out = eqn.outvars[0].aval
  kind = eqn.params["atomic_type"].value
  if T.is_unsigned(out.dtype) and kind in ("max", "min"):
    kind = "u" + kind
  stored = k.materialize(value.value, value.aval)
  if value.aval.shape != out.shape:
    stored = k.splat(stored, out.shape, out.dtype)
  masks = [] if mask is None else [_mask(k, mask, out.shape)]
  return k.op("pallas.atomic_rmw", [target, *indices, stored, *masks], k.type_of(out), indexer=indexer,
              kind=k.attr(f"#pallas.atomic<{kind}>"),
              operandSegmentSizes=k.b.i32_array([1, len(indices), 1, len(masks)]))


@rule("atomic_cas")
def _atomic_cas(k, eqn, ref, expected, value):
  return k.op("pallas.atomic_cas", [ref, expected, value], k.type_of(eqn.outvars[0].aval), indexer=trivial_indexer(k))
