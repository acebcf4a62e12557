# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's types and memory spaces in the spelling of the dialect."""
from __future__ import annotations

import functools
import sys

import numpy as np
from jax._src import core as jax_core
from jax._src import dtypes
from jax._src.pallas import core as pallas_core
from jax._src.pallas.mosaic import core as tpu_core
from jax._src.state import types as state_types

from .. import release
from ..errors import ExportError


def mosaic_gpu():
  """The types of Mosaic GPU. Importing them takes longer than JAX itself, so
  while the program has not done so there are none: no kernel can hold any."""
  return sys.modules.get("jax._src.pallas.mosaic_gpu.core")


FLOAT_TYPES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2",
    "float8_e4m3b11fnuz": "f8E4M3B11FNUZ", "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e5m2fnuz": "f8E5M2FNUZ", "float8_e4m3": "f8E4M3",
    "float8_e3m4": "f8E3M4", "float8_e8m0fnu": "f8E8M0FNU",
    "float4_e2m1fn": "f4E2M1FN",
}
INT_WIDTHS = {
    "bool": 1, "int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "int8": 8,
    "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32,
    "int64": 64, "uint64": 64,
}


@functools.lru_cache(maxsize=None)
def _is_sub(dtype, kind) -> bool:
  return dtypes.issubdtype(dtype, kind)


def is_float(dtype) -> bool:
  return _is_sub(dtype, np.floating)


@functools.lru_cache(maxsize=None)
def has_infinity(dtype) -> bool:
  """Some floats of eight bits and less have NaN at most."""
  return bool(np.isinf(np.array(np.inf).astype(dtype)))


def has_zero(dtype) -> bool:
  """Scales of blocks are powers of two, which have no sign either."""
  return dtype != dtypes.float8_e8m0fnu


def has_signed_zero(dtype) -> bool:
  """Some floats of eight bits have NaN where others have the negative zero."""
  return bool(np.signbit(np.array(-0.0).astype(dtype)))


def is_unsigned(dtype) -> bool:
  return _is_sub(dtype, np.unsignedinteger) or dtype == np.bool_


def is_bool(dtype) -> bool:
  return dtype == np.bool_


def is_key(dtype) -> bool:
  return dtype is not None and _is_sub(dtype, dtypes.prng_key)


def holds_keys(aval) -> bool:
  return not is_ref(aval) and is_key(getattr(aval, "dtype", None))


def words_of_key(dtype) -> tuple[int, ...]:
  """The dimensions that an array of keys has behind its own: the words of each key."""
  return tuple(dtype._impl.key_shape) if is_key(dtype) else ()


def physical(aval):
  """The array that holds an array of keys: its words are one more dimension. Others are unchanged."""
  if not holds_keys(aval):
    return aval
  return jax_core.ShapedArray((*aval.shape, *words_of_key(aval.dtype)), np.dtype(np.uint32))


def bit_width(dtype) -> int:
  return dtypes.itemsize_bits(dtype)


def element_spelling(dtype) -> str:
  """The MLIR type of one element, semaphores and barriers included."""
  if isinstance(dtype, type):
    dtype = np.dtype(dtype)
  name = getattr(dtype, "name", str(dtype))
  if name in INT_WIDTHS:
    return f"i{INT_WIDTHS[name]}"
  if name in FLOAT_TYPES:
    return FLOAT_TYPES[name]
  gpu_core = mosaic_gpu()
  tensor_core = ", ordersTensorCore = true" if getattr(dtype, "orders_tensor_core", False) else ""
  if gpu_core and isinstance(dtype, gpu_core.BarrierType):
    return f"!pallas.barrier<numArrivals = {dtype.num_arrivals}{tensor_core}>"
  if gpu_core and isinstance(dtype, gpu_core.ClusterBarrierType):
    axes = ", ".join(f'"{axis}"' if isinstance(axis, str) else
                     "[" + ", ".join(f'"{name}"' for name in axis) + "]"
                     for axis in dtype.collective_axes)
    leader = ", leaderTracked = true" if getattr(dtype, "leader_tracked", False) else ""
    return (f"!pallas.cluster_barrier<collectiveAxes = [{axes}], "
            f"numArrivals = {dtype.num_arrivals}{tensor_core}{leader}>")
  if _is_sub(dtype, pallas_core.barrier_semaphore):
    return "!pallas.barrier_semaphore"
  if _is_sub(dtype, tpu_core.dma_semaphore):
    return "!pallas.dma_semaphore"
  if _is_sub(dtype, pallas_core.semaphore):
    return "!pallas.semaphore"
  remedy = "take it apart outside of the kernel"
  if _is_sub(dtype, np.complexfloating):
    remedy = "pass real and imaginary parts as separate arrays"
  raise ExportError(f"dtype {name} has no element type here; {remedy}")


_SPACES = {
    pallas_core.MemorySpace.ANY: "any",
    pallas_core.MemorySpace.DEFAULT: "default",
    pallas_core.MemorySpace.ERROR: "error",
    pallas_core.MemorySpace.INDEX: "smem",
    pallas_core.MemorySpace.KEY: "key",
    tpu_core.MemorySpace.VMEM: "vmem",
    tpu_core.MemorySpace.VMEM_SHARED: "vmem_shared",
    tpu_core.MemorySpace.SMEM: "smem",
    tpu_core.MemorySpace.CMEM: "cmem",
    tpu_core.MemorySpace.SEMAPHORE: "semaphore",
    tpu_core.MemorySpace.HBM: "hbm",
    jax_core.MemorySpace.Device: "default",
    **{space: "host" for space in release.host_memory_spaces()},
}
_GPU_SPACES = {"GMEM": "gmem", "SMEM": "smem", "TMEM": "tmem", "REGS": "regs"}
_CORES = {"tc": "tensorcore", "sc_scalar_subcore": "sc_scalar",
          "sc_vector_subcore": "sc_vector"}


def space_of(memory_space) -> tuple[str, str | None]:
  """The memory space and, where it names one, the core that it belongs to."""
  if memory_space is None:
    return "default", None
  if memory_space in _SPACES:
    return _SPACES[memory_space], None
  # Memory of the core models the accumulator of a matrix unit.
  if release.is_of(memory_space, tpu_core, "AccMemorySpace"):
    return "vmem", None
  gpu_core = mosaic_gpu()
  if gpu_core and isinstance(memory_space, gpu_core.MemorySpace):
    return _GPU_SPACES[memory_space.name], None
  core_type = getattr(getattr(memory_space, "mesh", memory_space), "core_type", None)
  inner = getattr(memory_space, "memory_space", None)
  if core_type is not None and inner in _SPACES:
    return _SPACES[inner], _CORES[core_type.value]
  raise ExportError(f"memory space {memory_space!r} is not supported")


def is_ref(aval) -> bool:
  return isinstance(aval, state_types.AbstractRef)


def is_accumulator(aval) -> bool:
  """Whether a ref is an accumulator of a TPU's matrix unit."""
  return release.is_of(getattr(aval, "memory_space", None), tpu_core, "AccMemorySpace")


def as_numpy(value, aval) -> np.ndarray:
  """A constant as the array of the type that its variable has."""
  return np.asarray(value, dtype=aval.dtype)
