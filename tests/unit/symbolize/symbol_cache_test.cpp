#include "symbolize/names/symbol_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "test_support.h"

namespace gprofx {
namespace {

const SymbolRequest kRequest = {"/nonexistent/module", "00112233445566778899", {1, 2}};

struct CacheTest {
  TempFolder folder;
  SymbolCache cache{folder / "cache"};
  SymbolizeOptions options = LocalOptions("/nonexistent");

  // The only file of the cache; "" = there is none.
  std::string File() const {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "cache", none)) {
      return entry.path();
    }
    return "";
  }
  void Store(ModuleNames names, std::vector<Witness> witnesses = {}) const {
    cache.Store(kRequest, options, {LookAt(kRequest.path), std::move(witnesses), std::move(names)});
  }
  ModuleNames Load() const { return cache.Load(kRequest, options).names; }
};

ModuleNames One(uint64_t address, const std::string& name) {
  return {{address, {{name, "/f.c", 3, "/f.c", 1}}}};
}

TEST_CASE("answers come back from the cache, and later ones are added") {
  const CacheTest test;
  CHECK(test.Load().empty());
  test.Store(One(1, "one"));
  test.Store({{2, {}}});  // has no name, and that is known
  const ModuleNames names = test.Load();
  CHECK(names.size() == 2);
  CHECK(FunctionsAt(names, 1) == std::vector<std::string>{"one"});
  CHECK(names.at(1)[0].line == 3);
  CHECK(names.at(2).empty());
}

TEST_CASE("the cache is private") {
  const CacheTest test;
  test.Store(One(1, "one"));
  struct stat info = {};
  REQUIRE(stat(test.File().c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
  REQUIRE(stat((test.folder / "cache").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
  REQUIRE(chmod(test.File().c_str(), 0666) == 0);
  CHECK(test.Load().empty());  // anybody may have written it
}

TEST_CASE("a cache file that is a link, or of another user, is not read") {
  const CacheTest test;
  test.Store(One(1, "one"));
  const std::string file = test.File();
  std::filesystem::rename(file, test.folder / "elsewhere");
  std::filesystem::create_symlink(test.folder / "elsewhere", file);
  CHECK(test.Load().empty());
  if (geteuid() != 0) return;
  std::filesystem::remove(file);
  std::filesystem::rename(test.folder / "elsewhere", file);
  CHECK(test.Load().size() == 1);
  REQUIRE(chown(file.c_str(), 65534, 65534) == 0);
  CHECK(test.Load().empty());
}

TEST_CASE("a cache folder that is a link, or that others can write, is not used") {
  const CacheTest test;
  test.Store(One(1, "one"));
  const std::string cache = test.folder / "cache", elsewhere = test.folder / "elsewhere";
  REQUIRE(chmod(cache.c_str(), 0755) == 0);
  CHECK(test.Load().size() == 1);
  struct stat info = {};
  REQUIRE(stat(cache.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
  REQUIRE(chmod(cache.c_str(), 0777) == 0);
  CHECK(test.Load().empty());
  REQUIRE(chmod(cache.c_str(), 0700) == 0);
  std::filesystem::rename(cache, elsewhere);
  std::filesystem::create_symlink(elsewhere, cache);
  CHECK(test.Load().empty());
  std::filesystem::remove_all(elsewhere);
  std::filesystem::create_directory(elsewhere);
  test.Store(One(1, "one"));
  CHECK(std::filesystem::is_empty(elsewhere));
}

TEST_CASE("no cache is made in a place of another user") {
  if (geteuid() != 0) return;  // only root can give a folder away
  const TempFolder folder;
  const std::string theirs = folder / "home";
  REQUIRE(mkdir(theirs.c_str(), 0755) == 0);
  REQUIRE(chown(theirs.c_str(), 65534, 65534) == 0);
  const SymbolCache cache(theirs + "/.cache/gprof-x/symbols");
  cache.Store(kRequest, LocalOptions("/x"), {LookAt(kRequest.path), {}, One(1, "one")});
  CHECK(std::filesystem::is_empty(theirs));
}

TEST_CASE("what was read with another user's rights is neither kept nor served") {
  const CacheTest test;
  SymbolRequest request = kRequest;
  request.reader = kAnybody;
  test.cache.Store(request, test.options, {LookAt(request.path), {}, One(1, "one")});
  CHECK(test.File().empty());
  test.Store(One(1, "one"));
  CHECK(test.Load().size() == 1);
  CHECK(test.cache.Load(request, test.options).names.empty());
}

// A file with the build-id of another one is no news: what counts is the file.
TEST_CASE("a forged build-id poisons no other file, nor the same one later") {
  const TempFolder folder;
  const SymbolCache cache(folder / "cache");
  const SymbolizeOptions options = LocalOptions("/nonexistent");
  const std::string evil = folder / "evil.so", good = folder / "good.so";
  WriteFile(evil, "same size");
  WriteFile(good, "same size");
  SymbolRequest request = kRequest;
  request.path = evil;
  const Witness before = LookAt(evil);
  cache.Store(request, options, {before, {}, One(1, "forged")});
  CHECK(FunctionsAt(cache.Load(request, options).names, 1) == std::vector<std::string>{"forged"});
  request.path = good;
  CHECK(cache.Load(request, options).names.empty());

  // The good file comes to the place of the evil one, as a link, or with its size and time.
  request.path = evil;
  std::filesystem::remove(evil);
  std::filesystem::create_symlink(good, evil);
  CHECK(cache.Load(request, options).names.empty());
  std::filesystem::remove(evil);
  WriteFile(evil, "size same");
  const timespec time = {before.modified_ns / 1'000'000'000, before.modified_ns % 1'000'000'000};
  const timespec times[2] = {time, time};
  REQUIRE(utimensat(AT_FDCWD, evil.c_str(), times, 0) == 0);
  CHECK(LookAt(evil).modified_ns == before.modified_ns);
  CHECK(LookAt(evil).size == before.size);
  CHECK(cache.Load(request, options).names.empty());

  // The file changes while it is read: its names belong to no one.
  cache.Store(request, options, {before, {}, One(1, "forged")});
  CHECK(cache.Load(request, options).names.empty());
}

TEST_CASE("damage at any byte makes a miss, and the next store repairs it") {
  const CacheTest test;
  test.Store(One(1, "one"));
  const std::string file = test.File(), good = ReadFile(file);
  for (size_t at = 0; at < good.size(); at++) {
    std::string broken = good;
    broken[at] = static_cast<char>(broken[at] ^ 0x10);
    WriteFile(file, broken);
    CHECK(test.Load().empty());
    WriteFile(file, good.substr(0, at));
    CHECK(test.Load().empty());
  }
  test.Store(One(2, "two"));
  CHECK(FunctionsAt(test.Load(), 2) == std::vector<std::string>{"two"});
}

TEST_CASE("an appearing, changing or vanishing debug file voids the answers") {
  const CacheTest test;
  const std::string debug = test.folder / "debug file";
  test.Store(One(1, "one"), {LookAt(debug)});
  CHECK(test.Load().size() == 1);
  WriteFile(debug, "now it is there");
  CHECK(test.Load().empty());
  test.Store(One(2, "two"), {LookAt(debug)});
  CHECK(test.Load().size() == 1);  // nothing of the first answer
  std::filesystem::remove(debug);
  CHECK(test.Load().empty());
}

TEST_CASE("other options have other answers") {
  CacheTest test;
  test.Store(One(1, "one"));
  test.options.debug_folders.push_back("/more");
  CHECK(test.Load().empty());
}

TEST_CASE("the oldest files go when the quota is full") {
  const TempFolder folder;
  const SymbolCache cache(folder.path(), 4000);
  const SymbolizeOptions options = LocalOptions("/nonexistent");
  SymbolRequest request = kRequest;
  const std::string name(1000, 'n');
  for (int i = 0; i < 8; i++) {
    request.build_id = "0011223344556677889" + std::to_string(i);
    cache.Store(request, options, {LookAt(request.path), {}, One(1, name)});
    const auto age = std::chrono::minutes(100 - i);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      if (!entry.path().filename().string().starts_with(request.build_id)) continue;
      last_write_time(entry.path(), std::filesystem::file_time_type::clock::now() - age);
    }
  }
  CHECK_FALSE(cache.Load(request, options).names.empty());
  request.build_id = kRequest.build_id.substr(0, 19) + "0";
  CHECK(cache.Load(request, options).names.empty());
  uint64_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    total += entry.file_size();
  CHECK(total <= 4000);
}

TEST_CASE("without a usable folder or build-id there is no cache, and no trouble") {
  const SymbolizeOptions options = LocalOptions("/nonexistent");
  const SymbolCache none("");
  none.Store(kRequest, options, {LookAt(kRequest.path), {}, One(1, "one")});
  CHECK(none.Load(kRequest, options).names.empty());
  const SymbolCache impossible("/proc/no/such/folder");
  impossible.Store(kRequest, options, {LookAt(kRequest.path), {}, One(1, "one")});
  CHECK(impossible.Load(kRequest, options).names.empty());
  const CacheTest test;
  SymbolRequest hostile = kRequest;
  hostile.build_id = "../../../etc/x";
  test.cache.Store(hostile, options, {LookAt(kRequest.path), {}, One(1, "one")});
  CHECK_FALSE(std::filesystem::exists(test.folder / "cache"));
}

TEST_CASE("a second run is answered by the cache, also about addresses without a name") {
  const TempFolder folder;
  REQUIRE(setenv("XDG_CACHE_HOME", folder.path().c_str(), 1) == 0);
  WriteFile(folder / "program", ReadFile(FIXTURE_PROGRAM));
  SymbolizeOptions options = LocalOptions("/nonexistent");
  options.use_cache = true;
  const uint64_t sized = AddressOf(FIXTURE_PROGRAM, "asm_sized");
  const std::vector<SymbolRequest> requests = {
      {folder / "program", BuildIdOf(FIXTURE_PROGRAM), {sized, sized + 2}}};
  const SymbolizeAnswer first = SymbolizeModules(requests, options);
  CHECK(FunctionsAt(first.names[0], sized) == std::vector<std::string>{"asm_sized"});
  CHECK_FALSE(first.names[0].contains(sized + 2));
  // Only the cache can know this name.
  const SymbolCache cache(SymbolCache::DefaultFolder());
  CachedNames known = cache.Load(requests[0], options);
  CHECK(known.names.size() == 2);
  known.names = One(sized, "from the cache");
  cache.Store(requests[0], options, known);
  const SymbolizeAnswer second = SymbolizeModules(requests, options);
  CHECK(FunctionsAt(second.names[0], sized) == std::vector<std::string>{"from the cache"});
  CHECK_FALSE(second.names[0].contains(sized + 2));
  CHECK(second.problems.empty());
  options.use_cache = false;
  CHECK(FunctionsAt(SymbolizeModules(requests, options).names[0], sized) ==
        std::vector<std::string>{"asm_sized"});
  REQUIRE(setenv("XDG_CACHE_HOME", "", 1) == 0);
  REQUIRE(setenv("HOME", folder.path().c_str(), 1) == 0);
  CHECK(SymbolCache::DefaultFolder() == folder / ".cache/gprof-x/symbols");
  REQUIRE(unsetenv("HOME") == 0);
  CHECK(SymbolCache::DefaultFolder().empty());
}

}  // namespace
}  // namespace gprofx
