// Makes a raw recording small enough for git: raw_shrink IN OUT [FROM=TO]... (as long as FROM each)
//
// Code of GPU modules is cut down to the sampled functions that have lines, processes without
// launches and CPU samples from before the first launch are left out, stacks and code objects that
// nothing refers to are zeroed, texts FROM become TO, device UUIDs are replaced. The result is
// written only if it says the same about the GPU as the original.
#include <cstdio>
#include <set>

#include "symbolize/cubin/cubin.h"
#include "tests/unit/collector/raw_text.h"

namespace gprofx::test {
namespace {

struct Words {
  std::string from, to;
};

void Replace(std::string& text, const std::vector<Words>& words) {
  for (const Words& word : words) {
    for (size_t at = 0; (at = text.find(word.from, at)) != std::string::npos;) {
      text.replace(at, word.from.size(), word.to);
    }
  }
}

template <class T>
bool ReadAt(std::string_view text, uint64_t at, T& value) {
  if (at > text.size() || text.size() - at < sizeof(T)) return false;
  std::memcpy(static_cast<void*>(&value), text.data() + at, sizeof value);
  return true;
}

struct Parts {            // of a process
  size_t gpu_begins = 0;  // position of its last drain before the first launch
  bool launches = false;
  std::set<uint32_t> nodes;
  std::set<uint64_t> codes;
};

class Shrink {
 public:
  Shrink(const std::vector<RawPiece>& pieces, RawReplay& replay, std::vector<Words> words)
      : pieces_(pieces), replay_(replay), words_(std::move(words)) {}

  std::string Run() {
    FindLaunches();
    FindNodes();
    std::string out;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (!Keeps(i)) continue;
      RawChunk head = pieces_[i].head;
      std::string data = Small(pieces_[i]);
      Replace(data, words_);
      head.bytes = data.size();
      out.append(reinterpret_cast<const char*>(&head), sizeof head).append(data);
    }
    return out;
  }

 private:
  static uint16_t FlagsOf(const RawPiece& piece) {
    wire::SampleRecord record{};
    ReadAt(piece.data, 0, record);
    return wire::WhenFlags(record.when);
  }

  void FindLaunches() {
    std::map<uint32_t, size_t> drained;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const RawPiece& piece = pieces_[i];
      if (piece.head.kind == RawKind::kDrain) drained[piece.head.process] = i;
      if (piece.head.kind != RawKind::kEntry || (FlagsOf(piece) & wire::kRecordLaunch) == 0)
        continue;
      Parts& parts = parts_[piece.head.process];
      if (!parts.launches) parts.gpu_begins = drained[piece.head.process];
      parts.launches = true;
    }
  }

  bool Keeps(size_t i) {
    const RawPiece& piece = pieces_[i];
    if (piece.head.process == 0) return true;
    const Parts& parts = parts_[piece.head.process];
    if (!parts.launches) return false;
    return piece.head.kind != RawKind::kEntry || !wire::IsSample(FlagsOf(piece)) ||
           i > parts.gpu_begins;
  }

  void FindNodes() {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (!Keeps(i)) continue;
      const RawPiece& piece = pieces_[i];
      std::set<uint32_t>& nodes = parts_[piece.head.process].nodes;
      wire::SampleRecord entry{};
      wire::GpuGraphNodeRecord graph{};
      if (piece.head.kind == RawKind::kEntry && ReadAt(piece.data, 0, entry)) {
        nodes.insert(entry.node);
      }
      if (piece.head.kind == RawKind::kStream && ReadAt(piece.data, 0, graph) &&
          graph.header.type == wire::kGpuGraphNode) {
        nodes.insert(graph.node);
      }
    }
    for (const RawPiece& piece : pieces_) {
      if (piece.head.kind != RawKind::kRegion || piece.head.value != wire::kNodesOffset) continue;
      Parts& parts = parts_[piece.head.process];
      const std::set<uint32_t> leaves = parts.nodes;
      for (uint32_t at : leaves) {
        wire::NodeRecord node{};
        while (at != 0 && ReadAt(piece.data, uint64_t{at} * sizeof node, node)) {
          parts.nodes.insert(at);
          if (wire::KindOf(node.frame) == wire::WireFrame::kPython) {
            parts.codes.insert(uint64_t{wire::PythonCode(node.frame)} * wire::kArenaUnit);
          }
          if (node.parent >= at) break;
          at = node.parent;
        }
      }
    }
  }

  std::string Small(const RawPiece& piece) {
    const bool region = piece.head.kind == RawKind::kRegion;
    if (region && piece.head.value == wire::kNodesOffset) return SmallNodes(piece);
    if (region && piece.head.value == wire::kArenaOffset) return SmallArena(piece);
    if (piece.head.kind == RawKind::kCubin) return SmallCubin(piece);
    std::string data(piece.data);
    wire::GpuDeviceRecord device{};
    if (piece.head.kind == RawKind::kStream && ReadAt(piece.data, 0, device) &&
        device.header.type == wire::kGpuDevice) {
      std::memset(device.uuid, static_cast<int>(device.device + 1), sizeof device.uuid);
      std::memcpy(data.data(), &device, sizeof device);
    }
    return data;
  }

  std::string SmallNodes(const RawPiece& piece) {
    std::string out(piece.data.size(), '\0');
    for (const uint32_t node : parts_[piece.head.process].nodes) {
      Keep(piece.data, uint64_t{node} * sizeof(wire::NodeRecord), sizeof(wire::NodeRecord), out);
    }
    return out;
  }

  static void Keep(std::string_view from, uint64_t at, uint64_t bytes, std::string& to) {
    if (at > from.size() || bytes > from.size() - at) return;
    std::memcpy(to.data() + at, from.data() + at, bytes);
  }

  std::string SmallArena(const RawPiece& arena) {
    std::string out(arena.data.size(), '\0');
    for (const uint64_t at : parts_[arena.head.process].codes) {
      wire::CodeRecord code{};
      if (ReadAt(arena.data, at, code)) Keep(arena.data, at, wire::CodeRecordBytes(code), out);
    }
    for (const RawPiece& piece : pieces_) {
      if (piece.head.process != arena.head.process || piece.head.kind != RawKind::kRegion ||
          piece.head.value != wire::kModulesOffset) {
        continue;
      }
      wire::ModuleRecord module{};
      for (uint64_t at = 0; ReadAt(piece.data, at, module); at += sizeof module) {
        const size_t end = std::min(arena.data.find('\0', module.path), arena.data.size());
        if (module.path < end) Keep(arena.data, module.path, end - module.path, out);
      }
    }
    return out;
  }

  std::string SmallCubin(const RawPiece& piece) {
    const auto* data = reinterpret_cast<const std::byte*>(piece.data.data());
    const auto cubin = Cubin::Open({data, piece.data.size()});
    if (!cubin) return std::string(piece.data);
    std::set<std::string> names;
    for (const PcRow& row : replay_.run.pc().rows()) {
      const CubinId id = row.key.cubin;
      if (!id || replay_.profile.gpu.cubins[id.index()].hash != piece.head.value) continue;
      // Without lines nothing needs the code, which is not ours to pass on.
      if (cubin->HasLines()) names.insert(replay_.run.pc().NameOf(id, row.key.function));
    }
    const std::vector<std::byte> small = cubin->Compact({names.begin(), names.end()});
    std::fprintf(stderr, "module %016llx: %zu -> %zu bytes, %zu functions\n",
                 static_cast<unsigned long long>(piece.head.value), piece.data.size(), small.size(),
                 names.size());
    return {reinterpret_cast<const char*>(small.data()), small.size()};
  }

  const std::vector<RawPiece>& pieces_;
  RawReplay& replay_;
  std::vector<Words> words_;
  std::map<uint32_t, Parts> parts_;
};

std::vector<std::string> Sorted(std::vector<std::string> lines, const std::vector<Words>& words) {
  for (std::string& line : lines) Replace(line, words);
  std::sort(lines.begin(), lines.end());
  return lines;
}

bool SaysTheSame(RawReplay& before, RawReplay& after, const std::vector<Words>& words) {
  const std::vector<std::string> was = Sorted(RawText(before).Lines(), words);
  const std::vector<std::string> is = Sorted(RawText(after).Lines(), {});
  const auto [a, b] = std::mismatch(was.begin(), was.end(), is.begin(), is.end());
  std::fprintf(stderr, "%zu lines\n", was.size());
  if (a == was.end() && b == is.end()) return true;
  std::fprintf(stderr, "-%s\n+%s\n", a == was.end() ? "" : a->c_str(),
               b == is.end() ? "" : b->c_str());
  return false;
}

int Main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::vector<Words> words;
  for (int i = 3; i < argc; ++i) {
    const std::string pair = argv[i];
    const size_t equals = pair.find('=');
    words.push_back({pair.substr(0, equals), pair.substr(equals + 1)});
    if (equals == std::string::npos || words.back().from.size() != words.back().to.size() ||
        words.back().to.find(words.back().from) != std::string::npos) {
      std::fprintf(stderr, "%s: not FROM=TO of one length\n", argv[i]);
      return 2;
    }
  }
  const std::string bytes = UnpackRaw(FileText(argv[1]));
  const std::vector<RawPiece> pieces = SplitRaw(bytes);
  RawReplay before(pieces);
  const std::string small = Shrink(pieces, before, words).Run();
  RawReplay after(SplitRaw(small));
  if (!SaysTheSame(before, after, words)) return 1;
  std::string packed(ZSTD_compressBound(small.size()), '\0');
  const size_t size =
      ZSTD_compress(packed.data(), packed.size(), small.data(), small.size(), ZSTD_maxCLevel());
  if (ZSTD_isError(size) != 0) return 1;
  std::ofstream(argv[2], std::ios::binary).write(packed.data(), static_cast<std::streamsize>(size));
  std::fprintf(stderr, "%zu bytes, %zu packed\n", small.size(), size);
  return 0;
}

}  // namespace
}  // namespace gprofx::test

int main(int argc, char** argv) {
  try {
    return gprofx::test::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
