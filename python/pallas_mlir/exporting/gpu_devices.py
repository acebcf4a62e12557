# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of Mosaic GPU kernels that reach several devices: one after the other, which any order includes."""
from __future__ import annotations

from jax._src.pallas.mosaic_gpu import primitives as gpu

from . import types as T
from .arith import Elementwise
from .kernel import takes_constants
from .operands import as_i32, operands, unflatten
from .refs import place, view
from .registry import rule


class Devices:
  """All devices along axes of the mesh; each is named by its place among them."""

  def __init__(self, k, axes):
    self.k = k
    self.axes = tuple(map(str, axes if isinstance(axes, (tuple, list)) else (axes,)))

  @property
  def attributes(self):
    k = self.k
    axes = k.b.array_attr([k.b.array_attr([k.b.str_attr(a) for a in self.axes])])
    return dict(deviceAxes=axes, deviceIdType=k.attr("#pallas<device_id_type mesh>"))

  def count(self):
    k, count = self.k, None
    for axis in self.axes:
      size = k.op("pallas.axis_size", [], k.i32, axisName=k.b.str_attr(axis))
      count = size if count is None else k.op("arith.muli", [count, size], k.i32)
    return count

  def there(self, ref, device):
    return self.k.do("pallas.remote_ref", [ref, device], None, **self.attributes).results[0]

  def loop(self, first, init, types, body):
    """`body(device, carried)` for the devices from `first` on; returns the carried values of the last one."""
    k = self.k
    op = k.do("scf.for", [k.i32_constant(first), self.count(), k.i32_constant(1), *init], types, regions=1)
    with k.inside(k.b.add_block(op, 0, [k.i32, *types])) as (device, *carried):
      k.do("scf.yield", body(device, carried) or [])
    return op.results


def _transforms(tree, leaves):
  return () if tree is None else unflatten(tree, leaves)


@rule(gpu.multimem_store_p)
@takes_constants
def _multimem_store(k, eqn, *values):
  p = eqn.params
  value, ref, *leaves = operands(eqn, values)
  devices = Devices(k, p["collective_axes"])
  stored = k.materialize(value.value, value.aval)

  def store(device, _):
    target, indexer, indices = place(k, devices.there(ref.value, device), ref.aval, _transforms(p["transforms_tree"], leaves))
    k.op("pallas.swap", [target, *indices, stored], k.type_of(value.aval), indexer=indexer)
  devices.loop(0, [], [], store)


_COMBINE = {"add": ("arith.addf", "arith.addi", "arith.addi"), "max": ("arith.maximumf", "arith.maxsi", "arith.maxui"),
            "min": ("arith.minimumf", "arith.minsi", "arith.minui"), "and": (None, "arith.andi", "arith.andi"),
            "or": (None, "arith.ori", "arith.ori"), "xor": (None, "arith.xori", "arith.xori")}


@rule(gpu.multimem_load_reduce_p)
@takes_constants
def _multimem_load_reduce(k, eqn, *values):
  p, out = eqn.params, eqn.outvars[0].aval
  ref, *leaves = operands(eqn, values)
  devices, e = Devices(k, p["collective_axes"]), Elementwise(k, out.shape)
  of_floats, of_signed, of_unsigned = _COMBINE[p["reduction_op"]]
  name = of_floats if T.is_float(out.dtype) else of_unsigned if T.is_unsigned(out.dtype) else of_signed

  def load(device):
    target, indexer, indices = place(k, devices.there(ref.value, device), ref.aval, _transforms(p["tree"], leaves))
    return k.op("pallas.get", [target, *indices], k.type_of(out), indexer=indexer)
  [result] = devices.loop(1, [load(k.i32_constant(0))], [k.type_of(out)],
                          lambda device, carried: [e.op(name, out.dtype, carried[0], load(device))])
  return result


@rule(gpu.semaphore_signal_multicast_p)
@takes_constants
def _semaphore_signal_multicast(k, eqn, *values):
  ref, transforms, increment = unflatten(eqn.params["args_tree"], operands(eqn, values))
  semaphore, _ = view(k, ref.value, ref.aval, transforms)
  devices, amount = Devices(k, eqn.params["collective_axes"]), as_i32(k, increment)

  def signal(device, _):
    k.do("pallas.semaphore_signal", [semaphore, amount, device], operandSegmentSizes=k.b.i32_array([1, 1, 1, 0]), **devices.attributes)
  devices.loop(0, [], [], signal)
