//===- EngineCalls.cpp - Calls of compiled code ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls check their buffers, as compiled code trusts shapes, and run on one
// device or on several, checked or not.
//
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"
#include "Entries.h"
#include "pallas/Runtime/Runtime.h"
#include "pallas/Support/CrashReport.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace pallas_rt;

/// Compiled code has static sizes as constants, so it would access a buffer of
/// another shape out of bounds. Dynamic sizes come with the buffer.
static llvm::Error checkBuffers(StringRef kind, StringRef entry,
                                ArrayRef<BufferView> buffers,
                                ArrayRef<BufferType> types) {
  if (buffers.size() != types.size())
    return llvm::createStringError("'%s' has %zu %ss, but %zu were given",
                                   entry.str().c_str(), types.size(),
                                   kind.str().c_str(), buffers.size());
  for (auto [index, buffer, type] : llvm::enumerate(buffers, types)) {
    bool matches =
        buffer.dtype == type.dtype && buffer.shape.size() == type.shape.size();
    for (size_t d = 0; matches && d < type.shape.size(); ++d)
      matches = ShapedType::isDynamic(type.shape[d]) ||
                type.shape[d] == buffer.shape[d];
    if (!matches)
      return llvm::createStringError(
          "%s %zu of '%s' is %s, but %s was given", kind.str().c_str(),
          static_cast<size_t>(index), entry.str().c_str(),
          describe(type.dtype, type.shape).c_str(),
          describe(buffer.dtype, buffer.shape).c_str());
    // No element of an empty array is accessed, so it may lack memory.
    if (!buffer.data && ShapedType::getNumElements(buffer.shape) != 0)
      return llvm::createStringError(
          "%s %zu of '%s' has no memory", kind.str().c_str(),
          static_cast<size_t>(index), entry.str().c_str());
  }
  return llvm::Error::success();
}

/// Appends the memref descriptor of a dense buffer: two pointers, the offset,
/// the sizes and the strides.
static void appendDescriptor(const BufferView &buffer,
                             SmallVectorImpl<int64_t> &words) {
  auto address = static_cast<int64_t>(reinterpret_cast<intptr_t>(buffer.data));
  words.append({address, address, 0});
  words.append(buffer.shape.begin(), buffer.shape.end());
  size_t rank = buffer.shape.size(), first = words.size();
  words.append(rank, 1);
  for (size_t d = rank; d > 1; --d)
    words[first + d - 2] = words[first + d - 1] * buffer.shape[d - 1];
}

/// The entry of this name, which fits the buffers.
llvm::Expected<const Entry *>
Engine::Impl::resolve(StringRef name, ArrayRef<BufferView> inputs,
                      ArrayRef<BufferView> outputs) const {
  if (name.empty()) {
    if (names.size() != 1)
      return llvm::createStringError(
          "the module has %zu functions (%s); name the one to call",
          names.size(), llvm::join(names, ", ").c_str());
    name = names.front();
  }
  auto it = entries.find(name);
  if (it == entries.end())
    return llvm::createStringError("the module has no function '%s'; it has %s",
                                   name.str().c_str(),
                                   llvm::join(names, ", ").c_str());
  const Entry &entry = it->second;
  llvm::Error error =
      checkBuffers("input", name, inputs, entry.signature.inputs);
  if (!error)
    error = checkBuffers("output", name, outputs, entry.signature.outputs);
  if (error)
    return std::move(error);
  return &entry;
}

/// The wrapper of an entry takes an array of pointers to memref descriptors. It
/// knows their ranks, so nothing else tells where one ends.
llvm::Error Engine::Impl::call(PackedFunction function,
                               ArrayRef<BufferView> inputs,
                               ArrayRef<BufferView> outputs,
                               DeviceContext device) const {
  std::optional<WatchedArrays> watched;
  if (sanitized) {
    watched.emplace(inputs, outputs);
    inputs = watched->getInputs();
    outputs = watched->getOutputs();
  }
  SmallVector<int64_t, 64> words;
  SmallVector<size_t, 8> starts;
  for (ArrayRef<BufferView> buffers : {inputs, outputs})
    for (const BufferView &buffer : buffers) {
      starts.push_back(words.size());
      appendDescriptor(buffer, words);
    }
  // Only now: the vector of words moves when it grows.
  SmallVector<void *, 8> pointers;
  for (size_t start : starts)
    pointers.push_back(words.data() + start);
  CrashContext context([&](raw_ostream &os) {
    os << "running compiled code";
    if (!sanitized)
      os << " (--sanitize=address names the access that is wrong)";
  });
  RuntimeScope scope(device);
  function(pointers.data());
  if (watched)
    watched->copyBack();
  return scope.finish(toleratesLeftovers);
}

/// Calls the function on several devices at the same time, each on a thread;
/// `outputs` are those of all, one behind the other.
llvm::Error
Engine::Impl::callTogether(PackedFunction function, DeviceGroup &group,
                           const std::map<unsigned, DeviceBuffers> &devices,
                           ArrayRef<BufferView> outputs) const {
  SmallVector<unsigned> numbers;
  SmallVector<ArrayRef<BufferView>> inputs;
  for (const auto &[device, buffers] : devices) {
    numbers.push_back(device);
    inputs.push_back(buffers.inputs);
  }
  size_t numOutputs = outputs.size() / devices.size();
  return runTogether(
      group, numbers, [&](DeviceContext device, size_t position) {
        return call(function, inputs[position],
                    outputs.slice(position * numOutputs, numOutputs), device);
      });
}

/// Checks what one device does; it reaches no other.
llvm::Error Engine::Impl::checkAlone(PackedFunction function,
                                     ArrayRef<BufferView> inputs,
                                     ArrayRef<BufferView> outputs,
                                     DeviceContext device) const {
  auto run = [&](ArrayRef<BufferView> outputs) {
    if (!device.group)
      return call(function, inputs, outputs, {});
    const DeviceMesh &mesh = device.group->getMesh();
    SmallVector<unsigned> others;
    for (unsigned i = 0, e = mesh.getNumDevices(); i < e; ++i)
      if (i != device.device)
        others.push_back(i);
    DeviceGroup alone(mesh, others);
    return call(function, inputs, outputs, {&alone, device.device});
  };
  std::optional<unsigned> number;
  if (device.group)
    number = device.device;
  return callChecked(run, outputs, allowed, /*numDevices=*/1, number)
      .getError();
}

/// Checks what all devices of the group do that this process has.
llvm::Error Engine::Impl::checkTogether(PackedFunction function,
                                        ArrayRef<BufferView> inputs,
                                        ArrayRef<BufferView> outputs,
                                        DeviceContext device) const {
  const DeviceMesh &mesh = device.group->getMesh();
  SmallVector<unsigned> elsewhere = device.group->getElsewhere();
  auto check = [&](const std::map<unsigned, DeviceBuffers> &devices) {
    SmallVector<BufferView> allOutputs;
    for (const auto &[number, buffers] : devices)
      llvm::append_range(allOutputs, buffers.outputs);
    auto run = [&](ArrayRef<BufferView> outputs) {
      DeviceGroup group(mesh, elsewhere);
      return callTogether(function, group, devices, outputs);
    };
    return callChecked(run, allOutputs, allowed, devices.size());
  };
  return device.group->getCheckedMeeting().join(
      device.device, mesh.getNumDevices() - elsewhere.size(), {inputs, outputs},
      check);
}

llvm::Error Engine::invoke(StringRef name, ArrayRef<BufferView> inputs,
                           ArrayRef<BufferView> outputs,
                           DeviceContext device) const {
  auto resolved = impl->resolve(name, inputs, outputs);
  if (!resolved)
    return resolved.takeError();
  PackedFunction function = (*resolved)->function;
  SmallVector<std::vector<char>> elements;
  SmallVector<BufferView> ringInputs =
      takeIntoRing(inputs, (*resolved)->ringInputs, elements);
  inputs = ringInputs;
  if (!impl->checked)
    return impl->call(function, inputs, outputs, device);
  // Devices that access each other's memory may race, so they are checked in
  // one run. Others are checked without waiting for any.
  return device.group && impl->reachesDevices
             ? impl->checkTogether(function, inputs, outputs, device)
             : impl->checkAlone(function, inputs, outputs, device);
}

llvm::Error
Engine::invokeOnDevices(StringRef entry, const DeviceMesh &mesh,
                        ArrayRef<SmallVector<BufferView>> inputs,
                        ArrayRef<SmallVector<BufferView>> outputs) const {
  size_t count = mesh.getNumDevices();
  if (inputs.size() != count || outputs.size() != count)
    return llvm::createStringError(
        "a mesh of %zu devices needs inputs and outputs for each of them, but "
        "there are inputs for %zu and outputs for %zu",
        count, inputs.size(), outputs.size());
  // A device with bad buffers would never come to meet the others.
  const Entry *called = nullptr;
  SmallVector<std::vector<char>> elements;
  std::vector<SmallVector<BufferView>> ringInputs;
  SmallVector<BufferView> allOutputs;
  for (size_t device = 0; device < count; ++device) {
    auto resolved = impl->resolve(entry, inputs[device], outputs[device]);
    if (!resolved)
      return resolved.takeError();
    called = *resolved;
    ringInputs.push_back(
        takeIntoRing(inputs[device], called->ringInputs, elements));
    llvm::append_range(allOutputs, outputs[device]);
  }
  std::map<unsigned, DeviceBuffers> devices;
  for (size_t device = 0; device < count; ++device)
    devices[device] = {ringInputs[device], outputs[device]};
  auto run = [&](ArrayRef<BufferView> outputs) {
    DeviceGroup group(mesh);
    return impl->callTogether(called->function, group, devices, outputs);
  };
  return impl->checked
             ? callChecked(run, allOutputs, impl->allowed, count).getError()
             : run(allOutputs);
}
