// Writes test results as JUnit XML, in the dialect of Jenkins' junit-10.xsd, which GitLab, GitHub
// actions and pytest also use. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gprofx {

enum class CaseResult : uint8_t { kPassed, kFailed, kError, kSkipped };

// One test case. JunitXml() escapes its texts.
struct JunitCase {
  std::string name;
  CaseResult result = CaseResult::kPassed;
  std::string type, message;  // empty if passed
  std::string text;           // the table
  double seconds = -1;        // duration of the case; negative = do not write it
};

struct JunitSuite {
  std::string name, class_name, verdict;
};

std::string JunitXml(const JunitSuite& suite, const std::vector<JunitCase>& cases);

}  // namespace gprofx
