# REQUIRES: pallas-python
# RUN: %devices=2 %python %s | FileCheck %s
"""What a program says of a kernel stands in the text of the compiled program, and so do the axes that it names."""
import jax
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P

import pallas_mlir.jax

x = np.ones((8, 128), np.float32)


def shown(function):
  text = jax.jit(function).lower(x).compile().as_text()
  found = text.find("kernel_metadata=")
  print(text[found:text.find("}}", found)].replace("\n", "") if found >= 0 else "no metadata")


def call(metadata, kernel):
  return lambda v: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(v.shape, v.dtype), metadata=metadata)(v)


def copied(x, o):
  o[...] = x[...]


def numbered(x, o):
  o[...] = x[...] + lax.axis_index("d")


def sharded(metadata):
  mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
  return jax.shard_map(call(metadata, numbered), mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False)


# CHECK: no metadata
shown(call(None, copied))
# CHECK: kernel_metadata={"tiles":"8"
shown(call({"tiles": "8"}, copied))
# CHECK: kernel_metadata={"mesh_axes":"[\"d\"]","tiles":"8"
shown(sharded({"tiles": "8"}))
# CHECK: the metadata of a kernel has a key 'mesh_axes', which is reserved for the axes that the kernel names; use another one
try:
  shown(sharded({"mesh_axes": "d"}))
except ValueError as error:
  print(error)
