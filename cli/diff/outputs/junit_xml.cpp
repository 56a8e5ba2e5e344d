#include "cli/diff/outputs/junit_xml.h"

#include <algorithm>

#include "cli/diff/outputs/formats.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"

namespace gprofx {
namespace {

std::string CaseXml(const JunitSuite& suite, const JunitCase& each) {
  std::string xml = "    <testcase classname=\"" + XmlText(suite.class_name) + "\" name=\"" +
                    XmlText(each.name) + "\"";
  if (each.seconds >= 0) xml += " time=\"" + Format("%.9f", each.seconds) + "\"";
  static constexpr const char* kTags[] = {"system-out", "failure", "error", "skipped"};
  const char* tag = kTags[static_cast<size_t>(each.result)];
  if (each.result == CaseResult::kPassed && each.text.empty()) return xml + "/>\n";
  xml += ">\n      <" + std::string(tag);
  if (each.result != CaseResult::kPassed) {
    xml += " type=\"" + XmlText(each.type) + "\" message=\"" + XmlText(each.message) + "\"";
  }
  return xml + ">" + XmlText(each.text) + "</" + tag + ">\n    </testcase>\n";
}

}  // namespace

std::string XmlText(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = Printable(text.substr(begin, end - begin));
    for (size_t i = 0; i < line.size(); ++i) {
      switch (line[i]) {
        case '&':
          out += "&amp;";
          break;
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '"':
          out += "&quot;";
          break;
        case '\xEF':  // U+FFFE and U+FFFF are not valid in XML
          if (line.compare(i, 3, "\xEF\xBF\xBE") == 0 || line.compare(i, 3, "\xEF\xBF\xBF") == 0) {
            out += "\xEF\xBF\xBD";
            i += 2;
            break;
          }
          [[fallthrough]];
        default:
          out += line[i];
      }
    }
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string JunitXml(const JunitSuite& suite, const std::vector<JunitCase>& cases) {
  const auto count = [&](CaseResult result) {
    return std::to_string(std::count_if(
        cases.begin(), cases.end(), [&](const JunitCase& each) { return each.result == result; }));
  };
  const std::string counts = " name=\"" + XmlText(suite.name) + "\" tests=\"" +
                             std::to_string(cases.size()) + "\" failures=\"" +
                             count(CaseResult::kFailed) + "\" errors=\"" +
                             count(CaseResult::kError) + "\"";
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts +
                    ">\n  <testsuite" + counts + " skipped=\"" + count(CaseResult::kSkipped) +
                    "\">\n";
  xml += "    <properties>\n      <property name=\"verdict\" value=\"" + XmlText(suite.verdict) +
         "\"/>\n    </properties>\n";
  for (const JunitCase& each : cases) xml += CaseXml(suite, each);
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace gprofx
