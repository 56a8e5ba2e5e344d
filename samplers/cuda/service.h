// Runs our one thread in a program that uses a GPU. The thread translates activity records and
// reads PC samples. It flushes CUPTI regularly; a program that is killed then loses only a fraction
// of a second. At the program's exit it fetches the rest.
#pragma once

namespace gprofx::cuda {

// Starts the thread, with the program's signals blocked in it. Returns false if the system refuses
// a thread (a process limit); no data is read then. The caller's signal mask is the same
// afterwards.
bool StartService();

// Called at a normal exit. Lets our thread fetch the remaining data from CUPTI, and waits for that
// a few seconds at most. Only the first call has an effect.
void FinishService();

// Called when the recording ends while the program continues. Waits until the level of recording is
// off (our thread lowers it), then ends our thread. Returns false if either takes more than a few
// seconds.
bool EndService();

// Releases CUPTI when no part of it is on any more. The process is then as it was before. Returns
// false if a thread is still inside a launch that hooks heard, and may read memory that the
// recording mapped.
bool LeaveCupti();

// Called in a fork child. The thread does not exist there, and CUPTI must not be called.
void ForgetService();

}  // namespace gprofx::cuda
