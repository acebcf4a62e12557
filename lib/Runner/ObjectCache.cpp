//===- ObjectCache.cpp - Compiled objects on disk -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file keeps compiled objects on disk. A process that compiles the same
// kernel again, for the same CPU with the same compiler, loads its object.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"
#include "Compiler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::pallas;

/// First bytes of an entry; the number changes with what follows: the key, the
/// digest, the object.
static constexpr StringLiteral magic = "pallas object 1\n";
static constexpr size_t digestBytes = LLVM_BLAKE3_OUT_LEN;
/// LLVM's pruning removes no other files, should the folder be a wrong one.
static constexpr StringLiteral prefix = "llvmcache-";
static constexpr StringLiteral unfinished = ".tmp";
/// A writer that has taken so long is no more.
static constexpr time_t staleSeconds = 3600;
static constexpr StringLiteral defaultPolicy =
    "prune_interval=20m:prune_after=720h:cache_size_bytes=1g:cache_size=10%:"
    "cache_size_files=100000";

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Size and time instead of contents: hashing LLVM would take longer than
/// compiling a small kernel.
static void describeFile(raw_ostream &os, StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status))
    os << path << ' ' << status.getSize() << ' '
       << status.getLastModificationTime().time_since_epoch().count() << '\n';
}

/// The file that holds the code at `address`. For a program this may be the
/// word on the command line, which need not be the name of a file.
static void describeHolder(raw_ostream &os, void *address) {
  Dl_info info;
  if (dladdr(address, &info))
    describeFile(os, info.dli_fname);
}

/// Identifies the compiler itself: the program, and the libraries that hold
/// this code and LLVM's. A rebuilt compiler must not take the objects of its
/// predecessor.
static void describeCompiler(raw_ostream &os) {
  void *here = reinterpret_cast<void *>(&describeCompiler);
  describeHolder(os, here);
  describeHolder(os, reinterpret_cast<void *>(&llvm_blake3_hasher_init));
  describeFile(os, llvm::sys::fs::getMainExecutable(nullptr, here));
}

std::string ObjectCache::computeKey(ModuleOp module,
                                    const EngineOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  describeCompiler(stream);
  stream << describeTarget(options) << '\n'
         << options.optLevel << ' ' << options.sanitize << ' '
         << options.keepsLines << ' ';
  // Printing options is not const.
  PallasToLLVMOptions pipeline(options.pipeline);
  pipeline.print(stream);
  stream << '\n';
  // Messages of the kernel speak of its locations.
  module->print(stream,
                OpPrintingFlags().printGenericOpForm().enableDebugInfo());
  return llvm::toHex(llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

/// Also of the key, so that an object under another name is none.
static llvm::BLAKE3Result<digestBytes> computeDigest(StringRef key,
                                                     StringRef object) {
  llvm::BLAKE3 hash;
  hash.update(magic);
  hash.update(key);
  hash.update(object);
  return hash.final<digestBytes>();
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// The option comes first, then the environment, then the cache of the user.
static std::string chooseFolder(const EngineOptions &options) {
  if (!options.cacheDirectory.empty())
    return options.cacheDirectory;
  if (auto fromEnvironment = llvm::sys::Process::GetEnv("PALLAS_CACHE_DIR"))
    if (!fromEnvironment->empty())
      return *fromEnvironment;
  SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return "";
  llvm::sys::path::append(path, "pallas-mlir");
  return path.str().str();
}

/// Describes other users that can write to this file or folder; empty if only
/// this user can. Root can do as it likes in any case.
static std::string findOtherWriters(const struct stat &status) {
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return llvm::formatv("belongs to user {0}, but this process runs as user "
                         "{1}",
                         status.st_uid, geteuid());
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return llvm::formatv("can be written by others (mode {0}); take that "
                         "right away with chmod go-w",
                         llvm::utostr((status.st_mode >> 6 & 7) * 100 +
                                      (status.st_mode >> 3 & 7) * 10 +
                                      (status.st_mode & 7)));
  return "";
}

/// A process that compiles a thousand kernels warns once.
static void warnOnce(const llvm::Twine &message) {
  static std::mutex mutex;
  static auto *warned = new llvm::StringSet<>();
  std::string text = message.str();
  std::lock_guard<std::mutex> lock(mutex);
  if (warned->insert(text).second)
    std::fprintf(stderr, "warning: %s\n", text.c_str());
}

void ObjectCache::warn(const llvm::Twine &reason) const {
  warnOnce("compiled code is not kept in '" + path + "': " + reason +
           "; PALLAS_CACHE_DIR names another folder, and with PALLAS_CACHE=0 "
           "nothing is kept");
}

/// A cache that cannot be used is a warning and no error, as code can still be
/// compiled. The owner is that of the open folder, in which entries are opened
/// later: by then its path may name another folder.
ObjectCache::ObjectCache(const EngineOptions &options) {
  if (!options.useCache || llvm::sys::Process::GetEnv("PALLAS_CACHE") == "0")
    return;
  path = chooseFolder(options);
  if (path.empty()) {
    warn("this user has no home");
    return;
  }
  if (std::error_code code = llvm::sys::fs::create_directories(
          path, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all)) {
    warn("the folder cannot be made: " + code.message());
    return;
  }
  int opened = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status;
  if (opened < 0 || fstat(opened, &status)) {
    warn("the folder cannot be read: " + llvm::sys::StrError());
  } else if (std::string others = findOtherWriters(status); !others.empty()) {
    warn("what is kept there is run, and the folder " + others);
  } else {
    folder = opened;
    return;
  }
  if (opened >= 0)
    close(opened);
}

ObjectCache::~ObjectCache() {
  if (folder >= 0)
    close(folder);
}

std::string ObjectCache::getPath(StringRef key) const {
  SmallString<128> entry(path);
  llvm::sys::path::append(entry, prefix + key);
  return entry.str().str();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Checks the owner, the key and the digest of an entry before it is used: it
/// is going to be run.
std::unique_ptr<llvm::MemoryBuffer> ObjectCache::load(StringRef key) const {
  if (folder < 0)
    return nullptr;
  std::string name = (prefix + key).str();
  // Neither follows a link nor waits for the other end of a pipe.
  int file = openat(folder, name.c_str(),
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return nullptr;
  std::unique_ptr<llvm::MemoryBuffer> entry;
  struct stat status;
  if (!fstat(file, &status) && S_ISREG(status.st_mode) &&
      findOtherWriters(status).empty()) {
    // Mapped memory would still change after it has been looked at.
    auto buffer = llvm::MemoryBuffer::getOpenFile(
        file, name, status.st_size, /*RequiresNullTerminator=*/false,
        /*IsVolatile=*/true);
    if (buffer)
      entry = std::move(*buffer);
    // Pruning goes by the last use, which many file systems don't note.
    timespec used[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    futimens(file, used);
  }
  close(file);
  if (!entry)
    return nullptr;
  StringRef content = entry->getBuffer();
  if (!content.consume_front(magic) || !content.consume_front(key) ||
      content.size() < digestBytes)
    return nullptr;
  StringRef digest = content.take_front(digestBytes);
  StringRef object = content.drop_front(digestBytes);
  if (digest != llvm::toStringRef(computeDigest(key, object)))
    return nullptr;
  // Readers of objects want them aligned.
  return llvm::MemoryBuffer::getMemBufferCopy(object, name);
}

/// Writes a draft and renames it, which is atomic: two processes may store the
/// same entry.
std::error_code ObjectCache::write(StringRef key, StringRef object) const {
  std::string name = (prefix + key).str();
  std::string draft =
      (name + "-" + llvm::Twine(getpid()) + "-" +
       llvm::utohexstr(llvm::sys::Process::GetRandomNumber()) + unfinished)
          .str();
  int file = openat(folder, draft.c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return llvm::errnoAsErrorCode();
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << magic << key << llvm::toStringRef(computeDigest(key, object))
         << object;
  stream.close();
  std::error_code code = stream.error();
  // A stream that keeps an error ends the process.
  stream.clear_error();
  if (!code && renameat(folder, draft.c_str(), folder, name.c_str()))
    code = llvm::errnoAsErrorCode();
  if (code)
    unlinkat(folder, draft.c_str(), 0);
  return code;
}

void ObjectCache::store(StringRef key, llvm::MemoryBufferRef object) const {
  if (folder < 0)
    return;
  if (std::error_code code = write(key, object.getBuffer()))
    warn(code.message());
  else
    prune();
}

//===----------------------------------------------------------------------===//
// Pruning
//===----------------------------------------------------------------------===//

/// Removes what writers left that were killed.
static void removeUnfinished(int folder) {
  int listed = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *files = listed < 0 ? nullptr : fdopendir(listed);
  if (!files)
    return;
  while (const dirent *file = readdir(files)) {
    StringRef name = file->d_name;
    struct stat status;
    if (name.starts_with(prefix) && name.ends_with(unfinished) &&
        !fstatat(folder, file->d_name, &status, AT_SYMLINK_NOFOLLOW) &&
        status.st_mtime < time(nullptr) - staleSeconds)
      unlinkat(folder, file->d_name, 0);
  }
  closedir(files);
}

/// LLVM prunes by age and size. Limits of the environment come behind the
/// default ones, so they override them.
void ObjectCache::prune() const {
  std::string text = defaultPolicy.str();
  if (auto limits = llvm::sys::Process::GetEnv("PALLAS_CACHE_POLICY"))
    text += ":" + *limits;
  auto policy = llvm::parseCachePruningPolicy(text);
  if (!policy) {
    warnOnce("PALLAS_CACHE_POLICY: " + llvm::toString(policy.takeError()) +
             "; the usual limits hold");
    policy = llvm::cantFail(llvm::parseCachePruningPolicy(defaultPolicy));
  }
  // LLVM ends the process where it cannot tell.
  if (!llvm::sys::fs::disk_space(path))
    return;
  if (llvm::pruneCache(path, *policy))
    removeUnfinished(folder);
}
