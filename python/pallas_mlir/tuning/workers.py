# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers in processes of their own: one that crashes, aborts or never ends takes nothing else with it."""
from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

# A compiler that is about to abort may write down where for up to a minute.
_ABORTS = re.compile(rb"^F\d{4} |SIG[A-Z]+ received|Check fail|Raising signal", re.M)
_RESULT = "result "
# Of <sys/prctl.h>.
_PR_SET_PDEATHSIG = 1


class JudgeError(Exception):
  """Why there is no answer for one candidate: the process crashed, or took too long."""


def questions() -> Iterator[dict]:
  """The questions that come in; called in the process that is asked. It ends with the thread that started it: what is
  killed asks for no end, and an answer may take minutes and gigabytes."""
  if sys.platform == "linux":
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
  for line in sys.stdin:
    yield json.loads(line)


def answer(value) -> None:
  """Gives the answer to a question; called in the process that was asked."""
  print(_RESULT + json.dumps(value), flush=True)


class Worker:
  """A process that answers questions, a line of JSON each. It is started when it is asked, and again after a crash."""

  def __init__(self, module: str, *arguments: str, environment: dict[str, str] | None = None, seconds: float = 120):
    self.command = [sys.executable, "-m", module, *arguments]
    self.environment, self.seconds, self.process = environment or {}, seconds, None
    self.lock, self.ended = threading.Lock(), False

  def _start(self):
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    # A group of its own, so that an interrupt from the keyboard does not end it.
    self.process = subprocess.Popen(self.command, env=os.environ | {"PYTHONPATH": path} | self.environment, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    os.set_blocking(self.process.stdout.fileno(), False)
    os.set_blocking(self.process.stderr.fileno(), False)

  def ask(self, **question):
    with self.lock:
      if self.ended:
        raise JudgeError("the search has ended")
      # It may have died since its last answer, of what other processes took.
      if self.process and self.process.poll() is not None:
        self.close()
      if self.process is None:
        self._start()
    try:
      # The end of a process that takes no question is found by reading.
      with contextlib.suppress(BrokenPipeError):
        self.process.stdin.write((json.dumps(question) + "\n").encode())
        self.process.stdin.flush()
      return self._read()
    except BaseException:
      # What the process is at would be taken for the next answer.
      self.close()
      raise

  def _read(self):
    text, errors, end = b"", b"", time.monotonic() + self.seconds
    with selectors.DefaultSelector() as selector:
      selector.register(self.process.stdout, selectors.EVENT_READ)
      selector.register(self.process.stderr, selectors.EVENT_READ)
      while ready := selector.select(max(0, end - time.monotonic())):
        for key, _ in ready:
          if key.fileobj is self.process.stderr:
            errors = errors[-4096:] + (self.process.stderr.read() or b"")
            continue
          read = self.process.stdout.read()
          if read == b"":
            raise JudgeError(self._describe_end(errors))
          text += read or b""
        for line in text.decode(errors="replace").split("\n")[:-1]:
          if line.startswith(_RESULT):
            return json.loads(line.removeprefix(_RESULT))
        if _ABORTS.search(errors):
          raise JudgeError("the compiler aborts")
    raise JudgeError(f"no answer within {self.seconds:g} s")

  def _describe_end(self, errors: bytes) -> str:
    status = self.process.wait()
    if status < 0:
      return f"the compiler crashes ({signal.Signals(-status).name})"
    last = errors.decode(errors="replace").strip().splitlines()[-1:]
    return f"the compiler ends with status {status}{': ' + last[0] if last else ''}"

  def end(self):
    """Ends the process, and starts no other: a thread that waits for an answer finds that there is none."""
    with self.lock:
      self.ended, process = True, self.process
      if process:
        process.kill()

  def close(self):
    process, self.process = self.process, None
    if process:
      process.kill()
      process.wait()
      for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(BrokenPipeError):
          stream.close()
