# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of random kernels, each with a range of numbers, so that a number alone draws its kernel again.

A number never means another kernel, so ranges and `make` functions stay what they are; what is to be drawn differently
becomes a family of its own.
"""
from __future__ import annotations

import argparse
import dataclasses
from typing import Callable, Iterator

from . import (again, casts, contractions, control, device, edges, ends, forms, functions, gpus, groups, joins, kernels, links, loops, maps, packed, parts, places, pointers, refs, scalars, shapes, slots, sparse_core,
               steps, streams, subcores, sums, times, transforms, values, views)

# Lengths of blocks for TPUs.
TILES = (8, 128)

# Element types that TPUs compute with.
TPU_DTYPES = ("float32",) * 4 + ("bfloat16",) * 2 + ("int32",) * 2 + ("int8", "int16", "uint32", "uint8")


def _kernels_in_tiles(number, tiles):
  return kernels.make(number, tiles=tiles, dtypes=TPU_DTYPES)


@dataclasses.dataclass(frozen=True)
class Family:
  """`make` yields a kernel for its number, `make_sized` one whose blocks have these sizes along the last two axes, or is None
  where kernels have sizes of their own. `weight`: how often the family comes up among all, never without a reference to
  compare with. `origin`: what `make` calls the first number, where that is another one."""
  name: str
  first: int
  make: Callable | None
  make_sized: Callable | None
  weight: int
  about: str
  origin: int | None = None

  def draw(self, number: int, tiles=None):
    own = number if self.origin is None else number - self.first + self.origin
    if tiles:
      if not self.make_sized:
        raise SmithError(f"kernels of the family {self.name} have sizes of their own; leave out --sizes")
      return self.make_sized(own, tiles)
    if not self.make:
      raise SmithError(f"kernels of the family {self.name} need --sizes, such as --sizes=8x128")
    return self.make(own)


class SmithError(SystemExit, ValueError):
  """Something that was asked for and isn't there; ends a program with its message."""


# In the order of their numbers.
FAMILIES = (
    Family("kernels", 0, kernels.make, _kernels_in_tiles, 3, "windows of all kinds around short bodies"),
    Family("forms", forms.FIRST, forms.make, forms.make, 3, "accesses, copies, pipelines, refs in control flow"),
    Family("contractions", contractions.FIRST, contractions.make, contractions.make, 2,
           "products of operands of different element types, in either layout"),
    Family("device", device.FIRST, None, device.make, 0, "what only the device has; the compiler for TPUs judges it, so there is no answer to compare"),
    Family("edges", edges.FIRST, edges.make, None, 2,
           "accesses at and over the edges of refs in each flavour, aliases, lengths known at run time"),
    Family("reductions", values.FIRST_REDUCTIONS, values.Reductions.make, None, 3,
           "sums, extrema and their places along several axes of shared values of rank 3 and 4"),
    Family("broadcasts", values.FIRST_BROADCASTS, values.Broadcasts.make, None, 2,
           "operations that broadcast both operands, reductions that keep dimensions, several outputs"),
    Family("columns", values.FIRST_COLUMNS, values.Columns.make, None, 2,
           "outputs put together of slices, each stored by itself and in another element type"),
    Family("carries", values.FIRST_CARRIES, values.Carries.make, None, 2,
           "loops that carry values through branches, exchange them, or leave them as they are"),
    Family("lanes", values.FIRST_LANES, values.Lanes.make, None, 2,
           "rearrangements, scans and products of lengths around those of vectors and tiles, and primes"),
    Family("steps", steps.FIRST, steps.Steps.make, None, 2,
           "bodies that treat rows alike, count them, mix them, or carry scratch memory from step to step"),
    Family("loops", 16_000_000, loops.make, None, 0, "nested loops on values and refs, for the compiler for TPUs", loops.FIRST),
    Family("sparse-core", 17_000_000, sparse_core.make, None, 0, "kernels of SparseCores, for the compiler for TPUs", sparse_core.FIRST),
    Family("refs", 18_000_000, refs.RandomRefs, None, 0, "modules of views, accesses and control flow, without a call", 0),
    Family("times", times.FIRST, times.Times.make, None, 2,
           "values that are read after what they came from, or were stored to, has changed"),
    Family("cuts", steps.FIRST_CUT, steps.CutSteps.make, None, 2, "the bodies of steps on arrays that end within the last block"),
    Family("joins", joins.FIRST, joins.Joins.make, None, 2,
           "windows that move in all ways, scratch memory that is nearly overwritten, values that mix rows along one dimension"),
    Family("ends", ends.FIRST, ends.Ends.make, None, 2,
           "branches of the first, the last and other steps, before, between and behind other accesses"),
    Family("maps", maps.FIRST, maps.Maps.make, None, 2,
           "index maps that choose, divide, clip and look up tables; blocks in elements, dimensions that are gone"),
    Family("control", control.FIRST, control.Control.make, None, 2,
           "loops and branches of every form that read and write refs, with trip counts that memory holds"),
    Family("transforms", transforms.FIRST, transforms.Transforms.make, None, 2,
           "calls that are batched, differentiated, in loops and branches, and one after the other"),
    Family("slots", slots.FIRST, slots.Slots.make, None, 2,
           "copies that kernels start by themselves: ahead into slots, by tables, in place, in pipelines, on two cores"),
    Family("parts", parts.FIRST, parts.Parts.make, None, 1,
           "copies of rows and lanes with starts and sizes that are constants, or known at run time as multiples"),
    Family("functions", functions.FIRST, functions.Functions.make, None, 3,
           "functions of jax.numpy and jax.lax on each other's results, axes of one element, booleans and small integers"),
    Family("views", views.FIRST, views.Views.make, None, 1,
           "parts of arrays whose dimensions are joined and split, once or twice, read, written and copied"),
    Family("places", places.FIRST, places.Places.make, None, 1,
           "places that integers of every type name, on axes longer than some of these count"),
    Family("casts", casts.FIRST, casts.Casts.make, None, 1,
           "values in the middle of two numbers of narrow types, of four and eight bits as well"),
    Family("sums", sums.FIRST, sums.Sums.make, None, 1,
           "sums over the steps of a grid, and what differs from one in a single place"),
    Family("shapes", shapes.FIRST, shapes.Shapes.make, None, 1,
           "changes of shape behind each other, with dimensions of one element and rows that fill no register"),
    Family("repeats", shapes.FIRST_REPEATS, shapes.Repeats.make, None, 1, "elements that are repeated between changes of shape"),
    Family("links", links.FIRST, links.Links.make, None, 2,
           "values that replace a part of the one before, where several of them are stored or read again"),
    Family("gpus", gpus.FIRST, gpus.GPUs.make, None, 1,
           "barriers, slots, pipelines, products, warpgroups, warps and clusters of GPUs"),
    Family("streams", streams.FIRST, streams.Streams.make, None, 1,
           "what kernels keep of the blocks before: rescaled softmax, largest values, moments, prefix sums, rings, packed integers"),
    Family("groups", groups.FIRST, groups.Groups.make, None, 1,
           "groups of neighbours in rows: scaled together, repeated, taken apart, put together"),
    Family("subcores", subcores.FIRST, subcores.make, None, 0, "rows that subcores of SparseCores add to memory that they share, for the compiler for TPUs"),
    Family("scalars", scalars.FIRST, scalars.Scalars.make, None, 1, "arrays of rank 0 in every memory, read, and kept from step to step"),
    Family("pointers", pointers.FIRST, pointers.Pointers.make, None, 2,
           "programs of Triton that run at once, on blocks that several share, that end behind their array, or that are larger than shared memory"),
    Family("again", again.FIRST, again.Again.make, None, 1, "branches and loops that compute what was computed before, or only move it"),
    Family("packed", packed.FIRST, packed.Packed.make, None, 1, "views whose elements have another width: parts of them read, written and copied, and pipelines over them"),
)


def family_of(number: int) -> Family:
  """The family that this number belongs to."""
  return max((f for f in FAMILIES if f.first <= number), key=lambda f: f.first)


def draw(number: int, tiles=None):
  """The kernel with this number, always the same one."""
  return family_of(number).draw(number, tiles)


def find(names: str) -> list[Family]:
  """The families with these names, which commas separate and which may have weights, `steps:3`; `all` are those with a
  reference."""
  if names == "all":
    return [f for f in FAMILIES if f.weight]
  known = {f.name: f for f in FAMILIES}
  found = []
  for entry in names.split(","):
    name, colon, weight = entry.partition(":")
    if name not in known:
      raise SmithError(f"there is no family {name}; there are {', '.join(known)}")
    if colon and not weight.isdigit():
      raise SmithError(f"{weight!r} is no weight of the family {name}; weights are whole numbers, such as {name}:2")
    found.append(dataclasses.replace(known[name], weight=int(weight)) if colon else known[name])
  return found


def numbers(families: list[Family], count: int, skip: int = 0) -> Iterator[int]:
  """`count` numbers of kernels of these families, by weight, behind the first `skip` of them."""
  turns = [f for turn in range(max(f.weight for f in families)) for f in families if f.weight > turn] or list(families)
  taken = dict.fromkeys(turns, 0)
  for turn in range(skip + count):
    family = turns[turn % len(turns)]
    if turn >= skip:
      yield family.first + taken[family]
    taken[family] += 1


def add_arguments(parser: argparse.ArgumentParser, noun: str = "kernel", count: int = 100) -> None:
  """The options that choose what to draw; `chosen` yields the numbers."""
  parser.add_argument(f"--{noun}s", "--count", dest="count", type=int, default=count, help=f"how many {noun}s to draw (default: %(default)s)")
  parser.add_argument("--first", type=int, default=0, help=f"number of the first {noun}; counts within --families where these are named")
  parser.add_argument("--seeds", help=f"numbers of {noun}s, with commas between: those that failed once")
  parser.add_argument("--families", "--family", dest="families", metavar="LIST",
                      help="draw from these families, with commas between and with weights if wanted (steps:3,edges:1), or from all by weight")


def chosen(options) -> list[int] | range | Iterator[int]:
  """The numbers that the options name."""
  if options.seeds:
    if not all(seed.strip().isdigit() for seed in options.seeds.split(",")):
      raise SmithError(f"{options.seeds!r} is no list of numbers; write --seeds=4711,100002")
    return [int(seed) for seed in options.seeds.split(",")]
  if options.count < 0 or options.first < 0:
    raise SmithError("counts and numbers start at 0")
  if options.families:
    return numbers(find(options.families), options.count, options.first)
  return range(options.first, options.first + options.count)


def parse_sizes(text: str | None) -> tuple[int, int] | None:
  """`8x128` as the lengths of blocks along the last two axes."""
  if not text:
    return None
  rows, x, columns = text.partition("x")
  if not (x and rows.isdigit() and columns.isdigit() and int(rows) and int(columns)):
    raise SmithError(f"{text!r} are no sizes of a block; write rows and columns, such as 8x128")
  return int(rows), int(columns)
