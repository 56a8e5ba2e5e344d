#include "samplers/agent/stacks/stack_table.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "test_session.h"

using namespace gprofx;
using namespace gprofx::agent;

namespace {

std::vector<uint64_t> FramesOf(Session& session, uint32_t node) {
  std::vector<uint64_t> frames;
  for (; node != 0; node = session.nodes()[node].parent)
    frames.insert(frames.begin(), session.nodes()[node].frame);
  return frames;
}

uint32_t NodeOf(Session& session, StackPath& path, const std::vector<uint64_t>& frames,
                bool* full) {
  NextStack next(path);
  for (uint64_t frame : frames) next.Put(frame);
  return StackNode(session, path, next, full);
}

}  // namespace

TEST_CASE("equal stacks have one node, whatever was sampled between") {
  TestMemory memory;
  Session session;
  REQUIRE(session.Join(memory.Path().c_str()));
  auto path = std::make_unique<StackPath>();
  std::mt19937_64 random(7);
  std::map<std::vector<uint64_t>, uint32_t> seen;
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint64_t> stack(random() % 30 + 1);
    for (auto& f : stack) f = wire::MakeNative(1, random() % 4);
    bool full = false;
    uint32_t node = NodeOf(session, *path, stack, &full);
    REQUIRE_FALSE(full);
    auto [it, fresh] = seen.emplace(stack, node);
    REQUIRE(it->second == node);
    if (fresh) REQUIRE(FramesOf(session, node) == stack);
  }
}

TEST_CASE("threads that insert the same stacks agree on their frames") {
  TestMemory memory;
  Session session;
  REQUIRE(session.Join(memory.Path().c_str()));
  std::vector<std::vector<uint64_t>> stacks;
  std::mt19937_64 random(9);
  for (int i = 0; i < 5000; ++i) {
    std::vector<uint64_t> stack;
    for (int k = 0; k < 12; ++k) stack.push_back(wire::MakeNative(k, random() % 3));
    stacks.push_back(stack);
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      auto path = std::make_unique<StackPath>();
      for (const auto& stack : stacks) {
        bool full = false;
        uint32_t node = NodeOf(session, *path, stack, &full);
        if (full || FramesOf(session, node) != stack) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("a full table gives the deepest ancestor and says so") {
  TestMemory memory;
  Session session;
  REQUIRE(session.Join(memory.Path().c_str()));
  auto path = std::make_unique<StackPath>();
  bool full = false;
  const uint32_t node = NodeOf(session, *path, {1, 2}, &full);
  session.header().nodes.store(wire::kMaxNodes);
  CHECK(NodeOf(session, *path, {1, 2, 3, 4}, &full) == node);
  CHECK(full);
  full = false;
  CHECK(NodeOf(session, *path, {1, 2}, &full) == node);
  CHECK_FALSE(full);
  // There is room for the next frame, and not for the one behind it.
  session.header().nodes.store(wire::kMaxNodes - 1);
  const uint32_t last = NodeOf(session, *path, {1, 2, 3, 4}, &full);
  CHECK(FramesOf(session, last) == std::vector<uint64_t>{1, 2, 3});
  CHECK(full);
  // The thread goes on with what there is.
  full = false;
  CHECK(NodeOf(session, *path, {1, 2, 3}, &full) == last);
  CHECK(NodeOf(session, *path, {1, 2}, &full) == node);
  CHECK_FALSE(full);
}

TEST_CASE("what is new of a stack is one chain of nodes, and found again from any thread") {
  TestMemory memory;
  Session session;
  REQUIRE(session.Join(memory.Path().c_str()));
  auto path = std::make_unique<StackPath>(), other = std::make_unique<StackPath>();
  bool full = false;
  std::vector<uint64_t> stack;
  for (uint64_t f = 1; f <= 30; ++f) stack.push_back(f);
  const uint32_t first = NodeOf(session, *path, stack, &full);
  CHECK(session.header().nodes == 31);
  auto branch = stack;
  branch[20] = 99;
  CHECK(NodeOf(session, *path, branch, &full) == first + 10);
  CHECK(NodeOf(session, *other, branch, &full) == first + 10);
  CHECK(NodeOf(session, *other, stack, &full) == first);
  CHECK(session.header().nodes == 41);
  // Behind frames that one thread knows only as a whole.
  branch.resize(18);
  branch.push_back(77);
  CHECK(FramesOf(session, NodeOf(session, *other, branch, &full)) == branch);
  CHECK(session.header().nodes == 42);
}

TEST_CASE("a session joins only what is a recording, and frees nothing it did not take") {
  TestMemory memory;
  Session session;
  CHECK_FALSE(session.Join("/nonexistent"));
  CHECK_FALSE(session.Join("/proc/self/exe"));
  memory.control().facts.version = 999;
  CHECK_FALSE(session.Join(memory.Path().c_str()));
  memory.control().facts.version = wire::kVersion;
  std::vector<std::unique_ptr<Session>> many;
  for (int i = 0; i < 3; ++i) {
    many.push_back(std::make_unique<Session>());
    REQUIRE(many.back()->Join(memory.Path().c_str()));
    CHECK(many.back()->region() == static_cast<uint32_t>(i));
  }
  for (uint32_t i = 0; i < wire::kMaxProcesses; ++i)
    memory.control().region_state[i] = wire::kRegionClaimed;
  CHECK_FALSE(session.Join(memory.Path().c_str()));
  CHECK(memory.control().processes_without_region == 1);
}
