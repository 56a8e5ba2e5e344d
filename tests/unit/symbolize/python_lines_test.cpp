#include "symbolize/dwarf/python_lines.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "test_support.h"

namespace gprofx {
namespace {

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<std::byte> FromHex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// Compares every code object of the script's output; the number of instructions compared.
size_t CompareWithPython(const std::string& text, std::set<std::string>& versions) {
  std::istringstream input(text);
  std::string word, version, hex;
  size_t compared = 0, wrong = 0;
  while (input >> word && word == "CODE") {
    int first_line = 0;
    std::string rest;
    input >> version >> first_line;
    std::getline(input, rest);
    const std::vector<std::byte> table = FromHex(rest.substr(std::min<size_t>(1, rest.size())));
    const size_t dot = version.find('.');
    const PythonLineFormat format =
        LineFormatOfPython(std::stoi(version.substr(0, dot)), std::stoi(version.substr(dot + 1)));
    versions.insert(version);
    std::getline(input, rest);
    std::istringstream runs(rest.substr(std::string("LINES").size()));
    uint32_t offset = 0;
    int count = 0, line = 0;
    char star = 0;
    while (runs >> count >> star >> line) {
      for (int i = 0; i < count; i++, offset += 2, compared++) {
        wrong += DecodeLine(format, table, first_line, offset) != line;
      }
    }
  }
  CHECK(wrong == 0);
  return compared;
}

TEST_CASE("line tables give CPython's own answers, recorded from 3.6 to 3.13") {
  std::set<std::string> versions;
  for (const auto& file : std::filesystem::directory_iterator(PYTHON_LINES_DATA)) {
    INFO(file.path());
    CHECK(CompareWithPython(ReadFile(file.path()), versions) > 1000);
  }
  const std::set<std::string> recorded = {"3.6",  "3.7",  "3.8",  "3.9",
                                          "3.10", "3.11", "3.12", "3.13"};
  CHECK(versions == recorded);
}

TEST_CASE("line tables give the answers of the Pythons that are installed") {
  std::set<std::string> commands = {"python3"};
  for (int minor = 6; minor <= 14; minor++) commands.insert("python3." + std::to_string(minor));
  const char* home = std::getenv("HOME");
  const char* pyenv = std::getenv("PYENV_ROOT");
  const std::string root =
      pyenv != nullptr ? pyenv : std::string(home == nullptr ? "" : home) + "/.pyenv";
  std::error_code error;
  for (std::filesystem::directory_iterator at(root + "/versions", error), end; !error && at != end;
       at.increment(error)) {
    commands.insert(Quoted((at->path() / "bin" / "python3").string()));
  }
  std::set<std::string> versions;
  for (const std::string& command : commands) {
    const std::string text =
        OutputOf(command + " " + Quoted(PYTHON_LINES_SCRIPT) + " 100 2>/dev/null");
    INFO(command);
    if (!text.empty()) CHECK(CompareWithPython(text, versions) > 1000);
  }
  if (versions.empty()) WARN("no Python was found");
}

TEST_CASE("tables before 3.10 count pairs up to the instruction") {
  const auto table = Bytes({4, 1, 6, 0xff, 0, 10, 2, 1});
  CHECK(DecodeLine(PythonLineFormat::kLnotab, table, 10, 0) == 10);
  CHECK(DecodeLine(PythonLineFormat::kLnotab, table, 10, 4) == 11);
  CHECK(DecodeLine(PythonLineFormat::kLnotab, table, 10, 9) == 11);
  CHECK(DecodeLine(PythonLineFormat::kLnotab, table, 10, 10) == 20);
  CHECK(DecodeLine(PythonLineFormat::kLnotab, table, 10, 4000) == 21);
  CHECK(DecodeLine(PythonLineFormat::kLnotab, {}, 7, 0) == 7);
}

TEST_CASE("an instruction without a line and one behind the table have line 0") {
  const auto pep626 = Bytes({2, 0x80, 4, 1});
  CHECK(DecodeLine(PythonLineFormat::kPep626, pep626, 5, 0) == 0);
  CHECK(DecodeLine(PythonLineFormat::kPep626, pep626, 5, 2) == 6);
  CHECK(DecodeLine(PythonLineFormat::kPep626, pep626, 5, 6) == 0);
  const auto locations = Bytes({0x80 | (15 << 3), 0x80 | (11 << 3) | 1, 0, 5});
  CHECK(DecodeLine(PythonLineFormat::kLocations, locations, 5, 0) == 0);
  CHECK(DecodeLine(PythonLineFormat::kLocations, locations, 5, 2) == 6);
  CHECK(DecodeLine(PythonLineFormat::kLocations, locations, 5, 4) == 6);
  CHECK(DecodeLine(PythonLineFormat::kLocations, locations, 5, 6) == 0);
}

TEST_CASE("hostile tables give line 0 or a line, and end") {
  const std::vector<std::byte> ones(1 << 20, std::byte{0xff});
  const std::vector<std::byte> zeros(1 << 20, std::byte{0});
  const auto endless = Bytes({0x80 | (14 << 3), 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f});
  for (const auto format :
       {PythonLineFormat::kLnotab, PythonLineFormat::kPep626, PythonLineFormat::kLocations}) {
    CHECK(DecodeLine(format, ones, 1, UINT32_MAX) >= 0);
    CHECK(DecodeLine(format, zeros, INT32_MAX, UINT32_MAX) >= 0);
    CHECK(DecodeLine(format, endless, INT32_MIN, 0) >= 0);
    CHECK(DecodeLine(format, {}, 1, 0) >= 0);
  }
  CHECK(DecodeLine(PythonLineFormat::kLocations, endless, 1, 0) ==
        0);  // the delta does not fit a line
}

}  // namespace
}  // namespace gprofx
