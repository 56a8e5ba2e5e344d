// Which file a recording writes.
#include "samplers/recorder/claim_profile.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

namespace gprofx {
using namespace recorder;
namespace {

TEST_CASE("a number goes before the last ending of the name") {
  CHECK(NumberedName("profile.gprofx", 2) == "profile.2.gprofx");
  CHECK(NumberedName("a.b/profile", 1) == "a.b/profile.1");
  CHECK(NumberedName("a.b/c.d.e", 1) == "a.b/c.d.1.e");
}

TEST_CASE("a recording beside another gets a number, but not if the user named the file") {
  char folder[] = "/tmp/gprof-x-test-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/p.gprofx";
  {
    const auto first = ClaimProfile({path, false, false});
    REQUIRE(first);
    CHECK(first->path() == path);
    const auto second = ClaimProfile({path, false, false});
    REQUIRE(second);
    CHECK(second->path() == std::string(folder) + "/p.1.gprofx");
    const auto third = ClaimProfile({path, false, false});
    REQUIRE(third);
    CHECK(third->path() == std::string(folder) + "/p.2.gprofx");
    for (const bool force : {false, true}) CHECK_FALSE(ClaimProfile({path, true, force}));
  }
  const auto missing = ClaimProfile({std::string(folder) + "/no/p.gprofx", false, false});
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().Text(), Catch::Contains("/no"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gprofx
