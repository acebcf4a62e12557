//===- DeviceArrays.cpp - Arrays of several devices in files --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceArrays.h"
#include <deque>

using namespace mlir;
using namespace mlir::pallas;
using namespace pallas_rt;

/// The file of one device, or of all of them.
static std::string getPath(StringRef path, int64_t device) {
  auto [before, after] = path.split("{}");
  if (before.size() == path.size())
    return path.str();
  return (before + Twine(device) + after).str();
}

static int64_t getNumBytes(const BufferType &type) {
  return ShapedType::getNumElements(type.shape) * getByteSize(type.dtype);
}

namespace {
/// Arrays in memory, and their parts by device.
struct DeviceArrays {
  explicit DeviceArrays(int64_t numDevices)
      : inputs(numDevices), outputs(numDevices) {}

  llvm::Error readInput(StringRef path, const BufferType &type);
  llvm::Error createOutput(const BufferType &type);
  void appendFiles(StringRef path, unsigned index, const BufferType &type,
                   SmallVectorImpl<NpyOutput> &targets);

  // Views refer to the shapes in them, so arrays stay where they are.
  std::deque<NpyArray> files;
  std::vector<std::unique_ptr<llvm::WritableMemoryBuffer>> memory;
  std::vector<SmallVector<BufferView>> inputs, outputs;
  std::deque<SmallVector<int64_t>> joinedShapes;
};
} // namespace

llvm::Error DeviceArrays::readInput(StringRef path, const BufferType &type) {
  bool isPerDevice = path.contains("{}");
  for (int64_t device = 0, e = inputs.size(); device < e; ++device) {
    if (device == 0 || isPerDevice) {
      auto file = readNpy(getPath(path, device));
      if (!file)
        return file.takeError();
      if (!file->holds(type.dtype))
        return llvm::createStringError(
            "%s: holds elements of NumPy type '%s', but the function takes %s",
            getPath(path, device).c_str(), file->descr.c_str(),
            stringifyDType(type.dtype).str().c_str());
      files.push_back(std::move(*file));
    }
    const NpyArray &array = files.back();
    BufferView view = array.view(type.dtype);
    ArrayRef<int64_t> shape = array.shape;
    bool isCut = !isPerDevice && !shape.empty() &&
                 shape.size() == type.shape.size() &&
                 shape.front() == type.shape.front() * e &&
                 shape.drop_front() == ArrayRef(type.shape).drop_front();
    if (isCut) {
      view.data = static_cast<char *>(view.data) + device * getNumBytes(type);
      view.shape = type.shape;
    }
    inputs[device].push_back(view);
  }
  return llvm::Error::success();
}

llvm::Error DeviceArrays::createOutput(const BufferType &type) {
  auto result = allocateArrays(type, outputs.size());
  if (!result)
    return result.takeError();
  memory.push_back(std::move(*result));
  int64_t bytes = getNumBytes(type);
  for (auto [device, views] : llvm::enumerate(outputs))
    views.push_back({memory.back()->getBufferStart() + device * bytes,
                     type.dtype, type.shape});
  return llvm::Error::success();
}

void DeviceArrays::appendFiles(StringRef path, unsigned index,
                               const BufferType &type,
                               SmallVectorImpl<NpyOutput> &targets) {
  if (!path.contains("{}")) {
    SmallVector<int64_t> &shape = joinedShapes.emplace_back(type.shape);
    if (shape.empty())
      shape.push_back(1);
    shape.front() *= outputs.size();
    targets.push_back(
        {path.str(), {outputs[0][index].data, type.dtype, shape}});
    return;
  }
  for (auto [device, views] : llvm::enumerate(outputs))
    targets.push_back({getPath(path, device), views[index]});
}

llvm::Error pallas::runOnDevices(const Engine &engine, StringRef entry,
                                 const DeviceMesh &mesh,
                                 ArrayRef<std::string> inPaths,
                                 ArrayRef<std::string> outPaths) {
  const EntrySignature &signature = *engine.getSignature(entry);
  if (inPaths.size() != signature.inputs.size())
    return llvm::createStringError(
        "'%s' has %zu inputs, but %zu --in were given", entry.str().c_str(),
        signature.inputs.size(), inPaths.size());
  DeviceArrays arrays(mesh.getNumDevices());
  for (auto [path, type] : llvm::zip_equal(inPaths, signature.inputs))
    if (llvm::Error error = arrays.readInput(path, type))
      return error;
  for (const BufferType &type : signature.outputs)
    if (llvm::Error error = arrays.createOutput(type))
      return error;

  if (llvm::Error error =
          engine.invokeOnDevices(entry, mesh, arrays.inputs, arrays.outputs))
    return error;
  SmallVector<NpyOutput> files;
  for (auto [i, path] : llvm::enumerate(outPaths))
    arrays.appendFiles(path, i, signature.outputs[i], files);
  return writeNpyFiles(files);
}
