// Our one thread in a program that uses a GPU. It translates activity records, reads PC samples,
// flushes regularly, so that a killed program loses only a fraction of a second, and fetches the
// rest at the program's exit.
#pragma once

namespace gprofx::cuda {

// Starts the thread, with the program's signals blocked in it. Returns false if the system refuses
// a thread (a process limit); no data is read then. The caller's signal mask is the same
// afterwards.
bool StartService();

// Called at a normal exit: lets our thread fetch the remaining data from CUPTI, and waits for that
// a few seconds at most. Only the first call has an effect.
void FinishService();

// Called when the recording ends while the program continues. Waits until the level of recording is
// off (our thread lowers it), then ends our thread. Returns false if either takes more than a few
// seconds.
bool EndService();

// Releases CUPTI when nothing of it is on; the process is then as it was before. Returns false if a
// thread is still inside a launch that hooks heard and may read memory that the recording mapped.
bool LeaveCupti();

// Called in a fork child, where the thread does not exist and CUPTI must not be called.
void ForgetService();

}  // namespace gprofx::cuda
