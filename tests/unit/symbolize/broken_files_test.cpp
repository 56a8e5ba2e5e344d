#include <catch2/catch.hpp>
#include <random>

#include "test_support.h"

namespace gprofx {
namespace {

// Symbolizes broken copies of the fixture, with a healthy one between them that must not suffer.
void SurviveAll(const std::vector<std::string>& images) {
  const TempFolder folder;
  std::vector<uint64_t> addresses;
  const uint64_t call = AddressOf(FIXTURE_LIBRARY, "LibraryCall");
  REQUIRE(call != 0);
  for (uint64_t offset = 0; offset < 0x400; offset += 4)
    addresses.push_back((call & ~uint64_t{0xfff}) + offset);
  addresses.push_back(call);
  std::vector<SymbolRequest> requests;
  for (size_t i = 0; i < images.size(); i++) {
    const std::string path = folder / std::to_string(i);
    WriteFile(path, images[i]);
    requests.push_back({path, "", addresses});
    if (i % 50 == 49) requests.push_back({FIXTURE_LIBRARY, BuildIdOf(FIXTURE_LIBRARY), {call}});
  }
  SymbolizeOptions options = LocalOptions("/nonexistent");
  options.module_seconds = 5;
  const SymbolizeAnswer answer = SymbolizeModules(requests, options);
  REQUIRE(answer.names.size() == requests.size());
  size_t healthy = 0;
  for (size_t i = 0; i < requests.size(); i++) {
    CHECK(answer.names[i].size() <= requests[i].addresses.size());
    if (requests[i].path != FIXTURE_LIBRARY) continue;
    CHECK(FunctionsAt(answer.names[i], call) == std::vector<std::string>{"LibraryCall"});
    healthy++;
  }
  CHECK(healthy == images.size() / 50);
}

TEST_CASE("files cut at every 64th byte are survived") {
  const std::string whole = ReadFile(FIXTURE_LIBRARY);
  std::vector<std::string> images;
  for (size_t size = 0; size < whole.size(); size += 64) images.push_back(whole.substr(0, size));
  SurviveAll(images);
}

TEST_CASE("files with random changes are survived") {
  const std::string whole = ReadFile(FIXTURE_LIBRARY);
  std::mt19937_64 random(42);
  std::vector<std::string> images;
  for (int i = 0; i < 1000; i++) {
    std::string image = whole;
    // Few changes reach deep into the parsers, many break the outer ones.
    for (uint64_t flips = uint64_t{1} << (i % 10); flips > 0; flips--) {
      image[random() % image.size()] = static_cast<char>(random());
    }
    images.push_back(std::move(image));
  }
  SurviveAll(images);
}

TEST_CASE("headers with random changes are survived") {
  const std::string whole = ReadFile(FIXTURE_LIBRARY);
  std::mt19937_64 random(43);
  std::vector<std::string> images;
  for (int i = 0; i < 1000; i++) {
    std::string image = whole;
    const size_t table =
        whole.size() > 3000 ? whole.size() - 3000 : 0;  // the section headers are at the end
    const size_t at = i % 2 == 0 ? random() % 64 : table + random() % (whole.size() - table);
    image[at] = static_cast<char>(random());
    images.push_back(std::move(image));
  }
  SurviveAll(images);
}

}  // namespace
}  // namespace gprofx
