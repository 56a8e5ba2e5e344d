#include "samplers/collector/session.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "core/base/format.h"
#include "samplers/collector/system_error.h"
#include "samplers/wire/secret_filter.h"

namespace gprofx {
namespace {

bool Random(uint64_t& number) { return getrandom(&number, sizeof number, 0) == sizeof number; }

bool DropOthers(int socket, uint64_t secret) {
  wire::SecretFilter code = wire::FilterFor(secret);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

// Creates the socket of the session and binds it to `name`. Others can see the name, so it reveals
// nothing of the secret.
Result<UniqueFd> BindSocket(const std::string& name, uint64_t secret) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return SystemError("cannot create a socket", "");
  const int on = 1, bytes = 1 << 20;
  setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  // Install the filter first. Once the socket has a name, anybody can send to it.
  if (!DropOthers(socket.get(), secret)) return SystemError("cannot filter a socket", "");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address),
           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) != 0) {
    return SystemError("cannot bind a socket", "");
  }
  return socket;
}

wire::SessionFacts NewFacts(const wire::SamplingPlan& plan) {
  wire::SessionFacts facts{};
  facts.magic = wire::kMagic;
  facts.version = wire::kVersion;
  facts.control_bytes = wire::kControlBytes;
  facts.region_bytes = wire::kRegionBytes;
  facts.collector_pid = getpid();
  facts.start_ns = MonotonicNs();
  facts.plan = plan;
  struct stat root {};
  stat("/", &root);
  facts.root_device = root.st_dev;
  facts.root_inode = root.st_ino;
  if (readlink("/proc/self/ns/pid", facts.pid_namespace, sizeof facts.pid_namespace - 1) < 0) {
    facts.pid_namespace[0] = 0;
  }
  return facts;
}

std::string Hex(uint64_t number) { return HexText(number, 16); }

}  // namespace

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

Result<Session> Session::Create(const wire::SamplingPlan& plan, bool sampling) {
  Session session;
  session.facts_ = NewFacts(plan);
  uint64_t name = 0;
  if (!Random(session.facts_.secret) || !Random(name)) {
    return SystemError("cannot read random numbers", "");
  }
  session.socket_name_ = "gprof-x-" + std::to_string(getpid()) + "-" + Hex(name);
  auto socket = BindSocket(session.socket_name_, session.facts_.secret);
  if (!socket) return socket.error();
  session.socket_ = std::move(*socket);
  if (const Status added = session.AddMemory(geteuid()); !added) return added.error();
  session.SetSampling(sampling);
  return session;
}

Status Session::AddMemory(uid_t user) {
  wire::SessionFacts facts = facts_;
  if (!Random(facts.token)) return SystemError("cannot read random numbers", "");
  // Set no spool for other users. Their processes cannot open it.
  if (!memories_.empty()) facts.spool_limit = 0;
  auto memory = SharedMemory::Create(user, facts, orders_);
  if (!memory) return memory.error();
  memories_.push_back(std::move(*memory));
  readers_.emplace_back();
  return Ok();
}

int Session::MemoryFor(uid_t user) {
  for (const SharedMemory& memory : memories_) {
    if (memory.user() == user) return memory.descriptor();
  }
  if (memories_.size() == kMaxUsers || !AddMemory(user)) {
    CountWithoutRegion();
    return -1;
  }
  return memories_.back().descriptor();
}

std::optional<size_t> Session::UserWithToken(uint64_t token) const {
  for (size_t i = 0; i < memories_.size(); ++i) {
    if (memories_[i].token() == token) return i;
  }
  return std::nullopt;
}

Session::~Session() {
  if (!memories_.empty()) EndSampling();  // tells agents that outlive the recording to stop
}

std::string Session::EnvironmentValue() const {
  return MemoryPath() + "@" + socket_name_ + "@" + Hex(facts_.secret) + "@" +
         (spool_ < 0 ? "" : std::to_string(spool_));
}

std::string Session::MemoryPath() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" +
         std::to_string(memories_.front().descriptor());
}

void Session::TellAll() {
  for (SharedMemory& memory : memories_) memory.Tell(orders_);
}

void Session::EndSampling() {
  SetSampling(false);
  SetOver();
}

void Session::SetOver() {
  orders_.over = true;
  TellAll();
}

void Session::SetSampling(bool on) {
  if (on) orders_.stretch_begin_ns = Now();
  orders_.sampling = on ? ++stretches_ : 0;
  TellAll();
}

void Session::SetGpuLevel(uint32_t level) {
  orders_.gpu_level = level;
  TellAll();
}

void Session::SetPeriods(uint32_t periods) {
  orders_.periods = periods;
  TellAll();
}

void Session::SetGpu(const wire::GpuPlan& plan, int spool, uint64_t spool_limit) {
  facts_.gpu = plan;
  facts_.spool_limit = spool < 0 ? 0 : spool_limit;
  spool_ = spool;
  wire::SessionFacts facts = facts_;
  facts.token = memories_.front().token();
  memories_.front().SetFacts(facts);
}

uint32_t Session::RegionStateOf(uint32_t region) const {
  return MemoryOf(region).RegionStateOf(region % wire::kMaxProcesses);
}

// Reads the header of a region without mapping it. Most regions that a hostile process marks as
// ready are never opened.
RegionFacts Session::FactsOf(uint32_t region) const {
  constexpr size_t kBytes = offsetof(wire::ProcessHeader, host_pid) + sizeof(int64_t);
  std::byte header[kBytes] = {};
  const auto at = static_cast<off_t>(wire::RegionOffset(region % wire::kMaxProcesses));
  if (pread(MemoryOf(region).descriptor(), header, sizeof header, at) !=
      static_cast<ssize_t>(sizeof header)) {
    return {};
  }
  const auto number = [&header](size_t offset) {
    int64_t value = 0;
    std::memcpy(&value, header + offset, sizeof value);
    return value;
  };
  return {number(offsetof(wire::ProcessHeader, host_pid)),
          number(offsetof(wire::ProcessHeader, parent_pid)),
          number(offsetof(wire::ProcessHeader, start_ns))};
}

Result<Region> Session::MapRegion(uint32_t region) const {
  return Region::Map(MemoryOf(region).descriptor(), region % wire::kMaxProcesses);
}

void Session::FreeRegion(uint32_t region) {
  memories_[region / wire::kMaxProcesses].FreeRegion(region % wire::kMaxProcesses);
}

Session::NotesBegun Session::BegunNotes() const {
  NotesBegun begun;
  for (const SharedMemory& memory : memories_) {
    begun.push_back(memory.control().notes.load(std::memory_order_acquire));
  }
  return begun;
}

uint64_t Session::ReadNotes(const NotesBegun& begun, std::vector<ProcessNoteCopy>& notes) {
  uint64_t missed = 0;
  for (size_t i = 0; i < begun.size(); ++i) {
    missed += readers_[i].Read(i, memories_[i].control(), begun[i], notes);
  }
  return missed;
}

int64_t Session::WithoutRegion() const {
  int64_t count = without_region_;
  for (const SharedMemory& memory : memories_) {
    count += memory.control().processes_without_region.load(std::memory_order_relaxed);
  }
  return count;
}

void Session::CountNotSampled(wire::NotSampled reason, const std::string& program) {
  wire::CountNotSampled(memories_.front().control().not_sampled, reason, program.c_str());
}

std::vector<const wire::NotSampledTable*> Session::NotSampledTables() const {
  std::vector<const wire::NotSampledTable*> tables;
  for (const SharedMemory& memory : memories_) tables.push_back(&memory.control().not_sampled);
  return tables;
}

}  // namespace gprofx
