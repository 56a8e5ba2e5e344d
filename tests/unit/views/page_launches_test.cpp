#include "core/views/page_launches.h"

#include <catch2/catch.hpp>

namespace gprofx {
namespace {

struct Recording {
  Recording() {
    for (uint32_t i = 1; i <= 2; ++i) {
      profile.processes.push_back({static_cast<int32_t>(i), 0, profile.Intern("a"), {}});
      profile.threads.push_back({ProcessId{i}, i, profile.Intern("t")});
    }
    Frame frame;
    for (uint32_t line = 1; line <= 3; ++line) {
      frame.line = line;
      paths.push_back(profile.Child(profile.root(), profile.Intern(frame)));
    }
    tree.node_of.resize(profile.nodes.size(), PageTree::kNowhere);
    tree.node_of[paths[0].index()] = 1;
    tree.node_of[paths[1].index()] = 2;
    tree.thread_of = {0, 5, 6};
    // Ten windows of ten, every second one with records, of either process by turns.
    for (HostNs begin = 0; begin < 100; begin += 10) {
      for (uint32_t process : {1u, 2u})
        windows.push_back({begin, begin + 10, 0, true, begin % 20 == 0, ProcessId{process}});
    }
  }
  PageLaunches Launches(size_t most_rows = PageLaunchesBuilder::kMostRows) const {
    PageLaunchesBuilder builder(profile, tree, windows, most_rows);
    for (HostNs time = 99; time >= 0; --time) builder.Add({time, ThreadId{1}, paths[0]});
    for (HostNs time = 0; time < 100; time += 5) builder.Add({time, ThreadId{2}, paths[1]});
    builder.Add({3, ThreadId{1}, paths[2]});  // the tree does not have it
    builder.Add({3, ThreadId{}, paths[0]});
    return std::move(builder).Finish();
  }

  Profile profile;
  PageTree tree;
  std::vector<NodeId> paths;
  std::vector<LevelWindow> windows;
};

}  // namespace

TEST_CASE("launches of a page are summed up by window, thread and call path") {
  const Recording recording;
  const PageLaunches launches = recording.Launches();
  REQUIRE(launches.rows.size() == 20);
  REQUIRE(launches.group_of.size() == 20);
  CHECK(launches.group_of[0] == 0);
  CHECK(launches.group_of[2] == 1);   // the first process's second window
  CHECK(launches.group_of[1] == 10);  // the second process's first one
  CHECK(launches.rows[0].thread == 5);
  CHECK(launches.rows[0].node == 1);
  CHECK(launches.rows[0].traced == 10);
  CHECK(launches.rows[0].untraced == 0);
  CHECK(launches.rows[1].untraced == 10);
  CHECK(launches.rows[10].thread == 6);
  CHECK(launches.rows[10].node == 2);
  CHECK(launches.rows[10].traced == 2);
}

TEST_CASE("where launches of a page are too many rows their windows are taken together, and none is lost") {
  const Recording recording;
  for (const size_t most : {19, 10, 6, 4, 2, 1}) {
    const PageLaunches launches = recording.Launches(most);
    CHECK(launches.rows.size() <= std::max<size_t>(most, 2));  // each process has a group of its own
    int64_t traced = 0, untraced = 0;
    for (const PageLaunches::Row& row : launches.rows) {
      traced += row.traced;
      untraced += row.untraced;
      CHECK(row.traced > 0);
    }
    CHECK(traced == 50 + 10);
    CHECK(untraced == 50 + 10);
    for (size_t i = 0; i < recording.windows.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (recording.windows[i].process != recording.windows[k].process)
          CHECK(launches.group_of[i] != launches.group_of[k]);
      }
    }
  }
}

TEST_CASE("what is launched between the windows of a process stands with the one before") {
  Recording recording;
  recording.windows = {{10, 20, 0, true, true, ProcessId{1}}, {30, 40, 0, true, false, ProcessId{1}}};
  PageLaunchesBuilder builder(recording.profile, recording.tree, recording.windows);
  for (const HostNs time : {5, 15, 25, 35, 45}) builder.Add({time, ThreadId{1}, recording.paths[0]});
  builder.Add({15, ThreadId{2}, recording.paths[1]});  // of a process without windows
  const PageLaunches launches = std::move(builder).Finish();
  REQUIRE(launches.rows.size() == 2);
  CHECK(launches.rows[0].traced == 3);
  CHECK(launches.rows[1].untraced == 2);
}

}  // namespace gprofx
