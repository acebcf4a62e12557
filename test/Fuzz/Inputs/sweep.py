"""Draws one case per number, checks each, and says which fail."""
import json
import os
import pathlib
import selectors
import signal
import subprocess
import sys
import tempfile
import time

# Seconds between two lines that say how far a run has come.
REPORTS = 60


def check_here(check, seed):
  with tempfile.TemporaryDirectory() as folder:
    return check(seed, pathlib.Path(folder))


def sweep(noun, seeds, check, show=None, until_failure=False):
  """Whether `check` has a message for any number; `show`, if there is one, yields the text of its case. An interrupt
  ends it as if there were no more numbers."""
  failed = done = 0
  reported = time.monotonic()
  try:
    for seed in seeds:
      message = check(seed)
      done += 1
      if message:
        failed += 1
        print(f"{noun} {seed}: {message}", flush=True)
        if show:
          print(show(seed), flush=True)
        if until_failure:
          break
      if time.monotonic() > reported + REPORTS:
        reported = time.monotonic()
        print(f"{done} {noun}s so far, {failed} failures", file=sys.stderr, flush=True)
  except KeyboardInterrupt:
    print("interrupted", file=sys.stderr)
  print(f"{done} {noun}s, {failed} failures", flush=True)
  return bool(failed)


#===- Cases that may end the process ------------------------------------------===#

RESULT = "result "


def serve(check):
  """Checks what comes in, a line of JSON for each case; another one says what is wrong, or null."""
  for line in sys.stdin:
    print(RESULT + json.dumps(check_here(check, json.loads(line))), flush=True)


class Worker:
  """Checks cases in a process of its own, which is this program with `--serve`. When that ends or hangs, the case has
  failed, and the next one gets another process."""

  def __init__(self):
    self.process = None

  def check(self, case, seconds):
    if self.process is None:
      self.process = subprocess.Popen([sys.executable, sys.argv[0], "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
      os.set_blocking(self.process.stdout.fileno(), False)
    self.process.stdin.write(f"{json.dumps(case)}\n".encode())
    self.process.stdin.flush()
    return self._answer(seconds)

  def _answer(self, seconds):
    """What the process says last, or how it ended."""
    text = b""
    with selectors.DefaultSelector() as selector:
      selector.register(self.process.stdout, selectors.EVENT_READ)
      while selector.select(seconds):
        read = self.process.stdout.read()
        if not read:
          code = self._end()
          return f"the process ends with {signal.strsignal(-code) if code < 0 else f'status {code}'}"
        text += read
        lines = text.decode(errors="replace").split("\n")
        # Kernels print, too.
        for line in lines[:-1]:
          if line.startswith(RESULT):
            return json.loads(line.removeprefix(RESULT))
    self._end()
    return f"no end within {seconds} seconds"

  def close(self):
    if self.process:
      self._end()

  def _end(self):
    self.process.kill()
    code, self.process = self.process.wait(), None
    return code
