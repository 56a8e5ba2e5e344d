#include "core/variability/step_parts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace gprofx::variability {
namespace {

constexpr const char* kBusyNames[kParts] = {"compute", "exposed communication", "exposed copies"};

// A table of ns of one lane, with a row for each step and a column for each part.
class Rows {
 public:
  Rows(size_t steps, size_t width) : width_(width), ns_(steps * width) {}
  int64_t* operator[](size_t step) { return ns_.data() + step * width_; }
  size_t steps() const { return width_ == 0 ? 0 : ns_.size() / width_; }
  std::vector<int64_t> Take() { return std::move(ns_); }

 private:
  size_t width_;
  std::vector<int64_t> ns_;
};

class Table {
 public:
  Table(const Plan& plan, const Tally& tally) : plan_(plan), tally_(tally) {
    const bool tells = std::any_of(plan.lanes.begin(), plan.lanes.end(),
                                   [](const PlanLane& lane) { return lane.tells_idle; });
    names_.assign(std::begin(kBusyNames), std::end(kBusyNames));
    if (!tells) {
      names_.emplace_back(kIdle);
      return;
    }
    AddWaits();
    for (size_t i = 0; i < kHostClasses; ++i) {
      names_.emplace_back(SharePart(static_cast<HostClass>(i)));
    }
    names_.emplace_back(kUnexplainedPart);
  }

  StepParts Make() {
    StepParts out;
    for (uint32_t lane = 0; lane < plan_.lanes.size(); ++lane) {
      if (plan_.lanes[lane].steps.size() <= plan_.lanes[lane].warm_up) continue;
      out.lanes.push_back({lane, OfLane(lane)});
    }
    Order(out);
    return out;
  }

 private:
  // Adds a column for each of the waiting calls with the most time, one for all other calls, and
  // one for full queues.
  void AddWaits() {
    std::vector<std::pair<int64_t, const std::string*>> most;
    for (const auto& [part, of_steps] : tally_.idle) {
      int64_t sum = 0;
      for (const auto& [key, ns] : of_steps) {
        if (key.second >= plan_.lanes[key.first].warm_up) AddWrapped(sum, ns);
      }
      most.emplace_back(-sum, &part);
    }
    std::stable_sort(most.begin(), most.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < most.size(); ++i) {
      column_[*most[i].second] = kParts + std::min(i, kMaxWaits);
      if (i <= kMaxWaits) names_.push_back(i < kMaxWaits ? *most[i].second : kOtherCauses);
    }
  }

  // Returns the parts of each step of a lane. The last column starts as all idle time, the step
  // time minus the busy parts. The time of each idle cause is then subtracted from it.
  std::vector<int64_t> OfLane(uint32_t lane) {
    const PlanLane& plan = plan_.lanes[lane];
    const size_t rest = names_.size() - 1;
    Rows rows(plan.steps.size() - plan.warm_up, names_.size());
    for (const auto& [part, of_steps] : tally_.idle) {
      const size_t column = column_.at(part);
      auto row = of_steps.lower_bound({lane, plan.warm_up});
      for (; row != of_steps.end() && row->first.first == lane; ++row) {
        const size_t k = row->first.second - plan.warm_up;
        if (k < rows.steps()) AddWrapped(rows[k][column], row->second);
      }
    }
    for (uint32_t k = plan.warm_up; k < plan.steps.size(); ++k) {
      int64_t* row = rows[k - plan.warm_up];
      int64_t idle = plan.steps[k].end - plan.steps[k].begin;
      const auto found = tally_.steps.find({lane, k});
      for (size_t i = 0; found != tally_.steps.end() && i < kParts; ++i) {
        row[i] = found->second.parts[i];
        idle -= row[i];
      }
      for (size_t i = kParts; i < rest; ++i) idle -= row[i];
      if (rest > kParts && found != tally_.steps.end()) {
        const HostShares shares = ScaleToLimit(found->second.sampled, std::max<int64_t>(idle, 0));
        for (size_t i = 0; i < kHostClasses; ++i) {
          row[rest - kHostClasses + i] = shares[i];
          idle -= shares[i];
        }
      }
      row[rest] = idle;
    }
    return rows.Take();
  }

  // Drops idle parts that are 0 in all steps and sorts the others, largest first.
  void Order(StepParts& out) {
    const size_t width = names_.size();
    std::vector<int64_t> sums(width);
    for (const LaneParts& lane : out.lanes) {
      for (size_t i = 0; i < lane.ns.size(); ++i) AddWrapped(sums[i % width], lane.ns[i]);
    }
    std::vector<size_t> order(width);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto first = order.begin() + kParts, last = order.end() - 1;
    const auto kept =
        std::stable_partition(first, last, [&](size_t column) { return sums[column] != 0; });
    std::stable_sort(first, kept, [&](size_t a, size_t b) { return sums[a] > sums[b]; });
    order.erase(kept, last);
    for (const size_t column : order) out.names.push_back(names_[column]);
    for (LaneParts& lane : out.lanes) {
      std::vector<int64_t> ns;
      ns.reserve(lane.ns.size() / width * order.size());
      for (size_t row = 0; row < lane.ns.size(); row += width) {
        for (const size_t column : order) ns.push_back(lane.ns[row + column]);
      }
      lane.ns = std::move(ns);
    }
  }

  const Plan& plan_;
  const Tally& tally_;
  std::vector<std::string> names_;
  std::map<std::string, size_t> column_;  // by name in tally_.idle
};

}  // namespace

StepParts PartsOf(const Plan& plan, const Tally& tally) { return Table(plan, tally).Make(); }

}  // namespace gprofx::variability
