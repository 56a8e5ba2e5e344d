// Lists the programs that ran without samples (wire/not_sampled.h), for the profile and for people.
// Pure functions over a copy of the table, in which a target may have written anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "samplers/wire/not_sampled.h"

namespace gprofx {

struct Unsampled {
  wire::NotSampled reason{};
  std::string name;  // base name of the program; "" = not kept
  int64_t count = 0;
};

// Reads all tables together. The result is sorted by reason, then the most frequent first. The
// first table belongs to the recorder's own user. From another user's table at most 10,000 programs
// are accepted.
std::vector<Unsampled> ReadNotSampled(const std::vector<const wire::NotSampledTable*>& tables);

// Writes counters to `quality`: always not_sampled, the sum, and not_sampled_static, ... if they
// are not 0.
void PublishNotSampled(const std::vector<Unsampled>& unsampled,
                       std::map<std::string, int64_t>& quality);

// Returns a text such as "static (go, 2 ls), cleared environment (sh)"; "" if all programs were
// sampled.
std::string NotSampledText(const std::vector<Unsampled>& unsampled);

}  // namespace gprofx
