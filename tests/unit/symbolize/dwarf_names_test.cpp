#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <sstream>

#include "symbolize/dwarf/dwarf_names.h"
#include "test_support.h"

namespace gprofx {
namespace {

ModuleNames NamesOf(const std::string& path, const std::vector<uint64_t>& addresses) {
  CollectingSink sink;
  SymbolizeModule({path, BuildIdOf(path), addresses}, LocalOptions("/nonexistent"), sink);
  CHECK(sink.problems.empty());
  return sink.names;
}

TEST_CASE("an inlined chain has each function with its line, outermost first") {
  const uint64_t probe = AddressOf(FIXTURE_PROGRAM, "inline_probe");
  REQUIRE(probe != 0);
  const std::vector<SourceFrame> frames = NamesOf(FIXTURE_PROGRAM, {probe})[probe];
  REQUIRE(frames.size() == 3);
  const std::vector<std::string> short_names = {"Outer", "Middle", "Innermost"};
  for (size_t i = 0; i < frames.size(); i++) {
    INFO(short_names[i]);
    CHECK(frames[i].function == "fixture::" + short_names[i] + "(int)");
    CHECK(frames[i].file.ends_with("fixtures/program.cpp"));
    CHECK(frames[i].line == LineMarked("program.cpp", "line: " + short_names[i]));
    CHECK(frames[i].decl_file == frames[i].file);
    CHECK(frames[i].decl_line == LineMarked("program.cpp", "decl: " + short_names[i]));
  }
}

TEST_CASE("a function without a linkage name takes the full name of its symbol") {
  const uint64_t probe = AddressOf(FIXTURE_PROGRAM, "unnamed_probe");
  REQUIRE(probe != 0);
  const std::vector<SourceFrame> frames = NamesOf(FIXTURE_PROGRAM, {probe})[probe];
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].function == "fixture::(anonymous namespace)::InUnnamedNamespace(int)");
  CHECK(frames[0].line == LineMarked("program.cpp", "line: InUnnamedNamespace"));
}

TEST_CASE("a lambda is found inside of the function that holds it") {
  const uint64_t probe = AddressOf(FIXTURE_PROGRAM, "lambda_probe");
  REQUIRE(probe != 0);
  const std::vector<SourceFrame> frames = NamesOf(FIXTURE_PROGRAM, {probe})[probe];
  REQUIRE(frames.size() == 1);
  // As GCC and as clang name it.
  const std::string& name = frames[0].function;
  CHECK((name.starts_with("fixture::WithLambda(int)::{lambda(int)#1}::operator()") ||
         name.starts_with("fixture::WithLambda(int)::$_0::operator()")));
  CHECK(frames[0].line == LineMarked("program.cpp", "line: lambda"));
}

TEST_CASE("debug information that runs out of time says so") {
  const Result<ElfFile> file = ElfFile::Open(FIXTURE_PROGRAM);
  REQUIRE(file.ok());
  const uint64_t address = AddressOf(FIXTURE_PROGRAM, "main");
  CHECK(DwarfNames(*file, {address}, std::chrono::steady_clock::now() - std::chrono::seconds(1))
            .out_of_time);
}

struct Reference {
  std::vector<std::string> functions;  // innermost first
  std::vector<uint32_t> lines;
};

// addr2line -a -i -f -C: "0xADDRESS", then per frame the function and "file:line (discriminator
// n)".
std::vector<Reference> AskAddr2line(const std::string& path,
                                    const std::vector<uint64_t>& addresses) {
  const TempFolder folder;
  std::ostringstream input;
  for (const uint64_t address : addresses) input << std::hex << address << "\n";
  WriteFile(folder / "addresses", input.str());
  std::istringstream lines(OutputOf(Quoted(ADDR2LINE) + " -a -i -f -C -e " + Quoted(path) + " < " +
                                    Quoted(folder / "addresses")));
  std::vector<Reference> out;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0x")) {
      out.emplace_back();
      continue;
    }
    std::string place;
    std::getline(lines, place);
    place = place.substr(0, place.find(" ("));
    const std::string number = place.substr(place.rfind(':') + 1);
    out.back().functions.push_back(line);
    out.back().lines.push_back(number == "?" ? 0 : static_cast<uint32_t>(std::stoul(number)));
  }
  return out;
}

TEST_CASE("2,000 random addresses have the lines and depths that addr2line gives") {
  const Result<ElfFile> file = ElfFile::Open(FIXTURE_TEMPLATES);
  REQUIRE(file.ok());
  const ElfSection* text = file->FindSection(".text");
  REQUIRE(text != nullptr);
  std::mt19937_64 random(20240607);
  std::set<uint64_t> drawn;
  while (drawn.size() < 2000) drawn.insert(text->header.sh_addr + random() % text->header.sh_size);
  const std::vector<uint64_t> addresses(drawn.begin(), drawn.end());
  const std::vector<Reference> reference = AskAddr2line(FIXTURE_TEMPLATES, addresses);
  if (reference.size() != addresses.size()) {
    WARN("addr2line is not installed");
    return;
  }
  const ModuleNames names = NamesOf(FIXTURE_TEMPLATES, addresses);
  size_t same = 0, compared = 0;
  for (size_t i = 0; i < addresses.size(); i++) {
    const std::vector<SourceFrame>& frames = names.at(addresses[i]);
    if (reference[i].functions[0] == "??" || reference[i].lines[0] == 0)
      continue;  // start-up code without DWARF
    compared++;
    std::vector<uint32_t> lines;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      lines.push_back(frame->line);
    if (lines == reference[i].lines) {
      same++;
    } else {
      std::ostringstream text_of;
      text_of << std::hex << addresses[i] << std::dec << " ours";
      for (const uint32_t line : lines) text_of << " " << line;
      text_of << " addr2line";
      for (const uint32_t line : reference[i].lines) text_of << " " << line;
      UNSCOPED_INFO(text_of.str());
    }
  }
  CHECK(compared > 1500);
  CHECK(static_cast<double>(same) >= 0.99 * static_cast<double>(compared));
}

}  // namespace
}  // namespace gprofx
