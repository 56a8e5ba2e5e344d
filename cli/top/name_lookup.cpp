#include "cli/top/name_lookup.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "symbolize/names/names_codec.h"

namespace gprofx {
namespace {

constexpr uint64_t kPageBytes = 4096;

// Precedes the names of one module in the result of a lookup.
struct Head {
  uint32_t module = 0;
  uint32_t reserved = 0;
  uint64_t size = 0;
};

std::string LookUp(const std::vector<uint32_t>& modules, const std::vector<SymbolRequest>& requests,
                   const SymbolizeOptions& options) {
  const SymbolizeAnswer answer = SymbolizeModules(requests, options);
  std::string text;
  for (size_t i = 0; i < answer.names.size() && i < modules.size(); ++i) {
    const std::string names = EncodeNames(answer.names[i]);
    const Head head = {modules[i], 0, names.size()};
    text.append(reinterpret_cast<const char*>(&head), sizeof head);
    text += names;
  }
  return text;
}

}  // namespace

void NameLookup::AddPage(ModuleId module, uint64_t address, std::vector<uint64_t>& addresses) {
  const uint64_t begin = address / kPageBytes * kPageBytes;
  if (!pages_.emplace(module.value, begin).second) return;
  for (uint64_t at = 0; at <= kPageBytes; at += FrameKeyTable::kGrid)
    addresses.push_back(begin + at);
}

void NameLookup::Ask(const Profile& profile, const std::vector<FrameId>& frames,
                     const recorder::FileReaders& readers, int64_t now_ns) {
  if (frames.empty() || work_.under_way() || work_.cpu_ns() > kFree + now_ns / kShare) return;
  std::map<uint32_t, SymbolRequest> by_module;
  for (const FrameId id : frames) {
    const Frame& frame = profile.frame(id);
    SymbolRequest& request = by_module[frame.module.value];
    const Module& module = profile.module(frame.module);
    request.path = profile.Text(module.path);
    request.build_id = profile.Text(module.build_id);
    request.reader = readers.Of(frame.module);
    request.addresses.push_back(frame.address);
    AddPage(frame.module, frame.address, request.addresses);
  }
  std::vector<uint32_t> modules;
  std::vector<SymbolRequest> requests;
  for (auto& [module, request] : by_module) {
    std::sort(request.addresses.begin(), request.addresses.end());
    request.addresses.erase(std::unique(request.addresses.begin(), request.addresses.end()),
                            request.addresses.end());
    modules.push_back(module);
    requests.push_back(std::move(request));
  }
  if (work_.Begin([&] { return LookUp(modules, requests, options_); })) asked_ = frames;
}

bool NameLookup::Take(const Profile& profile, FrameKeyTable& keys) {
  const auto answer = work_.Take();
  if (!answer) return false;
  const std::string text = *answer ? **answer : std::string();
  for (size_t at = 0; text.size() - at >= sizeof(Head);) {
    Head head;
    std::memcpy(&head, text.data() + at, sizeof head);
    at += sizeof head;
    if (head.size > text.size() - at) break;
    ModuleNames names;
    const bool good = DecodeNames(std::string_view(text).substr(at, head.size), names);
    at += head.size;
    const ModuleId module{head.module};
    if (good && module && module.index() < profile.modules.size()) {
      keys.AddNames(profile, module, names);
    }
  }
  keys.Asked(profile, std::exchange(asked_, {}));
  return true;
}

}  // namespace gprofx
