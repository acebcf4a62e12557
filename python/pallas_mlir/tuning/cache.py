# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers of judges by question: a line of JSON each, so that a run that was cut off loses its last line only."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib


def default_folder() -> pathlib.Path:
  return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pallas-mlir" / "tuning"


class Cache:
  """Answers to questions; `None` for a path keeps them in memory only."""

  def __init__(self, path=None):
    self.path, self.known = pathlib.Path(path) if path else None, {}
    if self.path is None:
      return
    try:
      lines = self.path.read_text().splitlines() if self.path.exists() else []
      self.path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, UnicodeDecodeError) as error:
      raise ValueError(f"the cache {self.path} cannot be read ({error}); remove it, or name another folder by cache=") from None
    for line in lines:
      try:
        self.known.update(json.loads(line))
      except (ValueError, TypeError):
        pass  # The last line of a run that was cut off.

  def get(self, *question):
    return self.known.get(self._key(question))

  def put(self, answer, *question):
    key = self._key(question)
    self.known[key] = answer
    if self.path:
      # A line is short enough to be written at once, beside other processes.
      with open(self.path, "a") as file:
        file.write(json.dumps({key: answer}) + "\n")

  @staticmethod
  def _key(question) -> str:
    return hashlib.sha256("\n".join(map(str, question)).encode()).hexdigest()[:32]
