// Lists the programs that ran without samples (wire/not_sampled.h), for the profile and for
// messages. Pure functions over a copy of the table, in which a target may have written anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "samplers/wire/not_sampled.h"

namespace gprofx {

struct Unsampled {
  wire::NotSampled reason{};
  std::string name;  // base name of the program; "" = the table had no room for it
  int64_t count = 0;
};

// Adds up all tables. The result is sorted by reason; within a reason, the most frequent program
// comes first. The first table belongs to the recorder's own user. From another user's table, at
// most 10,000 programs are accepted.
std::vector<Unsampled> ReadNotSampled(const std::vector<const wire::NotSampledTable*>& tables);

// Writes counters to `quality`. The sum, not_sampled, is always written. A counter for a reason,
// such as not_sampled_static, is written only if it is not 0.
void PublishNotSampled(const std::vector<Unsampled>& unsampled,
                       std::map<std::string, int64_t>& quality);

// Returns a text such as "static (go, 2 ls), cleared environment (sh)". Returns "" if all programs
// were sampled.
std::string NotSampledText(const std::vector<Unsampled>& unsampled);

}  // namespace gprofx
