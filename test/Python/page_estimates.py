# REQUIRES: libtpu, pallas-python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t | FileCheck %s
"""Pages have the cycles that the compiler of a chip estimates, or say why there are none."""
import sys

import jax
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir


def double(x, o):
  o[...] = 2 * x[...]


def call(x):
  block = pl.BlockSpec((64, 128), lambda i: (i, 0))
  return pl.pallas_call(double, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(16,), in_specs=[block], out_specs=block)(x)


x = np.ones((1024, 128), np.float32)
page = f"{sys.argv[1]}/page.html"
for target in ("tpu:v5e", "tpu:v4", "tpu", "gpu:sm_90a"):
  print(target)
  print(pallas_mlir.view(call, x, target=target, libtpu=True, file=page).summary)
# CHECK-LABEL: {{^}}tpu:v5e
# CHECK: libtpu {{[0-9.]+}}: [[#]] cycles
# CHECK-LABEL: {{^}}tpu:v4
# CHECK: libtpu {{[0-9.]+}}: no answer: the compiler has no figures for 'v4'; it has them for v5e, v5p, v6e, tpu7x
# CHECK-LABEL: {{^}}tpu{{$}}
# CHECK: libtpu {{[0-9.]+}}: no figure for tpu; name a chip, as in tpu:v5e
# CHECK-LABEL: {{^}}gpu:sm_90a
# CHECK: libtpu {{[0-9.]+}}: no figure for gpu:sm_90a; name a chip, as in tpu:v5e
# The page has the figure, too.
# CHECK: figure in the page: True
pallas_mlir.view(call, x, target="tpu:v5e", libtpu=True, file=page)
print("figure in the page:", '"estimate":{' in open(page).read().replace(" ", ""))
