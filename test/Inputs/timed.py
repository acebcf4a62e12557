# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A test format of lit that measures the processor time of each test; a report (--output FILE) has it among the metrics.

Wall time tells little: tests share the processors with others, and some wait.
"""
import resource

import lit.formats
import lit.Test


class TimedTest(lit.formats.ShTest):
  def execute(self, test, litConfig):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = super().execute(test, litConfig)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    # Forks of an interpreter are children of that one.
    if times := test.config.environment.get("PALLAS_TEST_FORK_TIMES"):
      with open(times) as file:
        seconds += sum(float(line.split()[0]) for line in file if line.split(" ", 1)[1].rstrip() == test.getFullName())
    if isinstance(result, lit.Test.Result):
      result.addMetric("processor_time", lit.Test.RealMetricValue(round(seconds, 3)))
    return result
