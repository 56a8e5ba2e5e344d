// Our one thread in a program that uses a GPU: translates activity records, drains PC samples,
// flushes now and then so that a killed program loses a fraction of a second, and finishes at exit.
#pragma once

namespace gprofx::cuda {

// Starts the thread; it sees no signal of the program. False: the system gives no thread (a limit
// of processes), nothing is drained. The caller's signal mask is as before in both cases.
bool StartService();

// At a normal exit: lets the thread take what CUPTI still has, at most for some seconds. Once.
void FinishService();

// While the program runs on: waits until nothing of CUPTI is on, as the recording's end asks for,
// and ends our thread. False: something stays on.
bool EndService();

// Gives CUPTI back, once nothing of it is on: it is as nobody used it. False: somebody stays inside
// of a launch that hooks heard, and looks at what the recording mapped.
bool LeaveCupti();

// In a fork child: the thread does not exist there, and CUPTI must not be called any more.
void ForgetService();

}  // namespace gprofx::cuda
