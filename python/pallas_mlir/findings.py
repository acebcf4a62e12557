# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What checked kernels found, with the lines of the source."""
from __future__ import annotations

import linecache
import re
from typing import Iterable

# FILE:LINE or FILE:LINE:COLUMN.
_PLACE = re.compile(r"^(.*?):(\d+)(?::(\d+))?$", re.S)
_AROUND = 2


def split_place(place: str) -> tuple[str, int]:
  """File and line of a finding's place; an unknown one has line 0."""
  found = _PLACE.match(place)
  return (found[1], int(found[2])) if found else (place, 0)


def _excerpt(place: str) -> list[str]:
  """The lines around a place, where the file can be read; `>` marks its own."""
  file, line = split_place(place)
  numbered = {n: linecache.getline(file, n).rstrip() for n in range(max(1, line - _AROUND), line + _AROUND + 1)} if line else {}
  full = [n for n, text in numbered.items() if text]
  return [f"{'>' if n == line else ' '} {n:4} | {numbered[n]}".rstrip() for n in range(full[0], full[-1] + 1)] if full else []


def report(findings: Iterable[tuple]) -> str:
  """Text for people: of each finding what is wrong, the source, the remedy, and what would allow it."""
  blocks = []
  for place, rule, what, remedy, comment in findings:
    blocks.append("\n".join([f"{place}: {rule}: {what}", *_excerpt(place), f"note: {remedy}", f"note: to allow it here, write '{comment}'"]))
  return "\n\n".join(blocks)
