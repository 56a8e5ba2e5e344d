// The functions of CUPTI, found at run time: no CUDA library is linked. One binary supports CUPTI
// 12.4 to 13.x and any copy that the program itself ships.
//
// Load is called once, in InitializeInjection. A function that a version does not have is null;
// GPROFX_CUPTI_REQUIRED lists the required ones. Threads: constant after Load.
#pragma once

#include <cupti.h>
#include <cupti_pcsampling.h>

#include <cstdint>
#include <string>

namespace gprofx::cuda {

// X(name): member `name`, symbol "cupti" #name.
#define GPROFX_CUPTI_REQUIRED(X)  \
  X(GetVersion)                   \
  X(Subscribe)                    \
  X(Unsubscribe)                  \
  X(EnableCallback)               \
  X(GetCallbackName)              \
  X(ActivityRegisterCallbacks)    \
  X(ActivityEnable)               \
  X(ActivityDisable)              \
  X(ActivityFlushAll)             \
  X(ActivityGetNextRecord)        \
  X(ActivityGetNumDroppedRecords) \
  X(ActivitySetAttribute)         \
  X(GetResultString)              \
  X(GetContextId)                 \
  X(GetDeviceId)

#define GPROFX_CUPTI_OPTIONAL(X)         \
  X(Subscribe_v2)                        \
  X(Finalize)                            \
  X(ActivityRegisterTimestampCallback)   \
  X(SetThreadIdType)                     \
  X(GetGraphNodeId)                      \
  X(RegisterComputeCrcCallback)          \
  X(PCSamplingEnable)                    \
  X(PCSamplingDisable)                   \
  X(PCSamplingGetData)                   \
  X(PCSamplingGetNumStallReasons)        \
  X(PCSamplingGetStallReasons)           \
  X(PCSamplingSetConfigurationAttribute) \
  X(PCSamplingGetConfigurationAttribute)

struct CuptiApi {
#define GPROFX_MEMBER(name) decltype(&::cupti##name) name = nullptr;
  GPROFX_CUPTI_REQUIRED(GPROFX_MEMBER)
  GPROFX_CUPTI_OPTIONAL(GPROFX_MEMBER)
#undef GPROFX_MEMBER

  uint32_t version = 0;  // as cuptiGetVersion returns it: 22 = 12.4, 130000 = 13.0
  std::string path;      // of the library in use

  // Returns true if all required functions exist; else `problem` says what is missing and how to
  // fix it.
  bool Load(std::string* problem);

  bool CanSamplePcs() const;
  // True if CUPTI can leave a process and come back (cupti_session.h).
  bool CanLeave() const;
  const char* Text(CUptiResult result) const;  // the name of a result code
};

extern CuptiApi g_cupti;

}  // namespace gprofx::cuda
