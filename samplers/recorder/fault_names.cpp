#include "samplers/recorder/fault_names.h"

#include <algorithm>

#include "core/address_name.h"
#include "core/base/path.h"

namespace gprofx {

std::vector<std::string> NamesOf(const Fault& fault, const SymbolizeOptions& options) {
  std::vector<SymbolRequest> requests;  // one a frame: they are few
  for (const FaultFrame& frame : fault.stack) {
    requests.push_back({frame.module, frame.build_id, {frame.address}});
  }
  const SymbolizeAnswer answer = SymbolizeModules(requests, options);
  std::vector<std::string> names;
  for (size_t i = 0; i < fault.stack.size(); ++i) {
    const FaultFrame& frame = fault.stack[i];
    std::string name = AddressName(frame.module, frame.address);
    if (frame.module.empty()) name.erase(0, 1);
    if (i < answer.names.size()) {
      const auto found = answer.names[i].find(frame.address);
      if (found != answer.names[i].end() && !IsAddressName(found->second.back().function)) {
        name = found->second.back().function + " (" + name + ")";
      }
    }
    names.push_back(std::move(name));
  }
  return names;
}

bool IsNearUs(const Fault& fault) {
  // The agent's frame at the outer end of a thread is how that began.
  const auto is_start = [](const FaultFrame& frame) {
    const std::string_view name = BaseName(frame.module);
    return name == "libgprofx-agent.so" || name.starts_with("libc.") || name.starts_with("libpthread");
  };
  auto end = fault.stack.size();
  while (end > 1 && is_start(fault.stack[end - 1])) --end;
  return std::any_of(fault.stack.begin(), fault.stack.begin() + static_cast<ptrdiff_t>(end),
                     [](const FaultFrame& frame) {
                       const std::string_view name = BaseName(frame.module);
                       return name.starts_with("libgprofx-") || name.starts_with("libcupti");
                     });
}

}  // namespace gprofx
