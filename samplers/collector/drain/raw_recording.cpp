#include "samplers/collector/drain/raw_recording.h"

#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace gprofx {

struct RawRecording::Impl {
  std::FILE* file = nullptr;
  ZSTD_CCtx* zstd = ZSTD_createCCtx();
  std::vector<std::byte> out = std::vector<std::byte>(ZSTD_CStreamOutSize());
  bool ok = true;

  ~Impl() {
    ZSTD_freeCCtx(zstd);
    if (file != nullptr) std::fclose(file);
  }

  void Write(const void* data, size_t bytes, ZSTD_EndDirective how) {
    ZSTD_inBuffer in{data, bytes, 0};
    while (ok) {
      ZSTD_outBuffer packed{out.data(), out.size(), 0};
      const size_t left = ZSTD_compressStream2(zstd, &packed, &in, how);
      ok = ZSTD_isError(left) == 0 && std::fwrite(out.data(), 1, packed.pos, file) == packed.pos;
      if (how == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
    }
  }
};

RawRecording::RawRecording(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<RawRecording>> RawRecording::Create(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  impl->file = std::fopen(path.c_str(), "wbxe");
  if (impl->file == nullptr || impl->zstd == nullptr) {
    return Error{ErrorId::kCannotWrite, "cannot create '" + path + "': " + std::strerror(errno)};
  }
  auto raw = std::unique_ptr<RawRecording>(new RawRecording(std::move(impl)));
  raw->Add(RawKind::kVersion, 0, kRawVersion, {});
  return raw;
}

RawRecording::~RawRecording() { impl_->Write(nullptr, 0, ZSTD_e_end); }

void RawRecording::Add(RawKind kind, uint32_t process, uint64_t value,
                       std::span<const std::byte> bytes) {
  const RawChunk chunk{kind, process, value, bytes.size()};
  impl_->Write(&chunk, sizeof chunk, ZSTD_e_continue);
  impl_->Write(bytes.data(), bytes.size(), ZSTD_e_continue);
}

void RawRecording::AddRegion(uint32_t process, Region& region) {
  const wire::ProcessHeader& header = region.header();
  const auto* base = reinterpret_cast<const std::byte*>(&header);
  const auto add = [&](uint64_t offset, uint64_t bytes) {
    Add(RawKind::kRegion, process, offset, {base + offset, bytes});
  };
  add(0, sizeof header);
  add(wire::kModulesOffset,
      std::min<uint64_t>(header.modules, wire::kMaxModules) * sizeof(wire::ModuleRecord));
  add(wire::kArenaOffset, std::min<uint64_t>(header.arena_used, wire::kArenaBytes));
  add(wire::kNodesOffset,
      std::min<uint64_t>(header.nodes, wire::kMaxNodes) * sizeof(wire::NodeRecord));
  // Add the header of the GPU stream, which is mapped separately. Leave out its head and tail,
  // which belong to the reader.
  if (const wire::GpuHeader* gpu = region.Gpu()) {
    const auto* bytes = reinterpret_cast<const std::byte*>(gpu);
    constexpr uint64_t kCounters = offsetof(wire::GpuHeader, counters);
    Add(RawKind::kRegion, process, wire::kGpuOffset, {bytes, 2 * sizeof(uint32_t)});
    Add(RawKind::kRegion, process, wire::kGpuOffset + kCounters,
        {bytes + kCounters, sizeof *gpu - kCounters});
  }
}

bool RawRecording::ok() const { return impl_->ok; }

}  // namespace gprofx
