// The profile database (.gprofx): one SQLite file, described in man/gprof-x-format.5. No other
// module knows SQL. This file is the writer; formats/profile/profile_reader.h reads, and
// formats/profile/profile_appender.h adds to a finished profile.
//
// ProfileWriter keeps a valid profile on disk at every commit. A commit inserts the rows appended
// to the Profile since the last one. It updates rows of processes, threads, modules, load ranges,
// values, meta, quality, GPU devices, contexts, streams and parts of wall time. Timeline rows are
// passed in once and are not kept in memory.
//
// A thread of the writer does the commits: the caller waits neither for a disk nor for a reader
// that holds a lock on the file. Nothing is synced to disk before the end: committed data survives
// the process, but not a power failure. Not thread-safe.
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
  // Claims the right to write `path` and creates an empty profile for it (mode 0600, symbolic links
  // refused); see formats/sqlite/output_claim.h. Only Begin moves an existing profile to
  // `path`.old. The error names the directory or file and suggests a fix.
  static Result<ProfileWriter> Claim(const std::string& path, Existing existing,
                                     ClaimTrouble& trouble);
  Status Begin();
  // Calls Begin without waiting. IsBusy is true until Begin has ended; then TakeOutcome returns its
  // result.
  void BeginInBackground();
  // Calls Claim and Begin.
  static Result<ProfileWriter> Create(const std::string& path);
  ProfileWriter(ProfileWriter&&) noexcept;
  ProfileWriter& operator=(ProfileWriter&&) noexcept;
  ~ProfileWriter();  // closes; committed data stays, and without Begin no trace is left

  const std::string& path() const;

  // Buffers timeline rows; they become chunks at the next commit.
  void AppendSamples(std::span<const SampleRow> rows);
  // The same for the other streams (Stream::kKernels and up; FindEventStream). Copies the rows.
  void AppendEvents(const EventTable& rows);

  // Updates the file to `profile` in one transaction. `profile` must be the same, growing object at
  // each call. Returns an Error on ENOSPC and the like: the previous commit stays readable and
  // later calls may be tried. Nothing is lost except timeline rows beyond 64 MB, which are counted.
  Status Commit(const Profile& profile);

  // For a recording that keeps only its end. Commits remove rows that end more than `keep` before
  // the latest row. If the rows take more than `most_bytes`, commits also remove the oldest ones.
  // Call before the first commit. Data in `profile` without a time stays.
  void KeepLast(HostNs keep, size_t most_bytes);
  // No row that begins at or after this time was removed.
  HostNs complete_from() const;
  bool IsBusy() const;  // a commit is under way

  // Commits without waiting. Returns false, without doing anything, if the last commit is still
  // under way. A failed commit is retried first. `profile` may change and grow, but must not be
  // moved or destroyed before EndThread.
  bool CommitInBackground(const Profile& profile);
  // Returns the result of the last background work, once; no value if there is none. The next work
  // may start before the result is taken. A file locked by a reader is not a failure: that commit
  // is retried.
  std::optional<Status> TakeOutcome();
  // Waits for a commit under way and ends the thread, so that the caller may fork.
  void EndThread();

  // Returns the time that the background work took so far, in ns.
  int64_t writing_ns() const;
  // Returns the number of timeline rows of all streams that could not be kept so far.
  int64_t dropped_rows() const;

  // Makes this the profile of the range [begin, end) of `live`, which may be this writer itself.
  // Finish then writes only the rows of that range, with times starting at 0.
  //
  // `raw` is the profile as `live` has recorded it. It gets the values and the wall time of these
  // rows, all sums as of a recording of this length, and matching times; see core/steps/begin_at.h.
  // Values without a time, from samples of instructions, are dropped.
  //
  // `live` may belong to a process that this one was forked from while no commit was under way.
  // Then its file is opened again, and read in one state. `reading` is called as soon as later
  // commits to that file no longer change what is read.
  Status TakeWindow(ProfileWriter& live, Profile& raw, HostNs begin, HostNs end,
                    const std::function<void()>& reading);

  // Makes Finish mark the file as an unfinished recording. Call if the data comes from one.
  void LeaveUnfinished();

  // Clean end: writes `final_profile` into a temporary file next to `path`, then renames it over
  // `path`. The timeline of this recording is rewritten into large chunks, its nodes mapped through
  // `node_of` (raw node index -> node; empty = unchanged). On failure the last committed file is
  // unchanged and the Error is returned. Streams in `replaced` are written from these tables
  // instead of the recording; their nodes are those of `final_profile`.
  // meta["recorder_ns_final_write"] holds the time that the writing took.
  Status Finish(const Profile& final_profile, const std::vector<NodeId>& node_of,
                std::span<const EventTable> replaced = {});

 private:
  struct Impl;
  explicit ProfileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
