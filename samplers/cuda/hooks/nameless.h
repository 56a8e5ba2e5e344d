// Works around a fault of CUPTI with functions that have no name. CUPTI copies the name of each
// function that has instruction samples. For a few it knows no name, and strdup(nullptr) in
// cuptiPCSamplingGetData ends the program: once in some hundreds of recordings with CUPTI 13.0. We
// therefore replace the pointer to strdup in CUPTI's library by a pointer to a function that treats
// null as an empty text.
#pragma once

namespace gprofx::cuda {

// Replaces the pointer permanently and returns true. Further calls then cost little. If a fork is
// in progress, or the pointer is read-only or not resolved yet, changes nothing and returns false.
// For our own thread, after CUPTI was loaded.
bool ForgiveNameless();

}  // namespace gprofx::cuda
