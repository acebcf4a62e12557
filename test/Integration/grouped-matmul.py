# REQUIRES: jax
# RUN: %python %s

"""Grouped matrix products over shapes, groups, element types and shards.

`--all` runs every combination instead of those that differ in kind.
"""

import itertools
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from module_execution import TYPES, run_module
from grouped_matmul import gmm, tables, tgmm

SHAPES = [(128, 128, 128), (512, 2048, 256), (128, 8, 16)]
GROUPS = [1, 2, 3, 5, 8, 32]
rng = np.random.default_rng(9)
failures, count = [], 0


def random_sizes(groups, m):
  """Cuts that may coincide, so that groups may be empty."""
  cuts = np.sort(rng.integers(0, m + 1, groups - 1))
  return np.diff(np.concatenate([[0], cuts, [m]]))


def random(shape, dtype):
  return rng.standard_normal(shape).astype(TYPES["bf16"]).astype(TYPES[dtype])


def check(name, found, expected, dtypes):
  global count
  count += 1
  found = found.view(expected.dtype) if found.dtype != expected.dtype else found
  left, right = found.astype(np.float64), expected.astype(np.float64)
  limit = 1e-2 if "bf16" in dtypes else 1e-5
  if not np.allclose(left, right, rtol=limit, atol=1e-3):
    failures.append(f"{name}: differs by up to {np.nanmax(np.abs(left - right))}, NaN: {np.isnan(left).any()}")


def run(name, module, inputs, out):
  try:
    return run_module(module, inputs, 1)[0].view(TYPES[out])
  except subprocess.CalledProcessError as error:
    failures.append(f"{name}: {error.stderr[-500:]}")
    return None


def run_gmm(m, k, n, groups, dtypes, transposed, stride=None):
  """With a stride, groups come in shards that hand the result on."""
  lhs, rhs, out = dtypes
  name = f"gmm {m}x{k}x{n}, {groups} groups, {' '.join(dtypes)}, transposed={transposed}, stride={stride}"
  sizes, a = random_sizes(groups, m), random((m, k), lhs)
  b = random((groups, n, k) if transposed else (groups, k, n), rhs)
  off = np.concatenate([[0], np.cumsum(sizes)])
  products = [a[off[g]:off[g + 1]].astype(np.float32) @ (b[g].T if transposed else b[g]).astype(np.float32)
              for g in range(groups)]
  expected = np.concatenate(products).astype(TYPES[out])
  found = np.zeros((m, n), TYPES[out]) if stride else None
  for start in range(0, groups, stride or groups):
    local = min(stride or groups, groups - start)
    tile = [*tables(sizes, m, 128, start, local), np.array([start], np.int32)]
    module = gmm(m, k, n, groups, local, (128, 128, 128), lhs, rhs, out, transposed, existing=bool(stride))
    arrays = [a, b[start:start + local]] + ([found] if stride else [])
    found = run(name, module, tile + arrays, out)
    if found is None:
      return
  check(name, found, expected, dtypes)


def run_tgmm(m, k, n, groups, dtypes, existing=False):
  lhs, rhs, out = dtypes
  name = f"tgmm {m}x{k}x{n}, {groups} groups, {' '.join(dtypes)}, existing={existing}"
  sizes, a, b = random_sizes(groups, m), random((m, k), lhs), random((m, n), rhs)
  off = np.concatenate([[0], np.cumsum(sizes)])
  expected = np.stack([a[off[g]:off[g + 1]].astype(np.float32).T @ b[off[g]:off[g + 1]].astype(np.float32)
                       for g in range(groups)])
  arrays = [a, b]
  if existing:
    arrays.append(random(expected.shape, out))
    expected = expected + arrays[-1].astype(np.float32)
  inputs = [*tables(sizes, m, 128, visit_empty=True), np.zeros(1, np.int32), *arrays]
  module = tgmm(m, k, n, groups, groups, (128, 128, 128), lhs, rhs, out, existing)
  found = run(name, module, inputs, out)
  if found is not None:
    check(name, found, expected.astype(TYPES[out]), dtypes)


# Sizes of groups, whether empty ones are visited, first group, how many; then
# group and tile of each program, for 16 rows in tiles of 4.
WORKED_TABLES = [
    ((5, 0, 3, 8), False, 0, 4, "00233", "01123"),
    ((5, 0, 3, 8), True, 0, 4, "001233", "011123"),
    ((4, 0, 12, 0), True, 0, 4, "012223", "011233"),
    ((5, 0, 3, 8), False, 2, 2, "233", "123"),
    ((0, 0, 0, 16), False, 0, 2, "", ""),
]


def check_tables():
  for sizes, empty, start, local, groups, tiles in WORKED_TABLES:
    programs, _, gid, mid = tables(sizes, 16, 4, start, local, empty)
    found = ["".join(map(str, ids[:programs])) for ids in (gid, mid)]
    if found != [groups, tiles]:
      failures.append(f"tables of {sizes}: {found} instead of {[groups, tiles]}")


def main():
  check_tables()
  every = list(itertools.product(SHAPES, GROUPS, itertools.product(["f32", "bf16"], repeat=3), [False, True]))
  # A sample in which each value of each axis meets several of the others.
  chosen = every if "--all" in sys.argv else every[::7]
  for (m, k, n), groups, dtypes, transposed in chosen:
    run_gmm(m, k, n, groups, dtypes, transposed)
  for stride in (1, 2, 5, 32):
    run_gmm(128, 128, 128, 5, ("f32", "f32", "f32"), False, stride)
    run_gmm(128, 8, 16, 8, ("bf16", "bf16", "bf16"), True, stride)
  for (m, k, n), groups, dtypes, existing in every if "--all" in sys.argv else every[3::11]:
    run_tgmm(m, k, n, groups, dtypes, existing)
  print("\n".join(failures))
  print(f"{count} products, {len(failures)} failures")
  sys.exit(bool(failures))


main()
