#include <cstdio>
int heavy(int);
int main() { std::printf("%d\n", heavy(3)); }
