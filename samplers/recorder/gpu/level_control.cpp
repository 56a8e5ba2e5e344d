#include "samplers/recorder/gpu/level_control.h"

#include <utility>

namespace gprofx::recorder {
namespace {

constexpr HostNs kFollowWithin = 500'000'000;

}  // namespace

Status LevelControl::Open(const std::string& where) {
  if (where.empty()) return Ok();
  auto channel = ControlChannel::Open(where);
  if (!channel) return channel.error();
  channel_.emplace(std::move(*channel));
  return Ok();
}

bool LevelControl::Take(Session& session) {
  const auto commands = channel_ ? channel_->Take() : std::nullopt;
  if (!commands) return false;
  level_ = commands->latest;
  unanswered_ += commands->count;
  session.SetGpuLevel(level_);
  until_ = session.Now() + kFollowWithin;
  return true;
}

void LevelControl::Answer(const ProcessTable& processes, HostNs now) {
  if (until_ == 0 || !(now >= until_ || processes.HaveLevel(level_))) return;
  until_ = 0;
  for (; unanswered_ > 0; --unanswered_) channel_->Acknowledge();
}

void LevelControl::AnswerAll(Session& session) {
  Take(session);
  until_ = 0;
  for (; unanswered_ > 0; --unanswered_) channel_->Acknowledge();
}

}  // namespace gprofx::recorder
