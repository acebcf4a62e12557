# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""A kernel that a function uses several times: each use has prefetched scalars of its own, which a page evaluates."""
import faulthandler
import json
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from pallas_mlir import viewing

# A hang is a failure, and names its place.
faulthandler.dump_traceback_later(240, exit=True)


def copy(rows, x, o):
  o[...] = x[...]


@jax.jit
def gather(rows, x):
  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(3,), in_specs=[pl.BlockSpec((8, 128), lambda i, rows: (rows[i], 0))],
                                      out_specs=pl.BlockSpec((8, 128), lambda i, rows: (i, 0)))
  return pl.pallas_call(copy, grid_spec=spec, out_shape=jax.ShapeDtypeStruct((24, 128), jnp.float32), interpret=True)(rows, x)


x = np.arange(24 * 128, dtype=np.float32).reshape(24, 128)
up, down = np.array([0, 1, 2], np.int32), np.array([2, 1, 0], np.int32)


def show(name, fn, *args, seconds=60):
  page = viewing.view_function(fn, args, {}, "tpu", "pallas-discharge-state", seconds)
  print(f"-- {name}\n{page.summary}")
  data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page.html, re.S)[1])
  for call in data["calls"]:
    print(call["blocks"][0]["walk"], [f["text"] for f in call["findings"]])


# JAX lowers the function once, and its use has two sets of rows.
# CHECK-LABEL: -- twice
# CHECK: {'base': [0, 0], 'dims': [0], 'strides': {{\[}}[1], [0]]} []
# CHECK-NEXT: {'base': [2, 0], 'dims': [0], 'strides': {{\[}}[-1], [0]]} []
show("twice", lambda x: gather(down, gather(up, x)), x)
# CHECK-LABEL: -- same
# CHECK: {'base': [0, 0], 'dims': [0], 'strides': {{\[}}[1], [0]]} []
# CHECK-NOT: {'base'
show("same", lambda x: gather(up, gather(up, x)), x)
# What a loop passes differs from round to round; it takes nothing from the use before it.
# CHECK-LABEL: -- loop
# CHECK: {'base': [0, 0], 'dims': [0], 'strides': {{\[}}[1], [0]]} []
# CHECK-NEXT: {'unknown': 'its index map is unknown: it reads prefetched operand 0, which is not a constant'} []
show("loop", lambda x: jax.lax.fori_loop(0, 2, lambda i, x: gather(down + 0 * i, x), gather(up, x)), x)
# What computes the scalars has no end.
# CHECK-LABEL: -- endless
# CHECK: The run failed: what computes the prefetched arguments has not ended within 3 seconds
# CHECK: {'unknown': {{.*}}} ['what computes the prefetched arguments has not ended within 3 seconds
show("endless", lambda x: gather(jax.lax.while_loop(lambda r: r[0] < 9, lambda r: (r * 5 + 3) % 7, jnp.asarray(up)), x), x, seconds=3)
