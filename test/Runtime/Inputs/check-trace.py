"""Checks a trace against the Trace Event Format as Perfetto reads it, and prints what is in it.

  check-trace.py FILE
"""
import collections
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
NEEDED = {"M": {"name", "pid", "args"}, "X": {"name", "cat", "pid", "tid", "ts", "dur"}, "b": {"name", "cat", "id2", "pid", "ts"},
          "e": {"name", "cat", "id2", "pid", "ts"}, "s": {"name", "cat", "id", "pid", "tid", "ts"},
          "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"}, "C": {"name", "pid", "ts", "args"}}
threads, slices, begun, arrows, counters = {}, collections.defaultdict(list), {}, collections.defaultdict(dict), collections.defaultdict(list)
for event in events:
  kind = event["ph"]
  assert kind in NEEDED, event
  assert NEEDED[kind] <= event.keys(), event
  assert all(isinstance(event[k], int) and event[k] >= 0 for k in ("ts", "dur", "pid", "tid") if k in event), event
  assert isinstance(event.get("id", ""), str), event
  time = event.get("ts", 0)
  if kind == "M" and event["name"] == "thread_name":
    assert threads.setdefault((event["pid"], event["tid"]), event["args"]["name"]) == event["args"]["name"]
  elif kind == "X":
    slices[event["pid"], event["tid"]].append((time, time + event["dur"], event))
  elif kind == "b":
    assert (event["pid"], event["cat"], event["id2"]["local"]) not in begun, event
    begun[event["pid"], event["cat"], event["id2"]["local"]] = time
  elif kind == "e":
    assert begun.pop((event["pid"], event["cat"], event["id2"]["local"])) <= time, event
  elif kind in "sf":
    assert kind not in arrows[event["id"]]
    arrows[event["id"]][kind] = event
  elif kind == "C":
    (unit, value), = event["args"].items()
    assert unit in ("count", "bytes"), event
    counters[event["pid"], event["name"], event.get("id")].append((time, value))
assert not begun, begun
assert slices.keys() <= threads.keys(), (slices.keys(), threads.keys())

# Slices of a thread nest.
for thread, found in slices.items():
  stack = []
  for begin, end, event in sorted(found, key=lambda s: (s[0], -s[1])):
    while stack and stack[-1] <= begin:
      stack.pop()
    assert not stack or end <= stack[-1], (thread, event)
    stack.append(end)


def slice_at(event):
  return [s for s in slices[event["pid"], event["tid"]] if s[0] <= event["ts"] < s[1]]


# An arrow leads from a slice to one that ends no earlier.
for number, ends in arrows.items():
  assert ends.keys() == {"s", "f"}, number
  assert any(s[2]["cat"] == "signal" for s in slice_at(ends["s"])), ends
  assert any(s[2]["cat"] == "wait" for s in slice_at(ends["f"])), ends
  assert ends["s"]["ts"] <= ends["f"]["ts"], ends

for counter, values in counters.items():
  assert values == sorted(values, key=lambda v: v[0]), counter
  assert all(count >= 0 for _, count in values), (counter, values)

for thread in sorted(threads):
  kinds = collections.Counter(event["cat"] for _, _, event in slices[thread])
  print(f"device {thread[0]}, {threads[thread]}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
copies = collections.Counter((e["pid"], e["name"]) for e in events if e["ph"] == "b")
for (device, name), count in sorted(copies.items()):
  print(f"device {device}, copies: {count} {name}")
for (device, name, _), values in sorted(counters.items()):
  print(f"device {device}, {name}: up to {max(c for _, c in values)}, then {values[-1][1]}")
print(f"{len(arrows)} arrows, ends at {max((s[1] for found in slices.values() for s in found), default=0)} us")
