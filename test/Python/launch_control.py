# REQUIRES: jax, pallas-python
# RUN: %python %s %root %t
"""Blocks that take the work of others: each finds none on a CPU, and does its own, before and after the lowering."""

import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pallas_mlir
import pallas_mlir.jax
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test", "Inputs"))
import gpu_stage

pallas_mlir.jax.install()
os.makedirs(work, exist_ok=True)
i32 = jnp.int32


def check(name, grid, cluster, threads):
  """Each element of the result is the number of its block, and one for each step of the loop."""
  names, cluster_names = tuple("ijk"[:len(grid)]), tuple("ab"[:len(cluster)])
  axis = "wg" if threads > 1 else None

  def body(out):
    @plgpu.dynamic_scheduling_loop(names, thread_axis=axis, cluster_axes=cluster_names, init_carry=i32(0))
    def steps(info, carry):
      place = (*info.index, *map(lax.axis_index, cluster_names), *([lax.axis_index("wg")] if axis else []))
      out[place] = 10 * lax.axis_index(names) + carry + 1
      return carry + 1

  shape = (*grid, *cluster, *([threads] if axis else []))
  options = dict(cluster=cluster, cluster_names=cluster_names) if cluster else {}
  if axis:
    options |= dict(num_threads=threads, thread_name="wg")
  call = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(shape, i32), grid=grid, grid_names=names,
                      compiler_params=plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Warpgroup), **options)
  blocks = np.arange(np.prod(grid)).reshape(*grid, *(1 for _ in shape[len(grid):]))
  wanted = np.broadcast_to(10 * blocks + 1, shape)
  np.testing.assert_array_equal(jax.jit(call)(), wanted, err_msg=name)
  path = f"{work}/{name}.mlir"
  text = str(pallas_mlir.export(call))
  assert "pallas.try_cluster_cancel" in text and "pallas.query_cluster_cancel" in text, text
  with open(path, "w") as file:
    file.write(text)
  module = gpu_stage.lower(path, f"{work}/{name}", "arch=sm_100a")
  lowered = open(module).read()
  assert "mosaic_gpu.try_cluster_cancel" in lowered and "mosaic_gpu.query_cluster_cancel" in lowered, lowered
  for stage in path, module:
    (result,) = gpu_stage.execute(stage, (), 1, f"{work}/{name}")
    np.testing.assert_array_equal(result, wanted, err_msg=stage)


check("grid", (3, 4), (), 1)
check("clusters", (4,), (2,), 1)
check("warpgroups", (3,), (), 2)
