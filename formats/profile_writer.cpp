// The writing half of profile_db.h.
//
// Durability: a rollback journal (WAL needs shared memory and always leaves a second file) and one
// transaction per commit, so that a process killed at any moment leaves a file whose last commit is
// whole. synchronous=OFF: the kernel has what was written, and nobody waits for the disk. The clean
// end writes a second file, without a journal because nobody knows it yet, syncs it and renames it
// over the first.
//
// Threads: the caller's takes the changes of the profile and hands them over as one Batch; while
// the worker is busy the batch and the database are the worker's. One batch is all that is ever
// under way: while it is written, the changes stay in the profile, where they become one, and the
// rows in the queue.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/unique_fd.h"
#include "formats/chunk_queue.h"
#include "formats/chunk_table.h"
#include "formats/output_claim.h"
#include "formats/output_file.h"
#include "formats/profile_changes.h"
#include "formats/profile_db.h"
#include "formats/profile_final.h"
#include "formats/profile_rows.h"
#include "formats/profile_setup.h"
#include "formats/sqlite.h"
#include "formats/worker.h"

namespace gprofx {
namespace {

bool SyncFile(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file && fsync(file.get()) == 0;
}

}  // namespace

struct ProfileWriter::Impl {
  explicit Impl(OutputClaim taken) : claim(std::move(taken)) {}

  struct Batch {
    ProfileChanges changes;
    ChunkBatch chunks;
  };

  OutputClaim claim;
  sqlite::Database db;
  std::unique_ptr<ProfileRows> rows;
  std::unique_ptr<ChunkTable> chunk_table;
  ProfileTracker tracker;
  ChunkQueue queue;
  std::optional<Batch> batch;     // not yet written
  std::optional<Status> outcome;  // of the last time that the worker tried
  bool locked = false;            // it failed because a reader keeps the file locked
  std::atomic<bool> hurry = false;
  std::atomic<int64_t> writing_ns = 0;
  Worker worker;  // the last member: it ends before what it uses

  const std::string& path() const { return claim.path(); }
  Status CheckFile() const;
  Status Begin();
  void TakeBatch(const Profile& profile);
  void Start(Status (Impl::*job)());
  Status TryBatch();
  bool WriteBatch();
  void Settle();
};

ProfileWriter::ProfileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProfileWriter::ProfileWriter(ProfileWriter&&) noexcept = default;
ProfileWriter& ProfileWriter::operator=(ProfileWriter&&) noexcept = default;
ProfileWriter::~ProfileWriter() = default;

Result<ProfileWriter> ProfileWriter::Claim(const std::string& path, Existing existing,
                                           ClaimTrouble& trouble) {
  auto claim = OutputClaim::Take(path, existing, MakeEmptyProfile, trouble);
  if (!claim) return claim.error();
  return ProfileWriter(std::make_unique<Impl>(std::move(*claim)));
}

Status ProfileWriter::Impl::Begin() {
  if (Status published = claim.Publish(); !published) return published;
  db = sqlite::Database::Open(path(), SQLITE_OPEN_READWRITE);
  if (!db.Execute("PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF; PRAGMA mmap_size=0;"
                  "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192")) {
    Error error = SqliteError(path(), db);
    db.Close();
    return error;
  }
  // A reader is waited for, but not when the end of the recording waits for us.
  constexpr int kTries = 200;
  sqlite3_busy_handler(
      db.get(),
      [](void* hurry_now, int tries) {
        usleep(5000);
        return tries < kTries && !*static_cast<std::atomic<bool>*>(hurry_now) ? 1 : 0;
      },
      &hurry);
  rows = std::make_unique<ProfileRows>(db.get());
  chunk_table = std::make_unique<ChunkTable>(db.get());
  return Ok();
}

Status ProfileWriter::Begin() { return impl_->Begin(); }

void ProfileWriter::BeginInBackground() { impl_->Start(&Impl::Begin); }

Result<ProfileWriter> ProfileWriter::Create(const std::string& path) {
  ClaimTrouble trouble{};
  auto writer = Claim(path, Existing::kKeepOld, trouble);
  if (!writer) return writer;
  if (Status begun = writer->Begin(); !begun) return begun.error();
  return writer;
}

const std::string& ProfileWriter::path() const { return impl_->path(); }

void ProfileWriter::AppendSamples(std::span<const SampleRow> rows) { impl_->queue.Append(rows); }
void ProfileWriter::AppendEvents(const EventTable& rows) { impl_->queue.Append(rows); }

// Somebody who replaces our file meanwhile must not have our journal taken for that file's.
Status ProfileWriter::Impl::CheckFile() const {
  if (!db.get()) return Error{"the recording into '" + path() + "' has ended", ""};
  if (IdentityOf(path()) == claim.identity()) return Ok();
  return Error{"'" + path() + "' was replaced or removed while it was written",
               "give each recording a file of its own with -o"};
}

void ProfileWriter::Impl::TakeBatch(const Profile& profile) {
  queue.CloseBlocks();
  Batch next{tracker.Take(profile), queue.Take()};
  for (const auto& dropped : queue.Dropped()) {
    next.changes.quality.emplace_back(dropped.first, dropped.second);
  }
  batch = std::move(next);
}

void ProfileWriter::Impl::Start(Status (Impl::*job)()) {
  outcome.reset();
  worker.Start([this, job] {
    const auto began = std::chrono::steady_clock::now();
    locked = false;
    try {
      outcome = (this->*job)();
    } catch (const std::exception&) {
      outcome = Error{"out of memory", ""};  // short enough to need none
    }
    writing_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count();
  });
}

Status ProfileWriter::Impl::TryBatch() {
  if (Status status = CheckFile(); !status) return status;
  if (WriteBatch()) return Ok();
  locked = (db.code() & 0xff) == SQLITE_BUSY;
  Error error = SqliteError(path(), db);
  db.Execute("ROLLBACK");
  return error;
}

bool ProfileWriter::Impl::WriteBatch() {
  batch->chunks.Encode();
  if (!db.Execute("BEGIN IMMEDIATE") || !rows->Write(batch->changes)) return false;
  for (const StreamChunk& waiting : batch->chunks.chunks) {
    if (!chunk_table->Insert(waiting.stream, waiting.chunk)) return false;
  }
  for (const auto& [stream, count] : batch->chunks.rows) {
    if (!chunk_table->SetRows(stream, count)) return false;
  }
  return db.Execute("COMMIT");
}

// The worker is done: a batch that was written goes.
void ProfileWriter::Impl::Settle() {
  if (!batch || !outcome) return;
  if (!outcome->ok()) return queue.Waits(batch->chunks);
  queue.Written(batch->chunks);
  batch.reset();
}

Status ProfileWriter::Commit(const Profile& profile) {
  Impl& impl = *impl_;
  impl.worker.Wait();
  impl.Settle();
  // What failed before, then what came since.
  for (bool all = false; !all;) {
    all = !impl.batch;
    if (all) impl.TakeBatch(profile);
    impl.Start(&Impl::TryBatch);
    impl.worker.Wait();
    impl.Settle();
    if (impl.batch) return std::exchange(impl.outcome, std::nullopt).value();
  }
  impl.outcome.reset();
  return Ok();
}

bool ProfileWriter::CommitInBackground(const Profile& profile) {
  Impl& impl = *impl_;
  if (impl.worker.IsBusy()) return false;
  impl.Settle();
  if (!impl.batch) impl.TakeBatch(profile);
  impl.Start(&Impl::TryBatch);
  return true;
}

std::optional<Status> ProfileWriter::TakeOutcome() {
  Impl& impl = *impl_;
  if (impl.worker.IsBusy()) return std::nullopt;
  impl.Settle();
  if (impl.locked) return std::nullopt;
  return std::exchange(impl.outcome, std::nullopt);
}

void ProfileWriter::EndThread() {
  impl_->hurry = true;
  impl_->worker.End();
  impl_->hurry = false;
  impl_->Settle();
}

int64_t ProfileWriter::writing_ns() const { return impl_->writing_ns; }

int64_t ProfileWriter::dropped_rows() const {
  int64_t sum = 0;
  for (const auto& [name, rows] : impl_->queue.Dropped()) sum += rows;
  return sum;
}

Status ProfileWriter::Finish(const Profile& final_profile, const std::vector<NodeId>& node_of,
                             std::span<const EventTable> replaced) {
  EndThread();
  Impl& impl = *impl_;
  if (Status status = impl.CheckFile(); !status) return status;
  impl.queue.EncodeAll();
  if (impl.batch) {
    impl.batch->chunks.Encode();
    impl.queue.CountLost(impl.batch->chunks);
  }
  Result<std::string> temporary = TemporaryBeside(impl.path());
  if (!temporary) return temporary.error();
  Recorded recorded{impl.path(), impl.db, {}, impl.queue.Dropped()};
  if (impl.batch) recorded.waiting.push_back(&impl.batch->chunks.chunks);
  recorded.waiting.push_back(&impl.queue.waiting());
  Status written = WriteFinal(*temporary, recorded, final_profile, node_of, replaced);
  // The steps of one recording are not those of several.
  if (written && final_profile.sources.size() <= 1) written = AddPhases(*temporary, final_profile);
  if (written && !SyncFile(*temporary)) written = WriteError(*temporary, errno, "");
  // A journal that is still there belongs to the old content and must never meet the new.
  if (written && access((impl.path() + "-journal").c_str(), F_OK) == 0) {
    written = Error{"a commit of '" + impl.path() + "' is still unfinished", "read it as it is"};
  }
  if (written && rename(temporary->c_str(), impl.path().c_str()) != 0) {
    written = WriteError(impl.path(), errno, "");
  }
  if (!written) {
    unlink(temporary->c_str());
    return written;
  }
  impl.batch.reset();
  impl.chunk_table.reset();
  impl.rows.reset();
  impl.db.Close();
  return Ok();
}

}  // namespace gprofx
