#include "samplers/collector/drain/unseen_threads.h"

#include <algorithm>
#include <utility>

namespace gprofx {
namespace {

constexpr HostNs kAskAgain = 1'000'000'000;
// A process that takes requests takes one within this time.
constexpr HostNs kAnswered = 100'000'000;
constexpr HostNs kApart = 40'000'000;  // minimum time between two checks

}  // namespace

void UnseenThreads::Looked(HostNs now, const std::vector<int64_t>& unseen,
                           const std::vector<int64_t>& seen) {
  std::vector<Thread> found;
  auto before = threads_.begin();
  for (const int64_t tid : unseen) {
    while (before != threads_.end() && before->tid < tid) ++before;
    const bool known = before != threads_.end() && before->tid == tid;
    found.push_back(known ? *before : Thread{.tid = tid, .found = now});
    found.back().latest = now;
  }
  any_ = any_ || std::any_of(threads_.begin(), threads_.end(), [&](const Thread& thread) {
           return thread.asked != 0 && std::binary_search(seen.begin(), seen.end(), thread.tid);
         });
  threads_ = std::move(found);
}

bool UnseenThreads::Due(const Thread& thread, HostNs now) {
  return thread.latest - thread.found >= kApart &&
         (thread.asked == 0 || now - thread.asked >= kAskAgain);
}

std::optional<int64_t> UnseenThreads::Next(HostNs now, bool free) {
  const auto due = std::find_if(threads_.begin(), threads_.end(),
                                [&](const Thread& thread) { return Due(thread, now); });
  if (!free || due == threads_.end()) return std::nullopt;
  due->asked = asked_ = std::max<HostNs>(now, 1);
  return due->tid;
}

bool UnseenThreads::Hurries(HostNs now) const {
  return now - asked_ < kAnswered &&
         std::any_of(threads_.begin(), threads_.end(),
                     [&](const Thread& thread) { return thread.asked == 0 && Due(thread, now); });
}

}  // namespace gprofx
