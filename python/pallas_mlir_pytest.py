# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pytest plugin: `pytest --pallas-checked` runs the kernels of a suite checked, and what they find fails its test.

It lies beside the package, since pytest imports the plugins of all packages: without
the option nothing of JAX is imported.
"""
from __future__ import annotations

import contextlib
import os

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr

MARK = "pallas_checked(enabled=True, *, allow=()): under --pallas-checked, whether the kernels of a test are checked, and what they may do"
_FOUND = pytest.StashKey()


def pytest_addoption(parser):
  group = parser.getgroup("pallas", "kernels of Pallas")
  group.addoption("--pallas-checked", action="store_true",
                  help="run Pallas kernels compiled and checked on the CPU, those of interpret mode as well; a mistake fails its test")
  group.addoption("--pallas-allow", metavar="LIST", action="append", default=[],
                  help="mistakes that --pallas-checked passes over: KIND[@FILE[:LINE]],...")
  parser.addini("pallas_allow", "mistakes that --pallas-checked passes over, as --pallas-allow takes them", type="linelist")


def pytest_configure(config):
  config.addinivalue_line("markers", MARK)
  if not config.getoption("pallas_checked"):
    if config.getoption("pallas_allow"):
      raise pytest.UsageError("--pallas-allow is an option of --pallas-checked; give both")
    return
  config.pluginmanager.register(_Checked(config), "pallas-checked")


class _Findings(TerminalRepr):
  """A failure as pytest shows it: the findings, and behind them what ended the test, if that is something else."""

  def __init__(self, error, own=None):
    from pallas_mlir import findings
    self.text = error.report()
    if own is not None:
      self.text += f"\n\nThe test itself ended with {type(own).__name__}: {own}"
    place, rule, what, *_ = error.findings[0]
    file, line = findings.split_place(place)
    self.reprcrash = ReprFileLocation(file, line, f"{type(error).__name__}: {rule}: {what}")

  def toterminal(self, tw):
    tw.line(self.text)


class _Checked:
  """What the option does."""

  def __init__(self, config):
    allow = ",".join(filter(None, (*config.getini("pallas_allow"), *config.getoption("pallas_allow"))))
    platforms = os.environ.setdefault("JAX_PLATFORMS", "cpu")
    if platforms.split(",")[0] != "cpu":
      raise pytest.UsageError(f"--pallas-checked checks kernels on the CPU, but JAX_PLATFORMS is {platforms}; use JAX_PLATFORMS=cpu")
    import jax
    import pallas_mlir.jax as compiled
    # A plugin or conftest.py that was loaded before may have imported JAX.
    jax.config.update("jax_platforms", platforms)
    try:
      # For kernels that run while tests are collected, and on other threads, too.
      compiled.install(interpret=True, checked=True, allow=allow or None)
    except ValueError as error:
      raise pytest.UsageError(f"bad --pallas-allow: {error}") from error
    self.compiled = compiled
    self.error, self.runtime_error = compiled.KernelError, jax.errors.JaxRuntimeError

  def pytest_report_header(self):
    return "pallas: kernels are checked"

  @contextlib.contextmanager
  def _checking(self, item):
    """Runs a phase of a test; its findings are an exception, and kept for what wraps a test in a way of its own."""
    item.stash[_FOUND] = None
    mark = item.get_closest_marker("pallas_checked")
    args, options = (mark.args, mark.kwargs) if mark else ((), {})
    try:
      with self.compiled.checked(*args, **options):
        yield
    except self.error as error:
      item.stash[_FOUND] = error
      raise
    except BaseException:
      # pytest ends tests by exceptions of its own kind, too.
      self._keep_leftovers(item)
      raise

  def _keep_leftovers(self, item):
    try:
      with self.compiled.checked():
        pass
    except self.error as error:
      item.stash[_FOUND] = error

  @pytest.hookimpl(wrapper=True)
  def pytest_runtest_setup(self, item):
    with self._checking(item):
      return (yield)

  @pytest.hookimpl(wrapper=True)
  def pytest_runtest_call(self, item):
    with self._checking(item):
      return (yield)

  @pytest.hookimpl(wrapper=True)
  def pytest_runtest_teardown(self, item):
    with self._checking(item):
      return (yield)

  @pytest.hookimpl(wrapper=True, tryfirst=True)
  def pytest_runtest_makereport(self, item, call):
    report = yield
    error = item.stash.get(_FOUND, None)
    if error is not None and not hasattr(report, "wasxfail"):
      own = call.excinfo and call.excinfo.value
      own = own.__cause__ if isinstance(own, self.error) else own
      # The text of JAX has the same findings.
      report.outcome, report.longrepr = "failed", _Findings(error, None if isinstance(own, self.runtime_error) else own)
    return report

  @pytest.hookimpl(wrapper=True)
  def pytest_make_collect_report(self, collector):
    """Kernels may run where a module defines what its tests share."""
    try:
      with self.compiled.checked():
        report = yield
    except self.error as error:
      report.outcome, report.longrepr = "failed", _Findings(error)
    return report
