// Recordings of trainings with all of their GPU work, for tests that leave some of it out. Read
// from GPROFX_SHARED; one line says which are not there.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "formats/profile/profile_reader.h"
#include "formats/reading/analysis_read.h"

namespace gprofx::test {

// use(name, profile, work) for each.
template <class Use>
void ForSharedProfiles(const Use& use) {
  const char* shared = getenv("GPROFX_SHARED");
  for (const char* name : {"gpt2_train_h100", "ddp_2x_h100"}) {
    const std::string path =
        std::string(shared == nullptr ? "" : shared) + "/profiles/" + name + ".gprofx";
    if (!std::filesystem::exists(path)) {
      WARN("skipped: no " << name << ".gprofx in GPROFX_SHARED");
      continue;
    }
    const Result<ProfileReader> reader = ProfileReader::Open(path);
    REQUIRE(reader);
    const Result<Profile> profile = reader->Load();
    REQUIRE(profile);
    const Result<GpuWorkEvents> work = ReadGpuWork(*reader, *profile);
    REQUIRE(work);
    use(name, *profile, *work);
  }
}

}  // namespace gprofx::test
