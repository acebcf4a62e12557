"""Runs a kernel and shows that the process holds no library of LLVM; prints where the package lies."""
import os
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

start = time.perf_counter()
import pallas_mlir.jax
took = time.perf_counter() - start

x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)


def kernel(x, o):
  o[...] = jnp.exp(x[...])


block = pl.BlockSpec((8, 128), lambda i: (i, 0))
call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(8,), in_specs=[block], out_specs=block,
                      compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)))
np.testing.assert_allclose(call(x), np.exp(x), rtol=1e-6)
with open("/proc/self/maps") as maps:
  mapped = {os.path.basename(line.split()[-1]) for line in maps}
assert not [name for name in mapped if name.startswith(("libLLVM", "libMLIR"))], mapped
print(f"imported in {took * 1e3:.0f} ms from {os.path.dirname(pallas_mlir.__file__)}")
print("the installed package works")
