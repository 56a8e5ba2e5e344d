// Writes test results as JUnit XML, in the dialect of Jenkins' junit-10.xsd, which GitLab, GitHub
// actions and pytest also use. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gprofx {

enum class CaseResult : uint8_t { kPassed, kFailed, kError, kSkipped };

// A test case. JunitXml() escapes its texts.
struct JunitCase {
  std::string name;
  CaseResult result = CaseResult::kPassed;
  std::string type, message;  // empty if the case passed
  std::string text;           // the table of the comparison
  double seconds = -1;        // duration of the case; a negative one is not written
};

struct JunitSuite {
  std::string name, class_name, verdict;
};

std::string JunitXml(const JunitSuite& suite, const std::vector<JunitCase>& cases);

}  // namespace gprofx
