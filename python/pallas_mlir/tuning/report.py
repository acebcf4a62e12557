# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a search as a table and as a picture."""
from __future__ import annotations

import html
import math


def spell(value, unit) -> str:
  if value is None:
    return "-"
  if unit == "cycles":
    return f"{value:,.0f}"
  scale, name = next(((s, n) for s, n in ((1, "s"), (1e-3, "ms"), (1e-6, "us")) if value >= s), (1e-6, "us"))
  return f"{value / scale:.3g} {name}"


def _rows(result):
  for candidate in result.candidates:
    if candidate.refused:
      yield candidate.name, "-", "-", f"left out: {candidate.refused}"
      continue
    spread = f"{spell(candidate.low, result.unit)} to {spell(candidate.high, result.unit)}" if candidate.low is not None else ""
    if candidate.vmem is not None:
      spread = f"{candidate.vmem:,} bytes of VMEM"
    yield candidate.name, spell(candidate.predicted, "cycles"), spell(candidate.measured, result.unit), spread


def table(result) -> str:
  """A line per candidate, the best first."""
  rows = [("configuration", "predicted", "measured", ""), *_rows(result)]
  widths = [max(len(row[i]) for row in rows) for i in range(3)]
  lines = [f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip() for row in rows]
  if not result.complete:
    lines.append("interrupted; what was not measured is ranked by the model")
  return "\n".join(lines)


WIDTH, HEIGHT, MARGIN = 360, 280, 56


class _Axis:
  """A logarithmic axis over some values."""

  def __init__(self, values, start, end):
    low, high = math.log10(min(values)), math.log10(max(values))
    room = max(high - low, 0.1) * 0.08
    self.low, self.high, self.start, self.end = low - room, high + room, start, end

  def place(self, value):
    return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

  def ticks(self):
    steps = [m * 10.0 ** e for e in range(math.floor(self.low), math.ceil(self.high) + 1) for m in (1, 2, 5)]
    inside = [s for s in steps if self.low <= math.log10(s) <= self.high]
    return inside[:: max(1, len(inside) // 5)] or [10 ** ((self.low + self.high) / 2)]


def _scatter(points, left, title, x_label, y_label, front=()):
  """A diagram of (x, y, name); those in `front` are joined by a line."""
  xs, ys = _Axis([p[0] for p in points], left + MARGIN, left + WIDTH - 12), _Axis([p[1] for p in points], HEIGHT - MARGIN, 32)
  parts = [f'<text x="{left + WIDTH / 2}" y="18" class="title">{title}</text>',
           f'<path class="axis" d="M{xs.start} {ys.end}V{ys.start}H{xs.end}"/>',
           f'<text x="{(xs.start + xs.end) / 2}" y="{HEIGHT - 12}" class="label">{x_label}</text>',
           f'<text transform="translate({left + 14} {(ys.start + ys.end) / 2}) rotate(-90)" class="label">{y_label}</text>']
  parts += [f'<text x="{xs.place(t):.1f}" y="{ys.start + 16}" class="tick">{t:.3g}</text>' for t in xs.ticks()]
  parts += [f'<text x="{xs.start - 6}" y="{ys.place(t) + 4:.1f}" class="tick" style="text-anchor: end">{t:.3g}</text>' for t in ys.ticks()]
  if len(front) > 1:
    parts.append(f'<polyline class="front" points="{" ".join(f"{xs.place(x):.1f},{ys.place(y):.1f}" for x, y, _ in front)}"/>')
  parts += [f'<circle cx="{xs.place(x):.1f}" cy="{ys.place(y):.1f}" r="4"><title>{html.escape(name)}: {x:,.6g}, {y:,.6g}</title></circle>' for x, y, name in points]
  return parts


def _pareto(points):
  """Those that no other point beats in both."""
  front = []
  for point in sorted(points):
    if not front or point[1] < front[-1][1]:
      front.append(point)
  return front


def picture(result) -> str:
  """Predicted against measured, and measured against VMEM with the candidates that none beats in both."""
  measured = [c for c in result.candidates if c.measured]
  diagrams, left = [], 0
  if points := [(c.predicted, c.measured, c.name) for c in measured if c.predicted]:
    diagrams += _scatter(points, left, "The model and the judge", "predicted cycles", f"measured {result.unit}")
    left += WIDTH
  if points := [(c.vmem, c.measured, c.name) for c in measured if c.vmem]:
    diagrams += _scatter(points, left, "Cycles and memory", "bytes of VMEM", f"measured {result.unit}", _pareto(points))
    left += WIDTH
  if not diagrams and measured:
    points = [(number, c.measured, c.name) for number, c in enumerate(measured, 1)]
    diagrams, left = _scatter(points, 0, "Candidates", "rank", f"measured {result.unit}"), WIDTH
  if not diagrams:
    raise ValueError("no candidate was measured, so there is nothing to draw")
  style = (".title{font-weight:bold;text-anchor:middle} .label,.tick{text-anchor:middle;font-size:11px} .axis,.front{fill:none;stroke:#555} "
           ".front{stroke-dasharray:4 3} circle{fill:#1a6;fill-opacity:.75} text{font-family:sans-serif;font-size:13px;fill:#222}")
  body = "\n".join(diagrams)
  return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left} {HEIGHT}" width="{left}" height="{HEIGHT}">\n'
          f'<style>{style}</style>\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')
