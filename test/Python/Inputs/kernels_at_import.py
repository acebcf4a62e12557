"""A module that runs a kernel before its first test."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def unset(x, o, s):
  o[...] = x[...] + s[...]


shared = pl.pallas_call(unset, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), scratch_shapes=[pltpu.VMEM((8,), jnp.float32)],
                        interpret=True)(np.ones(8, np.float32))


def test_collected():
  assert shared.shape == (8,)
