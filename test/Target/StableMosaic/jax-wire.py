# REQUIRES: jax
# RUN: %python %s %root

"""Bytes travel between JAX and pallas-translate, both ways, at every version."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import mosaic_tpu as m

failures = []


def expect(name, actual, expected):
  if actual != expected:
    failures.append(name)
    print(f"{name}:\n--- expected\n{expected}\n--- actual\n{actual}")


def read(wire):
  """Text of the module that we read from the bytes, as jaxlib prints it."""
  return m.jaxlib_print(
      m.run(
          "pallas-translate", "--from-stable-mosaic", *m.PRINT_OPTIONS, stdin=wire
      ).decode()
  )


def write(text, version):
  return m.run(
      "pallas-translate", f"--to-stable-mosaic={version}", stdin=text.encode()
  )


VERSIONS = [13, *range(15, m.NEWEST_VERSION + 1)]
# Kernels whose operations have changed most often.
OLD = {"matmul", "double_buffer", "semaphores", "shapes", "take_along_axis"}

for name, wire in m.all_modules():
  text = m.jaxlib_deserialize(wire)
  expect(f"{name}: bytes of JAX", read(wire), text)
  # Below 13 only some modules can be said, and below 3 hardly any.
  old = (3, 5, 8, 12, 14) if name.split(".")[0] in OLD else ()
  for version in (*old, *VERSIONS):
    try:
      theirs = m.jaxlib_serialize(text, version)
    except Exception as refused:
      assert version < 13, refused
      continue
    ours = write(text, version)
    expect(f"{name}: {version}, read by jaxlib", m.jaxlib_deserialize(ours), text)
    expect(f"{name}: {version}, read by us", read(ours), text)
    expect(f"{name}: {version} of jaxlib, read by us", read(theirs), text)
    # The same operations with the same attributes stand in both.
    expect(f"{name}: {version}, wire form", m.wire_text(ours), m.wire_text(theirs))
sys.exit(bool(failures))
