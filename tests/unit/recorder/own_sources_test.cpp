#include "samplers/recorder/own_sources.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gprofx::recorder {
namespace {

struct Folder {
  Folder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string file = path + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << text;
    return file;
  }
  std::string path = "/tmp/gprofx-own-sources-XXXXXX";
};

// Adds a Python frame of a file with time below `above`.
NodeId AddPython(Profile& profile, MetricId time, NodeId above, const std::string& file, int64_t ns,
                 ThreadId thread = ThreadId{1}) {
  Frame frame;
  frame.kind = FrameKind::kPython;
  frame.file = profile.Intern(file);
  frame.line = 1;
  const NodeId node = profile.Child(above, profile.Intern(frame));
  if (ns > 0) profile.AddSelf(node, thread, time, ns);
  return node;
}

// A profile with two processes, of one thread each.
Profile TwoProcesses() {
  Profile profile;
  for (uint32_t process = 1; process <= 2; ++process) {
    profile.processes.emplace_back();
    Thread thread;
    thread.process = ProcessId{process};
    profile.threads.push_back(thread);
  }
  return profile;
}

std::vector<std::string> Kept(const Profile& profile) {
  std::vector<std::string> kept;
  for (const SourceText& source : profile.gpu.sources) {
    kept.emplace_back(profile.Text(source.path));
  }
  return kept;
}

TEST_CASE("Own files with time are kept, those with most first, and none of packages") {
  const Folder folder;
  const std::string small = folder.Write("a.py", "print(1)\n"), own = folder.Write("b.py", "x\n");
  const std::string idle = folder.Write("idle.py", "y\n");
  const std::string package = folder.Write("site-packages/p/c.py", "z\n");
  const std::string large = folder.Write("large.py", std::string(kMaxOwnFile + 1, 'x'));
  Profile profile = TwoProcesses();
  const MetricId time = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  AddPython(profile, time, profile.root(), small, 5);
  const NodeId caller = AddPython(profile, time, profile.root(), own, 0);
  AddPython(profile, time, caller, package, 10);  // counts for its caller
  AddPython(profile, time, profile.root(), idle, 0);
  AddPython(profile, time, profile.root(), large, 20);
  KeepOwnSources(time, {true, true}, profile);
  CHECK(Kept(profile) == std::vector<std::string>{own, small});
  CHECK(profile.gpu.sources[1].text == "print(1)\n");
}

TEST_CASE("Secrets in sources are masked, and lines keep their numbers") {
  const Folder folder;
  const std::string file =
      folder.Write("a.py", "import os\n\nrun('tool --password=hunter2')\n  # end");
  Profile profile = TwoProcesses();
  const MetricId time = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  AddPython(profile, time, profile.root(), file, 5);
  KeepOwnSources(time, {true, true}, profile);
  REQUIRE(profile.gpu.sources.size() == 1);
  const std::string& text = profile.gpu.sources[0].text;
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(text.starts_with("import os\n\nrun('***')"));
  CHECK(text.ends_with("\n  # end"));
}

TEST_CASE("A file that a process with other files or rights ran is not read") {
  const Folder folder;
  const std::string ours = folder.Write("a.py", "print(1)\n"), both = folder.Write("b.py", "x\n");
  const std::string theirs = folder.Write("c.py", "y\n");
  Profile profile = TwoProcesses();
  const MetricId time = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  for (const std::string& file : {ours, both})
    AddPython(profile, time, profile.root(), file, 5, ThreadId{1});
  const NodeId above = AddPython(profile, time, profile.root(), "/x.py", 0);
  for (const std::string& file : {both, theirs})
    AddPython(profile, time, above, file, 5, ThreadId{2});
  KeepOwnSources(time, {true, false}, profile);
  CHECK(Kept(profile) == std::vector<std::string>{ours});
}

}  // namespace
}  // namespace gprofx::recorder
