# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the tests in a report that lit has written (--output FILE).

Prints the tests that took most of the processor time, and `N passed, N failed`
as the last line, with `, N skipped` behind it when tests were left out; exits
with 1 when one failed or none ran.
"""

import json
import pathlib
import sys

PASSED = {"PASS", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED"}


def print_times(tests, most=10):
  times = sorted(((test["metrics"]["processor_time"], test["name"]) for test in tests if test.get("metrics")), reverse=True)
  if len(times) > most:
    print(f"{sum(seconds for seconds, _ in times):.0f} s of processor time in {len(times)} tests, most of it in")
    print("\n".join(f"{seconds:8.1f} s  {name}" for seconds, name in times[:most]))


def main():
  passed = failed = skipped = 0
  report = pathlib.Path(sys.argv[1])
  # Lit writes none where a filter matches nothing.
  tests = json.loads(report.read_text())["tests"] if report.exists() else []
  print_times(tests)
  for test in tests:
    if test["code"] in PASSED:
      passed += 1
    elif test["code"] in SKIPPED:
      skipped += 1
      print(f"skipped: {test['name']}")
    # A filter excludes tests on purpose: they are not part of the run.
    elif test["code"] != "EXCLUDED":
      failed += 1
      print(f"failed: {test['name']} ({test['code']})")
  tail = f", {skipped} skipped" if skipped else ""
  print(f"{passed} passed, {failed} failed{tail}")
  return 1 if failed or not passed else 0


if __name__ == "__main__":
  sys.exit(main())
