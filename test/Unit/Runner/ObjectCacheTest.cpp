//===- ObjectCacheTest.cpp - A folder of code that others may have damaged ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PALLAS_CACHE_DAMAGES says how many entries are damaged, PALLAS_CACHE_SEED
// which damages are drawn; `./dev fuzz-cache` sets both.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runner/ObjectCache.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "gtest/gtest.h"
#include <csignal>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::pallas;
namespace fs = llvm::sys::fs;

/// A number that the caller may choose.
static unsigned getNumber(const char *variable, unsigned otherwise) {
  auto text = llvm::sys::Process::GetEnv(variable);
  unsigned number;
  return text && !StringRef(*text).getAsInteger(10, number) ? number
                                                            : otherwise;
}

static std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void write(const std::string &path, StringRef bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), bytes.size());
}

static void expectContains(StringRef text, StringRef part) {
  EXPECT_TRUE(text.contains(part)) << text.str() << " lacks " << part.str();
}

namespace {
class ObjectCacheTest : public testing::Test {
protected:
  ObjectCacheTest() {
    SmallString<128> root;
    EXPECT_FALSE(fs::createUniqueDirectory("pallas-cache", root));
    folder = (root + "/kernels").str();
    options.cacheDirectory = folder;
  }
  ~ObjectCacheTest() override {
    chmod(folder.c_str(), 0700);
    fs::remove_directories(llvm::sys::path::parent_path(folder));
  }

  /// Names of what the folder holds, apart from the time of the last pruning.
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code))
      if (!StringRef(it->path()).ends_with(".timestamp"))
        names.push_back(llvm::sys::path::filename(it->path()).str());
    return names;
  }

  /// What the cache gives for a key; "none" if it gives nothing.
  static std::string load(const ObjectCache &cache, StringRef key) {
    auto object = cache.load(key);
    return object ? object->getBuffer().str() : "none";
  }
  static void store(const ObjectCache &cache, StringRef key, StringRef object) {
    cache.store(key, llvm::MemoryBufferRef(object, key));
  }

  std::string folder;
  EngineOptions options;
};

/// Draws ways in which a file can be wrong.
class Damage {
public:
  explicit Damage(uint64_t seed) : random(seed) {}

  size_t below(size_t limit) { return limit ? random() % limit : 0; }

  /// An entry that is not `entry`; `other` is a whole one of another key.
  std::string of(StringRef entry, StringRef other) {
    std::string bytes = entry.str();
    while (bytes == entry)
      bytes = draw(entry.str(), other);
    return bytes;
  }

private:
  std::string draw(std::string bytes, StringRef other) {
    switch (below(9)) {
    case 0: // Cut short.
      bytes.resize(below(bytes.size()));
      break;
    case 1: // Flipped bits.
      for (size_t i = 0, e = 1 + below(8); i < e; ++i)
        bytes[below(bytes.size())] ^= 1 << below(8);
      break;
    case 2: // Swapped bytes.
      std::swap(bytes[below(bytes.size())], bytes[below(bytes.size())]);
      break;
    case 3: // The entry of another module.
      return other.str();
    case 4: { // Part of it.
      size_t at = below(std::min(bytes.size(), other.size()));
      return bytes.substr(0, at) + other.drop_front(at).str();
    }
    case 5: // No entry at all.
      for (char &byte : bytes)
        byte = random();
      break;
    case 6: // An object alone, as earlier releases kept it.
      return bytes.substr(bytes.find("\x7f"
                                     "ELF"));
    case 7: // Blocks that never reached the disk.
      std::fill(bytes.begin() + below(bytes.size()), bytes.end(), '\0');
      break;
    case 8: // Something behind it.
      bytes.append(1 + below(4096), random());
      break;
    }
    return bytes;
  }

  std::mt19937_64 random;
};
} // namespace

//===----------------------------------------------------------------------===//
// Damaged entries
//===----------------------------------------------------------------------===//

TEST_F(ObjectCacheTest, KeepsWhatIsStored) {
  ObjectCache cache(options);
  ASSERT_TRUE(cache);
  EXPECT_EQ(load(cache, "one"), "none");
  store(cache, "one", "first");
  store(cache, "two", "");
  EXPECT_EQ(load(cache, "one"), "first");
  EXPECT_EQ(load(cache, "two"), "");
  EXPECT_EQ(load(cache, "tw"), "none");
  store(cache, "one", "second");
  EXPECT_EQ(load(ObjectCache(options), "one"), "second");
}

TEST_F(ObjectCacheTest, GivesNothingOfDamagedEntries) {
  ObjectCache cache(options);
  unsigned seed = getNumber("PALLAS_CACHE_SEED", 0);
  Damage damage(seed);
  std::string object = "\x7f"
                       "ELF";
  for (int i = 0; i < 3000; ++i)
    object += char(damage.below(256));
  std::string second = object + "more";
  store(cache, "one", object);
  store(cache, "two", second);
  std::string path = cache.getPath("one");
  const std::string entry = read(path), other = read(cache.getPath("two"));
  for (unsigned i = 0, e = getNumber("PALLAS_CACHE_DAMAGES", 500); i < e; ++i) {
    write(path, damage.of(entry, other));
    ASSERT_EQ(load(cache, "one"), "none") << "damage " << i << " of " << seed;
    store(cache, "one", object);
    ASSERT_EQ(read(path), entry) << "damage " << i << " of " << seed;
    ASSERT_EQ(load(cache, "one"), object) << "damage " << i << " of " << seed;
  }
  EXPECT_EQ(load(cache, "two"), second);
}

/// The number that a module's only function yields, and whether its object came
/// from the cache.
static std::pair<int32_t, bool> run(MLIRContext &context, int32_t number,
                                    const EngineOptions &options) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @f() -> tensor<i32> { %0 = arith.constant dense<" +
          std::to_string(number) + "> : tensor<i32> return %0 : tensor<i32> }",
      &context);
  auto engine = Engine::create(*module, options);
  if (!engine) {
    ADD_FAILURE() << llvm::toString(engine.takeError());
    return {};
  }
  int32_t result = -1;
  llvm::Error error = (*engine)->invoke("", {}, {{&result, DType::I32, {}}});
  EXPECT_EQ(llvm::toString(std::move(error)), "");
  return {result, (*engine)->isFromCache()};
}

TEST_F(ObjectCacheTest, DamagedEntriesAreCompiledAnew) {
  DialectRegistry registry;
  registerPallasToLLVMDependencies(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::pair<int32_t, bool> compiled(42, false), cached(42, true);
  EXPECT_EQ(run(context, 42, options), compiled);
  ASSERT_EQ(list().size(), 1u);
  std::string path = folder + "/" + list().front();
  std::string entry = read(path);
  run(context, 7, options);
  std::string other;
  for (const std::string &name : list())
    if (read(folder + "/" + name) != entry)
      other = read(folder + "/" + name);
  unsigned seed = getNumber("PALLAS_CACHE_SEED", 0);
  Damage damage(seed);
  unsigned count = std::max(20u, getNumber("PALLAS_CACHE_DAMAGES", 0) / 50);
  for (unsigned i = 0; i < count; ++i) {
    write(path, damage.of(entry, other));
    ASSERT_EQ(run(context, 42, options), compiled) << i << " of " << seed;
    ASSERT_EQ(run(context, 42, options), cached) << i << " of " << seed;
  }
}

TEST_F(ObjectCacheTest, ReplacesWhatIsNoFileOfTheUser) {
  ObjectCache cache(options);
  store(cache, "real", "object");
  std::string link = cache.getPath("link"), real = cache.getPath("real");
  std::string elsewhere = folder + "/elsewhere";
  write(elsewhere, "precious");
  ASSERT_FALSE(fs::create_link(elsewhere, link));
  EXPECT_EQ(load(cache, "link"), "none");
  store(cache, "link", "object");
  EXPECT_EQ(load(cache, "link"), "object");
  EXPECT_EQ(read(elsewhere), "precious");
  // A pipe must not make the reader wait.
  ASSERT_EQ(mkfifo(cache.getPath("pipe").c_str(), 0600), 0);
  EXPECT_EQ(load(cache, "pipe"), "none");
  store(cache, "pipe", "object");
  EXPECT_EQ(load(cache, "pipe"), "object");
  chmod(real.c_str(), 0622);
  EXPECT_EQ(load(cache, "real"), "none");
  store(cache, "real", "object");
  EXPECT_EQ(load(cache, "real"), "object");
  struct stat status;
  ASSERT_EQ(stat(real.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

TEST_F(ObjectCacheTest, FolderIsTheUsersAlone) {
  mode_t mask = umask(0);
  {
    EXPECT_TRUE(ObjectCache(options));
  }
  umask(mask);
  struct stat status;
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (mode_t mode : {0755, 0700}) {
    chmod(folder.c_str(), mode);
    EXPECT_TRUE(ObjectCache(options));
  }
}

TEST_F(ObjectCacheTest, RefusesFoldersThatOthersWrite) {
  {
    ObjectCache cache(options);
  }
  for (mode_t mode : {0770, 0707, 0777}) {
    chmod(folder.c_str(), mode);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) {
      ObjectCache cache(options);
      EXPECT_FALSE(cache);
      store(cache, "one", "object");
      EXPECT_EQ(load(cache, "one"), "none");
    }
    std::string said = testing::internal::GetCapturedStderr();
    expectContains(said, "compiled code is not kept in '" + folder);
    expectContains(said, "can be written by others (mode 7");
    expectContains(said, "chmod go-w");
    EXPECT_EQ(said.find("warning"), said.rfind("warning")) << said;
  }
  EXPECT_TRUE(list().empty());
}

TEST_F(ObjectCacheTest, RefusesFoldersOfOthers) {
  {
    ObjectCache cache(options);
  }
  if (chown(folder.c_str(), 4711, -1))
    GTEST_SKIP() << "only root can give a folder away";
  testing::internal::CaptureStderr();
  EXPECT_FALSE(ObjectCache(options));
  expectContains(testing::internal::GetCapturedStderr(),
                 "belongs to user 4711, but this process runs as");
  // Root's own folder may be read by all.
  chown(folder.c_str(), 0, -1);
  {
    store(ObjectCache(options), "one", "object");
  }
  chmod(folder.c_str(), 0755);
  chmod(ObjectCache(options).getPath("one").c_str(), 0644);
  // The folders around it may be closed to others.
  std::string around = llvm::sys::path::parent_path(folder).str();
  chmod(around.c_str(), 0755);
  ASSERT_FALSE(fs::set_current_path(around));
  options.cacheDirectory = "kernels";
  ASSERT_EQ(seteuid(4711), 0);
  llvm::scope_exit restore([] { EXPECT_EQ(seteuid(0), 0); });
  ObjectCache cache(options);
  EXPECT_EQ(load(cache, "one"), "object");
  testing::internal::CaptureStderr();
  store(cache, "two", "object");
  expectContains(testing::internal::GetCapturedStderr(), "Permission denied");
  EXPECT_EQ(load(cache, "two"), "none");
}

TEST_F(ObjectCacheTest, ReadOnlyFoldersStillServe) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root can write everywhere";
  {
    store(ObjectCache(options), "one", "object");
  }
  chmod(folder.c_str(), 0500);
  ObjectCache cache(options);
  EXPECT_EQ(load(cache, "one"), "object");
  testing::internal::CaptureStderr();
  store(cache, "two", "object");
  expectContains(testing::internal::GetCapturedStderr(), "Permission denied");
}

TEST_F(ObjectCacheTest, SaysWhereNoFolderCanBe) {
  write(llvm::sys::path::parent_path(folder).str() + "/file", "");
  options.cacheDirectory =
      llvm::sys::path::parent_path(folder).str() + "/file/kernels";
  testing::internal::CaptureStderr();
  EXPECT_FALSE(ObjectCache(options));
  expectContains(testing::internal::GetCapturedStderr(),
                 "the folder cannot be made: Not a directory");
}

//===----------------------------------------------------------------------===//
// Writers
//===----------------------------------------------------------------------===//

TEST_F(ObjectCacheTest, FullDisksLeaveNothing) {
  ObjectCache cache(options);
  store(cache, "one", "object");
  auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before, full;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  full = before;
  full.rlim_cur = 4096;
  testing::internal::CaptureStderr();
  setrlimit(RLIMIT_FSIZE, &full);
  store(cache, "one", std::string(1 << 20, 'x'));
  store(cache, "two", std::string(1 << 20, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  expectContains(testing::internal::GetCapturedStderr(), "File too large");
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(load(cache, "one"), "object");
  EXPECT_EQ(load(cache, "two"), "none");
  EXPECT_EQ(list().size(), 1u);
}

/// Runs a function in a process of its own.
template <typename Function> static pid_t inChild(Function function) {
  pid_t child = fork();
  if (child)
    return child;
  function();
  _exit(0);
}

TEST_F(ObjectCacheTest, ProcessesWriteAtOnce) {
  auto getObject = [](int key) { return std::string(5000 + key, 'a' + key); };
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child)
    children.push_back(inChild([&] {
      ObjectCache cache(options);
      for (int i = 0; i < 400; ++i) {
        int key = (i + child) % 5;
        store(cache, std::to_string(key), getObject(key));
        std::string found = load(cache, std::to_string(key));
        if (found != getObject(key))
          _exit(1);
      }
    }));
  for (pid_t child : children) {
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(list().size(), 5u);
}

TEST_F(ObjectCacheTest, KilledWritersLeaveNoEntry) {
  ObjectCache cache(options);
  store(cache, "one", "object");
  std::string large(16 << 20, 'x');
  auto countDrafts = [&] {
    return llvm::count_if(
        list(), [](StringRef name) { return name.ends_with(".tmp"); });
  };
  for (int round = 0; round < 5; ++round) {
    auto before = countDrafts();
    pid_t child = inChild([&] {
      while (true)
        store(cache, "one", large);
    });
    while (countDrafts() == before)
      usleep(100);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::string found = load(cache, "one");
    EXPECT_TRUE(found == "object" || found == large);
  }
  // What they left goes when it is old, at the next pruning.
  write(cache.getPath("one-4711-FF.tmp"), "half");
  for (const std::string &name : list()) {
    timeval hoursAgo[2] = {};
    gettimeofday(&hoursAgo[0], nullptr);
    hoursAgo[0].tv_sec -= 7200;
    hoursAgo[1] = hoursAgo[0];
    if (StringRef(name).ends_with(".tmp"))
      utimes((folder + "/" + name).c_str(), hoursAgo);
  }
  write(cache.getPath("two-4711-FF.tmp"), "being written");
  setenv("PALLAS_CACHE_POLICY", "prune_interval=0s", 1);
  store(cache, "one", "object");
  unsetenv("PALLAS_CACHE_POLICY");
  std::vector<std::string> left = list();
  llvm::sort(left);
  EXPECT_EQ(left, std::vector<std::string>(
                      {"llvmcache-one", "llvmcache-two-4711-FF.tmp"}));
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

TEST_F(ObjectCacheTest, PrunesByAgeAndSize) {
  ObjectCache cache(options);
  auto age = [&](StringRef key, int days) {
    timeval times[2] = {};
    gettimeofday(&times[0], nullptr);
    times[0].tv_sec -= days * 24 * 3600;
    times[1] = times[0];
    utimes(cache.getPath(key).c_str(), times);
  };
  std::string object(1 << 20, 'x');
  for (const char *key : {"old", "used", "large", "new"})
    store(cache, key, object);
  for (const char *key : {"old", "used", "large"})
    age(key, 31);
  // A load is a use.
  EXPECT_EQ(load(cache, "used"), object);
  age("large", 29);
  setenv("PALLAS_CACHE_POLICY", "prune_interval=0s", 1);
  llvm::scope_exit restore([] { unsetenv("PALLAS_CACHE_POLICY"); });
  store(cache, "new", object);
  EXPECT_EQ(load(cache, "old"), "none");
  EXPECT_EQ(load(cache, "used"), object);
  setenv("PALLAS_CACHE_POLICY", "prune_interval=0s:cache_size_bytes=2500k", 1);
  store(cache, "new", object);
  EXPECT_EQ(load(cache, "large"), "none");
  EXPECT_EQ(load(cache, "used"), object);
  EXPECT_EQ(load(cache, "new"), object);
}

TEST_F(ObjectCacheTest, SaysWhichLimitsItCannotRead) {
  setenv("PALLAS_CACHE_POLICY", "at_most=7", 1);
  testing::internal::CaptureStderr();
  ObjectCache cache(options);
  store(cache, "one", "object");
  unsetenv("PALLAS_CACHE_POLICY");
  std::string said = testing::internal::GetCapturedStderr();
  expectContains(said, "PALLAS_CACHE_POLICY: ");
  expectContains(said, "at_most");
  EXPECT_EQ(load(cache, "one"), "object");
}

TEST_F(ObjectCacheTest, CanBeTurnedOff) {
  setenv("PALLAS_CACHE", "0", 1);
  llvm::scope_exit restore([] { unsetenv("PALLAS_CACHE"); });
  EXPECT_FALSE(ObjectCache(options));
  EXPECT_FALSE(fs::exists(folder));
}
