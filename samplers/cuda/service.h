// Our one thread in a program that uses a GPU. Translates activity records, drains PC samples,
// flushes regularly so that a killed program loses only a fraction of a second, and finishes at
// exit.
#pragma once

namespace gprofx::cuda {

// Starts the thread with the program's signals blocked. Returns false if the system refuses a
// thread (a process limit); nothing is drained then. Restores the caller's signal mask in both
// cases.
bool StartService();

// At a normal exit: lets our thread fetch the remaining data from CUPTI, and waits for it for a few
// seconds at most. Only the first call has an effect.
void FinishService();

// When the recording ends while the program continues: waits until the level of recording is off
// (our thread lowers it), then ends our thread. Returns false if either takes more than a few
// seconds.
bool EndService();

// Releases CUPTI, once nothing of it is on, so that the process is as before its use. Returns false
// if a thread is still inside a launch that hooks heard and may read memory that the recording
// mapped.
bool LeaveCupti();

// In a fork child: the thread does not exist there, and CUPTI must not be called.
void ForgetService();

}  // namespace gprofx::cuda
