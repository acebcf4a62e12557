"""A kernel that never ends beside one that does, in a folder of its own."""
import faulthandler
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir
import pallas_mlir.jax

# A hang is a failure, and names its place.
faulthandler.dump_traceback_later(120, exit=True)
os.chdir(tempfile.mkdtemp())


def go_on(x, o):
  o[...] = jax.lax.while_loop(lambda v: jnp.all(v >= 0), jnp.abs, x[...])


def add(x, o):
  o[...] = x[...] + 1


def call(kernel):
  return lambda x: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), interpret=True)(x)


def compile_checked(x):
  """`add`, compiled for checked calls before a run is given up."""
  pallas_mlir.jax.install(interpret=True)
  compiled = jax.jit(call(add))
  with pallas_mlir.jax.checked():
    compiled(x)
  return compiled


x = np.ones((8, 128), np.float32)
