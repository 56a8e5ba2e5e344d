// Contexts, modules and graph nodes, as CUPTI reports them on the program's threads.
#pragma once

#include <cupti.h>

namespace gprofx::cuda {

void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data);

// Handles existing contexts, which CUPTI does not report (primary_contexts.h). Our own thread; each
// context is briefly current to it.
void TakePresentContexts();

}  // namespace gprofx::cuda
