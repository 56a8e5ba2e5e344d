#include "samplers/cuda/cupti/resources.h"

#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/cupti/fence.h"
#include "samplers/cuda/cupti/primary_contexts.h"
#include "samplers/cuda/modules.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

uint32_t NumberOf(CUcontext context) {
  uint32_t id = 0;
  g_cupti.GetContextId(context, &id);
  return id;
}

void ContextCreated(CUcontext context) {
  const uint32_t id = NumberOf(context);
  uint32_t device = 0;
  ContextBegins(id);
  g_cupti.GetDeviceId(context, &device);
  const DeviceFacts facts = DescribeDevice(device);
  wire::GpuContextRecord record{};
  record.context = id;
  record.device = device;
  WriteRecord(wire::kGpuContext, record);
  TheShared().pc.ContextCreated(context, id, device, facts);
}

// Records the stack that makes a graph node. Only these stacks distinguish a graph's kernels,
// because the launch of the graph is a single call for all of them.
void GraphNode(CUpti_CallbackId id, const CUpti_GraphData& data) {
  KeepCupti();
  wire::GpuGraphNodeRecord record{};
  uint64_t node = 0;
  if (g_cupti.GetGraphNodeId == nullptr ||
      g_cupti.GetGraphNodeId(data.node, &node) != CUPTI_SUCCESS)
    return;
  record.graph_node = node;
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    if (g_cupti.GetGraphNodeId(data.originalNode, &node) != CUPTI_SUCCESS) return;
    record.original = node;
  } else {
    record.node = g_state.agent->begin_call(wire::kCallGraphBuild, 0, 0, g_state.Now());
    g_state.agent->end_call(wire::kCallGraphBuild, UINT64_MAX);
    g_state.Count(wire::kGpuCaptures);
  }
  WriteRecord(wire::kGpuGraphNode, record);
}

}  // namespace

void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  Shared& shared = TheShared();
  switch (id) {
    case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
      ContextCreated(data.context);
      break;
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      ContextEnds(NumberOf(data.context));
      shared.pc.ContextDestroyed(data.context, shared.names);
      break;
    case CUPTI_CBID_RESOURCE_MODULE_LOADED: {
      const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
      if (module != nullptr) KeepModule(module->pCubin, module->cubinSize);
      break;
    }
    case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      shared.pc.Drain(shared.names);  // CUPTI still knows the names in the module now
      break;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
      if (data.resourceDescriptor != nullptr)
        GraphNode(id, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
      break;
    default:
      break;
  }
}

void TakePresentContexts() { ForEachPrimaryContext(ContextCreated); }

}  // namespace gprofx::cuda
