#include "symbolize/symbolizer.h"

#include <algorithm>

#include "symbolize/sandbox.h"
#include "symbolize/symbol_cache.h"

namespace gprofx {
namespace {

struct Job {
  size_t request;  // position in the caller's list
  uint64_t module_size;
};

// "No name" is kept in the cache, but people's side only knows absent addresses.
void Give(ModuleNames& from, const std::vector<uint64_t>& wanted, ModuleNames& to) {
  for (const uint64_t address : wanted) {
    const auto found = from.find(address);
    if (found != from.end() && !found->second.empty()) to[address] = found->second;
  }
}

}  // namespace

SymbolizeAnswer SymbolizeModules(const std::vector<SymbolRequest>& requests,
                                 const SymbolizeOptions& options) {
  SymbolizeAnswer answer;
  answer.names.resize(requests.size());
  const SymbolCache cache(options.use_cache ? SymbolCache::DefaultFolder() : std::string());

  std::vector<SymbolRequest> open;
  std::vector<Job> jobs;
  for (size_t i = 0; i < requests.size(); i++) {
    const SymbolRequest& request = requests[i];
    CachedNames known = cache.Load(request, options);
    SymbolRequest rest{request.path, request.build_id, {}};
    for (const uint64_t address : request.addresses) {
      if (!known.names.contains(address)) rest.addresses.push_back(address);
    }
    Give(known.names, request.addresses, answer.names[i]);
    if (rest.addresses.empty()) continue;
    open.push_back(std::move(rest));
    jobs.push_back({i, LookAt(request.path).size});
  }

  std::vector<ModuleOutcome> outcomes = RunInSandbox(open, options);
  for (size_t i = 0; i < outcomes.size(); i++) {
    ModuleOutcome& outcome = outcomes[i];
    Give(outcome.names, open[i].addresses, answer.names[jobs[i].request]);
    for (std::string& problem : outcome.problems) answer.problems.push_back(std::move(problem));
    if (!outcome.complete || !options.lines) continue;  // another run may have more luck
    cache.Store(open[i], options,
                {jobs[i].module_size, std::move(outcome.witnesses), std::move(outcome.names)});
  }
  return answer;
}

}  // namespace gprofx
