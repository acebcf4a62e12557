# RUN: pallas-translate --to-stable-mosaic %S/Inputs/kernel.mlir -o %t.bc
# RUN: %python %s %t.bc %S/Inputs/newer-encodings.bc

"""Damaged bytes are an error or another valid module, never a crash."""

import random
import subprocess
import sys

wires = [open(path, "rb").read() for path in sys.argv[1:]]
random.seed(1)


def damage(data):
  data = bytearray(data)
  kind = random.random()
  at = random.randrange(len(data))
  if kind < 0.3:
    return data[:at]
  if kind < 0.8:
    for _ in range(random.choice([1, 2, 8])):
      data[random.randrange(len(data))] = random.randrange(256)
  elif kind < 0.9:
    del data[at : at + random.randrange(40)]
  else:
    data[at:at] = bytes(random.randrange(256) for _ in range(4))
  return data


for number in range(200):
  broken = bytes(damage(wires[number % len(wires)]))
  done = subprocess.run(
      ["pallas-translate", "--from-stable-mosaic"], input=broken, capture_output=True
  )
  if done.returncode == 1 and b"error:" in done.stderr and not done.stdout:
    continue
  if done.returncode == 0 and done.stdout:
    continue
  sys.exit(f"case {number}: exit status {done.returncode}\n{done.stderr.decode()}")
