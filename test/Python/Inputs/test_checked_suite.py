"""Tests of a user: some kernels have mistakes that the values of one machine hide."""
import unittest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = np.ones(8, np.float32)


def call(kernel):
  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32),
                        scratch_shapes=[pltpu.VMEM((8,), jnp.float32)], interpret=True)(x)


def right(x, o, s):
  s[...] = x[...]
  o[...] = s[...] + 1


def unset(x, o, s):
  o[...] = x[...] + s[...]  # reads scratch


def test_right():
  assert call(right)[0] == 2


def test_unset():
  call(unset)


def test_swallowed():
  with pytest.raises(Exception):
    jax.block_until_ready(call(unset))


def test_asserts():
  try:
    value = float(call(unset)[0])
  except jax.errors.JaxRuntimeError:
    value = 0
  assert value == 7, "its own words"


@pytest.mark.pallas_checked(allow="uninitialised-read")
def test_allowed():
  call(unset)


@pytest.mark.pallas_checked(False)
def test_unchecked():
  call(unset)


@pytest.mark.xfail(strict=True, reason="a finding fails a test as any error does, so it can be expected")
def test_known():
  call(unset)


@pytest.fixture
def prepared():
  return call(unset)


def test_prepared(prepared):
  pass


class TestOldStyle(unittest.TestCase):

  def test_unset(self):
    jax.block_until_ready(call(unset))

  def test_right(self):
    call(right)
