// Handles events of contexts, modules and graph nodes, which CUPTI reports on the program's
// threads.
#pragma once

#include <cupti.h>

namespace gprofx::cuda {

void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data);

// Handles the contexts that existed before CUPTI (primary_contexts.h), which CUPTI does not report.
// For our own thread, to which each context is current for a moment.
void TakePresentContexts();

}  // namespace gprofx::cuda
