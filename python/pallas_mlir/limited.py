# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that have a limit of time.

Native code has no end from outside: a run that was given up goes on. What would wait for it calls `refuse_behind` instead.
"""
from __future__ import annotations

import contextlib
import threading
import time
from typing import Any, Callable, Iterator

from . import _native, release
from .errors import StillRunning

_given_up: list[threading.Thread] = []
_lock = threading.Lock()


def run_limited(run: Callable[[], None], seconds: float) -> bool:
  """Runs `run()` on a thread, raises what it raises, and returns whether it ended within `seconds`."""
  failures: list[BaseException] = []
  ended = threading.Event()
  settings = release.settings_of_thread()

  def target():
    try:
      settings()
      run()
    except BaseException as error:  # pylint: disable=broad-exception-caught
      failures.append(error)
    finally:
      with _lock:
        ended.set()
        if threading.current_thread() in _given_up:
          _given_up.remove(threading.current_thread())
        _refuse_compiled()

  thread = threading.Thread(target=target, daemon=True)
  thread.start()
  ended.wait(seconds)
  with _lock:
    if not ended.is_set():
      _given_up.append(thread)
      _refuse_compiled()
      return False
  if failures:
    raise failures[0]
  return True


def _refuse_compiled() -> None:
  """Has checked kernels that are compiled fail at their begin while a thread that was given up runs."""
  _native.refuse_checked_calls(_spell("a checked kernel") if _given_up else "")


def _spell(what: str) -> str:
  return (f"{what} would wait for the kernel that view() gave up and that still runs in this process, "
          "perhaps without end; restart the process, or try again when the kernel has ended")


def refuse_behind(what: str) -> None:
  """Raises where another thread was given up and still runs: `what` would wait for it without end."""
  if any(thread.is_alive() and thread is not threading.current_thread() for thread in _given_up):
    raise StillRunning(_spell(what))


def wait_for(array: Any, what: str) -> None:
  """Waits for an array and raises what it failed with, or that a thread was given up meanwhile, which may compute it."""
  pause = 1e-4
  while not array.is_ready():
    refuse_behind(what)
    time.sleep(pause)
    pause = min(2 * pause, 0.02)
  array.block_until_ready()


@contextlib.contextmanager
def taken(lock: threading.Lock, what: str) -> Iterator[None]:
  """Holds the lock, which a thread that is given up may hold."""
  refuse_behind(what)
  while not lock.acquire(timeout=0.1):
    refuse_behind(what)
  try:
    yield
  finally:
    lock.release()
