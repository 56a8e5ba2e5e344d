// Classifies generic kernels. Their template arguments name the operation, as a functor or as the
// function that contains a lambda:
//   vectorized_elementwise_kernel<4, BinaryFunctor<float, float, float, MulFunctor<float>>, ...>
//   unrolled_elementwise_kernel<direct_copy_kernel_cuda(...)::{lambda()#3}::...{lambda(float)#1}>
//   reduce_kernel<512, 1, ReduceOp<float, func_wrapper_t<float, sum_functor<float, ...>::...>>>
#include <algorithm>

#include "core/base/text.h"
#include "core/kernels/kernel_family_parts.h"
#include "core/kernels/kernel_names.h"

namespace gprofx {
namespace {

bool HandsOutWork(std::string_view base) {
  return Contains(base, "elementwise") || Contains(base, "reduce_kernel") ||
         Contains(base, "multi_tensor_apply_kernel") || Contains(base, "grid_stride_kernel");
}

// True for names of wrappers that do not say what a kernel computes.
bool IsMachinery(std::string_view word) {
  return word.starts_with("gpu_kernel") || word == "ReduceOp" || word.starts_with("func_wrapper") ||
         Contains(word, "elementwise") ||
         (word.starts_with("launch_") && word != "launch_clamp_scalar");
}

// True for functors that apply another functor. Their template arguments are the input and output
// types.
bool WrapsFunctor(std::string_view word) {
  return word == "BinaryFunctor" || word == "AUnaryFunctor" || word == "BUnaryFunctor" ||
         word == "UnaryFunctor";
}

// True for functors that apply an operator to lists of tensors. The name of the operator follows
// them.
bool WrapsListOperator(std::string_view word) {
  return word.starts_with("BinaryOp") || word.starts_with("PointwiseOp") ||
         word.starts_with("TernaryOp") || word.starts_with("UnaryOp") ||
         word.starts_with("ZeroFunctor");
}

bool TellsWork(std::string_view word) {
  return !IsMachinery(word) &&
         (Contains(word, "unctor") || Contains(word, "_kernel") || word.ends_with("Ops") ||
          word.ends_with("Op") || word.ends_with("_cuda") || Contains(word, "KernelImpl") ||
          word.ends_with("_out") || word.ends_with("_and_transform") ||
          word == "launch_clamp_scalar");
}

struct Word {
  std::string_view text;
  size_t end = 0;  // position in the name
};

// Returns the next word at `pos` or later for which tells(word) is true.
template <class Tells>
Word NextWord(std::string_view name, size_t pos, const Tells& tells) {
  for (size_t i = std::min(pos, name.size()); i < name.size();) {
    size_t end = i;
    while (end < name.size() && IsWordChar(name[end])) ++end;
    if (end > i && tells(name.substr(i, end - i))) return {name.substr(i, end - i), end};
    i = std::max(end, i + 1);
  }
  return {};
}

// Returns the short name of an operation: "mul" for "MulFunctor", "tanh_backward" for
// "tanh_backward_kernel_cuda", "gelu" for "GeluCUDAKernelImpl".
std::string WorkName(std::string_view word) {
  for (const std::string_view prefix :
       {"CUDAFunctorOnSelf_", "CUDAFunctorOnOther_", "CUDAFunctor_"}) {
    if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  }
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view suffix :
         {"_cuda_kernel", "_kernel", "_cuda", "_impl", "_functor", "_out", "CUDAKernelImpl",
          "KernelImpl", "CUDAKernel", "Functor", "Kernel", "Ops", "Op", "CUDA"}) {
      if (!word.ends_with(suffix) || word.size() == suffix.size()) continue;
      word.remove_suffix(suffix.size());
      cut = true;
    }
  }
  std::string name;
  for (size_t i = 0; i < word.size(); ++i) {
    const bool upper = word[i] >= 'A' && word[i] <= 'Z';
    const bool begins = i > 0 && word[i - 1] >= 'a' && word[i - 1] <= 'z';
    if (upper && begins) name += '_';
    name += upper ? static_cast<char>(word[i] - 'A' + 'a') : word[i];
  }
  for (const WordPair& pair : WorkWords()) {
    if (pair.word == name) return std::string(pair.means);
  }
  return name;
}

// Returns the template arguments of the word that ends at `end`; "" if it has none.
std::string_view ArgumentsAt(std::string_view name, size_t end) {
  return end < name.size() && name[end] == '<' ? Inside(name, end) : std::string_view();
}

// Returns the parameter type of a lambda in the function whose name ends at `end`. Skips a bool
// parameter, such as a mask, if there is another one.
std::string LambdaType(std::string_view name, size_t end) {
  constexpr std::string_view kLambda = "lambda(";
  for (size_t i = name.find(kLambda, end); i != std::string_view::npos;
       i = name.find(kLambda, i + 1)) {
    const std::vector<std::string> types = LeadingTypes(Inside(name, i + kLambda.size() - 1));
    for (const std::string& type : types) {
      if (type != "bool") return type;
    }
    if (!types.empty()) return types[0];
  }
  return "";
}

std::string_view FirstNumber(std::string_view arguments) {
  const size_t begin = std::min(arguments.find_first_of("0123456789"), arguments.size());
  const size_t end = arguments.find_first_not_of("0123456789", begin);
  return arguments.substr(begin, end == std::string_view::npos ? end : end - begin);
}

// Returns " #2" if the kernel applies the second lambda of the function. PyTorch, for example, has
// separate lambdas for powers of 2 and of 3.
std::string LambdaNumber(std::string_view name, size_t end) {
  constexpr std::string_view kLambda = "lambda(";
  const size_t at = name.find(kLambda, end);
  if (at == std::string_view::npos) return "";
  const size_t open = at + kLambda.size() - 1;
  const size_t close = open + Inside(name, open).size() + 2;
  const std::string_view behind = name.substr(std::min(name.size(), close));
  for (const std::string_view word : {"#", " (instance "}) {
    if (!behind.starts_with(word)) continue;
    const std::string_view number = FirstNumber(behind);
    return number == "1" || number.empty() ? "" : " #" + std::string(number);
  }
  return "";
}

std::string InAndOut(const std::vector<std::string>& types) {
  if (types.empty()) return "";
  return types.front() == types.back() ? types.front() : types.front() + ">" + types.back();
}

std::string VariantOf(std::string_view bare, std::string_view base, bool casts) {
  std::string how;
  const std::string_view arguments =
      ArgumentsAt(bare, static_cast<size_t>(base.data() - bare.data()) + base.size());
  if (base.starts_with("vectorized")) {
    how = "vec" + std::string(FirstNumber(arguments));
  } else if (base.starts_with("unrolled")) {
    how = "unrolled";
  } else if (base.ends_with("manual_unroll")) {
    how = "strided unrolled";
  } else if (base == "elementwise_kernel") {
    how = "strided";
  } else if (base == "reduce_kernel") {
    how = std::string(FirstNumber(arguments)) + " threads";
  }
  if (casts) how += how.empty() ? "cast" : " cast";
  return how;
}

KernelWhat ListWork(std::string_view bare, Word functor) {
  const std::string_view arguments = ArgumentsAt(bare, functor.end);
  std::string type = MainType(arguments);
  if (!type.empty()) type.insert(0, " ");
  if (!WrapsListOperator(functor.text)) {
    const std::string name = WorkName(functor.text);
    const bool optimizer = name == "adam" || name == "sgd" || Contains(name, "lamb");
    return {KernelFamily::kOptimizer, (optimizer ? "" : "foreach ") + name + type, ""};
  }
  const size_t behind = functor.end + arguments.size() + (arguments.empty() ? 0 : 2);
  const Word op = NextWord(bare, behind, [](std::string_view word) {
    return word != "std" && word != "at" && word != "native" && word != "anonymous" &&
           word != "namespace" && word != "unnamed" && word != "void" && TypeOf(word).empty();
  });
  std::string name = WorkName(op.text);
  if (functor.text.starts_with("Pointwise")) name.insert(0, "addc");
  if (Contains(functor.text, "Scalar")) name += " scalar";
  return {KernelFamily::kOptimizer, "foreach " + name + type, std::string(functor.text)};
}

}  // namespace

std::optional<KernelWhat> AppliedWork(std::string_view bare, std::string_view base) {
  if (!HandsOutWork(base)) return std::nullopt;
  Word work = NextWord(bare, bare.find('<'), &TellsWork);
  if (work.text.empty()) return std::nullopt;
  if (Contains(base, "multi_tensor")) {
    if (Contains(work.text, "multi_tensor")) work = NextWord(bare, work.end, &TellsWork);
    if (work.text.empty()) return std::nullopt;
    return ListWork(bare, work);
  }
  std::vector<std::string> types;
  bool scalar = Contains(work.text, "OnSelf_") || Contains(work.text, "OnOther_");
  const bool own_types = Contains(work.text, "unctor") || work.text.ends_with("Ops");
  if (WrapsFunctor(work.text)) {
    types = LeadingTypes(ArgumentsAt(bare, work.end));
    scalar = work.text == "AUnaryFunctor" || work.text == "BUnaryFunctor";
    const Word inner = NextWord(bare, work.end, &TellsWork);
    if (!inner.text.empty()) work = inner;
  } else if (own_types) {
    types = LeadingTypes(ArgumentsAt(bare, work.end));
  }
  if (types.empty()) {
    std::string type = LambdaType(bare, work.end);
    if (type.empty()) type = MainType(ArgumentsAt(bare, work.end));
    if (!type.empty()) types.push_back(std::move(type));
  }
  std::string name = WorkName(work.text);
  const bool casts = Contains(bare, "LoadWithCast");
  std::string type = InAndOut(types);
  if (work.text.starts_with("bfloat16_copy")) {
    name = "copy";
    type = "f32>bf16";
  } else if (work.text.starts_with("float16_copy")) {
    name = "copy";
    type = "f32>f16";
  } else if (name == "copy" && casts) {
    // The name contains only the output type, for which the kernel is compiled. The input type is
    // known only at run time.
    type.insert(0, "?>");
  }
  KernelWhat out;
  out.family = Contains(base, "reduce") ? KernelFamily::kReduction : KernelFamily::kElementwise;
  if (const KernelRule* rule = FirstRule(WorkRules(), name)) out.family = rule->family;
  out.what = name + (scalar ? " scalar" : "") + (type.empty() ? "" : " " + type);
  out.variant = VariantOf(bare, base, casts && name != "copy");
  if (work.text.find("pow_tensor_scalar") == 0) out.variant += LambdaNumber(bare, work.end);
  return out;
}

}  // namespace gprofx
