#include "symbolize/symbol_cache.h"

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
  std::string file = (folder / "cache/") + kRequest.build_id + ".symbols";

  void Store(ModuleNames names, std::vector<Witness> witnesses = {}) const {
    cache.Store(kRequest, options, {0, std::move(witnesses), std::move(names)});
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
  REQUIRE(stat(test.file.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
  REQUIRE(stat((test.folder / "cache").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
  REQUIRE(chmod(test.file.c_str(), 0666) == 0);
  CHECK(test.Load().empty());  // anybody may have written it
}

TEST_CASE("a cache file that is a link, or of another user, is not read") {
  const CacheTest test;
  test.Store(One(1, "one"));
  std::filesystem::rename(test.file, test.folder / "elsewhere");
  std::filesystem::create_symlink(test.folder / "elsewhere", test.file);
  CHECK(test.Load().empty());
  if (geteuid() != 0) return;
  std::filesystem::remove(test.file);
  std::filesystem::rename(test.folder / "elsewhere", test.file);
  CHECK(test.Load().size() == 1);
  REQUIRE(chown(test.file.c_str(), 65534, 65534) == 0);
  CHECK(test.Load().empty());
}

TEST_CASE("damage at any byte makes a miss, and the next store repairs it") {
  const CacheTest test;
  test.Store(One(1, "one"));
  const std::string good = ReadFile(test.file);
  for (size_t at = 0; at < good.size(); at++) {
    std::string broken = good;
    broken[at] = static_cast<char>(broken[at] ^ 0x10);
    WriteFile(test.file, broken);
    CHECK(test.Load().empty());
    WriteFile(test.file, good.substr(0, at));
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
    cache.Store(request, options, {0, {}, One(1, name)});
    const std::string file = (folder / request.build_id) + ".symbols";
    const auto age = std::chrono::minutes(100 - i);
    if (std::filesystem::exists(file)) {
      std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - age);
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
  none.Store(kRequest, options, {0, {}, One(1, "one")});
  CHECK(none.Load(kRequest, options).names.empty());
  const SymbolCache impossible("/proc/no/such/folder");
  impossible.Store(kRequest, options, {0, {}, One(1, "one")});
  CHECK(impossible.Load(kRequest, options).names.empty());
  const CacheTest test;
  SymbolRequest hostile = kRequest;
  hostile.build_id = "../../../etc/x";
  test.cache.Store(hostile, options, {0, {}, One(1, "one")});
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
  // The same size, but nothing in it: only the cache can know the names.
  WriteFile(folder / "program", std::string(ReadFile(FIXTURE_PROGRAM).size(), '\0'));
  const SymbolizeAnswer second = SymbolizeModules(requests, options);
  CHECK(FunctionsAt(second.names[0], sized) == std::vector<std::string>{"asm_sized"});
  CHECK(second.problems.empty());
  options.use_cache = false;
  CHECK(SymbolizeModules(requests, options).problems.size() == 1);
  REQUIRE(setenv("XDG_CACHE_HOME", "", 1) == 0);
  REQUIRE(setenv("HOME", folder.path().c_str(), 1) == 0);
  CHECK(SymbolCache::DefaultFolder() == folder / ".cache/gprof-x/symbols");
  REQUIRE(unsetenv("HOME") == 0);
  CHECK(SymbolCache::DefaultFolder().empty());
}

}  // namespace
}  // namespace gprofx
