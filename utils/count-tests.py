"""Adds up the test results of lit (JSON) and pytest (JUnit XML) in a folder.

Prints `N passed, N failed` as the last line, and `, N skipped` behind it when
tests were left out; exits with 1 when one failed or none ran.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def outcomes(folder):
    for path in sorted(folder.glob("*.json")):
        for test in json.loads(path.read_text())["tests"]:
            # A filter excludes tests on purpose: they are not part of the run.
            if test["code"] != "EXCLUDED":
                yield test["name"], test["code"]
    for path in sorted(folder.glob("*.xml")):
        for case in ElementTree.parse(path).iter("testcase"):
            name = f"{case.get('classname')}::{case.get('name')}"
            codes = {child.tag for child in case}
            if codes & {"failure", "error"}:
                yield name, "FAIL"
            else:
                yield name, "SKIPPED" if "skipped" in codes else "PASS"


def main():
    passed = failed = skipped = 0
    for name, code in outcomes(pathlib.Path(sys.argv[1])):
        if code in PASSED:
            passed += 1
        elif code in SKIPPED:
            skipped += 1
        else:
            failed += 1
            print(f"failed: {name} ({code})")
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{passed} passed, {failed} failed{tail}")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
