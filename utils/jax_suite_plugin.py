# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pytest plugin for JAX's own tests of Pallas; docs/dev/JAXSuite.md says how to use it.

PRETEND=tpu makes the tests take the machine for a TPU v6e, PRETEND=gpu for an
NVIDIA GPU of compute capability 9.0, or of another CAPABILITY: they then run the
kernels that are not for interpret mode. PRETEND=none leaves that to
PALLAS_MLIR_INTERPRET=1.
HELPERS is a checkout of JAX of the same release: its tests import modules of it
that the wheel lacks.
"""
import os

import pytest


def _add_helpers(checkout):
  import jax._src
  import jax._src.pallas
  for package in (jax._src, jax._src.pallas):
    package.__path__.append(os.path.join(checkout, *package.__name__.split(".")))


def _pretend_tpu(test_util):
  from pallas_mlir import release
  tpu_info = release.tpu_info()
  test_util.get_tpu_version = lambda: 6
  test_util.is_device_tpu_at_least = lambda version: version <= 6
  test_util.is_device_tpu = lambda version=None, variant="": version in (None, 6) and variant in ("", "e")
  tpu_info.get_device_kind = lambda: "TPU v6e"
  tpu_info.get_num_device_cores = lambda: 1
  # Devices of TPUs say how many cores they have, also where only their kind is known.
  from jax._src import mesh
  from jax._src.lib import xla_client
  xla_client.Device.num_cores = 1
  create = mesh.AbstractDevice
  mesh.AbstractDevice = lambda device_kind, num_cores, platform: create(device_kind, num_cores or 1, platform)


def _pretend_gpu(test_util):
  own = float(os.environ.get("CAPABILITY", "9.0"))
  test_util.is_cuda_compute_capability_at_least = lambda capability: float(capability) <= own
  test_util.is_cuda_compute_capability_equal = lambda capability: float(capability) == own
  if own >= 10:
    # It asks the devices of the platform "gpu".
    test_util.CudaArchSpecificTest.skip_unless_tcgen05 = lambda test: None


def pytest_configure(config):
  if "HELPERS" in os.environ:
    _add_helpers(os.environ["HELPERS"])
  import pallas_mlir.jax
  device = os.environ.get("PRETEND", "none")
  if device == "none":
    return
  from jax._src import test_util
  test_util.device_under_test = lambda: device
  test_util._get_device_tags = lambda: {"tpu"} if device == "tpu" else {"gpu", "cuda"}
  {"tpu": _pretend_tpu, "gpu": _pretend_gpu}[device](test_util)


_num_tests = 0


@pytest.fixture(autouse=True)
def _bounded_caches():
  """What JAX keeps of tests that are over goes now and then, or memory runs out."""
  global _num_tests
  import jax
  _num_tests += 1
  if _num_tests % 200 == 0:
    jax.clear_caches()
  yield
