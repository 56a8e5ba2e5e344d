#include "cli/report/html/page.h"

#include "cli/report/html/assets.h"

namespace gprofx {

std::string RenderPage(const PageInput& input) {
  return MakeDocument(kPageBody, kPageScript, MakePageData(input));
}

}  // namespace gprofx
