# RUN: %python %s %root
"""Rotations, reductions, transposes and gathers are made on the elements that the table of the chip has for them."""
import glob
import os
import re
import subprocess
import sys

root = sys.argv[1]
MOVES = {"tpu.dynamic_rotate": r" dim (\d+)", "tpu.dynamic_gather": r" in \[(\d+)\]"}


def run(*command):
  return subprocess.run(command, capture_output=True, text=True)


def read_table(chip):
  """The elements that each operation takes as it is."""
  rows = re.findall(r"^\| ((?:tpu|vector)\.[^|]*) \| ([^|]*) \|", run("pallas-opt", f"--print-target-info={chip}").stdout, re.MULTILINE)
  return {name: elements.split() for name, elements in rows}


def get_rows(line):
  """The row of an operation, and the element type of its operand."""
  found = re.match(r"\s*(?:%\S+ = )?((?:tpu|vector)\.\w+)(.*) : (.*)", line)
  if not found:
    return None
  name, middle, types = found.groups()
  vector = re.match(r"vector<((?:\d+x)+)(\w+)>", types)
  if not vector:
    return None
  if name in MOVES:
    rank, dim = vector[1].count("x"), int(re.search(MOVES[name], middle)[1])
    # In front nothing moves within registers.
    if dim < rank - 2:
      return None
    name += ", lanes" if dim == rank - 1 else ", sublanes"
  return name, vector[2]


kernels = glob.glob(os.path.join(root, "test/Dialect/Pallas/IR/kernels/*.mlir"))
kernels += glob.glob(os.path.join(root, "test/Conversion/PallasToMosaicTPU/Inputs/*.mlir"))
counts = {}
for chip in ("v4", "v5e", "v6e", "tpu7x"):
  table = read_table(chip)
  assert "tpu.transpose" in table, table
  for path in kernels:
    # Kernels for other targets are refused.
    lowered = run("pallas-opt", f"--pallas-to-mosaic-tpu=chip={chip}", path)
    for line in lowered.stdout.splitlines() if lowered.returncode == 0 else ():
      row = get_rows(line)
      if row and row[0] in table:
        assert row[1] in table[row[0]], (chip, path, line)
        counts[row[0]] = counts.get(row[0], 0) + 1
assert len(counts) > 5, counts
