// Reads the PC samples of kernels, and their code and sources, from a profile. Blocking.
#pragma once

#include <string>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/annotate/select.h"
#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Returns the kernels with PC samples, by name.
Result<std::vector<KernelChoice>> ReadKernels(const ProfileSource& file, const Profile& profile);

// Returns the input of Annotate() for each of the named kernels.
Result<std::vector<AnnotateInput>> ReadKernelSamples(const ProfileSource& file,
                                                     const Profile& profile,
                                                     const std::vector<std::string>& kernels);

// Disassembles the code with nvdisasm. Returns why there is no SASS (machine code as text); "" on
// success.
std::string AddSass(AnnotateInput& input);

}  // namespace gprofx
