// The writing half of profile_db.h.
//
// Durability: a rollback journal (WAL needs shared memory and always leaves a second file),
// synchronous=NORMAL and one transaction per commit, so that a process killed at any moment leaves
// a file whose last commit is whole. The clean end writes a second file, without a journal because
// nobody knows it yet, and renames it over the first.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "formats/chunk.h"
#include "formats/output_file.h"
#include "formats/profile_db.h"
#include "formats/profile_rows.h"
#include "formats/sample_chunk.h"
#include "formats/schema.h"
#include "formats/sqlite.h"
#include "formats/value_chunk.h"

namespace gprofx {
namespace {

// Timeline rows that wait for a commit that works (disk full): more than this is dropped and
// counted.
constexpr size_t kMaxWaitingBytes = size_t{64} << 20;
constexpr char kDroppedRows[] = "timeline_rows_dropped";
constexpr char kInsertChunk[] =
    "INSERT INTO chunk(stream,t_begin,t_end,rows,codec,data) VALUES(?,?,?,?,?,?)";

Error SqliteError(const std::string& path, const sqlite::Database& db) {
  const int primary = db.code() & 0xff;
  int error_number = db.get() ? sqlite3_system_errno(db.get()) : 0;
  // An error inside COMMIT reaches the file's own errno only.
  if (error_number == 0 && db.get()) {
    sqlite3_file_control(db.get(), nullptr, SQLITE_FCNTL_LAST_ERRNO, &error_number);
  }
  if (primary == SQLITE_FULL) error_number = ENOSPC;
  if (primary == SQLITE_BUSY) {
    return {"cannot write '" + path + "': another program keeps it locked",
            "end the program that reads it"};
  }
  const bool is_file_error = primary == SQLITE_FULL || primary == SQLITE_IOERR ||
                             primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY;
  return WriteError(path, is_file_error ? error_number : 0, db.Message());
}

bool SetUp(sqlite::Database& db, const char* pragmas) {
  const std::string version =
      "PRAGMA application_id=" + std::to_string(kApplicationId) +
      "; PRAGMA user_version=" + std::to_string(kSchemaMajor * 1000 + kSchemaMinor) + ";";
  const std::string facts = "INSERT INTO meta VALUES('schema','" + std::to_string(kSchemaMajor) +
                            "." + std::to_string(kSchemaMinor) + "'),('complete','no')";
  sqlite3_busy_timeout(db.get(), 1000);
  return db.Execute(pragmas) && db.Execute("BEGIN IMMEDIATE") && db.Execute(version.c_str()) &&
         db.Execute(kSchemaSql) && db.Execute(facts.c_str()) && db.Execute("COMMIT");
}

bool InsertChunk(sqlite::Statement& insert, const SampleChunk& chunk) {
  return !chunk.data.empty() && insert.Run(kCpuSampleStream, chunk.begin, chunk.end, chunk.rows,
                                           kChunkCodec, std::span<const std::byte>(chunk.data));
}

bool SetStreamRows(sqlite::Database& db, int stream, int64_t rows) {
  return sqlite::Statement(db.get(), "UPDATE stream SET rows=? WHERE id=?").Run(rows, stream);
}

// The values once more, for readers in a hurry. Times are of no meaning here.
bool InsertValueChunks(sqlite::Database& db, std::span<const Value> values) {
  sqlite::Statement insert(db.get(), kInsertChunk);
  for (size_t begin = 0; begin < values.size(); begin += kMaxChunkRows) {
    const auto part = values.subspan(begin, std::min<size_t>(kMaxChunkRows, values.size() - begin));
    const std::vector<std::byte> data = EncodeValues(part);
    if (data.empty() || !insert.Run(kValueStream, 0, 0, uint64_t{part.size()}, kChunkCodec,
                                    std::span<const std::byte>(data))) {
      return false;
    }
  }
  return SetStreamRows(db, kValueStream, static_cast<int64_t>(values.size()));
}

// Collects rows into full chunks of a database.
class ChunkMerger {
 public:
  explicit ChunkMerger(sqlite3* db) : insert_(db, kInsertChunk) {}

  bool Add(const SampleRow& row) {
    rows_.push_back(row);
    ++total_;
    return rows_.size() < kMaxChunkRows || Flush();
  }
  bool Flush() {
    if (rows_.empty()) return true;
    const bool done = InsertChunk(insert_, EncodeSamples(rows_));
    rows_.clear();
    return done;
  }
  int64_t total() const { return total_; }

 private:
  sqlite::Statement insert_;
  std::vector<SampleRow> rows_;
  int64_t total_ = 0;
};

bool SyncFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = fsync(file) == 0;
  close(file);
  return done;
}

}  // namespace

struct ProfileWriter::Impl {
  std::string path;
  sqlite::Database db;
  FileIdentity identity;
  std::unique_ptr<ProfileRows> rows;
  sqlite::Statement insert_chunk;
  std::vector<SampleRow> buffer;    // fewer than a chunk
  std::deque<SampleChunk> waiting;  // full chunks that no commit has taken yet
  size_t waiting_bytes = 0;
  int64_t stored_samples = 0;
  int64_t dropped_samples = 0;

  void CloseChunk();
  bool WriteAll(const Profile& profile, int64_t& new_samples);
  Status CheckFile() const;
  Status WriteFinal(const std::string& temporary, const Profile& final_profile,
                    const std::vector<NodeId>& node_of);
  bool CopyTimeline(ChunkMerger& merger, const std::vector<NodeId>& node_of);
};

ProfileWriter::ProfileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProfileWriter::ProfileWriter(ProfileWriter&&) noexcept = default;
ProfileWriter& ProfileWriter::operator=(ProfileWriter&&) noexcept = default;
ProfileWriter::~ProfileWriter() = default;

Result<ProfileWriter> ProfileWriter::Create(const std::string& path) {
  if (Status status = MoveOldProfileAway(path); !status) return status.error();
  if (Status status = CreatePrivateFile(path); !status) return status.error();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->identity = IdentityOf(path);
  impl->db = sqlite::Database::Open(path, SQLITE_OPEN_READWRITE);
  if (!SetUp(impl->db,
             "PRAGMA journal_mode=DELETE; PRAGMA synchronous=NORMAL; PRAGMA mmap_size=0;"
             "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192")) {
    Error error = SqliteError(path, impl->db);
    impl->db.Close();
    unlink(path.c_str());
    return error;
  }
  impl->rows = std::make_unique<ProfileRows>(impl->db.get());
  impl->insert_chunk = sqlite::Statement(impl->db.get(), kInsertChunk);
  return ProfileWriter(std::move(impl));
}

void ProfileWriter::AppendSamples(std::span<const SampleRow> rows) {
  for (const SampleRow& row : rows) {
    impl_->buffer.push_back(row);
    if (impl_->buffer.size() >= kMaxChunkRows) impl_->CloseChunk();
  }
}

void ProfileWriter::Impl::CloseChunk() {
  if (buffer.empty()) return;
  SampleChunk chunk = EncodeSamples(buffer);
  if (chunk.data.empty() || waiting_bytes + chunk.data.size() > kMaxWaitingBytes) {
    dropped_samples += chunk.rows;
  } else {
    waiting_bytes += chunk.data.size();
    waiting.push_back(std::move(chunk));
  }
  buffer.clear();
}

// A second recording into the same file renames ours away; its journal would then be taken for
// ours.
Status ProfileWriter::Impl::CheckFile() const {
  if (!db.get()) return Error{"the recording into '" + path + "' has ended", ""};
  if (IdentityOf(path) == identity) return Ok();
  return Error{"'" + path + "' was replaced or removed while it was written",
               "give each recording a file of its own with -o"};
}

bool ProfileWriter::Impl::WriteAll(const Profile& profile, int64_t& new_samples) {
  if (!rows->Write(profile)) return false;
  for (const SampleChunk& chunk : waiting) {
    if (!InsertChunk(insert_chunk, chunk)) return false;
    new_samples += chunk.rows;
  }
  if (new_samples != 0 && !SetStreamRows(db, kCpuSampleStream, stored_samples + new_samples))
    return false;
  return dropped_samples == 0 || rows->WriteQuality(kDroppedRows, dropped_samples);
}

Status ProfileWriter::Commit(const Profile& profile) {
  Impl& impl = *impl_;
  impl.CloseChunk();
  if (Status status = impl.CheckFile(); !status) return status;
  int64_t new_samples = 0;
  if (!impl.db.Execute("BEGIN IMMEDIATE") || !impl.WriteAll(profile, new_samples) ||
      !impl.db.Execute("COMMIT")) {
    Error error = SqliteError(impl.path, impl.db);
    impl.db.Execute("ROLLBACK");
    return error;
  }
  impl.rows->Remember(profile);
  impl.stored_samples += new_samples;
  impl.waiting.clear();
  impl.waiting_bytes = 0;
  return Ok();
}

// Hands every sample that was stored or still waits to the merger, with its final node.
bool ProfileWriter::Impl::CopyTimeline(ChunkMerger& merger, const std::vector<NodeId>& node_of) {
  const SampleLimits limits{UINT32_MAX, node_of.empty() ? UINT32_MAX : node_of.size()};
  std::vector<SampleRow> batch;
  const auto copy = [&](std::span<const std::byte> data) {
    batch.clear();
    if (!DecodeSamples(data, limits, batch)) return false;
    for (SampleRow& row : batch) {
      if (!node_of.empty()) row.node = node_of[row.node.index()];
      if (!merger.Add(row)) return false;
    }
    return true;
  };
  sqlite::Statement chunks(db.get(), "SELECT data FROM chunk WHERE stream=1 ORDER BY id");
  while (chunks.Next()) {
    if (!copy(chunks.Blob(0))) return false;
  }
  if (chunks.code() != SQLITE_DONE) return false;
  for (const SampleChunk& chunk : waiting) {
    if (!copy(chunk.data)) return false;
  }
  return merger.Flush();
}

Status ProfileWriter::Impl::WriteFinal(const std::string& temporary, const Profile& final_profile,
                                       const std::vector<NodeId>& node_of) {
  if (Status status = CreatePrivateFile(temporary); !status) return status;
  sqlite::Database file = sqlite::Database::Open(temporary, SQLITE_OPEN_READWRITE);
  bool done = SetUp(file,
                    "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA mmap_size=0;"
                    "PRAGMA cache_size=-8192") &&
              file.Execute("BEGIN");
  if (done) {
    ProfileRows final_rows(file.get());
    ChunkMerger merger(file.get());
    done = final_rows.Write(final_profile) && CopyTimeline(merger, node_of) &&
           SetStreamRows(file, kCpuSampleStream, merger.total()) &&
           InsertValueChunks(file, final_profile.values) &&
           final_rows.WriteMeta("complete", "yes") &&
           (dropped_samples == 0 || final_rows.WriteQuality(kDroppedRows, dropped_samples));
  }
  if (!done || !file.Execute("COMMIT")) {
    // The trouble may be on either side: in writing the new file or in reading the old one.
    if (file.HasError()) return SqliteError(temporary, file);
    if (db.HasError()) return SqliteError(path, db);
    return Error{"the timeline of '" + path + "' cannot be read back", "read it as it is"};
  }
  return Ok();
}

Status ProfileWriter::Finish(const Profile& final_profile, const std::vector<NodeId>& node_of,
                             std::span<const EventTable>) {
  Impl& impl = *impl_;
  impl.CloseChunk();
  if (Status status = impl.CheckFile(); !status) return status;
  const std::string temporary = impl.path + ".tmp";
  unlink(temporary.c_str());  // of a recording that was killed right here
  Status written = impl.WriteFinal(temporary, final_profile, node_of);
  if (written && !SyncFile(temporary)) written = WriteError(temporary, errno, "");
  // A journal that is still there belongs to the old content and must never meet the new.
  if (written && access((impl.path + "-journal").c_str(), F_OK) == 0) {
    written = Error{"a commit of '" + impl.path + "' is still unfinished", "read it as it is"};
  }
  if (written && rename(temporary.c_str(), impl.path.c_str()) != 0) {
    written = WriteError(impl.path, errno, "");
  }
  if (!written) {
    unlink(temporary.c_str());
    return written;
  }
  impl.insert_chunk = {};
  impl.rows.reset();
  impl.db.Close();
  return Ok();
}

}  // namespace gprofx
