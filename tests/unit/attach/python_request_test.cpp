// A request to an interpreter, on what real ones publish of themselves (tests/data/python: the
// begin of _PyRuntime of Debian's builds).
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "samplers/attach/python/entry_script.h"
#include "samplers/attach/python/python_offsets.h"
#include "samplers/attach/python/python_threads.h"
#include "samplers/wire/attach.h"

using namespace gprofx;
using namespace gprofx::attach;

namespace {

constexpr size_t kVersionAt = 8, kFreeThreadedAt = 16, kRuntimeBytesAt = 24, kThreadBytesAt = 176;

std::vector<char> Published(const std::string& version) {
  std::ifstream file(GPROFX_SOURCE_DIR "/tests/data/python/debug_offsets_" + version,
                     std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(bytes.size() >= 760);
  bytes.resize(kPythonOffsetsBytes);
  return bytes;
}

std::optional<PythonOffsets> Read(const std::vector<char>& bytes) {
  return ReadPythonOffsets(std::as_bytes(std::span(bytes)));
}

std::vector<char> With(std::vector<char> bytes, size_t at, uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

// Memory with an interpreter that began two threads after its first one, and another interpreter.
struct Interpreter {
  static constexpr uint64_t kRuntime = 0x10000, kFirst = 0x20000, kOther = 0x90000;
  static constexpr uint64_t kThreads[] = {0xa0000, 0xb0000, 0xc0000};
  const PythonOffsets o = *Read(Published("3.14.8"));
  std::map<uint64_t, uint8_t> memory;

  template <class T>
  void Put(uint64_t at, T value) {
    uint8_t raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    for (size_t i = 0; i < sizeof value; ++i) memory[at + i] = raw[i];
  }
  Interpreter() {
    Put<uint64_t>(kRuntime + o.interpreters, kOther);
    Put<int64_t>(kOther + o.interpreter_id, 1);
    Put<uint64_t>(kOther + o.next_interpreter, kFirst);
    Put<int64_t>(kFirst + o.interpreter_id, 0);
    Put<uint32_t>(kFirst + o.allowed, 1);
    Put<uint64_t>(kFirst + o.threads, kThreads[0]);
    for (int i = 0; i < 3; ++i) {
      Put<uint64_t>(kThreads[i] + o.thread_number, 100 + static_cast<uint64_t>(i));
      Put<uint32_t>(kThreads[i] + o.status, i == 1 ? 0x1b : 0x0b);
      Put<uint64_t>(kThreads[i] + o.next_thread, i == 2 ? 0 : kThreads[i + 1]);
    }
  }
  PythonThreads Threads() {
    return {kRuntime, o, [this](uint64_t at, void* to, size_t bytes) {
              for (size_t i = 0; i < bytes; ++i) {
                const auto it = memory.find(at + i);
                if (it == memory.end()) return false;
                static_cast<uint8_t*>(to)[i] = it->second;
              }
              return true;
            }};
  }
};

}  // namespace

TEST_CASE("what 3.14.8 and 3.15.0 publish: where a request goes") {
  const auto o = Read(Published("3.14.8"));
  REQUIRE(o);
  CHECK(o->interpreters == 808);
  CHECK(o->threads == 7344);
  CHECK(o->allowed == 8076);
  CHECK(o->thread_number == 160);
  CHECK(o->status == 32);
  CHECK(o->breaker == 24);
  CHECK(o->pending == 304);
  CHECK(o->path == 308);
  CHECK(o->path_bytes == 512);
  const auto next = Read(Published("3.15.0"));
  REQUIRE(next);
  CHECK(next->thread_number == 184);
  CHECK(next->status == 32);
  CHECK(next->pending == 344);
  CHECK(next->allowed == 8028);
}

TEST_CASE("offsets that are not those of an interpreter which takes requests") {
  const std::vector<char> good = Published("3.14.8");
  CHECK(!Read(With(good, 0, 0)));
  CHECK(!Read(With(good, kVersionAt, 0x030d00f0)));  // 3.13
  CHECK(!Read(With(good, kVersionAt, 0x031000f0)));  // 3.16
  CHECK(!Read(With(good, kVersionAt, 0x030e00c3)));  // a candidate
  CHECK(!Read(With(good, kFreeThreadedAt, 1)));
  CHECK(!Read(With(good, kRuntimeBytesAt, 800)));  // the first interpreter would lie behind its end
  CHECK(!Read(With(good, kThreadBytesAt, 300)));
  CHECK(!Read(With(good, kThreadBytesAt, ~uint64_t{0})));
  CHECK(!Read({good.begin(), good.begin() + 64}));
}

TEST_CASE("threads of the first interpreter, who is inside, and whether it may be asked") {
  Interpreter python;
  const std::vector<PythonThread> threads = python.Threads().Look();
  REQUIRE(threads.size() == 3);
  CHECK(python.Threads().allowed());
  CHECK(python.Threads().are_there());
  CHECK(threads[1].state == Interpreter::kThreads[1]);
  CHECK(threads[1].number == 101);
  CHECK(!threads[0].inside);
  CHECK(threads[1].inside);
  CHECK(threads[2].is_first);
  CHECK(!threads[1].is_first);
  python.Put<uint32_t>(Interpreter::kFirst + python.o.allowed, 0);
  CHECK(!python.Threads().allowed());
}

TEST_CASE("threads that cannot be read, or lead round and round") {
  Interpreter python;
  python.memory.erase(Interpreter::kThreads[2] + python.o.status);
  CHECK(python.Threads().Look().size() == 2);
  python.Put<uint64_t>(Interpreter::kRuntime + python.o.interpreters, Interpreter::kOther);
  python.Put<uint64_t>(Interpreter::kOther + python.o.next_interpreter, Interpreter::kOther);
  CHECK(!python.Threads().allowed());
  CHECK(python.Threads().Look().empty());
}

TEST_CASE("a request: the path first, the bit that makes the thread look last; taking it back") {
  const PythonOffsets o = *Read(Published("3.14.8"));
  const auto parts = RunRequest(o, 0x1000, "/tmp/x/enter.py");
  REQUIRE(parts);
  REQUIRE(parts->size() == 3);
  CHECK((*parts)[0].address == 0x1000 + 308);
  CHECK((*parts)[0].bytes == std::string("/tmp/x/enter.py") + '\0');
  CHECK((*parts)[1].address == 0x1000 + 304);
  CHECK((*parts)[1].bytes == std::string("\1\0\0\0", 4));
  CHECK((*parts)[2].address == 0x1000 + 24);
  // Signals, calls, exceptions and the request are looked for; the lock is not given up for nobody.
  CHECK((*parts)[2].bytes == "\x2e");
  CHECK(RunRequest(o, 0x1000, std::string(511, 'x')));
  CHECK(!RunRequest(o, 0x1000, std::string(512, 'x')));
  const auto back = TakeBack(o, 0x1000);
  REQUIRE(back.size() == 2);
  CHECK(back[0].address == 0x1000 + 308);
  CHECK(back[0].bytes == std::string(1, '\0'));
  CHECK(back[1].address == 0x1000 + 304);
  CHECK(back[1].bytes == std::string(4, '\0'));
}

TEST_CASE("the file that is run names its paths as Python reads them; its answer") {
  const std::string script = EntryScript({"/a'b\\c\xc3\xa9.so", false, "/tmp/x/answer"});
  CHECK(script.find(R"('gprofx_agent', '/a\x27b\x5cc\udcc3\udca9.so')") != std::string::npos);
  CHECK(script.find("None, b'/tmp/x/answer'") != std::string::npos);
  CHECK(script.find("if False:") != std::string::npos);
  CHECK(script.find('{') == std::string::npos);
  const std::string copies = EntryScript({"/a", true, "/b"});
  CHECK(copies.find("if True:") != std::string::npos);
  CHECK(copies.find("posix.open('/a', ") != std::string::npos);
  CHECK(copies.find('{') == std::string::npos);
  const std::string braces = EntryScript({"/{copy}", false, "/{agent}"});
  CHECK(braces.find(R"('gprofx_agent', '/\x7bcopy}')") != std::string::npos);
  CHECK(braces.find(R"(b'/\x7bagent}')") != std::string::npos);
  char said[64];
  std::snprintf(said, sizeof said, wire::kAttachAnswer, 0x7f0012345000ul, wire::kAttachVersion);
  CHECK(!ReadAnswer("", 12));
  CHECK(!ReadAnswer(std::string("12 ") + said, 12));
  const std::string whole = std::string("123 other\n12 ") + said + "\n";
  REQUIRE(ReadAnswer(whole, 12));
  CHECK(ReadAnswer(whole, 12)->request == 0x7f0012345000);
  CHECK(ReadAnswer(whole, 12)->version == wire::kAttachVersion);
  CHECK(ReadAnswer(whole, 123)->request == 0);
  CHECK(!ReadAnswer(whole, 1));
  CHECK(!ReadAnswer(whole, 3));
}
