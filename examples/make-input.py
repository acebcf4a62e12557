"""Writes an array of random floats: make-input.py FILE.npy SIZE..."""

import random
import struct
import sys

path, shape = sys.argv[1], tuple(int(size) for size in sys.argv[2:])
count = 1
for size in shape:
  count *= size
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
# The header and what stands before it fill a multiple of 64 bytes.
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(path, "wb") as file:
  file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
  file.write(struct.pack(f"<{count}f", *(random.gauss(0, 1) for _ in range(count))))
