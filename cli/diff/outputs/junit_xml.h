// Writes test results as JUnit XML, in the dialect of Jenkins' junit-10.xsd, which GitLab, GitHub
// actions and pytest share. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gprofx {

enum class CaseResult : uint8_t { kPassed, kFailed, kError, kSkipped };

// Text is escaped where it is written.
struct JunitCase {
  std::string name;
  CaseResult result = CaseResult::kPassed;
  std::string type, message;  // unless passed
  std::string text;           // the table
  double seconds = -1;        // of the case; negative = not written
};

struct JunitSuite {
  std::string name, class_name, verdict;
};

std::string JunitXml(const JunitSuite& suite, const std::vector<JunitCase>& cases);

}  // namespace gprofx
