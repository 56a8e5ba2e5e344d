#include "samplers/recorder/fault_names.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/base/path.h"
#include "core/model/address_name.h"

namespace gprofx::recorder {

namespace {

// Returns the addresses to symbolize, one request per module. A module is given by its path and
// build-id, which the frames of a fault contain; the profile's modules are not known here.
std::vector<SymbolRequest> FaultRequests(std::span<const FaultFrame> stack) {
  std::vector<SymbolRequest> requests;
  for (const FaultFrame& frame : stack) {
    const auto same = [&](const SymbolRequest& one) {
      return one.path == frame.module && one.build_id == frame.build_id;
    };
    auto found = std::find_if(requests.begin(), requests.end(), same);
    if (found == requests.end()) {
      found = requests.insert(found, {frame.module, frame.build_id, {}});
    }
    found->addresses.push_back(frame.address);
  }
  for (SymbolRequest& request : requests) {
    std::sort(request.addresses.begin(), request.addresses.end());
  }
  return requests;
}

std::string NameOf(const FaultFrame& frame, const std::vector<SymbolRequest>& requests,
                   const SymbolizeAnswer& answer) {
  const std::string place = AddressName(frame.module, frame.address);
  if (frame.module.empty()) return place.substr(1);
  for (size_t i = 0; i < requests.size() && i < answer.names.size(); ++i) {
    if (requests[i].path != frame.module || requests[i].build_id != frame.build_id) continue;
    const auto found = answer.names[i].find(frame.address);
    if (found == answer.names[i].end()) break;
    const std::string& name = found->second.back().function;
    return IsAddressName(name) ? place : name + " (" + place + ")";
  }
  return place;
}

bool IsLibc(std::string_view name) {
  return name.starts_with("libc.") || name.starts_with("libpthread") || name.starts_with("ld-");
}

}  // namespace

std::vector<std::string> NamesOf(const Fault& fault, SymbolizeOptions options,
                                 const std::optional<FileReader>& reader) {
  options.lines = false;
  const auto shown = std::span(fault.stack).first(std::min(fault.stack.size(), kShownFrames));
  std::vector<SymbolRequest> requests = FaultRequests(shown);
  for (SymbolRequest& request : requests) request.reader = reader;
  const SymbolizeAnswer answer = SymbolizeModules(requests, options);
  std::vector<std::string> names;
  for (const FaultFrame& frame : shown) names.push_back(NameOf(frame, requests, answer));
  return names;
}

bool IsNearUs(const Fault& fault) {
  // Skip the outermost frames, which start a thread. They are in libc and, between two parts of
  // libc, in the agent.
  size_t end = fault.stack.size();
  const auto is = [&](size_t i, auto what) { return what(BaseName(fault.stack[i].module)); };
  while (end > 0 && is(end - 1, IsLibc)) --end;
  const auto is_agent = [](std::string_view name) { return name == "libgprofx-agent.so"; };
  if (end > 0 && end < fault.stack.size() && is(end - 1, is_agent)) --end;
  return std::any_of(fault.stack.begin(), fault.stack.begin() + static_cast<ptrdiff_t>(end),
                     [](const FaultFrame& frame) {
                       const std::string_view name = BaseName(frame.module);
                       return name.starts_with("libgprofx-") || name.starts_with("libcupti");
                     });
}

}  // namespace gprofx::recorder
