#include "samplers/collector/processes/user_shares.h"

#include <algorithm>
#include <cstdint>

#include "samplers/collector/session.h"

namespace gprofx {

size_t UserShares::BytesNow() {
  constexpr size_t kIndex = 40;  // approximate bytes per row that an index takes
  for (; strings_ < profile_.string_count(); ++strings_) {
    text_bytes_ += profile_.Text(StringId{static_cast<uint32_t>(strings_ + 1)}).size();
  }
  const Profile& p = profile_;
  return gpu_.bytes() + markers_.bytes() + text_bytes_ +
         strings_ * (sizeof(std::string_view) + kIndex) +
         p.functions.size() * (sizeof(Function) + kIndex) +
         p.frames.size() * (sizeof(Frame) + kIndex) + p.nodes.size() * (sizeof(Node) + kIndex) +
         p.values.size() * (sizeof(Value) + kIndex) + p.threads.size() * sizeof(Thread) +
         p.processes.size() * sizeof(Process) + p.modules.size() * sizeof(Module) +
         p.ranges.size() * sizeof(LoadRange);
}

void UserShares::BeginLook() {
  others_ns_ = 0;
  for (Share& share : shares_) share.look_ns = 0, share.entries = 0;
}

bool UserShares::HasTime(size_t user) const {
  if (user == 0) return true;
  return others_ns_ < kMaxOthersNs &&
         (user >= shares_.size() || shares_[user].look_ns < kMaxLookNs);
}

bool UserShares::IsLeftOut(size_t user) const {
  return user < shares_.size() && shares_[user].left_out;
}

size_t UserShares::EntriesLeft(size_t user) const {
  if (user == 0 || (user < shares_.size() && shares_[user].is_asked)) return SIZE_MAX;
  const size_t read = user < shares_.size() ? shares_[user].entries : 0;
  return kMaxEntries - std::min(read, kMaxEntries);
}

void UserShares::AddEntries(size_t user, size_t entries) { Of(user).entries += entries; }

void UserShares::TakeBytes(size_t user, size_t bytes) {
  Share& share = Of(user);
  share.bytes -= std::min(bytes, share.bytes);
}

UserShares::Share& UserShares::Of(size_t user) {
  if (user >= shares_.size()) shares_.resize(user + 1);
  return shares_[user];
}

void UserShares::Add(size_t user, int64_t ns, size_t bytes) {
  Share& share = Of(user);
  share.look_ns += ns;
  if (user != 0) others_ns_ += ns;
  share.bytes += bytes;
  const size_t most = user == 0 || share.is_asked ? kMaxOwnBytes : kMaxBytes;
  if (share.left_out || share.bytes <= most) return;
  share.left_out = true;
  ++left_out_;
  untold_.push_back(user);
}

UserShares::Account::Account(UserShares& shares, size_t user)
    : shares_(shares), user_(user), began_(MonotonicNs()), bytes_(shares.BytesNow()) {}

UserShares::Account::~Account() {
  const size_t now = shares_.BytesNow();
  if (now < bytes_) shares_.TakeBytes(user_, bytes_ - now);
  shares_.Add(user_, MonotonicNs() - began_, now - std::min(now, bytes_));
}

}  // namespace gprofx
