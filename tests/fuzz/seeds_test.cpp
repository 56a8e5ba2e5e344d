// Every parser of the fuzzers on its seeds, as they are, cut short and with a changed byte: what an
// ordinary build can hold of fuzzing in seconds. A fault is a crash, or an abort() of the fuzzer.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// CMake gives the entry of each fuzzer its own name, and these two lists.
#define FUZZER(name) extern "C" int Fuzz_##name(const uint8_t* data, size_t size);
GPROFX_FUZZERS
#undef FUZZER

namespace {

constexpr size_t kPlaces = 24;  // of a seed that are cut or changed

using Fuzzer = int (*)(const uint8_t*, size_t);

void Feed(Fuzzer fuzzer, const std::string& bytes) {
  REQUIRE(fuzzer(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()) == 0);
}

void FeedVariants(Fuzzer fuzzer, const std::string& seed) {
  Feed(fuzzer, seed);
  for (size_t place = 0; place < kPlaces; ++place) {
    const size_t at = seed.size() * place / kPlaces;
    Feed(fuzzer, seed.substr(0, at));
    if (at == seed.size()) continue;
    std::string changed = seed;
    changed[at] = static_cast<char>(~changed[at]);
    Feed(fuzzer, changed);
  }
}

void FeedCorpus(Fuzzer fuzzer, const std::string& name) {
  size_t seeds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GPROFX_CORPUS "/" + name)) {
    INFO(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    FeedVariants(fuzzer, {std::istreambuf_iterator<char>(file), {}});
    ++seeds;
  }
  REQUIRE(seeds > 0);
}

}  // namespace

TEST_CASE("parsers take their seeds, whole and broken") {
#define FUZZER(name) \
  SECTION(#name) { FeedCorpus(Fuzz_##name, #name); }
  GPROFX_FUZZERS
#undef FUZZER
}
