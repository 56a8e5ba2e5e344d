// Entry point of libgprofx-nvtx.so. On its first call, each copy of NVTX 3 in a program loads the
// library that NVTX_INJECTION64_PATH names and calls InitializeInjectionNvtx2.
//
// If there is no recording, InitializeInjectionNvtx2 returns 0, and NVTX stays disabled as it would
// without us. Only the message of a marker is recorded; names of threads and resources, colours,
// categories and payloads are not. No exceptions, no allocation except mappings, no output.
#include "samplers/nvtx/abi.h"
#include "samplers/nvtx/recording.h"
#include "samplers/nvtx/texts.h"

namespace gprofx::nvtx {
namespace {

using Handle = const void*;

void MarkEx(const Attributes* attributes) {
  Scratch scratch;
  Moment(nullptr, [&] { return TextOf(attributes, &scratch); });
}
void MarkA(const char* name) {
  Moment(nullptr, [=] { return TextOf(name); });
}
void MarkW(const wchar_t* name) {
  Scratch scratch;
  Moment(nullptr, [&] { return TextOf(name, &scratch); });
}

uint64_t RangeStartEx(const Attributes* attributes) {
  Scratch scratch;
  return Start(nullptr, [&] { return TextOf(attributes, &scratch); });
}
uint64_t RangeStartA(const char* name) {
  return Start(nullptr, [=] { return TextOf(name); });
}
uint64_t RangeStartW(const wchar_t* name) {
  Scratch scratch;
  return Start(nullptr, [&] { return TextOf(name, &scratch); });
}
void RangeEnd(uint64_t range) { End(range); }

int RangePushEx(const Attributes* attributes) {
  Scratch scratch;
  Push(nullptr, [&] { return TextOf(attributes, &scratch); });
  return kNoTracking;
}
int RangePushA(const char* name) {
  Push(nullptr, [=] { return TextOf(name); });
  return kNoTracking;
}
int RangePushW(const wchar_t* name) {
  Scratch scratch;
  Push(nullptr, [&] { return TextOf(name, &scratch); });
  return kNoTracking;
}
int RangePop() {
  Pop(nullptr);
  return kNoTracking;
}

void DomainMarkEx(Handle domain, const Attributes* attributes) {
  Scratch scratch;
  Moment(KeptAt(domain), [&] { return TextOf(attributes, &scratch); });
}
uint64_t DomainRangeStartEx(Handle domain, const Attributes* attributes) {
  Scratch scratch;
  return Start(KeptAt(domain), [&] { return TextOf(attributes, &scratch); });
}
void DomainRangeEnd(Handle, uint64_t range) { End(range); }
int DomainRangePushEx(Handle domain, const Attributes* attributes) {
  Scratch scratch;
  Push(KeptAt(domain), [&] { return TextOf(attributes, &scratch); });
  return kNoTracking;
}
int DomainRangePop(Handle domain) {
  Pop(KeptAt(domain));
  return kNoTracking;
}
Handle RegisterStringA(Handle, const char* text) { return Keep(TextOf(text), 0); }
Handle RegisterStringW(Handle, const wchar_t* text) {
  Scratch scratch;
  return Keep(TextOf(text, &scratch), 0);
}
Handle DomainCreateA(const char* name) { return NewDomain(TextOf(name)); }
Handle DomainCreateW(const wchar_t* name) {
  Scratch scratch;
  return NewDomain(TextOf(name, &scratch));
}

// The function pointers of one NVTX module, which can be replaced. Calls that this copy of NVTX
// does not have are skipped.
class Table {
 public:
  Table(const Callbacks& callbacks, Module module) {
    if (callbacks.module(module, &places_, &size_) == 0) places_ = nullptr;
  }
  template <class F>
  void Set(unsigned call, F* function) {
    if (places_ == nullptr || call >= size_ || places_[call] == nullptr) return;
    *places_[call] = reinterpret_cast<Function>(function);
  }

 private:
  Function** places_ = nullptr;
  unsigned int size_ = 0;
};

void Attach(const Callbacks& callbacks) {
  Table core(callbacks, kCore);
  core.Set(kMarkEx, MarkEx);
  core.Set(kMarkA, MarkA);
  core.Set(kMarkW, MarkW);
  core.Set(kRangeStartEx, RangeStartEx);
  core.Set(kRangeStartA, RangeStartA);
  core.Set(kRangeStartW, RangeStartW);
  core.Set(kRangeEnd, RangeEnd);
  core.Set(kRangePushEx, RangePushEx);
  core.Set(kRangePushA, RangePushA);
  core.Set(kRangePushW, RangePushW);
  core.Set(kRangePop, RangePop);
  Table domains(callbacks, kCore2);
  domains.Set(kDomainMarkEx, DomainMarkEx);
  domains.Set(kDomainRangeStartEx, DomainRangeStartEx);
  domains.Set(kDomainRangeEnd, DomainRangeEnd);
  domains.Set(kDomainRangePushEx, DomainRangePushEx);
  domains.Set(kDomainRangePop, DomainRangePop);
  domains.Set(kDomainRegisterStringA, RegisterStringA);
  domains.Set(kDomainRegisterStringW, RegisterStringW);
  domains.Set(kDomainCreateA, DomainCreateA);
  domains.Set(kDomainCreateW, DomainCreateW);
}

}  // namespace
}  // namespace gprofx::nvtx

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    gprofx::nvtx::ExportTable tables) {
  using gprofx::nvtx::Callbacks;
  if (tables == nullptr) return 0;
  const auto* callbacks = static_cast<const Callbacks*>(tables(gprofx::nvtx::kTableOfCallbacks));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(Callbacks) ||
      callbacks->module == nullptr || !gprofx::nvtx::JoinRecording())
    return 0;
  gprofx::nvtx::Attach(*callbacks);
  return 1;
}
