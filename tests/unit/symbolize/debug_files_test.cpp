#include "symbolize/dwarf/debug_files.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "core/model/address_name.h"
#include "test_support.h"

namespace gprofx {
namespace {

// A stripped copy of the fixture and its debug file, as distributions make them.
struct Stripped {
  TempFolder folder;
  std::string program = folder / "bin/program";
  std::string debug = folder / "made.debug";
  uint64_t probe = AddressOf(FIXTURE_PROGRAM, "inline_probe");
  std::string build_id = BuildIdOf(FIXTURE_PROGRAM);

  Stripped() {
    WriteFile(program, "");
    const std::string copy = Quoted(OBJCOPY) + " ";
    REQUIRE(Runs(copy + "--only-keep-debug " + Quoted(FIXTURE_PROGRAM) + " " + Quoted(debug)));
    REQUIRE(Runs(copy + "--strip-all --add-gnu-debuglink=" + Quoted(debug) + " " +
                 Quoted(FIXTURE_PROGRAM) + " " + Quoted(program)));
  }

  void Install(const std::string& place) const {
    WriteFile(place, "");
    std::filesystem::copy_file(debug, place, std::filesystem::copy_options::overwrite_existing);
  }
  std::string BuildIdPlace() const {
    return folder /
           ("debug/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug");
  }
  CollectingSink Names(const std::string& id) const {
    CollectingSink sink;
    SymbolizeModule({program, id, {probe}}, LocalOptions(folder / "debug"), sink);
    return sink;
  }
  // 0: only the place of the function is known.
  size_t Depth(const std::string& id) const {
    const std::vector<std::string> functions = FunctionsAt(Names(id).names, probe);
    return functions.size() == 1 && IsAddressName(functions[0]) ? 0 : functions.size();
  }
};

TEST_CASE("a stripped file without debug files has no names, and says no false ones") {
  const Stripped stripped;
  const CollectingSink sink = stripped.Names(stripped.build_id);
  CHECK(sink.names.contains(stripped.probe));
  const std::vector<std::string> functions = FunctionsAt(sink.names, stripped.probe);
  REQUIRE(functions.size() == 1);
  CHECK(IsAddressName(functions[0]));
  CHECK(sink.problems.empty());
  CHECK(sink.witnesses.size() == 4);  // build-id, beside, .debug, by path
}

TEST_CASE("debug files are found by build-id") {
  const Stripped stripped;
  stripped.Install(stripped.BuildIdPlace());
  CHECK(stripped.Depth(stripped.build_id) == 3);
  CHECK(stripped.Depth("") == 3);  // the id of the file itself
}

TEST_CASE(
    "debug files are found by the debug link, beside, in .debug, and under the debug folder") {
  const Stripped stripped;
  const auto place = GENERATE("bin/made.debug", "bin/.debug/made.debug", "");
  const std::string path =
      *place != '\0' ? stripped.folder / place
                     : (stripped.folder / "debug") + (stripped.folder / "bin") + "/made.debug";
  stripped.Install(path);
  INFO(path);
  CHECK(stripped.Depth(stripped.build_id) == 3);
  std::filesystem::remove(path);
  CHECK(stripped.Depth(stripped.build_id) == 0);
}

TEST_CASE("a debug file of another build is not used") {
  const Stripped stripped;
  WriteFile(stripped.folder / "bin/made.debug", ReadFile(FIXTURE_LIBRARY));
  WriteFile(stripped.BuildIdPlace(), ReadFile(FIXTURE_LIBRARY));
  CHECK(stripped.Depth(stripped.build_id) == 0);
}

TEST_CASE("without build-ids the checksum of the debug link decides") {
  const Stripped stripped;
  const std::string no_id = Quoted(OBJCOPY) + " --remove-section=.note.gnu.build-id ";
  REQUIRE(Runs(no_id + Quoted(stripped.debug)));
  REQUIRE(Runs(no_id + "--remove-section=.gnu_debuglink " + Quoted(stripped.program)));
  REQUIRE(Runs(Quoted(OBJCOPY) + " --add-gnu-debuglink=" + Quoted(stripped.debug) + " " +
               Quoted(stripped.program)));
  stripped.Install(stripped.folder / "bin/made.debug");
  CHECK(stripped.Depth("") == 3);
  std::string bytes = ReadFile(stripped.debug);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  WriteFile(stripped.folder / "bin/made.debug", bytes);
  CHECK(stripped.Depth("") == 0);
}

TEST_CASE("a file with another build-id than the one that ran gives a problem and no names") {
  const Stripped stripped;
  CollectingSink sink;
  SymbolizeModule({FIXTURE_PROGRAM, "0123456789abcdef", {stripped.probe}},
                  LocalOptions("/nonexistent"), sink);
  CHECK(sink.names.empty());
  REQUIRE(sink.problems.size() == 1);
  CHECK(sink.problems[0].find("another build-id") != std::string::npos);
}

TEST_CASE("a deleted file is a problem, unless its debug file proves the names") {
  const Stripped stripped;
  const auto names = [&] {
    CollectingSink sink;
    SymbolizeModule({stripped.program + " (deleted)", stripped.build_id, {stripped.probe}},
                    LocalOptions(stripped.folder / "debug"), sink);
    return sink;
  };
  const CollectingSink lost = names();
  CHECK(lost.names.empty());
  REQUIRE(lost.problems.size() == 1);
  CHECK(lost.problems[0].find("deleted") != std::string::npos);
  stripped.Install(stripped.BuildIdPlace());
  const CollectingSink found = names();
  CHECK(found.problems.empty());
  CHECK(FunctionsAt(found.names, stripped.probe).size() == 3);
}

TEST_CASE("what is no library is a problem") {
  const TempFolder folder;
  WriteFile(folder / "text", "hello");
  const std::string text = folder / "text";
  const std::string missing = folder / "missing";
  const std::vector<std::string> paths = {text, missing, folder.path(), "/dev/zero", "[heap]", ""};
  for (const std::string& path : paths) {
    CollectingSink sink;
    SymbolizeModule({path, "", {0x1000}}, LocalOptions("/nonexistent"), sink);
    INFO(path);
    CHECK(sink.names.empty());
    CHECK(sink.problems.size() == 1);
  }
}

TEST_CASE("symbols of .gnu_debugdata are used") {
  const Stripped stripped;
  const std::string mini = stripped.folder / "mini";
  const std::string copy = Quoted(OBJCOPY) + " ";
  REQUIRE(Runs(copy + "--strip-debug " + Quoted(stripped.debug) + " " + Quoted(mini)));
  if (!Runs("xz -k " + Quoted(mini))) {
    WARN("xz is not installed");
    return;
  }
  REQUIRE(Runs(copy + "--add-section .gnu_debugdata=" + Quoted(mini + ".xz") + " " +
               Quoted(stripped.program)));
  CHECK(FunctionsAt(stripped.Names(stripped.build_id).names, stripped.probe) ==
        std::vector<std::string>{"fixture::Outer(int)"});
}

}  // namespace
}  // namespace gprofx
