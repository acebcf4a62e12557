"""Makes float inputs, and compares what kernels compute of them in the ring."""

import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
if sys.argv[2] == "make":
  rng = np.random.default_rng(3)
  x = rng.standard_normal((16, 64)).astype(np.float32)
  # Integers stay what they are.
  x[:, :16] = rng.integers(-1000, 1000, (16, 16))
  np.save(folder / "x.npy", x)
  np.save(folder / "y.npy", rng.standard_normal((64, 16)).astype(np.float32))
  np.save(folder / "w.npy", rng.integers(-128, 128, (64, 16)).astype(np.int8))
  sys.exit()

whole, halves, quarters, dropped, weights, weight_halves, softmax, online = (
    np.load(folder / f"{name}.npy")
    for name in ["whole", "halves", "quarters", "dropped", "weights", "weight_halves", "softmax", "online"])
assert whole.dtype == np.int32


def ring(array):
  """Integers as they are, the bits of others mixed."""
  mixed = array.view(np.uint32).copy()
  for mixer in (0x7F4A7C15, 0x6659FD93):
    mixed *= np.uint32(mixer)
    mixed ^= mixed >> np.uint32(16)
  return np.where(array == np.round(array), np.round(array).astype(np.int64).astype(np.uint32), mixed)


x, y = (ring(np.load(folder / f"{name}.npy")) for name in "xy")
assert (whole.view(np.uint32) == x @ y).all()
assert (whole == halves).all() and (whole == quarters).all()
assert (whole != dropped).mean() > 0.99
# Integers beside floats keep their sign.
w = np.load(folder / "w.npy").astype(np.int64).astype(np.uint32)
assert (weights.view(np.uint32) == x @ w).all() and (weights == weight_halves).all()
assert (softmax == online).all() and len(set(softmax)) == 16
