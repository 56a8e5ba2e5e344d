#include "formats/profile/profile_rows.h"

#include <algorithm>

namespace gprofx {

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
  for (size_t i = 0; i < profile.string_count(); ++i) {
    const StringId id{static_cast<uint32_t>(i + 1)};
    if (!Put(id.value, profile.Text(id))) return false;
  }
  return PutAll(profile.functions) && PutAll(profile.processes) && PutAll(profile.threads) &&
         PutAll(profile.modules) && PutAll(profile.ranges) && PutAll(profile.frames) &&
         PutAll(profile.nodes) && PutAll(profile.metrics) && PutAll(profile.values) &&
         gpu_.Write(profile.gpu) && WriteFacts(profile.meta, profile.quality);
}

bool ProfileRows::Write(const ProfileChanges& changes) {
  return PutChanged(changes.strings) && PutChanged(changes.functions) &&
         PutChanged(changes.processes) && PutChanged(changes.threads) &&
         PutChanged(changes.modules) && PutChanged(changes.ranges) && PutChanged(changes.frames) &&
         PutChanged(changes.nodes) && PutChanged(changes.metrics) &&
         std::all_of(changes.selves.begin(), changes.selves.end(),
                     [this](const auto& self) { return value_.Run(self.first, self.second); }) &&
         PutChanged(changes.new_values) && gpu_.Write(changes.gpu) &&
         WriteFacts(changes.meta, changes.quality);
}

template <class Meta, class Quality>
bool ProfileRows::WriteFacts(const Meta& meta, const Quality& quality) {
  // Skip `complete` and `schema`, which the writer of the file sets itself.
  return std::all_of(meta.begin(), meta.end(),
                     [this](const auto& fact) {
                       return fact.first == "complete" || fact.first == "schema" ||
                              WriteMeta(fact.first, fact.second);
                     }) &&
         std::all_of(quality.begin(), quality.end(),
                     [this](const auto& fact) { return WriteQuality(fact.first, fact.second); });
}

bool ProfileRows::Put(uint32_t id, std::string_view text) { return string_.Run(id, text); }

bool ProfileRows::Put(uint32_t id, const Function& f) {
  return function_.Run(id, f.name.value, f.file.value, f.first_line, f.module.value);
}

bool ProfileRows::Put(uint32_t id, const Frame& f) {
  return frame_.Run(id, static_cast<int>(f.kind), f.function.value, f.file.value, f.line,
                    f.module.value, f.address);
}

bool ProfileRows::Put(uint32_t id, const Node& node) {
  return node_.Run(id, node.parent.value, node.frame.value);
}

bool ProfileRows::Put(uint32_t id, const Metric& m) {
  return metric_.Run(id, std::string_view(m.name), std::string_view(m.unit),
                     static_cast<int>(m.kind));
}

bool ProfileRows::Put(uint32_t id, const Process& p) {
  return process_.Run(id, p.pid, p.parent_pid, p.name.value, p.command.value, p.start, p.end,
                      p.exit_status);
}

bool ProfileRows::Put(uint32_t id, const Thread& t) {
  return thread_.Run(id, t.process.value, t.tid, t.name.value, t.start, t.end, t.cpu_ns, t.lost_ns);
}

bool ProfileRows::Put(uint32_t id, const Module& m) {
  return module_.Run(id, m.path.value, m.build_id.value, m.flags);
}

bool ProfileRows::Put(uint32_t id, const LoadRange& r) {
  return range_.Run(id, r.process.value, r.module.value, r.base, r.begin, r.end);
}

bool ProfileRows::Put(uint32_t id, const Value& v) {
  return new_value_.Run(id, v.node.value, v.thread.value, v.metric.value, v.self);
}

bool ProfileRows::WriteMeta(const std::string& name, const std::string& value) {
  return meta_.Run(std::string_view(name), std::string_view(value));
}

bool ProfileRows::WriteQuality(const std::string& name, int64_t value) {
  return quality_.Run(std::string_view(name), value);
}

}  // namespace gprofx
