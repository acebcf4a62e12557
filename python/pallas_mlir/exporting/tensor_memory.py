# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor memory of GPUs, and the products that it takes."""
from __future__ import annotations

import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu import primitives as gpu

from .composite import trace
from .gpu import barrier_ref, split_leaves, split_predicated_leaves, when
from .kernel import takes_constants
from .operands import operands
from .refs import viewed
from .registry import rule


@rule(gpu.async_load_tmem_p)
@takes_constants
def _async_load_tmem(k, eqn, *values):
  ref, *leaves = operands(eqn, values)
  [transforms] = split_leaves(leaves, eqn.params.get("tree") or eqn.params.get("transforms_tree"))
  loaded = k.op("pallas.async_load_tmem", [viewed(k, ref, transforms)[0]], k.type_of(eqn.outvars[0].aval))
  reduction = eqn.params.get("reduce")
  if reduction is None:
    return loaded
  magnitude = jnp.abs if reduction.startswith("abs") else lambda x: x
  combine = jnp.max if reduction.endswith("max") else jnp.min
  [reduced] = trace(k, lambda x: combine(magnitude(x), axis=-1), [eqn.outvars[0].aval], [loaded])
  return loaded, reduced


@rule(gpu.async_store_tmem_p)
@takes_constants
def _async_store_tmem(k, eqn, *values):
  ref, value, *leaves = operands(eqn, values)
  [transforms] = split_leaves(leaves, eqn.params.get("tree") or eqn.params.get("transforms_tree"))
  k.do("pallas.async_store_tmem", [k.materialize(value.value, value.aval), viewed(k, ref, transforms)[0]])


@rule(gpu.wait_load_tmem_p)
def _wait_load_tmem(k, eqn):
  k.do("pallas.wait_load_tmem")


@rule(gpu.commit_tmem_p)
def _commit_tmem(k, eqn):
  k.do("pallas.commit_tmem")


def _pair(k, params):
  """The axis of the cluster along which two blocks work together."""
  axis = params.get("collective_axis")
  return {} if axis is None else {"collectiveAxis": k.b.str_attr(str(axis))}


def _copy(k, eqn, values, kind):
  p = eqn.params
  source, target, *leaves = operands(eqn, values)
  ts, tt = split_leaves(leaves, p["smem_tree"], p["tmem_tree"])
  k.do("pallas.async_copy_to_tmem", [viewed(k, source, ts)[0], viewed(k, target, tt)[0]], kind=k.attr(f"#pallas<tensor_copy {kind}>"), **_pair(k, p))


@rule(gpu.async_copy_smem_to_tmem_p)
@takes_constants
def _copy_to_tmem(k, eqn, *values):
  _copy(k, eqn, values, "matrix")


@rule(gpu.async_copy_sparse_metadata_to_tmem_p)
@takes_constants
def _copy_metadata_to_tmem(k, eqn, *values):
  _copy(k, eqn, values, "sparse_metadata")


@rule(gpu.async_copy_scales_to_tmem_p)
@takes_constants
def _copy_scales_to_tmem(k, eqn, *values):
  _copy(k, eqn, values, "scales")


@rule(gpu.tcgen05_mma_p)
@takes_constants
def _tcgen05_mma(k, eqn, *values):
  p = eqn.params
  acc, a, b, accumulate, *rest = operands(eqn, values)
  counts = [int(bool(p.get("arrive"))), 2 * bool(p.get("scaled")), int(bool(p.get("sparse")))]
  barriers, scales, places = ([rest.pop(0) for _ in range(count)] for count in counts)
  names = ("acc", "a", "b", "barrier", "a_scale", "b_scale", "a_sparse_metadata")
  tc, ta, tb, tbar, *more = split_leaves(rest, *(p[f"{name}_transforms_tree"] for name in names))
  factors = [viewed(k, r, t)[0] for r, t in ((acc, tc), (a, ta), (b, tb))]
  signals = [barrier_ref(k, x, tbar) for x in barriers]
  beside = [viewed(k, r, t)[0] for r, t in zip(scales, more)] + [viewed(k, r, more[2])[0] for r in places]
  k.do("pallas.tcgen05_mma", [*factors, k.materialize(accumulate.value, accumulate.aval), *signals, *beside],
       operandSegmentSizes=k.b.i32_array([1, 1, 1, 1, counts[0], counts[1] // 2, counts[1] // 2, counts[2]]), **_pair(k, p))


@rule(gpu.tcgen05_commit_arrive_p)
@takes_constants
def _tcgen05_commit(k, eqn, *values):
  barrier, *leaves = operands(eqn, values)
  transforms, predicate = split_predicated_leaves(eqn.params, leaves, eqn.params["barrier_transforms_tree"])
  ref = barrier_ref(k, barrier, transforms)
  with when(k, predicate):
    k.do("pallas.tcgen05_commit", [ref], **_pair(k, eqn.params))
