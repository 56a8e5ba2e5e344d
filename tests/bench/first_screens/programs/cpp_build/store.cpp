#include <string>
std::string store(const std::string& text) { return text + " store"; }
