// Waits for the thread that began before main did.
extern "C" void JoinEarly();

int main() { JoinEarly(); }
