// The profile database (.gprofx): one SQLite file, described in man/gprof-x-format.5. Nobody else
// knows SQL. Here is who writes it; formats/profile/profile_reader.h reads,
// formats/profile/profile_appender.h adds to a finished one.
//
// ProfileWriter keeps a valid profile on disk at every commit. Rows that were appended to
// the Profile since the last commit are inserted, rows of processes, threads, modules, load ranges,
// values, meta, quality, GPU devices, contexts, streams and parts of wall time are brought up to
// date. Timeline rows are handed over once and are not kept in memory.
//
// Commits are written by a thread of the writer: the caller waits neither for a disk nor for a
// reader that keeps the file locked. Nothing is synced to the disk before the end: what was
// committed outlives the process, not a power cut.
// Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"
#include "formats/profile/profile_reader.h"
#include "formats/sqlite/output_claim.h"

namespace gprofx {

constexpr uint32_t kApplicationId = 0x47505246;  // "GPRF"
constexpr int kSchemaMajor = 1;
constexpr int kSchemaMinor = 5;  // user_version = major * 1000 + minor

class ProfileWriter {
 public:
  // The right to write `path` and an empty profile for it (mode 0600, symbolic links refused); see
  // formats/sqlite/output_claim.h. A profile that is there is only moved to `path`.old by Begin.
  // The error names the folder or the file and the way out.
  static Result<ProfileWriter> Claim(const std::string& path, Existing existing,
                                     ClaimTrouble& trouble);
  Status Begin();
  // Without waiting: its outcome is that of TakeOutcome; commits meanwhile are under way.
  void BeginInBackground();
  // Claim and Begin at once.
  static Result<ProfileWriter> Create(const std::string& path);
  ProfileWriter(ProfileWriter&&) noexcept;
  ProfileWriter& operator=(ProfileWriter&&) noexcept;
  ~ProfileWriter();  // closes; what was committed stays, what was not begun leaves no trace

  const std::string& path() const;

  // Buffers timeline rows; they become chunks at the next commit.
  void AppendSamples(std::span<const SampleRow> rows);
  // The same for the other streams (Stream::kKernels and up; FindEventStream). Copies the rows.
  void AppendEvents(const EventTable& rows);

  // Brings the file up to `profile` in one transaction. `profile` must be the same, growing object
  // at each call. On ENOSPC and the like: an Error, the previous commit stays readable, later calls
  // may be tried again; nothing is lost but timeline rows beyond 64 MB, which are counted.
  Status Commit(const Profile& profile);

  // For a recording of which only the last is wanted: commits take rows out of the file that are
  // older than `keep` before the latest, and the oldest where those take more than `most_bytes`.
  // Before the first commit. What counts in `profile` and has no time stays.
  void KeepLast(HostNs keep, size_t most_bytes);
  // No row that begins here or later was taken out.
  HostNs complete_from() const;
  bool IsBusy() const;  // with a commit

  // The same without waiting. False: the last one is still under way, and nothing was done. One
  // that failed is tried again first. `profile` may change and grow, but must not move or go before
  // EndThread.
  bool CommitInBackground(const Profile& profile);
  // How the last background work ended, once; the next begins without a word of it. A file that a
  // reader keeps locked is no failure: that commit is tried again.
  std::optional<Status> TakeOutcome();
  // Waits for a commit under way; the thread is gone then, so that the caller may fork.
  void EndThread();

  // How long the background work took so far, in ns.
  int64_t writing_ns() const;
  // Timeline rows that could not be kept so far, of all streams.
  int64_t dropped_rows() const;

  // Makes this the profile of [begin, end) of what `live` holds, which may be this writer itself:
  // Finish then writes only its rows, their times from 0 on. `raw`, as `live` has recorded it, gets
  // the values and the wall time of these rows, all sums as of a recording of this length, and
  // times that fit; see core/steps/begin_at.h. Values without a time, of samples of instructions,
  // are dropped. `live` may be that of a process that this one was forked from while no commit was
  // under way; its file is opened anew, and `reading` called when nothing that happens to it
  // matters any more.
  Status TakeWindow(ProfileWriter& live, Profile& raw, HostNs begin, HostNs end,
                    const std::function<void()>& reading);

  // The file will say that its recording did not come to its end: what is copied did not.
  void LeaveUnfinished();

  // Clean end: writes `final_profile` into a temporary file beside `path`, with the timeline of
  // this recording rewritten through `node_of` (raw node index -> node; empty = unchanged) into
  // large chunks, then renames it over `path`. If that fails the last committed file is left as it
  // is and the Error returned. Streams in `replaced` are not taken from the recording but written
  // anew from these tables, whose nodes are those of `final_profile`. How long the writing took is
  // in meta["recorder_ns_final_write"].
  Status Finish(const Profile& final_profile, const std::vector<NodeId>& node_of,
                std::span<const EventTable> replaced = {});

 private:
  struct Impl;
  explicit ProfileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
