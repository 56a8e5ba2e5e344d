#include "samplers/recorder/claim_profile.h"

namespace gprofx::recorder {

Result<ProfileWriter> ClaimProfile(const WantedFile& wanted) {
  ClaimTrouble trouble{};
  auto writer = ProfileWriter::Claim(wanted.path,
                                     wanted.force ? Existing::kForce : Existing::kKeepOld, trouble);
  if (writer || wanted.named || trouble != ClaimTrouble::kInUse) return writer;
  constexpr int kMaxNumbers = 10'000;
  for (int number = 1; number < kMaxNumbers; ++number) {
    auto numbered =
        ProfileWriter::Claim(NumberedName(wanted.path, number), Existing::kMustBeNew, trouble);
    if (numbered || trouble == ClaimTrouble::kRefused) return numbered;
  }
  return writer;
}

std::string NumberedName(std::string_view name, int number) {
  const size_t slash = name.rfind('/');
  const size_t dot = name.rfind('.');
  const bool ends =
      dot != std::string_view::npos && (slash == std::string_view::npos || dot > slash);
  const size_t at = ends ? dot : name.size();
  return std::string(name.substr(0, at)) + "." + std::to_string(number) +
         std::string(name.substr(at));
}

}  // namespace gprofx::recorder
