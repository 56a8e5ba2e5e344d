#include "samplers/recorder/file_readers.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace gprofx::recorder {
namespace {

// The rights of each user whose processes were recorded. The groups of a user are those that all
// processes of the user have. A process that ended before its groups could be read has the group of
// kAnybody and is ignored.
class UserRights {
 public:
  explicit UserRights(const ProcessUsers& users) {
    for (const auto& user : users) {
      if (user && user->group != kAnybody.group) Add(*user);
    }
  }
  FileReader Of(uid_t user) const {
    const auto found = readers_.find(user);
    return found == readers_.end() ? FileReader{user, kAnybody.group} : found->second;
  }

 private:
  void Add(const ProcessUser& user) {
    const auto [at, is_new] =
        readers_.emplace(user.user, FileReader{user.user, user.group, user.groups});
    FileReader& reader = at->second;
    if (is_new) return;
    if (reader.group != user.group) reader.group = kAnybody.group;
    std::vector<gid_t> common;
    std::set_intersection(reader.groups.begin(), reader.groups.end(), user.groups.begin(),
                          user.groups.end(), std::back_inserter(common));
    reader.groups = std::move(common);
  }

  std::unordered_map<uid_t, FileReader> readers_;
};

// Collects the users whose processes have mapped a module.
class Users {
 public:
  void Add(const std::optional<ProcessUser>& user) {
    if (!user) return;
    if (!one_) one_ = user->user;
    several_ = several_ || *one_ != user->user;
  }
  // Returns the result of FileReaders::Of for this module. If the user of no process is
  // known, that is kAnybody, because these processes may have changed their user.
  std::optional<FileReader> Reader(uid_t own, const UserRights& rights) const {
    if (several_ || !one_) return kAnybody;
    return *one_ == own ? std::nullopt : std::optional(rights.Of(*one_));
  }

 private:
  std::optional<uid_t> one_;
  bool several_ = false;
};

}  // namespace

FileReaders::FileReaders(const Profile& raw, const ProcessUsers& users, uid_t own) {
  if (own != 0) return;  // an ordinary user has no rights beyond the user's own
  bool foreign = false, unknown = false;
  Users all;
  for (const auto& user : users) {
    foreign = foreign || (user && user->user != own);
    unknown = unknown || !user;
    all.Add(user);
  }
  if (!foreign) return;
  const UserRights rights(users);
  all_ = unknown ? kAnybody : all.Reader(own, rights);
  std::vector<std::optional<Users>> modules(raw.modules.size());
  for (const LoadRange& range : raw.ranges) {
    if (!range.module || range.module.index() >= modules.size()) continue;
    std::optional<Users>& module = modules[range.module.index()];
    if (!module) module.emplace();
    if (range.process && range.process.index() < users.size()) {
      module->Add(users[range.process.index()]);
    }
  }
  for (const auto& module : modules) {
    by_module_.push_back(module ? module->Reader(own, rights) : all_);
  }
}

std::vector<bool> ReadableSources(size_t processes, const ProcessUsers& users,
                                  const std::vector<std::optional<bool>>& sees_our_files,
                                  uid_t own) {
  std::vector<bool> readable;
  for (size_t i = 0; i < processes; ++i) {
    const std::optional<bool> same = i < sees_our_files.size() ? sees_our_files[i] : std::nullopt;
    const bool same_user = i < users.size() && users[i] && users[i]->user == own;
    const bool is_ours = own != 0 || (same_user && same == true);
    readable.push_back(is_ours && same != false);
  }
  return readable;
}

std::optional<FileReader> FileReaders::Of(ModuleId module) const {
  return module && module.index() < by_module_.size() ? by_module_[module.index()] : all_;
}

}  // namespace gprofx::recorder
