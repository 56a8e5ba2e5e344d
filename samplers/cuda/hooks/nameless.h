// Functions without a name. CUPTI copies the name of each function that it has instruction samples
// of. It knows no name of a few, and strdup(nullptr) in cuptiPCSamplingGetData ends the program:
// once in some hundreds of recordings with CUPTI 13.0. So where CUPTI's library keeps its pointer
// to strdup stands a function of ours, for which no text is an empty one.
#pragma once

namespace gprofx::cuda {

// Asked again it is cheap once it was true. Our own thread, once CUPTI is loaded. False: not now,
// as a program forks at this moment, or the pointer is read-only or was not needed yet; all is as
// before. What was replaced stays so.
bool ForgiveNameless();

}  // namespace gprofx::cuda
