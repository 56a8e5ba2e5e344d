#include "cli/variability/ranks_pipe.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/base/file_io.h"
#include "core/base/unique_fd.h"

namespace gprofx {
namespace {

constexpr char kSocket[] = "GPROFX_RANKS_FD";
constexpr uint64_t kMaxBytes = uint64_t{1} << 40;

Error Gone() {
  return {ErrorId::kRankLost, "another rank of the job has ended early",
          "its own error line says why; run again without the files of that rank"};
}

std::optional<long> NumberIn(const char* name) {
  const char* text = getenv(name);
  if (text == nullptr) return std::nullopt;
  long number = 0;
  const char* end = text + strlen(text);
  const auto [at, error] = std::from_chars(text, end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

// Header of a message, as in mpi.c: operation, rank and number of bytes. The bytes follow.
struct PipeHeader {
  uint32_t what = 0, rank = 0;
  uint64_t bytes = 0;
};
static_assert(sizeof(PipeHeader) == 16);
enum : uint32_t { kSend = 1, kReceive = 2, kDone = 3 };

class PipeRanks final : public variability::Ranks {
 public:
  PipeRanks(UniqueFd socket, uint32_t rank, uint32_t size)
      : socket_(std::move(socket)), rank_(rank), size_(size) {}
  ~PipeRanks() override { Put({kDone, 0, 0}); }

  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return size_; }
  Status Send(uint32_t to, const std::string& bytes) override {
    if (!Put({kSend, to, bytes.size()})) return Gone();
    return WriteAll(socket_.get(), bytes.data(), bytes.size()) ? Ok() : Status(Gone());
  }
  Result<std::string> Receive(uint32_t from) override {
    uint64_t size = 0;
    if (!Put({kReceive, from, 0}) || !Get(&size, sizeof size) || size > kMaxBytes) return Gone();
    std::string bytes(size, '\0');
    if (!Get(bytes.data(), size)) return Gone();
    return bytes;
  }

 private:
  bool Put(const PipeHeader& frame) {
    return WriteAll(socket_.get(), reinterpret_cast<const char*>(&frame), sizeof frame);
  }
  bool Get(void* data, size_t size) {
    return ReadUpTo(socket_.get(), static_cast<char*>(data), size) == size;
  }

  UniqueFd socket_;
  uint32_t rank_, size_;
};

}  // namespace

bool IsOneOfManyRanks() {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    if (const std::optional<long> size = NumberIn(name); size && *size > 1) return true;
  }
  return false;
}

Error BecomeRank(const std::vector<std::string>& args) {
  const std::string own = OwnPath();
  const size_t bin = own.rfind('/');
  const std::string folder = bin == std::string::npos ? "" : own.substr(0, own.rfind('/', bin - 1));
  const std::string helper = folder + "/lib/gprof-x/gprofx-mpi";
  std::vector<const char*> argv = {helper.c_str(), own.c_str(), "variability"};
  for (const std::string& arg : args) argv.push_back(arg.c_str());
  argv.push_back(nullptr);
  execv(helper.c_str(), const_cast<char**>(argv.data()));
  return {ErrorId::kRankLost,
          "cannot start '" + helper + "', which connects the MPI ranks: " + strerror(errno),
          "compile share/gprof-x/gprofx-mpi.c with the cluster's mpicc, or run without mpirun"};
}

Result<std::optional<RankConnection>> ConnectRanks() {
  const std::optional<long> fd = NumberIn(kSocket);
  if (!fd) return std::optional<RankConnection>();
  UniqueFd socket(static_cast<int>(*fd));
  uint32_t facts[3] = {};  // rank, size, ranks on this host
  if (ReadUpTo(socket.get(), reinterpret_cast<char*>(facts), sizeof facts) != sizeof facts ||
      facts[1] == 0 || facts[0] >= facts[1]) {
    return Error{ErrorId::kRankLost,
                 std::string("no process answers at the socket that ") + kSocket + " names",
                 "unset it; only mpirun sets it"};
  }
  RankConnection connection;
  connection.ranks = std::make_unique<PipeRanks>(std::move(socket), facts[0], facts[1]);
  connection.on_this_host = std::max<uint32_t>(facts[2], 1);
  return std::optional(std::move(connection));
}

}  // namespace gprofx
