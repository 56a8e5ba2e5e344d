#include <string>
std::string print(const std::string& text) { return text + " print"; }
