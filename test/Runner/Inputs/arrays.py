"""Writes the arrays of pallas-run-errors.mlir, or checks the result."""

import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
good = np.arange(32, dtype=np.float32).reshape(4, 8)
if sys.argv[2:] == ["check"]:
  sys.exit(not np.array_equal(np.load(folder / "out.npy"), 2 * good))
np.save(folder / "good.npy", good)
np.save(folder / "shape.npy", good.reshape(8, 4))
np.save(folder / "dtype.npy", good.astype(np.float64))
np.save(folder / "fortran.npy", np.asfortranarray(good))
data = (folder / "good.npy").read_bytes()
(folder / "magic.npy").write_bytes(b"PK" + data[2:])
(folder / "truncated.npy").write_bytes(data[:-100])
