// Our declarations of NVTX against its headers.
#include "samplers/nvtx/abi.h"

#include <nvtx3/nvToolsExt.h>

#include <catch2/catch.hpp>

namespace gprofx::nvtx {
namespace {

static_assert(sizeof(Attributes) == sizeof(nvtxEventAttributes_t));
static_assert(offsetof(Attributes, size) == offsetof(nvtxEventAttributes_t, size));
static_assert(offsetof(Attributes, message_type) == offsetof(nvtxEventAttributes_t, messageType));
static_assert(offsetof(Attributes, message) == offsetof(nvtxEventAttributes_t, message));
static_assert(sizeof(Callbacks) == sizeof(NvtxExportTableCallbacks));

TEST_CASE("The numbers of NVTX are those of its headers") {
  CHECK(int{kTableOfCallbacks} == int{NVTX_ETID_CALLBACKS});
  CHECK(int{kCore} == int{NVTX_CB_MODULE_CORE});
  CHECK(int{kCore2} == int{NVTX_CB_MODULE_CORE2});
  CHECK(int{kMarkEx} == int{NVTX_CBID_CORE_MarkEx});
  CHECK(int{kRangeEnd} == int{NVTX_CBID_CORE_RangeEnd});
  CHECK(int{kRangePop} == int{NVTX_CBID_CORE_RangePop});
  CHECK(int{kDomainMarkEx} == int{NVTX_CBID_CORE2_DomainMarkEx});
  CHECK(int{kDomainRangePop} == int{NVTX_CBID_CORE2_DomainRangePop});
  CHECK(int{kDomainRegisterStringA} == int{NVTX_CBID_CORE2_DomainRegisterStringA});
  CHECK(int{kDomainCreateW} == int{NVTX_CBID_CORE2_DomainCreateW});
  CHECK(int{kMessageAscii} == int{NVTX_MESSAGE_TYPE_ASCII});
  CHECK(int{kMessageWide} == int{NVTX_MESSAGE_TYPE_UNICODE});
  CHECK(int{kMessageRegistered} == int{NVTX_MESSAGE_TYPE_REGISTERED});
  CHECK(kNoTracking == NVTX_NO_PUSH_POP_TRACKING);
}

}  // namespace
}  // namespace gprofx::nvtx
