//===- CheckedThreadsTest.cpp - Checked calls of several threads ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked calls take turns, while another thread ends and writes timelines, and
// a third one refuses calls. ThreadSanitizer finds no race in this test.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/CheckedCall.h"
#include "pallas/Runtime/Runtime.h"
#include "pallas/Runtime/Timeline.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cstring>
#include <deque>
#include <thread>

using namespace pallas_rt;
using namespace std::chrono_literals;

/// A function that checked code calls.
template <typename First> static auto findCheck(llvm::StringRef name) {
  for (auto [known, address] : getCheckerSymbols())
    if (known == name)
      return reinterpret_cast<void (*)(First, ...)>(address);
  ADD_FAILURE() << "there is no " << name.str();
  std::abort();
}

/// A kernel of four programs, each of which reads 256 bytes.
static llvm::Error runKernel(const std::vector<float> &input,
                             llvm::ArrayRef<BufferView> outputs) {
  static auto region = findCheck<const char *>("pallas_check_region");
  static auto gridBegin = findCheck<const char *>("pallas_check_grid_begin");
  static auto access = findCheck<const char *>("pallas_check_access");
  static auto program = findCheck<int64_t>("pallas_check_program");
  static auto gridEnd = findCheck<int64_t>("pallas_check_grid_end");
  RuntimeScope scope({});
  auto address = reinterpret_cast<int64_t>(input.data());
  int64_t zero = 0, one = 1, isNew = 2, bytes = 4, size = input.size();
  region("input 0", zero, isNew, zero, zero, zero, zero, address, bytes, one,
         size, one);
  gridBegin("k.mlir:1:1\npallas.pallas_call\nk");
  for (int64_t i = 0; i < 4; ++i) {
    program(1, i);
    access("k.mlir:2:1\npallas.get\ninput 0", one, address, bytes, one, size,
           one);
  }
  gridEnd(0, zero);
  std::memset(outputs[0].data, 0, 4);
  return scope.finish(/*toleratesLeftovers=*/true);
}

TEST(CheckedThreadsTest, timelinesAndRefusals) {
  std::atomic<bool> hasEnded = false;
  std::atomic<unsigned> numCalls = 0, numRefused = 0, numWrong = 0;
  auto callOften = [&](unsigned device) {
    std::vector<float> input(64, 1.0f);
    float output = 1;
    BufferView view;
    view.data = &output;
    view.dtype = DType::F32;
    while (!hasEnded) {
      auto run = [&](llvm::ArrayRef<BufferView> outputs) {
        return runKernel(input, outputs);
      };
      CheckedReport report = callChecked(run, view, {}, 1, device);
      ++numCalls;
      if (report.errors == std::vector<std::string>{"busy"})
        ++numRefused;
      else if (!report.errors.empty() || !report.findings.empty() || output)
        ++numWrong;
      output = 1;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned device = 0; device < 3; ++device)
    threads.emplace_back(callOften, device);
  threads.emplace_back([&] {
    while (!hasEnded) {
      refuseCheckedCalls("busy");
      std::this_thread::sleep_for(1ms);
      refuseCheckedCalls("");
      std::this_thread::sleep_for(5ms);
    }
  });
  // A call that is recorded outlives its recording.
  std::deque<Timeline> timelines;
  unsigned numKernels = 0;
  for (int i = 0; i < 20; ++i) {
    timelines.emplace_back(1000);
    {
      TimelineScope scope(timelines.back());
      std::this_thread::sleep_for(10ms);
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    timelines.back().writeTraceEvents(stream);
    EXPECT_TRUE(llvm::StringRef(text).ends_with("]}\n"));
    numKernels += llvm::StringRef(text).count("\"cat\":\"kernel\"");
  }
  hasEnded = true;
  for (std::thread &thread : threads)
    thread.join();
  refuseCheckedCalls("");
  EXPECT_EQ(numWrong, 0u);
  EXPECT_GT(numRefused, 0u);
  EXPECT_GT(numCalls, numRefused);
  EXPECT_GT(numKernels, 0u);
}
