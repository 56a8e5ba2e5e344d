#include "core/kernels/kernel_family.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/kernels/kernel_family_parts.h"
#include "core/kernels/kernel_names.h"
#include "core/model/content_hash.h"

namespace gprofx {
namespace {

constexpr size_t kLongestName = 64 * 1024;
constexpr size_t kLongestVariant = 32;
constexpr size_t kLongestShort = 80;  // bytes; longer names that no rule matches are cut off

constexpr std::string_view kFamilyWords[] = {
    "other", "elementwise", "copy",      "fill",   "reduction", "softmax",    "norm",  "attention",
    "gemm",  "convolution", "pooling",   "loss",   "optimizer", "collective", "fused", "scan",
    "sort",  "index",       "embedding", "random", "quantize",  "sparse",     "fft"};

// Returns the first operator in `list`, whose operators are joined by "_". If several known
// operators match, returns the longest.
std::string_view FirstOperator(std::string_view list) {
  size_t length = list.find('_', 1);
  if (length == std::string_view::npos) length = list.size();
  for (const std::string_view name : LongOperators()) {
    if (!list.starts_with(name) || name.size() <= length) continue;
    if (list.size() == name.size() || list[name.size()] == '_') length = name.size();
  }
  return list.substr(0, length);
}

// Parses names of PyTorch Inductor: "triton_poi_fused_add_native_layer_norm_backward_3". The first
// word is the kind: pointwise (poi), reduction (red, per), template (tem), foreach (for) and
// others. The operators and a number follow.
std::optional<KernelWhat> Inductor(std::string_view base) {
  if (!base.starts_with("triton_")) return std::nullopt;
  std::string_view rest = base.substr(7);
  std::string_view kind;
  for (const std::string_view word : {"poi", "red", "per", "tem", "for", "mix", "unk"}) {
    if (rest.starts_with(word) && rest.size() > 3 && rest[3] == '_') kind = word;
  }
  if (kind.empty()) return std::nullopt;
  rest.remove_prefix(4);
  const bool fused = rest.starts_with("fused_");
  if (fused) rest.remove_prefix(6);
  std::string number;
  const size_t last = rest.rfind('_');
  if (last != std::string_view::npos &&
      rest.find_first_not_of("0123456789", last + 1) == std::string_view::npos) {
    number = rest.substr(last + 1);
    rest = rest.substr(0, last);
  }
  std::string operators;
  while (!rest.empty()) {
    const std::string_view name = FirstOperator(rest);
    operators += (operators.empty() ? "" : "+") + std::string(name);
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  if (operators.empty()) operators = "kernel";
  return KernelWhat{KernelFamily::kFused, "triton " + std::string(kind) + " " + operators, number};
}

// Parses names of XLA: "loop_add_fusion_3", "input_reduce_fusion", "wrapped_convert",
// "gemm_fusion_dot_12".
std::optional<KernelWhat> XlaFusion(std::string_view base) {
  const bool wrapped = base.starts_with("wrapped_");
  if (!wrapped && !Contains(base, "fusion")) return std::nullopt;
  std::string number;
  const size_t last = base.rfind('_');
  if (last != std::string_view::npos &&
      base.find_first_not_of("0123456789", last + 1) == std::string_view::npos) {
    number = base.substr(last + 1);
    base = base.substr(0, last);
  }
  if (base.starts_with("gemm_fusion")) {
    return KernelWhat{KernelFamily::kGemm, "gemm fusion", number};
  }
  if (wrapped) {
    return KernelWhat{KernelFamily::kFused, "xla " + std::string(base.substr(8)), number};
  }
  std::string operators(base);
  if (operators.ends_with("_fusion")) operators.resize(operators.size() - 7);
  std::replace(operators.begin(), operators.end(), '_', '+');
  return KernelWhat{KernelFamily::kFused, "xla " + operators, number};
}

// Parses names of NCCL and RCCL: "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
// "ncclKernel_AllReduce_RING_LL_Sum_float".
std::optional<KernelWhat> Nccl(std::string_view base) {
  if (!base.starts_with("nccl") && !base.starts_with("rccl")) return std::nullopt;
  std::string_view rest = base;
  rest.remove_prefix(std::min(rest.find('_'), rest.size()));
  if (rest.empty()) rest = base.substr(4);
  std::string what, type, how;
  for (size_t i = 0; i < rest.size();) {
    size_t end = rest.find('_', i);
    if (end == std::string_view::npos) end = rest.size();
    std::string_view part = rest.substr(i, end - i);
    i = end + 1;
    if (part.empty() || part == "t") continue;
    std::string as_type = TypeOf(part);
    if (part == "int8" || part == "uint8") as_type = part == "int8" ? "i8" : "u8";
    if (!as_type.empty()) {
      type = " " + as_type;
    } else if (part == "RING" || part == "TREE" || part == "NVLS" || part == "COLLNET" ||
               part == "PAT" || part == "LL" || part == "LL128" || part == "SIMPLE" ||
               part == "DIRECT" || part == "CHAIN") {
      how += " " + AsciiLower(part);
    } else {
      what += (what.empty() ? "" : " ") + AsciiLower(part);
    }
  }
  if (what.empty() || what.starts_with("generic")) what = "nccl " + what;
  // Kernels that send and receive do not reduce, even if their name contains a reduction.
  if (what.starts_with("sendrecv")) what = "sendrecv";
  return KernelWhat{KernelFamily::kCollective, what + type + how, ""};
}

// Parses names of CuPy: "cupy_subtract__float64_float64_float64".
std::optional<KernelWhat> Cupy(std::string_view base) {
  if (!base.starts_with("cupy_")) return std::nullopt;
  std::string_view rest = base.substr(5);
  std::string types;
  if (const size_t split = rest.find("__"); split != std::string_view::npos) {
    const std::string_view list = rest.substr(split + 2);
    const std::string first = TypeOf(list.substr(0, list.find('_')));
    const std::string last = TypeOf(list.substr(list.rfind('_') + 1));
    types = first.empty() ? "" : " " + (first == last || last.empty() ? first : first + ">" + last);
    rest = rest.substr(0, split);
  }
  const std::string name(rest);
  const KernelRule* rule = FirstRule(BaseRules(), name);
  KernelFamily family = rule != nullptr ? rule->family : KernelFamily::kElementwise;
  for (const std::string_view sum : {"sum", "prod", "amax", "amin", "mean", "nansum"}) {
    if (rest == sum) family = KernelFamily::kReduction;
  }
  return KernelWhat{family, name + types, ""};
}

// Returns the short name for a rule that has none: the last part of the kernel's name without
// "_kernel".
std::string OwnWord(std::string_view base) {
  for (const std::string_view suffix : {"_kernel", "Kernel", "_cuda"}) {
    if (base.ends_with(suffix) && base.size() > suffix.size()) base.remove_suffix(suffix.size());
  }
  return std::string(base);
}

// Returns the type that a name contains as a code: "f32" for "fmha_cutlassF_f32_aligned_64x64".
std::string CodedType(std::string_view base) {
  for (size_t i = 0; i < base.size();) {
    const size_t end = std::min(base.find('_', i), base.size());
    const std::string_view part = base.substr(i, end - i);
    if (part.find_first_of("0123456789") != std::string_view::npos) {
      if (std::string type = TypeOf(part); !type.empty()) return type;
    }
    i = end + 1;
  }
  return "";
}

// Returns up to three numbers from the template arguments. They are often the size of a tile.
std::string Numbers(std::string_view arguments) {
  std::string out;
  int found = 0;
  for (size_t i = 0; i < arguments.size() && found < 3;) {
    size_t end = i;
    while (end < arguments.size() && IsWordChar(arguments[end])) ++end;
    const std::string_view word = arguments.substr(i, end - i);
    if (!word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos) {
      out += (found++ == 0 ? " " : "x") + std::string(word);
    }
    i = std::max(end, i + 1);
  }
  return out;
}

std::string Direction(std::string_view lower, std::string_view op) {
  if (Contains(op, "bwd") || Contains(op, "grad")) return "";
  for (const std::string_view word : {"backward", "bwd", "bprop", "grad_input", "_bw_"}) {
    if (Contains(lower, word)) return " bwd";
  }
  return "";
}

std::optional<KernelWhat> ByRule(std::string_view bare, std::string_view base) {
  const std::string lower = AsciiLower(base);
  const KernelRule* rule = FirstRule(BaseRules(), lower);
  // No rule matches the last part: it may be a wrapper ("Kernel2", "device_kernel"), or the name is
  // mangled and has only one part. Search the whole name.
  if (rule == nullptr) rule = FirstRule(ScopeRules(), AsciiLower(bare));
  if (rule == nullptr) return std::nullopt;
  const std::string_view arguments = bare.substr(std::min(bare.size(), bare.find('<')));
  KernelWhat out{rule->family, std::string(rule->op), Numbers(arguments)};
  if (out.what.empty()) {
    out.what = OwnWord(base);
    if (!out.variant.empty()) out.variant.erase(0, 1);
  } else {
    if (rule->op == "softmax" && Contains(bare, "LogSoftMax")) out.what.insert(0, "log_");
    out.what += Direction(lower, out.what);
    out.variant.insert(0, OwnWord(base).substr(0, kLongestVariant));
  }
  std::string type = MainType(arguments);
  if (type.empty()) type = CodedType(base);
  if (!type.empty()) out.what += " " + type;
  return out;
}

KernelWhat Classify(std::string_view name) {
  if (name.starts_with("copy ") || name == "copy") {
    return {KernelFamily::kCopy, std::string(name), ""};
  }
  if (name.starts_with("set ") && name.ends_with("memory")) {
    return {KernelFamily::kFill, std::string(name), ""};
  }
  const std::string_view bare = BareKernel(name), base = KernelBaseName(name);
  for (const auto& read : {&Inductor, &XlaFusion, &Nccl, &Cupy}) {
    if (auto what = read(base)) return *what;
  }
  if (auto what = CodedProduct(bare)) return *what;
  if (auto what = AppliedWork(bare, base)) return *what;
  if (auto what = ByRule(bare, base)) return *what;
  return {KernelFamily::kOther, std::string(base.empty() ? bare : base), ""};
}

// Cuts the text to at most `most` bytes, at a boundary of UTF-8 characters.
std::string Cut(std::string text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text;
}

// Replaces each name that occurs more than once by longer(position). Returns true if it replaced
// any.
template <class Longer>
bool SplitEqual(std::vector<std::string>& names, const Longer& longer) {
  std::unordered_map<std::string, int> count;
  for (const std::string& name : names) ++count[name];
  bool any = false;
  std::vector<std::string> out = names;
  for (size_t i = 0; i < names.size(); ++i) {
    if (count[names[i]] < 2) continue;
    out[i] = longer(i);
    any = true;
  }
  names = std::move(out);
  return any;
}

}  // namespace

std::string_view FamilyWord(KernelFamily family) {
  const auto index = static_cast<size_t>(family);
  return index < std::size(kFamilyWords) ? kFamilyWords[index] : kFamilyWords[0];
}

KernelWhat WhatKernelDoes(std::string_view name) {
  name = name.substr(0, kLongestName);
  KernelWhat out = Classify(name);
  if (out.what.empty()) out.what = name;
  out.what = Cut(std::move(out.what), kLongestShort);
  out.variant = Cut(std::move(out.variant), kLongestShort / 2);
  return out;
}

bool IsCommunicationKernel(std::string_view name) {
  return WhatKernelDoes(name).family == KernelFamily::kCollective;
}

std::vector<std::string> DistinctKernelNames(std::span<const std::string_view> names) {
  std::vector<std::string> out, variants;
  for (const std::string_view name : names) {
    KernelWhat what = WhatKernelDoes(name);
    out.push_back(std::move(what.what));
    variants.push_back(std::move(what.variant));
  }
  SplitEqual(out,
             [&](size_t i) { return variants[i].empty() ? out[i] : out[i] + " " + variants[i]; });
  const std::vector<std::string> plain = out;
  for (int digits = 4; digits <= 16; digits += 4) {
    const bool equal = SplitEqual(out, [&](size_t i) {
      std::string mark;
      uint64_t hash = ContentHash().Add(names[i]).value();
      for (int d = 0; d < digits; ++d, hash >>= 4) mark += "0123456789abcdef"[hash & 15];
      return plain[i] + " ~" + mark;
    });
    if (!equal) break;
  }
  return out;
}

}  // namespace gprofx
