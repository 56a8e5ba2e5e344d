// LoadProfile and ReadSamples on any bytes, and the promises that a loaded profile makes to its
// readers.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "formats/profile_db.h"

namespace {

using namespace gprofx;

void Require(bool condition) {
  if (!condition) abort();
}

void CheckPromises(const Profile& profile) {
  Require(!profile.nodes.empty() && !profile.nodes[0].parent);
  for (size_t i = 1; i < profile.nodes.size(); ++i) {
    Require(profile.nodes[i].parent.value >= 1 && profile.nodes[i].parent.value <= i);
    Require(profile.nodes[i].frame && profile.nodes[i].frame.index() < profile.frames.size());
  }
  for (const Frame& frame : profile.frames) {
    Require(frame.function.value <= profile.functions.size());
    Require(frame.module.value <= profile.modules.size());
    profile.Text(frame.file);
  }
  for (const Value& value : profile.values) {
    Require(value.node && value.node.index() < profile.nodes.size());
    Require(value.thread && value.thread.index() < profile.threads.size());
    Require(value.metric && value.metric.index() < profile.metrics.size());
  }
}

struct ScratchFile {
  ScratchFile() : file(mkstemp(path.data())) { Require(file >= 0); }
  ~ScratchFile() { unlink(path.c_str()); }
  bool Fill(const uint8_t* data, size_t size) const {
    return ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  }

  std::string path = "/dev/shm/gprofx-fuzz-XXXXXX";
  int file;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The reader wants a path and opens it itself.
  static const ScratchFile scratch;
  if (!scratch.Fill(data, size)) return 0;
  const std::string& path = scratch.path;
  const Result<Profile> profile = LoadProfile(path);
  if (profile) CheckPromises(*profile);
  ReadSamples(path, 0, INT64_MAX, [&](std::span<const SampleRow> rows) {
    for (const SampleRow& row : rows) Require(row.thread.value >= 1 && row.node.value >= 1);
  }).ok();
  return 0;
}
