#include "symbolize/symbolizer.h"

#include <algorithm>

#include "symbolize/names/symbol_cache.h"
#include "symbolize/sandbox/sandbox.h"

namespace gprofx {
namespace {

struct Job {
  size_t request;  // index in the caller's list
  Witness module;  // state of the file before it was opened
};

// Copies the names of the addresses in `wanted` from `from` to `to`. Leaves out addresses without a
// name: the cache stores that they have none, but callers expect them to be absent.
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
    SymbolRequest rest{request.path, request.build_id, {}, request.reader};
    for (const uint64_t address : request.addresses) {
      if (!known.names.contains(address)) rest.addresses.push_back(address);
    }
    Give(known.names, request.addresses, answer.names[i]);
    if (rest.addresses.empty()) continue;
    open.push_back(std::move(rest));
    jobs.push_back({i, request.reader ? Witness{} : LookAt(request.path)});
  }

  SandboxOutcome outcomes = RunInSandbox(open, options);
  for (size_t i = 0; i < open.size(); i++) {
    ModuleOutcome& outcome = outcomes.modules[i];
    Give(outcome.names, open[i].addresses, answer.names[jobs[i].request]);
    for (std::string& problem : outcome.problems) answer.problems.push_back(std::move(problem));
    if (!outcome.complete || !options.lines) continue;  // do not cache: another run may find more
    cache.Store(
        open[i], options,
        {std::move(jobs[i].module), std::move(outcome.witnesses), std::move(outcome.names)});
  }
  answer.not_reached = outcomes.not_reached;
  if (answer.not_reached > 0) {
    answer.problems.push_back("naming took too long or too much memory; the functions of " +
                              std::to_string(answer.not_reached) + " modules have no names");
  }
  return answer;
}

}  // namespace gprofx
