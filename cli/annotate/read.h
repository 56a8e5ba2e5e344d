// Reads the PC samples of kernels, with their code and sources, from a profile. Blocking.
#pragma once

#include <string>
#include <vector>

#include "cli/annotate/annotation.h"
#include "cli/annotate/select.h"
#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Returns the kernels that have PC samples, sorted by name.
Result<std::vector<KernelChoice>> ReadKernels(const ProfileSource& file, const Profile& profile);

// Returns the input of Annotate() for each kernel whose name is in `kernels`.
Result<std::vector<AnnotateInput>> ReadKernelSamples(const ProfileSource& file,
                                                     const Profile& profile,
                                                     const std::vector<std::string>& kernels);

// Disassembles the code with nvdisasm and adds the result, the SASS (machine code as text). Returns
// "" on success, otherwise why there is no SASS.
std::string AddSass(AnnotateInput& input);

}  // namespace gprofx
