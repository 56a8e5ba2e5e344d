#include "samplers/collector/unseen_threads.h"

#include <algorithm>
#include <iterator>

namespace gprofx {
namespace {

constexpr HostNs kAskAgain = 1'000'000'000;
constexpr HostNs kAnswered = 100'000'000;  // who takes requests did so in this time
constexpr int kLooks = 2;

}  // namespace

void UnseenThreads::Looked(const std::vector<int64_t>& alive, const std::vector<int64_t>& seen) {
  std::vector<int64_t> unseen;
  std::set_difference(alive.begin(), alive.end(), seen.begin(), seen.end(),
                      std::back_inserter(unseen));
  std::vector<Thread> now;
  found_ = false;
  auto before = threads_.begin();
  for (const int64_t tid : unseen) {
    while (before != threads_.end() && before->tid < tid) ++before;
    Thread thread{tid};
    if (before != threads_.end() && before->tid == tid) thread = *before;
    found_ = ++thread.looks == 1 || found_;
    now.push_back(thread);
  }
  any_ = any_ || std::any_of(threads_.begin(), threads_.end(), [&](const Thread& thread) {
           return thread.asked != 0 && std::binary_search(seen.begin(), seen.end(), thread.tid);
         });
  threads_ = std::move(now);
}

bool UnseenThreads::Due(const Thread& thread, HostNs now) {
  return thread.looks >= kLooks && (thread.asked == 0 || now - thread.asked >= kAskAgain);
}

std::vector<int64_t> UnseenThreads::Due(HostNs now) const {
  std::vector<int64_t> due;
  for (const Thread& thread : threads_) {
    if (Due(thread, now)) due.push_back(thread.tid);
  }
  return due;
}

void UnseenThreads::Asked(int64_t tid, HostNs now) {
  for (Thread& thread : threads_) {
    if (thread.tid == tid) thread.asked = std::max<HostNs>(now, 1);
  }
}

std::optional<int64_t> UnseenThreads::Next(HostNs now, bool free) {
  const auto due = std::find_if(threads_.begin(), threads_.end(),
                                [&](const Thread& thread) { return Due(thread, now); });
  if (!free || due == threads_.end()) return std::nullopt;
  due->asked = std::max<HostNs>(now, 1);
  latest_ = now;
  return due->tid;
}

bool UnseenThreads::Hurries(HostNs now) const {
  return found_ || (now - latest_ < kAnswered &&
                    std::any_of(threads_.begin(), threads_.end(),
                                [&](const Thread& thread) { return Due(thread, now); }));
}

}  // namespace gprofx
