// PC samples of kernels, and the code and sources that belong to them, out of a profile. Blocking.
#pragma once

#include <string>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/annotate/select.h"
#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Kernels with PC samples, by name.
Result<std::vector<KernelChoice>> ReadKernels(const ProfileSource& file, const Profile& profile);

// What Annotate() takes, for kernels of these names.
Result<std::vector<AnnotateInput>> ReadKernelSamples(const ProfileSource& file,
                                                     const Profile& profile,
                                                     const std::vector<std::string>& kernels);

// Disassembles the code by nvdisasm. Why there is no SASS; "" = there is.
std::string AddSass(AnnotateInput& input);

}  // namespace gprofx
