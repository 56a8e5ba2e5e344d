#include "core/redact/name_redactor.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "core/base/hex.h"
#include "core/base/path.h"
#include "core/base/sha256.h"
#include "core/cost/profiling_time.h"
#include "core/gpu/graph_captures.h"
#include "core/model/address_name.h"
#include "core/model/layer_path.h"
#include "core/redact/public_names.h"
#include "core/redact/public_paths.h"

namespace gprofx {
namespace {

constexpr size_t kBlock = 64;  // block size of SHA-256
constexpr size_t kHashBytes = 6;

std::string_view Bytes(const std::array<uint8_t, 32>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string Mixed(const std::string& key, char with) {
  std::string block = key.size() > kBlock ? std::string(Bytes(Sha256(key))) : key;
  block.resize(kBlock, '\0');
  for (char& byte : block) byte = static_cast<char>(byte ^ with);
  return block;
}

// Returns the position of the number at the end of `name`; name.size() if there is none.
size_t NumberAtEnd(std::string_view name) { return name.find_last_not_of("0123456789") + 1; }

// Returns the extension of a file if it only names the language: ".py" for "path/train.py".
// Otherwise returns "".
std::string_view LanguageEnding(std::string_view path) {
  static constexpr std::string_view kEndings[] = {".py", ".pyx", ".so", ".c",   ".cc", ".cpp",
                                                  ".cu", ".cuh", ".h",  ".hpp", ".rs", ".go"};
  const size_t dot = path.rfind('.');
  const std::string_view ending = dot == std::string_view::npos ? "" : path.substr(dot);
  const bool known =
      std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
  return known ? ending : "";
}

}  // namespace

bool IsOwnWord(std::string_view name) {
  static constexpr std::string_view kWords[] = {"[launched before the recording or lost]",
                                                "[too many call paths]",
                                                "[unknown]",
                                                kCapturedAt,
                                                "[fork]",
                                                "[exec]",
                                                "[exec and loading]",
                                                "[exit]",
                                                "[gprof-x]",
                                                "[not sampled: in a system call]",
                                                "[io_uring worker]",
                                                "[not sampled: its system calls are dispatched]",
                                                "[not sampled: no room on the stack]",
                                                "[not sampled: no tick came]",
                                                "[outside of sampled threads]",
                                                "[too short to be sampled]",
                                                "[unknown kernel]",
                                                "[call without a name]",
                                                "[range without a name]",
                                                "[code made at run time]"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

NameRedactor::NameRedactor(std::string key, bool again)
    : inner_(Mixed(key, 0x36)), outer_(Mixed(key, 0x5c)), again_(again) {}

std::string NameRedactor::Hash(std::string_view name) const {
  if (again_ && IsHash(name)) return std::string(name);
  Sha256Sum inner, outer;
  inner.Add(inner_);
  inner.Add(name);
  outer.Add(outer_);
  const std::array<uint8_t, 32> digest = inner.Finish();
  outer.Add(Bytes(digest));
  const std::array<uint8_t, 32> hash = outer.Finish();
  return ToHex(std::as_bytes(std::span(hash).first(kHashBytes)));
}

bool NameRedactor::IsHash(std::string_view text) const {
  return text.size() == 2 * kHashBytes &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string NameRedactor::Hashed(const char* what, std::string_view name) const {
  if (name.empty()) return "";
  const std::string start = std::string(what) + "_";
  if (again_ && name.starts_with(start) && IsHash(name.substr(start.size()))) {
    return std::string(name);
  }
  return start + Hash(name);
}

std::string NameRedactor::Path(std::string_view path) const {
  if (path.empty()) return "";
  if (auto known = PublicPath(path)) return *std::move(known);
  const std::string_view package = PublicPackage(path), ending = LanguageEnding(path);
  const std::string folder =
      package.empty() ? "path/" : "site-packages/" + std::string(package) + "/";
  const std::string_view base = BaseName(path), place = path.substr(0, path.size() - base.size());
  const bool was_redacted =
      again_ && IsHash(base.substr(0, base.size() - ending.size())) &&
      (place == folder || place == std::string(InterpreterFolder(path)) + "/");
  if (was_redacted) return std::string(path);
  return folder + Hash(path) + std::string(ending);
}

std::string NameRedactor::Kernel(std::string_view name) const {
  return IsPublicKernel(name) ? std::string(name) : Hashed("kernel", name);
}

std::string NameRedactor::Call(std::string_view name) const {
  return IsDriverCall(name) ? std::string(name) : Hashed("call", name);
}

std::string NameRedactor::Operator(std::string_view name) const {
  if (IsPublicOperator(name) || IsDriverCall(name) || IsOwnWord(name)) return std::string(name);
  // Keep the prefixes that frameworks put before a user's name.
  for (const std::string_view start :
       {"autograd::engine::evaluate_function: ", "nn.Module: ", "Optimizer.step#", "nccl:"}) {
    if (name.starts_with(start) && name.size() > start.size()) {
      return std::string(start) + Hash(name.substr(start.size()));
    }
  }
  return Hashed("op", name);
}

// Redacts a marker. Keeps a short number at its end, because it distinguishes steps. A long number
// may be an account or a telephone number.
std::string NameRedactor::Marker(std::string_view name) const {
  if (IsPublicOperator(name) || IsDriverCall(name)) return std::string(name);
  if (const std::string whole = Hashed("op", name); again_ && whole == name) return whole;
  const size_t end = NumberAtEnd(name);
  const std::string_view number = name.substr(end);
  const bool again = again_ && Hashed("marker", name) == name;
  if (number.empty() || end == 0 || again) return again ? std::string(name) : Operator(name);
  if (!IsShortNumber(number)) return Hashed("marker", name);
  std::string_view stem = name.substr(0, end);
  if (again_ && stem.ends_with('#')) stem.remove_suffix(1);
  return Hashed("marker", stem) + "#" + std::string(number);
}

// Redacts one name in a layer path. Keeps numbers and PyTorch's own names: they show where a layer
// is in the model, and contain nothing of the user.
std::string NameRedactor::LayerName(std::string_view name) const {
  std::string out;
  while (true) {
    const size_t end = std::min(name.find_first_of(".#"), name.size());
    const std::string_view part = name.substr(0, end);
    out += IsShortNumber(part) || IsPublicLayer(part) ? std::string(part) : Hashed("layer", part);
    if (end == name.size()) return out;
    out += name[end];
    name.remove_prefix(end + 1);
  }
}

std::string NameRedactor::Layers(std::string_view path) const {
  std::string out;
  for (const LayerStep& step : SplitLayers(path)) {
    out = AppendLayer(out, LayerName(step.name), LayerName(step.type));
  }
  return out;
}

std::string NameRedactor::PythonName(std::string_view name) const {
  for (const std::string_view plain :
       {"<module>", "<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}) {
    if (name == plain) return std::string(plain);
  }
  return Hashed("py", name);
}

std::string NameRedactor::Process(std::string_view name) const {
  if (name.empty() || PublicPath(name) == std::string(name)) return std::string(name);
  return Hashed("process", name);
}

std::string NameRedactor::Thread(std::string_view name) const {
  if (name.empty() || name == "MainThread" || IsOwnThread(name) || IsOwnWord(name))
    return std::string(name);
  if (PublicPath(name) == std::string(name)) return std::string(name);
  return Hashed("thread", name);
}

std::string NameRedactor::Native(std::string_view name, std::string_view module) const {
  constexpr size_t kAddressDigits = 16;
  const size_t plus = name.rfind('+');
  if (!IsAddressName(name) || name.size() - plus > kAddressDigits + 3) return Hashed("fn", name);
  const std::string_view start = name.substr(0, plus);
  const bool again = again_ && Hashed("module", start) == start;
  if (!again && (module.empty() || start != BaseName(module))) return Hashed("fn", name);
  return Hashed("module", start) + std::string(name.substr(plus));
}

}  // namespace gprofx
