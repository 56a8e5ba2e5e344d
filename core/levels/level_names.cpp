#include "core/levels/level_names.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/base/path.h"

namespace gprofx {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Names of overloads that begin with a lower-case letter; those with a capital letter are
// recognized without a list.
constexpr std::string_view kOverloads[] = {"out",   "int",  "dim",          "dtype",   "device",
                                           "other", "self", "dtype_layout", "default", "names"};

// Removes the name of the overload: "add_Tensor" -> "add", "sum_dim_IntList" -> "sum",
// "add__Tensor" -> "add_".
std::string_view WithoutOverload(std::string_view name) {
  for (size_t at = 1; at + 2 < name.size(); ++at) {
    if (name[at] == '_' && IsUpper(name[at + 1])) name = name.substr(0, at);
  }
  for (const std::string_view overload : kOverloads) {
    if (name.size() <= overload.size() + 1 || !name.ends_with(overload)) continue;
    const size_t at = name.size() - overload.size() - 1;
    if (name[at] == '_') return name.substr(0, at);
  }
  return name;
}

}  // namespace

std::optional<std::string_view> ClassOf(std::string_view function, std::string_view method) {
  if (function == method) return std::string_view();
  if (!function.ends_with(method)) return std::nullopt;
  function.remove_suffix(method.size());
  if (!function.ends_with('.')) return std::nullopt;
  function.remove_suffix(1);
  function = function.substr(function.rfind('.') + 1);
  // A name such as "<locals>" or "<lambda>" is not a method.
  if (function.empty() || function.front() == '<') return std::nullopt;
  return function;
}

bool IsDecorator(std::string_view function) {
  const size_t dot = function.rfind('.');
  if (dot == std::string_view::npos || !function.substr(0, dot).ends_with(".<locals>"))
    return false;
  const std::string_view name = function.substr(dot + 1);
  return name != "forward" && name != "backward";
}

bool IsModuleCall(std::string_view function, std::string_view file) {
  if (!file.ends_with("torch/nn/modules/module.py")) return false;
  for (const std::string_view call : {"_call_impl", "_wrapped_call_impl", "__call__"}) {
    if (function == call) return true;
    if (function.starts_with("Module.") && function.substr(7) == call) return true;
  }
  return false;
}

std::optional<NamedModule> ModuleOfSpan(std::string_view name) {
  constexpr std::string_view kModule = "nn.Module: ";
  if (!name.starts_with(kModule)) return std::nullopt;
  name.remove_prefix(kModule.size());
  NamedModule module{name, 0};
  const size_t at = name.rfind('_');
  if (at == std::string_view::npos || at == 0 || at + 1 == name.size()) return module;
  const std::string_view number = name.substr(at + 1);
  if (number.find_first_not_of(kDigits) != std::string_view::npos) return module;
  std::from_chars(number.data(), number.data() + number.size(), module.number);
  module.type = name.substr(0, at);
  return module;
}

std::string_view OperatorOfSymbol(std::string_view symbol) {
  constexpr std::string_view kOps = "at::_ops::";
  const size_t at = symbol.find(kOps);
  // Deeper in the name, at::_ops is part of a template argument or of a parameter.
  if (at == std::string_view::npos || symbol.find('<') < at || symbol.find('(') < at) return {};
  symbol.remove_prefix(at + kOps.size());
  const size_t end = symbol.find("::");
  if (end == std::string_view::npos) return {};
  const std::string_view function = symbol.substr(end + 2);
  if (!function.starts_with("call") && !function.starts_with("redispatch")) return {};
  return WithoutOverload(symbol.substr(0, end));
}

std::string_view OperatorOfSpan(std::string_view name) {
  for (const std::string_view space : {"autograd::engine::evaluate_function: ", "aten::"}) {
    if (name.starts_with(space)) return name.substr(space.size());
  }
  // Spans of profiler steps and of modules contain operators but are not operators.
  if (name == "ProfilerStep" || name.starts_with("nn.Module: ")) return {};
  return name;
}

std::string_view BackwardOf(std::string_view name) {
  constexpr std::string_view kGenerated = "torch::autograd::generated::";
  constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
  constexpr std::string_view kBackward = "Backward";
  if (name.starts_with(kGenerated)) {
    name.remove_prefix(kGenerated.size());
    const size_t end = name.find("::apply");
    if (end == std::string_view::npos) return {};
    name = name.substr(0, end);
  } else if (name.starts_with(kEvaluate)) {
    name.remove_prefix(kEvaluate.size());
  }
  const size_t last = name.find_last_not_of(kDigits);
  if (last == std::string_view::npos) return {};
  name = name.substr(0, last + 1);
  if (name.size() <= kBackward.size() || !name.ends_with(kBackward)) return {};
  name.remove_suffix(kBackward.size());
  const bool is_name = name.find_first_of(" :<(") == std::string_view::npos;
  return is_name && IsUpper(name.front()) ? name : std::string_view();
}

std::string MatchingName(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '_') out.push_back(IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

bool HasXla(std::string_view path) {
  const std::string_view base = BaseName(path);
  for (const std::string_view start :
       {"xla_cuda_plugin.so", "xla_rocm_plugin.so", "xla_extension", "libjax_common.so"}) {
    if (base.starts_with(start)) return true;
  }
  return false;
}

std::string_view HloOfKernel(std::string_view kernel) {
  const bool plain =
      kernel.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
  const bool fused =
      kernel.find("fusion") != std::string_view::npos || kernel.starts_with("wrapped_");
  return plain && fused ? kernel : std::string_view();
}

bool IsDeviceCall(std::string_view function) {
  for (const std::string_view start : {"cuda", "cu", "hip"}) {
    if (function.size() > start.size() && function.starts_with(start) &&
        IsUpper(function[start.size()])) {
      return function.find_first_of(":<( ") == std::string_view::npos;
    }
  }
  return false;
}

bool HandsLaunchesOn(std::string_view path) {
  static constexpr std::string_view kStarts[] = {
      "libcudart", "libcuda.so", "libcupti",  "libc.so", "libc-2.",   "libpthread", "ld-linux",
      "libstdc++", "libgcc_s",   "libgprofx", "libm.so", "libamdhip", "libdl.so"};
  const std::string_view base = BaseName(path);
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return base.starts_with(start); });
}

}  // namespace gprofx
