//===- DumpStages.cpp - The module after each pass, in files --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/DumpStages.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::pallas;
namespace fs = llvm::sys::fs;

/// Names the files of a run, so that the next one removes these and no other:
///   000-input.mlir
///   001-pallas-discharge-state.mlir
///   .stages                            has the two names above
///   007-mine.mlir                      is a file of the user
static SmallString<128> getListPath(StringRef folder) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, ".stages");
  return path;
}

namespace {
/// MLIR finds out which passes change something; this chooses the files.
class StageFiles : public PassManager::IRPrinterConfig {
public:
  explicit StageFiles(StringRef folder)
      : IRPrinterConfig(/*printModuleScope=*/true,
                        /*printAfterOnlyOnChange=*/true),
        folder(folder) {}

  void printBeforeIfEnabled(Pass *pass, Operation *operation,
                            PrintCallbackFn print) override {
    if (number == 0 && prepare(operation))
      write("input", operation, print);
  }
  void printAfterIfEnabled(Pass *pass, Operation *operation,
                           PrintCallbackFn print) override {
    StringRef name =
        pass->getArgument().empty() ? pass->getName() : pass->getArgument();
    if (isReady)
      write(name, operation, print);
  }

private:
  bool prepare(Operation *operation);
  /// A disk that is full must not end the compilation, so it is a warning.
  void write(StringRef name, Operation *operation, PrintCallbackFn print) {
    SmallString<128> path(folder);
    llvm::sys::path::append(
        path, llvm::formatv("{0,0+3}-{1}.mlir", number++, name).str());
    std::error_code error;
    // A file of the user is not overwritten.
    llvm::raw_fd_ostream stream(path, error, fs::CD_CreateNew);
    if (!error) {
      llvm::raw_fd_ostream(getListPath(folder), error, fs::OF_Append)
          << llvm::sys::path::filename(path) << "\n";
      print(stream);
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    if (error)
      emitWarning(operation->getLoc())
          << "the stage " << path << " is not written: " << error.message();
  }

  std::string folder;
  unsigned number = 0;
  bool isReady = false;
};
} // namespace

/// A shorter run must not leave the end of a longer one behind it.
static std::error_code removeStages(StringRef folder) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> list =
      llvm::MemoryBuffer::getFile(getListPath(folder));
  if (!list)
    return {};
  for (llvm::line_iterator name(**list); !name.is_at_end(); ++name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, llvm::sys::path::filename(*name));
    if (std::error_code error = fs::remove(path))
      return error;
  }
  return fs::remove(getListPath(folder));
}

/// The folder that the module comes from keeps its files: a stage may be
/// compiled again.
bool StageFiles::prepare(Operation *operation) {
  auto place = operation->getLoc()->findInstanceOf<FileLineColLoc>();
  StringRef source =
      place ? llvm::sys::path::parent_path(place.getFilename()) : StringRef();
  if (place && fs::equivalent(source.empty() ? "." : source, folder)) {
    emitWarning(operation->getLoc())
        << "no stages are written to " << folder
        << ", which the module comes from; choose another folder";
    return false;
  }
  if (std::error_code error = removeStages(folder)) {
    emitWarning(operation->getLoc())
        << "no stages are written to " << folder << ": " << error.message();
    return false;
  }
  return isReady = true;
}

llvm::Error mlir::pallas::dumpStages(PassManager &pm, StringRef folder) {
  if (folder.empty())
    return llvm::Error::success();
  std::error_code error = fs::create_directories(folder);
  if (!error && !fs::is_directory(folder))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    return llvm::createStringError(error, "no stages in %s: %s",
                                   folder.str().c_str(),
                                   error.message().c_str());
  pm.getContext()->disableMultithreading();
  pm.enableIRPrinting(std::make_unique<StageFiles>(folder));
  return llvm::Error::success();
}
