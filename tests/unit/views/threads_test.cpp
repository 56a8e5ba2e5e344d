// Threads that only wait, and processes that are workers.
#include "core/views/threads.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/views/naming/process_titles.h"
#include "core/views/view.h"
#include "core/views/waiting.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

std::vector<ThreadRow> RowsOf(const Profile& profile, bool fold, const Query& query = {}) {
  Query threads = query;
  threads.kind = ViewKind::kThreads;
  Result<View> view = BuildView(profile, threads, {.fold_threads = fold});
  REQUIRE(view);
  return view->threads->rows;
}

int64_t SumOfThreads(const std::vector<ThreadRow>& rows) {
  int64_t sum = 0;
  for (const ThreadRow& row : rows) sum += row.is_process ? 0 : row.self;
  return sum;
}

struct Pools {
  ProfileMaker make;
  ModuleId libc = make.AddModule("/lib/x86_64-linux-gnu/libc.so.6", 0);
  ModuleId blas = make.AddModule("/v/libopenblas.so.0", 0);
  ModuleId gomp = make.AddModule("/v/libgomp.so.1", 0);
  ModuleId app = make.AddModule("/home/u/app", 0);
  FrameId server = make.Native("blas_thread_server", blas);
  FrameId yield = make.Native("__sched_yield", libc);
  FrameId gemm = make.Native("dgemm_kernel", blas);
  FrameId spin = make.Native("libgomp.so.1+0x1d0f0", gomp);
  FrameId work = make.Native("work", app);

  Pools() {
    make.Add(make.AddThread(1, 1, "app", "main"), {work}, 50);
    for (int64_t tid = 2; tid <= 5; ++tid) {
      const ThreadId thread = make.AddThread(1, tid, "app", "app");
      make.Add(thread, {server}, 10 * tid);
      make.Add(thread, {server, yield}, 3);
      make.Add(thread, {server, gemm}, 1);
    }
    for (const int64_t tid : {6, 7}) make.Add(make.AddThread(1, tid, "app", "omp"), {spin}, 2);
    make.Add(make.AddThread(1, 8, "app", "busy"), {server, gemm}, 7);
    make.AddThread(1, 9, "app", "idle1");
    make.AddThread(1, 10, "app", "idle2");
  }
};

}  // namespace

TEST_CASE("threads that only wait are one row for each pool, with all their time") {
  const Pools in;
  const std::vector<ThreadRow> rows = RowsOf(in.make.profile, true);
  const auto of_pool = [&](const std::string& pool, size_t threads) {
    return std::count_if(rows.begin(), rows.end(), [&](const ThreadRow& row) {
      return row.pool == pool && row.threads == threads;
    });
  };
  CHECK(of_pool("OpenBLAS", 4) == 1);
  CHECK(of_pool("GNU OpenMP", 2) == 1);
  CHECK(of_pool("OpenBLAS", 1) == 1);  // the one that works
  CHECK(of_pool("", 2) == 1);          // never seen
  for (const ThreadRow& row : rows) {
    if (row.threads != 4) continue;
    CHECK(row.waits_in == "blas_thread_server");
    CHECK(row.self == 156'000'000);
    CHECK(row.waiting == 152'000'000);
  }
  const std::vector<ThreadRow> all = RowsOf(in.make.profile, false);
  CHECK(all.size() == 11);
  CHECK(SumOfThreads(all) == SumOfThreads(rows));
  CHECK(RowsOf(in.make.profile, true, {.all_frames = true}).size() == all.size());
  CHECK(RowsOf(in.make.profile, true, {.by = RowsBy::kThread}).size() == all.size() - 1);
}

TEST_CASE("a thread that runs Python is never folded") {
  ProfileMaker make;
  const FrameId wait = make.Native("__futex_abstimed_wait_common",
                                   make.AddModule("/lib/x86_64-linux-gnu/libc.so.6", 0));
  const FrameId line = make.Python("loop", "/home/u/a.py", 2, 1);
  for (const int64_t tid : {2, 3, 4}) make.Add(make.AddThread(1, tid, "a", "a"), {line, wait}, 3);
  for (const ThreadRow& row : RowsOf(make.profile, true)) CHECK(row.threads == 1);
}

TEST_CASE("functions that wait") {
  for (const char* name :
       {"__sched_yield", "sched_yield@@GLIBC_2.2.5", "__GI___clock_nanosleep", "clock_nanosleep",
        "futex_wait", "__futex_abstimed_wait_common64", "__lll_lock_wait", "epoll_wait", "__poll",
        "pthread_cond_wait@@GLIBC_2.3.2", "__libc_pause", "sem_wait"}) {
    INFO(name);
    CHECK(WaitOf(name) == Wait::kWaits);
  }
  for (const char* name : {"blas_thread_server", "gomp_team_barrier_wait_end",
                           "__kmp_hyper_barrier_release(barrier_type, kmp_info*)",
                           "__kmp_wait_template<kmp_flag_64<false, true>, false>"}) {
    INFO(name);
    CHECK(WaitOf(name) == Wait::kSpins);
  }
  for (const char* name : {"", "_", "main", "poll_events", "waiting_list", "read", "sched_yielder",
                           "pthread_mutex_lock", "selector", "std::sleep"}) {
    INFO(name);
    CHECK(WaitOf(name) == Wait::kNone);
  }
}

TEST_CASE("what a worker process is, and which of how many") {
  ProfileMaker make;
  const FrameId user = make.Python("<module>", "/home/u/train.py", 9, 1);
  const FrameId bootstrap = make.Python("BaseProcess._bootstrap",
                                        "/usr/lib/python3.11/multiprocessing/process.py", 314, 290);
  const FrameId run =
      make.Python("BaseProcess.run", "/usr/lib/python3.11/multiprocessing/process.py", 108, 100);
  const FrameId loader =
      make.Python("_worker_loop", "/v/site-packages/torch/utils/data/_utils/worker.py", 309, 200);
  const FrameId own = make.Python("crunch", "/home/u/train.py", 30, 28);
  make.Add(make.AddThread(100, 100, "train.py", "python3"), {user}, 50);
  const auto worker = [&](int64_t pid, FrameId target, HostNs start, HostNs end) {
    make.Add(make.AddThread(pid, pid, "train.py", "python3"), {user, bootstrap, run, target}, 5);
    Process& process = make.profile.processes.back();
    process.parent_pid = 100;
    process.start = start;
    process.end = end;
  };
  worker(203, loader, 3, 90);
  worker(201, loader, 1, 90);
  worker(202, loader, 2, 95);
  worker(301, loader, 100, 0);  // of the next epoch
  worker(400, own, 4, 0);
  const std::vector<std::string> titles =
      ProcessTitles(make.profile, make.profile.FindMetric("cpu"));
  CHECK(titles ==
        std::vector<std::string>{"", "worker 3 of 3: pt_data_worker",
                                 "worker 1 of 3: pt_data_worker", "worker 2 of 3: pt_data_worker",
                                 "worker 1 of 1: pt_data_worker", "worker 1 of 1: crunch"});
}

TEST_CASE("workers of several ranks say whose they are; gunicorn has a master") {
  ProfileMaker make;
  const FrameId run = make.Python("run", "/usr/lib/python3.8/multiprocessing/process.py", 108, 100);
  const FrameId loky = make.Python(
      "_process_worker", "/v/site-packages/joblib/externals/loky/process_executor.py", 9, 1);
  for (const int64_t rank : {1, 2}) {
    make.Add(make.AddThread(rank, rank, "train.py rank " + std::to_string(rank), "t"), {}, 1);
    make.Add(make.AddThread(rank + 10, rank + 10, "python3 -c", "t"), {run, loky}, 1);
    make.profile.processes.back().parent_pid = rank;
  }
  const FrameId arbiter = make.Python("Arbiter.run", "/v/site-packages/gunicorn/arbiter.py", 9, 1);
  const FrameId sync =
      make.Python("SyncWorker.run", "/v/site-packages/gunicorn/workers/sync.py", 9, 1);
  make.Add(make.AddThread(50, 50, "gunicorn", "t"), {arbiter}, 4);
  make.Add(make.AddThread(51, 51, "gunicorn", "t"), {arbiter}, 4);
  make.Add({static_cast<uint32_t>(make.profile.threads.size())}, {arbiter, sync}, 2);
  const std::vector<std::string> titles =
      ProcessTitles(make.profile, make.profile.FindMetric("cpu"));
  CHECK(titles == std::vector<std::string>{"", "worker 1 of 1: loky of train.py rank 1", "",
                                           "worker 1 of 1: loky of train.py rank 2",
                                           "gunicorn (master)", "worker 1 of 1: gunicorn"});
}

}  // namespace gprofx::testing
