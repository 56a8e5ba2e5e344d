// A whole recording with hostile processes in it: any bytes in the memory of two users (control
// page, headers, rings, tables, streams) and any messages on the socket. The collector stays within
// its bounds of rows and memory, and ends.
//
// The input is a list of deeds of 16 bytes: what, where (region, area, field) and a value. Deeds
// are done between looks at the rings. This process plays all others, so regions that name it are
// confirmed, and others are not.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/processes/user_shares.h"
#include "tests/unit/collector/fake_region.h"

namespace {

using namespace gprofx;

struct Deed {
  uint8_t what, region, area, field;
  uint32_t index;
  uint64_t value;
};
static_assert(sizeof(Deed) == 16);

constexpr uint32_t kRegions = 3;  // of each user
constexpr uid_t kOther = 54321;

void Check(bool fine, int line = __builtin_LINE()) {
  if (fine) return;
  std::fprintf(stderr, "line %d does not hold\n", line);
  std::abort();
}

class Part {  // of a memory, mapped as an agent maps it
 public:
  Part(int memory, uint64_t offset, uint64_t bytes)
      : bytes_(bytes),
        at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory,
                 static_cast<off_t>(offset))) {
    Check(at_ != MAP_FAILED);
  }
  ~Part() { munmap(at_, bytes_); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  std::byte* bytes() { return static_cast<std::byte*>(at_); }

 private:
  uint64_t bytes_;
  void* at_;
};

class User {
 public:
  explicit User(const SharedMemory& memory)
      : memory_(memory),
        page_(memory.descriptor(), 0, wire::kControlBytes),
        regions_{Part(memory.descriptor(), wire::RegionOffset(0), wire::kRegionBytes),
                 Part(memory.descriptor(), wire::RegionOffset(1), wire::kRegionBytes),
                 Part(memory.descriptor(), wire::RegionOffset(2), wire::kRegionBytes)} {}

  // A program with two threads and some samples.
  void Seed(uint32_t region) {
    test::RegionWriter writer(regions_[region].bytes());
    std::memset(static_cast<void*>(&writer.header()), 0, sizeof writer.header());  // it was poked
    writer.Begin(getpid(), getppid(), "/bin/fake", std::string("fake\0", 5));
    const uint32_t module = writer.AddModule("/bin/fake", 1);
    const uint32_t node = writer.AddNode(0, wire::MakeNative(module, 16));
    for (uint32_t slot = 0; slot < 2; ++slot) {
      writer.BeginThread(slot, getpid(), "fake");
      for (int i = 0; i < 4; ++i) writer.Push(slot, 1000 + i, node, 10);
    }
    control().region_state[region] = wire::kRegionReady;
  }

  wire::ControlPage& control() { return *reinterpret_cast<wire::ControlPage*>(page_.bytes()); }
  const SharedMemory& memory() const { return memory_; }

  void Poke(const Deed& deed) {
    struct Area {
      uint64_t begin, stride, count;
    };
    constexpr Area kAreas[] = {
        {0, 8, sizeof(wire::ProcessHeader) / 8},
        {wire::kModulesOffset, 8, 1 << 12},
        {wire::kArenaOffset, 8, 1 << 12},
        {wire::kNodesOffset, 8, 1 << 12},
        {wire::kRingsOffset, wire::kRingBytes, 64},
        {wire::kGpuOffset, 8, sizeof(wire::GpuHeader) / 8},
        {wire::kGpuStreamOffset, 8, 512},
        {wire::kMarkerOffset, 8, sizeof(wire::MarkerHeader) / 8},
        {wire::kMarkerStreamOffset, 8, 256},
        {wire::kMemoryOffset, 8, sizeof(wire::MemoryHeader) / 8},
        {wire::kMemoryStreamOffset, 8, 256},
    };
    const Area& area = kAreas[deed.area % std::size(kAreas)];
    const uint64_t at = area.begin + deed.index % area.count * area.stride + deed.field;
    std::memcpy(regions_[deed.region % kRegions].bytes() + at, &deed.value, sizeof deed.value);
  }

  void PokeControl(const Deed& deed) {
    const uint64_t at = deed.index % (wire::kControlBytes - 8);
    std::memcpy(page_.bytes() + at, &deed.value, sizeof deed.value);
  }

  // All rings of a region are full, as far as their heads say.
  void Jump(const Deed& deed) {
    std::byte* whole = regions_[deed.region % kRegions].bytes();
    const uint32_t rings = deed.index % 8 + 1;
    reinterpret_cast<wire::ProcessHeader*>(whole)->threads_high = rings;
    for (uint32_t slot = 0; slot < rings; ++slot) {
      auto* ring =
          reinterpret_cast<wire::ThreadRing*>(whole + wire::kRingsOffset + slot * wire::kRingBytes);
      ring->state = deed.field % 3;
      ring->generation.fetch_add(deed.area % 2);
      ring->tid = static_cast<int32_t>(deed.value);
      ring->grown = deed.field % 2;
      ring->head += wire::kMaxRingEntries;
    }
  }

 private:
  const SharedMemory& memory_;
  Part page_;
  std::array<Part, kRegions> regions_;
};

void Send(const Session& session, const User& user, const Deed& deed) {
  wire::PerfEventMessage message{
      session.secret(), user.memory().token(), deed.region, deed.index, deed.area, 0};
  std::memcpy(reinterpret_cast<char*>(&message) + deed.field % sizeof message, &deed.value,
              std::min<size_t>(sizeof deed.value, sizeof message - deed.field % sizeof message));
  const std::string variable = session.EnvironmentValue();
  const size_t first = variable.find('@') + 1;
  const std::string name = variable.substr(first, variable.find('@', first) - first);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path + 1, name.data(), name.size());
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sendto(socket.get(), &message, std::min<size_t>(sizeof message, deed.value % 64), 0,
         reinterpret_cast<const sockaddr*>(&to),
         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size()));
}

void CheckProfile(const Profile& profile, const std::vector<SampleRow>& rows) {
  for (size_t i = 1; i < profile.nodes.size(); ++i) Check(profile.nodes[i].parent.value <= i);
  for (const SampleRow& row : rows) {
    Check(row.node.value >= 1 && row.node.value <= profile.nodes.size());
    Check(row.thread.value >= 1 && row.thread.value <= profile.threads.size());
    Check(row.time >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A program that becomes another one is read to its end: all rings of all regions, at most.
  constexpr size_t kMaxDeeds = 48, kMaxRows = size_t{2} * kRegions * 8 * wire::kMaxRingEntries;
  wire::SamplingPlan plan{};
  plan.follow_children = 1;
  auto session = Session::Create(plan, true);
  Check(static_cast<bool>(session));
  Check(session->MemoryFor(kOther) >= 0);
  User own(session->memory(0)), other(session->memory(1));
  own.Seed(0);
  other.Seed(0);
  Profile profile;
  RunParts parts(*session, profile, false);
  ProcessTable table(parts, true);
  std::vector<SampleRow> rows;
  const size_t deeds = std::min(size / sizeof(Deed), kMaxDeeds);
  for (size_t i = 0; i < deeds; ++i) {
    Deed deed;
    std::memcpy(&deed, data + i * sizeof deed, sizeof deed);
    User& user = deed.what % 2 == 0 ? own : other;
    switch (deed.what / 2 % 6) {
      case 0:
        user.Poke(deed);
        break;
      case 1:
        user.PokeControl(deed);
        break;
      case 2:
        user.Jump(deed);
        break;
      case 3:
        user.Seed(deed.region % kRegions);
        break;
      case 4:
        Send(*session, user, deed);
        break;
      default:
        rows.clear();
        table.Poll(rows);
        Check(rows.size() <= kMaxRows);
        CheckProfile(profile, rows);
    }
  }
  rows.clear();
  table.CloseAll(rows);
  CheckProfile(profile, rows);
  Check(table.live().empty());
  Check(parts.perf_events.size() == 0);
  return 0;
}
