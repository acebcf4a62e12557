"""Families of random kernels, each with a range of numbers, so that a number alone draws its kernel again.

A family is a function from a number to a `Kernel`, the first of its numbers, and a weight: how often it comes up when
kernels of all families are drawn. A number never means another kernel, so ranges and `make` functions stay what they
are; what is to be drawn differently becomes a family of its own.
"""
import dataclasses
from typing import Callable

import random_contractions
import random_device
import random_edges
import random_forms
import random_kernels
import random_steps
import random_times
import random_values


@dataclasses.dataclass(frozen=True)
class Family:
  name: str
  first: int
  make: Callable
  weight: int


# In the order of their numbers. Those without weight have no reference to be compared with.
FAMILIES = (
    Family("kernels", 0, random_kernels.make, 3),
    Family("forms", random_forms.FIRST, random_forms.make, 3),
    Family("contractions", random_contractions.FIRST, random_contractions.make, 2),
    Family("device", random_device.FIRST, random_device.make, 0),
    Family("edges", random_edges.FIRST, random_edges.make, 2),
    Family("reductions", random_values.FIRST_REDUCTIONS, random_values.Reductions.make, 3),
    Family("broadcasts", random_values.FIRST_BROADCASTS, random_values.Broadcasts.make, 2),
    Family("columns", random_values.FIRST_COLUMNS, random_values.Columns.make, 2),
    Family("carries", random_values.FIRST_CARRIES, random_values.Carries.make, 2),
    Family("lanes", random_values.FIRST_LANES, random_values.Lanes.make, 2),
    Family("steps", random_steps.FIRST, random_steps.Steps.make, 2),
    Family("times", random_times.FIRST, random_times.Times.make, 2),
)


def family_of(number):
  """The family that this number belongs to."""
  return max((f for f in FAMILIES if f.first <= number), key=lambda f: f.first)


def draw(number):
  """The kernel with this number, always the same one."""
  return family_of(number).make(number)


def find(names):
  """The families with these names, which stand with commas between; `all` are those with a reference."""
  if names == "all":
    return [f for f in FAMILIES if f.weight]
  known = {f.name: f for f in FAMILIES}
  unknown = [name for name in names.split(",") if name not in known]
  if unknown:
    raise SystemExit(f"there is no family {', '.join(unknown)}; there are {', '.join(known)}")
  return [known[name] for name in names.split(",")]


def numbers(families, count, skip=0):
  """`count` numbers of kernels of these families, by weight, behind the first `skip` of them."""
  turns = [f for turn in range(max(f.weight for f in families)) for f in families if f.weight > turn] or list(families)
  taken = dict.fromkeys(turns, 0)
  for turn in range(skip + count):
    family = turns[turn % len(turns)]
    if turn >= skip:
      yield family.first + taken[family]
    taken[family] += 1
