# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of Python that kernels call.

A kernel names such a function by a number, which only this process knows: what
another process compiled before must not reach a function of ours.
"""
from __future__ import annotations

import ctypes
import itertools
import os
import threading
import traceback
import weakref

import jax
import numpy as np

from .errors import ExportError
from .exporting import types as T

_lock = threading.Lock()
_numbers = itertools.count(int.from_bytes(os.urandom(7), "little") << 6)
# Both forget a function with the last executable that calls it.
_by_number: weakref.WeakValueDictionary[int, HostFunction] = weakref.WeakValueDictionary()
_by_content: weakref.WeakValueDictionary[tuple, HostFunction] = weakref.WeakValueDictionary()


class HostFunction:
  """`function(*arrays)` yields arrays of the types `results`."""

  def __init__(self, number, function, operands, results):
    self.number, self.function, self.operands, self.results = number, function, operands, results

  def __call__(self, addresses):
    operands, results = addresses[:len(self.operands)], addresses[len(self.operands):]
    # The memory is the kernel's and changes when the function has returned.
    arrays = [_narrow(_array(a, t), t) for a, t in zip(operands, self.operands)]
    places = [_array(a, t) for a, t in zip(results, self.results)]
    for place in places:
      place[...] = 0
    values = self.function(*arrays)
    if len(values) != len(places):
      raise ValueError(f"the function returned {len(values)} arrays, but declared {len(places)}")
    for place, value, aval in zip(places, values, self.results):
      value = np.asarray(value)
      if value.shape != aval.shape or jax.dtypes.canonicalize_dtype(value.dtype) != aval.dtype:
        raise ValueError(f"the function returned an array of shape {value.shape} and type {value.dtype}, "
                         f"but declared {tuple(aval.shape)} and {aval.dtype}")
      place[...] = value.astype(place.dtype) if place.dtype != aval.dtype else value


def _stored(dtype):
  """Elements of fewer than 8 bits take a byte each."""
  if T.is_bool(dtype):
    return np.dtype(np.uint8)
  name = dtype.name
  if name in ("int2", "int4", "uint2", "uint4"):
    return np.dtype(np.uint8 if name.startswith("u") else np.int8)
  return np.dtype(dtype)


def _array(address, aval):
  dtype = _stored(aval.dtype)
  count = int(np.prod(aval.shape, dtype=np.int64))
  if not count:
    return np.zeros(aval.shape, dtype)
  memory = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
  return np.frombuffer(memory, dtype).reshape(aval.shape)


def _narrow(array, aval):
  return array.astype(aval.dtype) if array.dtype != aval.dtype else array.copy()


def register(content, function, operands, results) -> HostFunction:
  """The function with a number, the same one for the same content; it lives as long as it is referenced."""
  if any(T.holds_keys(a) or T.is_ref(a) for a in (*operands, *results)):
    raise ExportError("a function of Python takes and yields arrays of numbers; unwrap keys and read refs before")
  key = (content, tuple((a.shape, a.dtype) for a in operands), tuple((a.shape, a.dtype) for a in results))
  with _lock:
    try:
      found = _by_content.get(key)
    except TypeError:
      # Callables need not be hashable.
      found, key = None, (object(),)
    if found is None:
      found = _by_content[key] = HostFunction(next(_numbers), function, list(operands), list(results))
      _by_number[found.number] = found
    return found


def call(number: int, addresses) -> str:
  """Called by kernels; returns what went wrong."""
  function = _by_number.get(number)
  if function is None:
    return f"function {number} belongs to the process that made this kernel; run the kernel there"
  try:
    function(addresses)
  except BaseException as error:  # pylint: disable=broad-except
    # Nothing may unwind through compiled code.
    return "".join(traceback.format_exception(error)).rstrip()
  return ""
