#include "core/redact/public_names.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/base/text.h"
#include "core/redact/public_words.h"

namespace gprofx {
namespace {

constexpr size_t kShapeDigits = 5;  // "s16816gemm"

bool IsWordLetter(char c) { return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

template <size_t N>
bool BeginsWithOneOf(std::string_view word, const std::string_view (&list)[N]) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](std::string_view start) { return word.starts_with(start); });
}

// Prefixes that no compiler gives to a user's kernels.
constexpr std::string_view kKernelStarts[] = {"ncclDevKernel_",
                                              "ncclKernel_",
                                              "nvjet_",
                                              "ampere_",
                                              "volta_",
                                              "turing_",
                                              "maxwell_",
                                              "hopper_",
                                              "sm70_xmma",
                                              "sm75_xmma",
                                              "sm80_xmma",
                                              "sm86_xmma",
                                              "sm89_xmma",
                                              "sm90_xmma",
                                              "sm100_xmma",
                                              "cudnn_",
                                              "cutlass_",
                                              "Cijk_",
                                              "implicit_convolve_",
                                              "cask_",
                                              "cupy_copy__",
                                              "cupy_multiply__",
                                              "cupy_add__",
                                              "cupy_subtract__",
                                              "cupy_true_divide__",
                                              "cupy_sqrt__",
                                              "CUB_",
                                              "THRUST_",
                                              "gemmSN_",
                                              "gemmk1_"};

// True if `word`, split at each '_', consists of words from names in kernel libraries and of sizes
// of tiles. In the list of words, '#' stands for a number.
bool HasPublicPieces(std::string_view word) {
  while (true) {
    const size_t end = std::min(word.find('_'), word.size());
    std::string shape;
    size_t digits = 0;
    for (const char c : word.substr(0, end)) {
      const bool digit = c >= '0' && c <= '9';
      digits = digit ? digits + 1 : 0;
      if (digits > kShapeDigits) return false;
      if (!digit || digits == 1) shape += digit ? '#' : c;
    }
    // A size of a tile, such as "128x64", needs no list.
    const bool tile = shape.find_first_not_of("#x") == std::string::npos;
    if (!tile && !IsPublicWord(WordList::kKernels, shape)) return false;
    if (end == word.size()) return true;
    word.remove_prefix(end + 1);
  }
}

}  // namespace

bool IsShortNumber(std::string_view text) {
  return !text.empty() && text.size() <= 4 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsPublicKernel(std::string_view name) {
  if (name == "[unknown kernel]") return true;
  bool any = false;
  for (size_t i = 0; i < name.size();) {
    if (!IsWordLetter(name[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < name.size() && IsWordLetter(name[end])) ++end;
    const std::string_view word = name.substr(i, end - i), before = name.substr(0, i);
    i = end;
    if (!HasPublicPieces(word)) return false;
    if (isdigit(static_cast<unsigned char>(word.front())) != 0) continue;
    any = true;
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    if (before.ends_with(kAnonymous)) {
      // An anonymous namespace belongs to the namespaces before it. Without any, it may be the
      // user's.
      if (before.substr(0, before.size() - kAnonymous.size()).ends_with("::")) continue;
      return false;
    }
    if (word == "anonymous" || word == "namespace") {
      if (before.ends_with('(') || before.ends_with("(anonymous ")) continue;
      return false;
    }
    if (before.ends_with("::") || (word == "unnamed" && before.ends_with("::<"))) continue;
    if (!IsPublicWord(WordList::kKernelWords, word) && !BeginsWithOneOf(word, kKernelStarts))
      return false;
  }
  return any;
}

bool IsDriverCall(std::string_view name) {
  // Removes the version of a call, "_v12000" or "_ptsz".
  if (const size_t version = name.rfind("_v"); version != std::string_view::npos) {
    const std::string_view number = name.substr(version + 2);
    if (number.size() <= 5 && number.find_first_not_of("0123456789") == std::string_view::npos) {
      name = name.substr(0, version);
    }
  }
  for (const std::string_view threads : {"_ptsz", "_ptds"}) {
    if (name.ends_with(threads)) name.remove_suffix(threads.size());
  }
  if (IsPublicWord(WordList::kCalls, name)) return true;
  // HIP's functions are named like CUDA's.
  if (!name.starts_with("hip")) return false;
  const std::string rest(name.substr(3));
  return IsPublicWord(WordList::kCalls, "cuda" + rest) ||
         IsPublicWord(WordList::kCalls, "cu" + rest);
}

bool IsPublicOperator(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "ProfilerStep",        "DistributedDataParallel.forward", "Optimizer.step",
      "Optimizer.zero_grad", "TorchDynamo Cache Lookup",        "record_param_comms"};
  static constexpr std::string_view kOptimizers[] = {
      "SGD", "Adam", "AdamW", "Adagrad", "Adamax", "RMSprop", "LBFGS", "NAdam", "RAdam"};
  static constexpr std::string_view kCollectives[] = {"allgather_",
                                                      "_allgather_base_",
                                                      "allreduce_",
                                                      "allreduce_coalesced_",
                                                      "alltoall_",
                                                      "alltoall_base_",
                                                      "barrier",
                                                      "broadcast_",
                                                      "gather_",
                                                      "recv_",
                                                      "reduce_",
                                                      "reduce_scatter_",
                                                      "_reduce_scatter_base_",
                                                      "scatter_",
                                                      "send"};
  const size_t number = name.find('#');
  if (IsOneOf(name.substr(0, number), kNames)) {
    if (number == std::string_view::npos) return true;
    const std::string_view rest = name.substr(number + 1);
    const size_t dot = rest.find('.');
    const std::string_view method = dot == std::string_view::npos ? "" : rest.substr(dot);
    return IsShortNumber(rest) || (IsOneOf(rest.substr(0, dot), kOptimizers) &&
                                   (method.empty() || method == ".step" || method == ".zero_grad"));
  }
  constexpr std::string_view kAten = "aten::", kC10d = "c10d::";
  if (name.starts_with(kC10d)) return IsOneOf(name.substr(kC10d.size()), kCollectives);
  if (!name.starts_with(kAten)) return false;
  name.remove_prefix(kAten.size());
  if (IsPublicWord(WordList::kOperators, name)) return true;
  // The name of an in-place operator is that of the operator with "_" appended.
  return name.ends_with('_') && IsPublicWord(WordList::kOperators, name.substr(0, name.size() - 1));
}

bool IsPublicLayer(std::string_view name) {
  static constexpr std::string_view kNames[] = {"AdaptiveAvgPool2d",
                                                "AvgPool2d",
                                                "BatchNorm1d",
                                                "BatchNorm2d",
                                                "BatchNorm3d",
                                                "Bilinear",
                                                "Conv1d",
                                                "Conv2d",
                                                "Conv3d",
                                                "ConvTranspose1d",
                                                "ConvTranspose2d",
                                                "CrossEntropyLoss",
                                                "DataParallel",
                                                "DistributedDataParallel",
                                                "Dropout",
                                                "Embedding",
                                                "EmbeddingBag",
                                                "Flatten",
                                                "GELU",
                                                "GRU",
                                                "GroupNorm",
                                                "Identity",
                                                "InstanceNorm2d",
                                                "LSTM",
                                                "LayerNorm",
                                                "Linear",
                                                "LogSoftmax",
                                                "MSELoss",
                                                "MaxPool2d",
                                                "ModuleDict",
                                                "ModuleList",
                                                "MultiheadAttention",
                                                "OptimizedModule",
                                                "RMSNorm",
                                                "ReLU",
                                                "Sequential",
                                                "SiLU",
                                                "Sigmoid",
                                                "Softmax",
                                                "Tanh",
                                                "Transformer",
                                                "TransformerDecoder",
                                                "TransformerDecoderLayer",
                                                "TransformerEncoder",
                                                "TransformerEncoderLayer",
                                                "Upsample",
                                                "_orig_mod",
                                                "module"};
  return IsOneOf(name, kNames);
}

}  // namespace gprofx
