"""A test format of lit: every test once per level of CPU, as LEVEL/NAME.

What this machine can't run is compiled, and its symbols are looked at.
"""

import copy
import os

import lit.Test
from levels import REPEATED, runs_here
from timed import TimedTest


class LevelTest(lit.Test.Test):
  def getSourcePath(self):
    return self.file_path


class EachLevel(TimedTest):
  def getTestsForPath(self, testSuite, path_in_suite, litConfig, localConfig):
    tool = os.path.join(localConfig.pallas_tools_dir, "pallas-run")
    for test in super().getTestsForPath(testSuite, path_in_suite, litConfig, localConfig):
      for level in REPEATED:
        own = copy.copy(localConfig)
        own.environment = dict(localConfig.environment, PALLAS_CPU=level)
        own.available_features = set(localConfig.available_features)
        if runs_here(level, tool):
          own.available_features.add("runs-here")
        else:
          own.environment["PALLAS_TEST_COMPILES_ONLY"] = "1"
        *folder, name = path_in_suite
        yield LevelTest(testSuite, (*folder, level, name), own, file_path=test.getSourcePath())
