#include "formats/profile_rows.h"

#include <algorithm>

#include "formats/changed_rows.h"

namespace gprofx {
namespace {

template <class Map, class Write>
bool WriteChangedEntries(const Map& entries, const Map& stored, Write write) {
  for (const auto& [name, value] : entries) {
    const auto found = stored.find(name);
    if (found != stored.end() && found->second == value) continue;
    if (!write(name, value)) return false;
  }
  return true;
}

}  // namespace

ProfileRows::ProfileRows(sqlite3* db)
    : string_(db, "INSERT INTO string VALUES(?,?)"),
      function_(db, "INSERT INTO function VALUES(?,?,?,?,?)"),
      frame_(db, "INSERT INTO frame VALUES(?,?,?,?,?,?,?)"),
      node_(db, "INSERT INTO node VALUES(?,?,?)"),
      metric_(db, "INSERT INTO metric VALUES(?,?,?,?)"),
      process_(db, "INSERT OR REPLACE INTO process VALUES(?,?,?,?,?,?,?,?)"),
      thread_(db, "INSERT OR REPLACE INTO thread VALUES(?,?,?,?,?,?,?,?)"),
      module_(db, "INSERT OR REPLACE INTO module VALUES(?,?,?,?)"),
      range_(db, "INSERT OR REPLACE INTO load_range VALUES(?,?,?,?,?,?)"),
      new_value_(db, "INSERT INTO value VALUES(?,?,?,?,?)"),
      value_(db, "UPDATE value SET self=?2 WHERE id=?1"),
      meta_(db, "INSERT OR REPLACE INTO meta VALUES(?,?)"),
      quality_(db, "INSERT OR REPLACE INTO quality VALUES(?,?)"),
      gpu_(db) {}

bool ProfileRows::Write(const Profile& profile) {
  return WriteNames(profile) && WriteOwners(profile) && WriteTree(profile) &&
         WriteValues(profile) && gpu_.Write(profile.gpu) && WriteFacts(profile);
}

bool ProfileRows::WriteNames(const Profile& profile) {
  for (size_t i = stored_.strings; i < profile.string_count(); ++i) {
    const StringId id{static_cast<uint32_t>(i + 1)};
    if (!string_.Run(id.value, profile.Text(id))) return false;
  }
  for (size_t i = stored_.functions; i < profile.functions.size(); ++i) {
    const Function& f = profile.functions[i];
    if (!function_.Run(uint64_t{i + 1}, f.name.value, f.file.value, f.first_line, f.module.value)) {
      return false;
    }
  }
  return true;
}

bool ProfileRows::WriteTree(const Profile& profile) {
  for (size_t i = stored_.frames; i < profile.frames.size(); ++i) {
    const Frame& f = profile.frames[i];
    if (!frame_.Run(uint64_t{i + 1}, static_cast<int>(f.kind), f.function.value, f.file.value,
                    f.line, f.module.value, f.address)) {
      return false;
    }
  }
  for (size_t i = stored_.nodes; i < profile.nodes.size(); ++i) {
    const Node& node = profile.nodes[i];
    if (!node_.Run(uint64_t{i + 1}, node.parent.value, node.frame.value)) return false;
  }
  for (size_t i = stored_.metrics; i < profile.metrics.size(); ++i) {
    const Metric& m = profile.metrics[i];
    if (!metric_.Run(uint64_t{i + 1}, std::string_view(m.name), std::string_view(m.unit),
                     static_cast<int>(m.kind))) {
      return false;
    }
  }
  return true;
}

bool ProfileRows::WriteOwners(const Profile& profile) {
  return WriteChanged(profile.processes, stored_.processes,
                      [this](uint32_t id, const Process& p) {
                        return process_.Run(id, p.pid, p.parent_pid, p.name.value, p.command.value,
                                            p.start, p.end, p.exit_status);
                      }) &&
         WriteChanged(profile.threads, stored_.threads,
                      [this](uint32_t id, const Thread& t) {
                        return thread_.Run(id, t.process.value, t.tid, t.name.value, t.start, t.end,
                                           t.cpu_ns, t.lost_ns);
                      }) &&
         WriteChanged(profile.modules, stored_.modules,
                      [this](uint32_t id, const Module& m) {
                        return module_.Run(id, m.path.value, m.build_id.value, m.flags);
                      }) &&
         WriteChanged(profile.ranges, stored_.ranges, [this](uint32_t id, const LoadRange& r) {
           return range_.Run(id, r.process.value, r.module.value, r.base, r.begin, r.end);
         });
}

bool ProfileRows::WriteValues(const Profile& profile) {
  changed_values_.clear();
  const size_t stored = std::min(stored_.values.size(), profile.values.size());
  for (size_t i = 0; i < stored; ++i) {
    if (profile.values[i].self == stored_.values[i]) continue;
    if (!value_.Run(uint64_t{i + 1}, profile.values[i].self)) return false;
    changed_values_.push_back(static_cast<uint32_t>(i));
  }
  for (size_t i = stored; i < profile.values.size(); ++i) {
    const Value& v = profile.values[i];
    if (!new_value_.Run(uint64_t{i + 1}, v.node.value, v.thread.value, v.metric.value, v.self)) {
      return false;
    }
  }
  return true;
}

bool ProfileRows::WriteFacts(const Profile& profile) {
  return WriteChangedEntries(profile.meta, stored_.meta,
                             [this](const std::string& name, const std::string& value) {
                               return name == "complete" || name == "schema" ||
                                      WriteMeta(name, value);
                             }) &&
         WriteChangedEntries(
             profile.quality, stored_.quality,
             [this](const std::string& name, int64_t value) { return WriteQuality(name, value); });
}

bool ProfileRows::WriteMeta(const std::string& name, const std::string& value) {
  return meta_.Run(std::string_view(name), std::string_view(value));
}

bool ProfileRows::WriteQuality(const std::string& name, int64_t value) {
  return quality_.Run(std::string_view(name), value);
}

void ProfileRows::Remember(const Profile& profile) {
  stored_.strings = profile.string_count();
  stored_.functions = profile.functions.size();
  stored_.frames = profile.frames.size();
  stored_.nodes = profile.nodes.size();
  stored_.metrics = profile.metrics.size();
  stored_.processes = profile.processes;
  stored_.threads = profile.threads;
  stored_.modules = profile.modules;
  stored_.ranges = profile.ranges;
  for (const uint32_t i : changed_values_) stored_.values[i] = profile.values[i].self;
  for (size_t i = stored_.values.size(); i < profile.values.size(); ++i) {
    stored_.values.push_back(profile.values[i].self);
  }
  stored_.meta = profile.meta;
  stored_.quality = profile.quality;
  gpu_.Remember(profile.gpu);
}

}  // namespace gprofx
