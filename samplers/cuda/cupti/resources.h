// Contexts, modules and nodes of graphs, as CUPTI tells of them on the program's threads.
#pragma once

#include <cupti.h>

namespace gprofx::cuda {

void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data);

// CUPTI tells nobody of contexts that are there already (primary_contexts.h). Our own thread; each
// is current to it for a moment.
void TakePresentContexts();

}  // namespace gprofx::cuda
