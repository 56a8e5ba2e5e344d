// Declares the functions of CUPTI that we call. They are looked up at run time, because no CUDA
// library is linked. One binary thus supports CUPTI 12.4 to 13.x and any copy that the program
// itself ships.
//
// Load is called once, in InitializeInjection. A function that a version does not have is null;
// GPROFX_CUPTI_REQUIRED lists the required ones. After Load the object is constant.
#pragma once

#include <cupti.h>
#include <cupti_pcsampling.h>

#include <cstdint>
#include <string>

namespace gprofx::cuda {

// X(name) is expanded for each function. `name` becomes the member; the symbol is "cupti" #name.
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

  uint32_t version = 0;  // result of cuptiGetVersion: 22 = 12.4, 130000 = 13.0
  std::string path;      // path of the library in use

  // Looks up all functions. Returns true if all required ones exist. Otherwise sets *problem to
  // what is missing and how to fix that.
  bool Load(std::string* problem);

  bool CanSamplePcs() const;
  // True if this version of CUPTI can leave a process and come back (cupti_session.h).
  bool CanLeave() const;
  const char* Text(CUptiResult result) const;  // the name of a result code
};

extern CuptiApi g_cupti;

}  // namespace gprofx::cuda
