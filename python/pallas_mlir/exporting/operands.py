# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of primitives: values with their types, numbers as i32, and the device that a remote operation names."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from jax import tree_util
from jax._src.pallas import primitives as pallas_primitives

from .arith import convert


@dataclasses.dataclass(frozen=True)
class Operand:
  """A value together with its type: the leaf of a tree of arguments."""
  value: Any
  aval: Any


def operands(eqn, values) -> list[Operand]:
  return [Operand(v, var.aval) for v, var in zip(values, eqn.invars)]


def unflatten(tree, leaves):
  return tree_util.tree_unflatten(tree, leaves)


def as_i32(k, operand):
  """An operand, or a number known now, as an i32."""
  if not isinstance(operand, Operand):
    return k.i32_constant(int(operand))
  shape = operand.aval.shape
  value = convert(k, k.materialize(operand.value), shape, operand.aval.dtype, np.dtype("int32"))
  return k.op("pallas.reshape", [value], k.i32) if shape else value


class Device:
  """Where a remote operation goes: operands and attributes."""

  def __init__(self, k, device_id, device_id_type):
    self.ids, self.attributes = [], {}
    if device_id is None:
      return
    mesh = device_id_type is pallas_primitives.DeviceIdType.MESH
    if isinstance(device_id, dict):
      axes = []
      for axis, index in device_id.items():
        if isinstance(axis, tuple):
          axes.append(k.b.array_attr([k.b.str_attr(str(a)) for a in axis]))
        else:
          axes.append(k.b.str_attr(str(axis)))
        self.ids.append(as_i32(k, index))
      self.attributes["deviceAxes"] = k.b.array_attr(axes)
      mesh = True
    elif isinstance(device_id, (tuple, list)):
      self.ids = [as_i32(k, index) for index in device_id]
    else:
      self.ids = [as_i32(k, device_id)]
    kind = "mesh" if mesh else "logical"
    self.attributes["deviceIdType"] = k.attr(f"#pallas<device_id_type {kind}>")
