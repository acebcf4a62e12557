#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of a package that `gpu_package.py` wrote on this machine's GPU: ours and JAX's, on the same arrays.

  gpu_replay.py PACKAGE [NAME...]

Only NumPy and the driver of the GPU are needed. Each kernel has a process of its own, since an error on the device ends
what a process has there. Results are compared bit for bit, memory around the arrays is checked, and times are taken in
turns. The status is 1 if a kernel fails, leaves its arrays, or gives other results than JAX's.
"""

import ctypes as c
import json
import math
import statistics
import subprocess
import sys
import zipfile

import numpy as np

# As in test/Inputs/gpu_assembler.py and gpu_driver.c.
PLACES, PLACE_BITS, MAP = 0x7F0000000000, 36, b"tensorma"
MAP_BYTES, GUARD, UNWRITTEN = 128, 1 << 21, 0xCB
LIMIT_S, TURNS, RUNS = 120, 9, 10


class DeviceError(Exception):
  """What the driver answered."""


class Device:
  """The first GPU, through its driver."""

  def __init__(self):
    self.driver = c.CDLL("libcuda.so.1")
    self.call("cuInit", 0)
    device, context = c.c_int(), c.c_void_p()
    self.call("cuDeviceGet", c.byref(device), 0)
    self.call("cuDevicePrimaryCtxRetain", c.byref(context), device)
    self.call("cuCtxSetCurrent", context)

  def call(self, name, *arguments):
    status = getattr(self.driver, name)(*arguments)
    if status:
      text = c.c_char_p()
      self.driver.cuGetErrorName(status, c.byref(text))
      raise DeviceError(f"{name}: {(text.value or b'error').decode()} ({status})")

  def allocate(self, size):
    """An array with memory around it that nothing may write."""
    address = c.c_uint64()
    self.call("cuMemAlloc_v2", c.byref(address), c.c_size_t(size + 2 * GUARD))
    self.call("cuMemsetD8_v2", address, c.c_ubyte(UNWRITTEN), c.c_size_t(size + 2 * GUARD))
    return address.value + GUARD

  def write(self, address, array):
    self.call("cuMemcpyHtoD_v2", c.c_uint64(address), array.ctypes.data_as(c.c_void_p), c.c_size_t(array.nbytes))

  def read(self, address, size):
    data = np.empty(size, np.uint8)
    self.call("cuMemcpyDtoH_v2", data.ctypes.data_as(c.c_void_p), c.c_uint64(address), c.c_size_t(size))
    return data

  def wait(self):
    self.call("cuCtxSynchronize")


class Attribute(c.Structure):
  _fields_ = [("id", c.c_uint), ("padding", c.c_uint), ("value", c.c_uint * 16)]


class Configuration(c.Structure):
  _fields_ = [("grid", c.c_uint * 3), ("block", c.c_uint * 3), ("shared", c.c_uint), ("stream", c.c_void_p),
              ("attributes", c.c_void_p), ("count", c.c_uint)]


def aligned(data):
  """A copy of bytes at a multiple of 64, and its address."""
  memory = c.create_string_buffer(len(data) + 64)
  address = (c.addressof(memory) + 63) // 64 * 64
  c.memmove(address, bytes(data), len(data))
  return memory, address


class Kernel:
  """Machine code, loaded, and its launch on arrays at the addresses `places`."""
  SHARED, CLUSTER = 8, 4  # Numbers of cuda.h.

  def __init__(self, device, image, launch, places):
    self.device, self.launch, self.places, self.memory = device, launch, places, []
    module, self.function = c.c_void_p(), c.c_void_p()
    device.call("cuModuleLoadData", c.byref(module), image)
    device.call("cuModuleGetFunction", c.byref(self.function), module, launch["entry"].encode())
    if launch["shared"]:
      device.call("cuFuncSetAttribute", self.function, self.SHARED, c.c_int(launch["shared"]))
    self.maps = [self.make_map(note) for note in launch["maps"]]
    addresses = [self.keep(self.fill(bytearray.fromhex(text))) for text in launch["parameters"]]
    self.parameters = (c.c_void_p * max(len(addresses), 1))(*addresses)
    self.cluster = Attribute(self.CLUSTER, 0, (c.c_uint * 16)(*launch["cluster"]))
    clustered = launch["cluster"] != [1, 1, 1]
    self.configuration = Configuration((c.c_uint * 3)(*launch["grid"]), (c.c_uint * 3)(*launch["block"]), launch["shared"], None,
                                       c.addressof(self.cluster) if clustered else None, clustered)

  def keep(self, data):
    memory, address = aligned(data)
    self.memory.append(memory)
    return address

  def place(self, address):
    return self.places[address - PLACES >> PLACE_BITS] + (address - PLACES & (1 << PLACE_BITS) - 1)

  def make_map(self, note):
    kind, interleave, swizzle, promotion, fill = note["kinds"]
    address, rank = self.keep(bytes(MAP_BYTES)), len(note["sizes"])
    numbers = lambda name, kind: (kind * max(len(note[name]), 1))(*note[name])
    self.device.call("cuTensorMapEncodeTiled", c.c_void_p(address), c.c_int(kind), c.c_uint(rank),
                     c.c_void_p(self.place(note["address"])), numbers("sizes", c.c_uint64), numbers("strides", c.c_uint64),
                     numbers("box", c.c_uint32), numbers("steps", c.c_uint32), *map(c.c_int, (interleave, swizzle, promotion, fill)))
    return c.string_at(address, MAP_BYTES)

  def fill(self, data):
    """Puts maps and addresses of this machine into a parameter."""
    at = 0
    while at + 8 <= len(data):
      word = int.from_bytes(data[at:at + 8], "little")
      if data[at:at + 8] == MAP:
        data[at:at + MAP_BYTES] = self.maps[int.from_bytes(data[at + 8:at + 16], "little")]
        at += MAP_BYTES
        continue
      if PLACES <= word < PLACES + (len(self.places) << PLACE_BITS):
        data[at:at + 8] = self.place(word).to_bytes(8, "little")
      at += 8
    return data

  def start(self):
    self.device.call("cuLaunchKernelEx", c.byref(self.configuration), self.function, self.parameters, None)


def make_input(array, random):
  count = math.prod(array["shape"])
  if "fill" in array:
    return np.full(count, array["fill"], array["type"])
  if array["type"] == "bfloat16":
    return (random.standard_normal(count, np.float32).view(np.uint32) >> 16).astype(np.uint16)
  if array["type"].startswith("float"):
    return random.standard_normal(count, np.float32).astype(array["type"])
  return random.integers(-4, 5, count).astype(array["type"])


def measure(device, kernels):
  """Medians of microseconds, in turns."""
  events = [c.c_void_p() for _ in range(2)]
  for event in events:
    device.call("cuEventCreate", c.byref(event), 0)
  times = [[] for _ in kernels]
  for _ in range(TURNS):
    for kernel, spent in zip(kernels, times):
      kernel.start()
      device.call("cuEventRecord", events[0], None)
      for _ in range(RUNS):
        kernel.start()
      device.call("cuEventRecord", events[1], None)
      device.wait()
      elapsed = c.c_float()
      device.call("cuEventElapsedTime", c.byref(elapsed), *events)
      spent.append(1e3 * elapsed.value / RUNS)
  return [statistics.median(spent) for spent in times], statistics.median(a / b for a, b in zip(*times))


def check(device, kernel, sizes, inputs):
  """The outputs of one run; raises if the kernel wrote elsewhere, or nothing."""
  kernel.start()
  device.wait()
  outputs = []
  for number, (place, size) in enumerate(zip(kernel.places, sizes)):
    around = device.read(place - GUARD, GUARD), device.read(place + size, GUARD)
    if any((memory != UNWRITTEN).any() for memory in around):
      raise DeviceError(f"memory around array {number} was written")
    data = device.read(place, size)
    if number >= len(inputs):
      if (data == UNWRITTEN).all():
        raise DeviceError(f"array {number} was not written")
      outputs.append(data)
    elif not np.array_equal(data, inputs[number].view(np.uint8)):
      raise DeviceError(f"input {number} was written")
  return outputs


def run(package, kernel):
  """One line about a kernel of the package, and the ratio of the times."""
  device, random = Device(), np.random.default_rng(1)
  arrays = kernel["arrays"]
  inputs = [make_input(array, random) for array in arrays[:kernel["inputs"]]]
  sizes = [array["bytes"] for array in arrays]
  kernels, results = [], []
  for maker in ("ours", "jax"):
    places = [device.allocate(size) for size in sizes]
    for place, data in zip(places, inputs):
      device.write(place, data)
    kernels.append(Kernel(device, package.read(f"{kernel['name']}/{maker}"), kernel[maker], places))
    results.append(check(device, kernels[-1], sizes, inputs))
  if not all(map(np.array_equal, *results)):
    raise DeviceError("results differ from those of JAX's kernel")
  times, ratio = measure(device, kernels)
  return {"ours": times[0], "jax": times[1], "ratio": ratio}


def run_alone(path, name):
  try:
    done = subprocess.run([sys.executable, __file__, path, "--alone", name], capture_output=True, text=True, timeout=LIMIT_S)
  except subprocess.TimeoutExpired:
    return {"error": f"has not ended after {LIMIT_S} s"}
  lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
  return json.loads(lines[-1]) if done.returncode == 0 else {"error": (lines or [f"status {done.returncode}"])[-1]}


def main(path, *names):
  package = zipfile.ZipFile(path)
  kernels = {kernel["name"]: kernel for kernel in json.loads(package.read("kernels.json"))}
  if names[:1] == ("--alone",):
    print(json.dumps(run(package, kernels[names[1]])))
    return 0
  ratios, failed = [], 0
  for name in names or kernels:
    found = run_alone(path, name)
    if "error" in found:
      failed += 1
      print(f"{name:36s} FAILED: {found['error']}", flush=True)
      continue
    ratios.append(found["ratio"])
    print(f"{name:36s} {found['ours']:9.2f} us, JAX {found['jax']:9.2f} us: {found['ratio']:6.3f} of the time, the same bits", flush=True)
  if ratios:
    print(f"geometric mean {statistics.geometric_mean(ratios):.3f}; {len(ratios)} of {len(ratios) + failed} kernels right")
  return 1 if failed else 0


if len(sys.argv) < 2:
  sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
