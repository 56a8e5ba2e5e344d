// Handles functions without a name. CUPTI copies the name of each function that has instruction
// samples. For a few it knows no name, and strdup(nullptr) in cuptiPCSamplingGetData ends the
// program: once in some hundreds of recordings with CUPTI 13.0. We therefore replace the pointer to
// strdup in CUPTI's library by a function that treats null as an empty text.
#pragma once

namespace gprofx::cuda {

// Replaces the pointer; the replacement is permanent. Once it has returned true, further calls are
// cheap. Returns false, without effect, if it is not possible now: a fork is in progress, or the
// pointer is read-only or not resolved yet. Our own thread, once CUPTI is loaded.
bool ForgiveNameless();

}  // namespace gprofx::cuda
