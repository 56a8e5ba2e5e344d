// The programs that ran without samples (wire/not_sampled.h), for the profile and for people. Pure
// over a copy of the table, in which a target may have written anything.
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

// Reads all tables together; sorted by reason, then the most frequent first. The first table
// belongs to the recorder's own user; from another user's table at most 10,000 programs are
// accepted.
std::vector<Unsampled> ReadNotSampled(const std::vector<const wire::NotSampledTable*>& tables);

// Writes not_sampled (the sum, always) and not_sampled_static, ... (those that are not 0).
void PublishNotSampled(const std::vector<Unsampled>& unsampled,
                       std::map<std::string, int64_t>& quality);

// Returns "static (go, 2 ls), cleared environment (sh)"; "" = there are none.
std::string NotSampledText(const std::vector<Unsampled>& unsampled);

}  // namespace gprofx
