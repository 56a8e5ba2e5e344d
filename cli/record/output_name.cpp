#include "cli/record/output_name.h"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace gprofx::record {
namespace {

// The most specific variable comes first. Within an allocation of Slurm, for example, all ranks
// that mpirun starts have the same SLURM_PROCID.
constexpr const char* kRankVariables[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                          "PMI_RANK", "MV2_COMM_WORLD_RANK",  "SLURM_PROCID"};

std::string WithoutSlash(std::string text) {
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::string LocalTime() {
  const time_t now = time(nullptr);
  tm parts{};
  char text[32] = "";
  if (localtime_r(&now, &parts) == nullptr) return "0";
  strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

}  // namespace

Result<std::string> ExpandName(std::string_view pattern, const NameFacts& facts) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    const char what = i + 1 < pattern.size() ? pattern[++i] : '\0';
    switch (what) {
      case 'p':
        out += WithoutSlash(facts.process);
        break;
      case 'h':
        out += WithoutSlash(facts.host);
        break;
      case 't':
        out += WithoutSlash(facts.time);
        break;
      case 'r':
        out += WithoutSlash(facts.rank);
        break;
      case '%':
        out += '%';
        break;
      default:
        return Error{
            ErrorId::kBadValue,
            "option '-o' has an unknown '%" + std::string(what == '\0' ? 0 : 1, what) + "'",
            "use %p, %h, %t, %r, or %% for a percent sign"};
    }
  }
  return out;
}

std::string AsOutputName(const std::string& path) {
  std::string name;
  for (const char c : path) name += c == '%' ? std::string("%%") : std::string(1, c);
  return name;
}

std::string RankIn(const std::function<const char*(const char*)>& env) {
  for (const char* name : kRankVariables) {
    const char* value = env(name);
    if (value == nullptr) continue;
    const std::string_view rank = value;
    const bool is_number = !rank.empty() && rank.size() <= 10 &&
                           rank.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_number) return std::string(rank);
  }
  return "";
}

std::string RankOfThisProcess() {
  return RankIn([](const char* variable) -> const char* { return getenv(variable); });
}

NameFacts FactsOfThisProcess() {
  utsname name{};
  const std::string rank = RankOfThisProcess();
  return {std::to_string(getpid()), uname(&name) == 0 ? name.nodename : "unknown", LocalTime(),
          rank.empty() ? "0" : rank};
}

}  // namespace gprofx::record
