#include "cli/record/claim_profile.h"

#include <string>

namespace gprofx {

Result<ProfileWriter> ClaimProfile(RecordOptions& options) {
  ClaimTrouble trouble{};
  auto writer = ProfileWriter::Claim(
      options.output, options.force ? Existing::kForce : Existing::kKeepOld, trouble);
  if (writer || options.named || trouble != ClaimTrouble::kInUse) return writer;
  constexpr int kMostNumbers = 10'000;
  for (int number = 1; number < kMostNumbers; ++number) {
    const std::string name = NumberedName(kUsualName, number);
    auto numbered = ProfileWriter::Claim(name, Existing::kMustBeNew, trouble);
    if (!numbered && trouble != ClaimTrouble::kRefused) continue;
    if (numbered) {
      options.say("another recording writes '" + options.output + "'; this one goes to '" + name +
                  "'");
      options.output = name;
    }
    return numbered;
  }
  return writer;
}

}  // namespace gprofx
