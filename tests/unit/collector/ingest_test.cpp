#include "samplers/collector/drain/ingest.h"

#include <catch2/catch.hpp>

#include "core/model/resolve.h"
#include "samplers/collector/processes/arena_text.h"
#include "tests/unit/collector/fake_region.h"

namespace gprofx {
namespace {

struct Bench {
  Bench() : modules(profile), view(region.View()), ingest(profile, modules, ProcessId{1}) {
    region.Begin(100, 1, "/bin/prog", "prog");
    profile.processes.push_back({100, 1});
  }
  const Frame& FrameAt(NodeId node) { return profile.frame(profile.node(node).frame); }

  test::FakeRegion region;
  Profile profile;
  ModuleTable modules;
  Region view;
  ProcessIngest ingest;
};

TEST_CASE("Native frames carry module and offset, their module its build-id and range") {
  Bench bench;
  const uint32_t module = bench.region.AddModule("/lib/libx.so", 0xab);
  const uint32_t node = bench.region.AddNode(0, wire::MakeNative(module, 0x1234));
  const Frame& frame = bench.FrameAt(bench.ingest.Node(bench.view, node));
  CHECK(frame.kind == FrameKind::kNative);
  CHECK(frame.address == 0x1234);
  REQUIRE(bench.profile.modules.size() == 1);
  CHECK(bench.profile.Text(bench.profile.modules[0].path) == "/lib/libx.so");
  std::string id;
  for (int i = 0; i < 20; ++i) id += "ab";
  CHECK(bench.profile.Text(bench.profile.modules[0].build_id) == id);
  REQUIRE(bench.profile.ranges.size() == 1);
  CHECK(bench.profile.ranges[0].base == 0x7f0000000000);
}

TEST_CASE("Code of a module that is mapped once more is the module's") {
  Bench bench;
  int read = 0;
  ProcessIngest ingest(bench.profile, bench.modules, ProcessId{1}, [&] {
    ++read;
    return std::string(
        "7f0000000000-7f0000100000 r-xp 00000000 fe:00 7 /usr/bin/node\n"
        "7f1000000000-7f1000010000 r-xp 00004000 fe:00 7 /usr/bin/node\n"
        "7f2000000000-7f2000010000 rwxp 00000000 00:00 0 \n");
  });
  const uint32_t module = bench.region.AddModule("/usr/bin/node", 0xab);
  const uint32_t main = bench.region.AddNode(0, wire::MakeNative(module, 0x1234));
  const uint32_t again = bench.region.AddNode(main, wire::MakeAbsolute(0x7f1000000010));
  const uint32_t made = bench.region.AddNode(main, wire::MakeAbsolute(0x7f2000000010));
  const Frame& frame = bench.FrameAt(ingest.Node(bench.view, again));
  CHECK(frame.kind == FrameKind::kNative);
  CHECK(frame.address == 0x4010);
  CHECK(bench.profile.Text(bench.profile.modules[frame.module.index()].path) == "/usr/bin/node");
  CHECK(bench.FrameAt(ingest.Node(bench.view, made)).kind == FrameKind::kUnknown);
  CHECK(ingest.jit_addresses() == std::vector<uint64_t>{0x7f2000000010});
  CHECK(read == 1);
}

TEST_CASE("The same file in two processes is one module") {
  Bench bench;
  ProcessIngest other(bench.profile, bench.modules, ProcessId{2});
  const uint32_t module = bench.region.AddModule("/lib/libx.so", 1);
  bench.region.AddModule("/lib/libx.so", 2);
  const uint32_t node = bench.region.AddNode(0, wire::MakeNative(module, 8));
  const uint32_t replaced = bench.region.AddNode(0, wire::MakeNative(module + 1, 8));
  CHECK(bench.ingest.Node(bench.view, node) == other.Node(bench.view, node));
  CHECK(bench.profile.modules.size() == 1);
  CHECK(bench.profile.ranges.size() == 2);
  bench.ingest.Node(bench.view, replaced);  // same path, another build-id
  CHECK(bench.profile.modules.size() == 2);
}

TEST_CASE("Python frames have a function and the line that runs") {
  Bench bench;
  // CPython 3.9 lnotab: two lines of ten bytes each.
  const uint32_t code = bench.region.AddCode("Net.forward", "/m/net.py", 10,
                                             wire::LineFormat::kLnotab, "\x0a\x01\x0a\x05");
  const auto at = [&](uint32_t instruction) {
    const uint32_t node = bench.region.AddNode(0, wire::MakePython(code, instruction));
    return bench.FrameAt(bench.ingest.Node(bench.view, node));
  };
  const Frame first = at(0), second = at(12), third = at(25);
  CHECK(first.kind == FrameKind::kPython);
  CHECK(first.line == 10);
  CHECK(second.line == 11);
  CHECK(third.line == 16);
  CHECK(at(wire::kNoInstruction).line == 10);
  const Function& function = bench.profile.function(first.function);
  CHECK(bench.profile.Text(function.name) == "Net.forward");
  CHECK(bench.profile.Text(function.file) == "/m/net.py");
  CHECK(function.first_line == 10);
  CHECK(second.function == first.function);
  // Instructions of one line are one frame.
  CHECK(at(13).line == 11);
  CHECK(bench.profile.frames.size() == 1 + 3);  // the root and three lines
}

TEST_CASE("A layer is the modules around it, by the names that they have for it") {
  Bench bench;
  test::FakeRegion& region = bench.region;
  const auto path = [&](uint32_t layer) {
    const uint32_t node = region.AddNode(0, wire::MakeLayer(layer));
    const Frame& frame = bench.FrameAt(bench.ingest.Node(bench.view, node));
    return frame.kind == FrameKind::kLayer
               ? std::string(bench.profile.Text(bench.profile.function(frame.function).name))
               : "";
  };
  const uint32_t net = region.AddLayer(0, "Net", ""), block = region.AddLayer(net, "Block", "h.3");
  const uint32_t inner = region.AddLayer(block, "Linear", "fc");
  CHECK(path(inner) == "Net > h.3: Block > fc: Linear");
  CHECK(path(block) == "Net > h.3: Block");
  // Without a name they are numbered, the outermost from the second on.
  CHECK(path(region.AddLayer(0, "Net", "")) == "Net#1: Net");
  CHECK(path(region.AddLayer(net, "Gate", "")) == "Net > Gate#0: Gate");
  CHECK(path(region.AddLayer(net, "Gate", "")) == "Net > Gate#1: Gate");
  // What would read as something else.
  CHECK(path(region.AddLayer(net, "a: b", "x > y")) == "Net > x _ y: a__b");
  CHECK(bench.ingest.bad_records() == 0);
  // Another record of the same place, made for an instance that took its place, is the same layer.
  CHECK(path(region.AddLayer(net, "Block", "h.3")) == "Net > h.3: Block");

  const uint32_t own = region.AddLayer(0, "Net", "");
  region.Layer(own)->parent = own;
  CHECK(path(own).empty());
  const uint32_t late = region.AddLayer(0, "Net", "");
  region.Layer(late)->ready = 0;
  CHECK(path(late).empty());
  const uint32_t large = region.AddLayer(0, "Net", "");
  region.Layer(large)->name_bytes = UINT16_MAX;
  CHECK(path(large).empty());
  CHECK(path(0).empty());
  CHECK(path(static_cast<uint32_t>(wire::kArenaBytes / wire::kArenaUnit)).empty());
  uint32_t deep = 0;
  for (int i = 0; i < 100; ++i) deep = region.AddLayer(deep, "Net", "n");
  CHECK(path(deep).empty());
  CHECK(bench.ingest.bad_records() == 6);
}

TEST_CASE("Deep stacks are translated without recursion") {
  Bench bench;
  const uint32_t module = bench.region.AddModule("/x", 1);
  uint32_t node = 0;
  for (uint32_t i = 1; i < wire::kMaxNodes; ++i)
    node = bench.region.AddNode(node, wire::MakeNative(module, i % 50));
  const NodeId leaf = bench.ingest.Node(bench.view, node);
  CHECK(leaf.value == wire::kMaxNodes);  // the root and one node each
  CHECK(bench.ingest.bad_records() == 0);
}

TEST_CASE("Code made at run time belongs to its process, and is named when that has ended") {
  Bench bench;
  ProcessIngest other(bench.profile, bench.modules, ProcessId{2});
  const uint32_t node = bench.region.AddNode(0, wire::MakeAbsolute(0xdeadbeef));
  const uint32_t below = bench.region.AddNode(node, wire::MakeAbsolute(0xdeadbeef));
  const NodeId first = bench.ingest.Node(bench.view, node);
  CHECK(bench.FrameAt(first).kind == FrameKind::kUnknown);
  CHECK(bench.FrameAt(first).address == 0xdeadbeef);
  CHECK(bench.ingest.Node(bench.view, below) != first);
  CHECK(bench.ingest.jit_addresses() == std::vector<uint64_t>{0xdeadbeef});
  CHECK(other.Node(bench.view, node) != first);
  CHECK(other.jit_module() != bench.ingest.jit_module());

  const ModuleId old = bench.ingest.jit_module();
  ModuleNames names, later;
  names[0xdeadbeef] = {{"JS:f", "", 0, "", 0}};
  later[0xdeadbeef] = {{"JS:g", "", 0, "", 0}};
  bench.ingest.BeginGeneration();
  CHECK(bench.ingest.jit_addresses().empty());
  const NodeId second = bench.ingest.Node(bench.view, node);
  CHECK(second != first);
  std::vector<ModuleNames> all(bench.profile.modules.size());
  all[old.index()] = names;
  all[bench.ingest.jit_module().index()] = later;
  const Resolved resolved = Resolve(bench.profile, all);
  const auto name = [&](NodeId raw) {
    const Frame& frame =
        resolved.profile.frame(resolved.profile.node(resolved.node_of[raw.index()]).frame);
    if (frame.kind != FrameKind::kNative) return std::string(frame.module ? "module" : "unknown");
    return std::string(resolved.profile.Text(resolved.profile.function(frame.function).name));
  };
  CHECK(name(first) == "JS:f");
  CHECK(name(second) == "JS:g");
  CHECK(name(other.Node(bench.view, node)) == "unknown");
}

TEST_CASE("What cannot be read becomes a truncated frame and is counted") {
  Bench bench;
  const uint32_t module = bench.region.AddModule("/x", 1);
  const uint32_t cases[] = {
      wire::kMaxNodes,  // no such node
      0xffffffff,
      bench.region.AddNode(0, wire::MakeNative(module + 1, 0)),  // module not ready
      bench.region.AddNode(0, wire::MakeNative(0xfffff, 0)),
      bench.region.AddNode(0, wire::MakePython(0, 0)),  // no code object
      bench.region.AddNode(0, wire::MakePython(0xfffffff, 0)),
      bench.region.AddNode(0, uint64_t{15} << 60),  // no such kind
      bench.region.AddNode(0, 0),
  };
  for (const uint32_t node : cases) {
    const int64_t before = bench.ingest.bad_records();
    CHECK(bench.FrameAt(bench.ingest.Node(bench.view, node)).kind == FrameKind::kTruncated);
    CHECK(bench.ingest.bad_records() == before + 1);
  }
}

TEST_CASE("A node that is its own ancestor ends at the root") {
  Bench bench;
  const uint32_t module = bench.region.AddModule("/x", 1);
  bench.region.PutNode(5, 5, wire::MakeNative(module, 1));
  bench.region.PutNode(6, 9, wire::MakeNative(module, 2));
  bench.region.PutNode(9, 6, wire::MakeNative(module, 3));
  for (const uint32_t node : {5u, 6u, 9u}) CHECK(bench.ingest.Node(bench.view, node).value != 0);
  CHECK(bench.ingest.bad_records() >= 2);
}

TEST_CASE("Code records that reach out of the arena are refused") {
  Bench bench;
  const uint32_t code = bench.region.AddCode("f", "x.py", 1, wire::LineFormat::kPep626, "");
  wire::CodeRecord* record = bench.region.Code(uint64_t{code} * wire::kArenaUnit);
  REQUIRE(bench.view.Code(code).has_value());
  SECTION("name") { record->name_chars = 0xffffffff; }
  SECTION("file") {
    record->file_chars = 0x40000000;
    record->file_width = 4;
  }
  SECTION("table") { record->table_bytes = 0xfffffff0; }
  SECTION("width") { record->name_width = 3; }
  SECTION("width 0") { record->file_width = 0; }
  SECTION("not ready") { record->ready = 0; }
  CHECK_FALSE(bench.view.Code(code).has_value());
}

std::string Text(std::u32string_view text, uint32_t width) {
  std::string bytes;
  for (const char32_t c : text) bytes.append(reinterpret_cast<const char*>(&c), width);
  return PythonText(std::as_bytes(std::span(bytes)), width);
}

TEST_CASE("Python's texts become UTF-8 whatever their width") {
  CHECK(Text(U"plain", 1) == "plain");
  CHECK(Text(U"\u00fc", 1) == "\u00fc");
  CHECK(Text(U"\u4e2d", 2) == "\u4e2d");
  CHECK(Text(U"\U0001f600 a", 4) == "\U0001f600 a");
  CHECK(Text(std::u32string(1, 0xd800), 2) == "\ufffd");
  CHECK(Text(std::u32string(1, 0x110000), 4) == "\ufffd");
  CHECK(Text(std::u32string(1, 0), 1) == "\ufffd");
  CHECK(PythonText(std::as_bytes(std::span("abc", 3)), 2) == "\u6261");  // the odd byte is left out
  CHECK(PythonText(std::as_bytes(std::span("abc", 3)), 3).empty());
}

TEST_CASE("Very long names are cut") {
  Bench bench;
  const uint32_t code =
      bench.region.AddCode(std::string(10000, 'n'), "x.py", 1, wire::LineFormat::kLnotab, "");
  CHECK(bench.view.Code(code)->name.size() == 4096);
  CHECK(bench.view.Code(code)->file == "x.py");
}

}  // namespace
}  // namespace gprofx
