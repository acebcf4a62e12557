# REQUIRES: pallas-python
# RUN: %python %s
"""Primitives that transformations of JAX leave in kernels, and those that few programs call by name."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax._src import core, pjit
from jax._src import linear_util as lu
from jax._src.lax import lax as lax_internal
from jax._src.pallas.fuser import custom_fusion_lib
from jax._src.pallas.mosaic_gpu import primitives as gpu_primitives
from jax.experimental import layout
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu

t = Table()
f32, i32 = jnp.float32, jnp.int32
S = jax.ShapeDtypeStruct
x, small = floats(8, 128), floats(5, 9)


def add(name, kernel, out, *arrays, want, call=pl.pallas_call, **keywords):
  t.add(name, lambda *v, interpret: call(kernel, out_shape=S(out.shape, out.dtype), **keywords)(*v),
        *arrays, whole_arrays=False, want=want)


# Calls
def called(primitive):
  if has_release("0.11.1"):
    # Calls are of jaxprs by now, and both are one primitive.
    return lambda v: primitive.bind(v, call_jaxpr=jax.make_jaxpr(lambda w: jnp.sin(w) + 1)(v))[0]
  body = lu.wrap_init(lambda w: [jnp.sin(w) + 1], debug_info=core.DebugInfo("call", "called", ("w",), None))
  return lambda v: primitive.bind(v, subfuns=(body,))[0]


t.add("call", called(core.call_p), small)
t.add("closed_call", called(core.closed_call_p), small)


# What the fuser does outside of kernels is of no interest inside.
@custom_fusion_lib.custom_fusion
def scaled(v, w):
  return v * w + 1


@scaled.def_pull_block_spec
def _(specs, *_):
  return specs * 2


@scaled.def_push_block_spec
def _(*specs):
  return specs[0]


@scaled.def_eval_rule
def _(_, v, w):
  return (v * w + 1,)


t.add("custom_fusion", lambda v: scaled(v, v + 2), small)


@jax.custom_vjp
def remembered(v):
  return jnp.sin(v)


remembered.defvjp(lambda v: (jnp.sin(v), jnp.cos(v)), lambda c, g: (g * c,), optimize_remat=True)
t.add("remat_opt", lambda v: jax.grad(lambda w: jnp.sum(remembered(w)))(v), small)

# Marks, and where values are to be
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
t.add("sharding_constraint", lambda v: lax.with_sharding_constraint(v, everywhere) + 1, small)
t.add("layout_constraint", lambda v: layout.with_layout_constraint(v, layout.Layout(major_to_minor=(0, 1))) + 1, small)
t.add("reshard", lambda v: pjit.reshard_p.bind(v, dst_sharding=jax.sharding.NamedSharding(mesh.abstract_mesh, everywhere.spec), concrete_mesh=None) + 1, small)
t.add("tie", lambda v: lax_internal.tie_p.bind(v, v * 2), small)
t.add("scan_transposed", lambda v: jax.grad(lambda w: jnp.sum(lax.scan(lambda c, r: (c * r, c), w[0], w)[0]))(v), small, tolerance=1e-4)
t.add("empty2", lambda v: lax.broadcast(lax_internal.empty2(f32, memory_space=core.MemorySpace.Device), v.shape) * 0 + v, small)


def varying(v, interpret):
  def kernel(x, o):
    o[...] = x[...] + core.pvary_p.bind(jnp.ones((8, 128), f32), axes=("d",))
  rows = jax.sharding.PartitionSpec("d")
  return jax.shard_map(lambda v: pl.pallas_call(kernel, out_shape=jax.typeof(v))(v), mesh=mesh, in_specs=rows, out_specs=rows)(v)
t.add("pvary", varying, x, whole_arrays=False, want=x + 1)


# Grids whose sizes only the program knows
def counted(x, o):
  o[...] = x[...] + pl.num_programs(0)
t.add("num_programs", lambda n, v, interpret: pl.pallas_call(
    counted, out_shape=S((8, 128), f32), grid=(n[0],), in_specs=[pl.BlockSpec((4, 128), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((4, 128), lambda i: (i, 0)), interpret=interpret)(v), np.array([2], np.int32), x, whole_arrays=False)


# Memory without a first value, and calls of kernels on refs
def with_empty_ref(x, o):
  buffer = core.empty_ref(S((8, 128), f32), memory_space=pltpu.VMEM)
  buffer[...] = x[...] * 2
  o[...] = buffer[...]
add("empty_ref", with_empty_ref, x, x, want=x * 2)


# What JAX makes of `wgmma` on the value of an accumulator
def product(a, b, o):
  from jax._src import tree_util
  none = tree_util.tree_structure(())
  o[...] = gpu_primitives.wgmma_p.bind(jnp.ones((64, 64), f32), a, b, a_transforms_tree=none, b_transforms_tree=none)
half = [floats(64, 64, seed=i).astype(np.float16) for i in (0, 1)]
t.add("wgmma", lambda a, b, interpret: plgpu.kernel(product, out_type=S((64, 64), f32))(a, b), *half, whole_arrays=False,
      want=1 + half[0].astype(np.float32) @ half[1].astype(np.float32), tolerance=1e-3)


def met(x, o):
  sem = pltpu.get_barrier_semaphore()
  pl.semaphore_signal(sem, 2)
  pl.semaphore_wait(sem, 2)
  o[...] = x[...] + 1
add("barrier_semaphore", met, x, x, want=x + 1, compiler_params=pltpu.CompilerParams(collective_id=3))
t.run()
