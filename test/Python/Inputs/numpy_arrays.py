"""Arrays of several types and shapes, on which the functions of jax.numpy are tried."""
from kernels import *

x, y, v = floats(5, 9), floats(5, 9, seed=1), floats(13)
square = floats(7, 7)
cube = floats(3, 4, 6)
a, b = integers(-50, 50, 5, 9), integers(1, 9, 5, 9, seed=1)
small = integers(0, 7, 5)
bf, hf = x.astype(ml_dtypes.bfloat16), x.astype(np.float16)
i8, u8 = a.astype(np.int8), (a + 60).astype(np.uint8)
flags = a > 0
holes = np.where(flags, x, np.nan).astype(np.float32)
ordered = np.sort(v)
