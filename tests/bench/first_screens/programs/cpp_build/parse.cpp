#include <string>
std::string parse(const std::string& text) { return text + " parse"; }
