#include "samplers/recorder/file_readers.h"

namespace gprofx {
namespace {

// Of one module: the users who have mapped it, as far as the answer needs them.
class Users {
 public:
  void Add(const FileReader& user, uid_t own) {
    const FileReader one = user.user == own ? FileReader{own, 0} : user;
    if (!one_) one_ = one;
    if (*one_ != one) several_ = true;
  }
  bool any() const { return one_.has_value(); }
  std::optional<FileReader> Reader(uid_t own) const {
    if (several_) return kAnybody;
    if (!one_ || one_->user == own) return std::nullopt;
    return one_;
  }

 private:
  std::optional<FileReader> one_;
  bool several_ = false;
};

}  // namespace

FileReaders::FileReaders(const Profile& raw, const ProcessUsers& users, uid_t own) {
  if (own != 0) return;  // an ordinary user can only read what is his to read
  bool foreign = false;
  for (const auto& user : users) foreign = foreign || (user && user->user != own);
  if (!foreign) return;
  // A process that nobody could ask is anybody's now.
  const auto reader_of = [&](const std::optional<ProcessUser>& user) {
    return user ? FileReader{user->user, user->group} : kAnybody;
  };
  Users all;
  for (const auto& user : users) all.Add(reader_of(user), own);
  all_ = all.Reader(own);
  std::vector<Users> modules(raw.modules.size());
  for (const LoadRange& range : raw.ranges) {
    if (!range.module || range.module.index() >= modules.size()) continue;
    const bool known = range.process && range.process.index() < users.size();
    modules[range.module.index()].Add(
        reader_of(known ? users[range.process.index()] : std::nullopt), own);
  }
  for (const Users& module : modules) {
    by_module_.push_back(module.any() ? module.Reader(own) : all_);
  }
}

std::optional<FileReader> FileReaders::Of(ModuleId module) const {
  return module && module.index() < by_module_.size() ? by_module_[module.index()] : all_;
}

}  // namespace gprofx
