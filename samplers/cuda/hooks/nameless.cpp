#include "samplers/cuda/hooks/nameless.h"

#include <cstring>

#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/hooks/driver_functions.h"

namespace gprofx::cuda {
namespace {

char* CopyText(const char* text) { return strdup(text != nullptr ? text : ""); }

}  // namespace

bool ForgiveNameless() {
  static bool done = false;
  if (done) return true;
  const Replacement all[] = {
      {reinterpret_cast<uint64_t>(&strdup), reinterpret_cast<uint64_t>(&CopyText)}};
  const auto in_cupti = reinterpret_cast<uint64_t>(g_cupti.PCSamplingGetData);
  done = in_cupti != 0 && ReplacePointers(all, in_cupti) != 0;
  return done;
}

}  // namespace gprofx::cuda
