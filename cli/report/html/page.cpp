#include "cli/report/html/page.h"

#include "cli/report/html/assets.h"

namespace gprofx {

std::string RenderPage(const PageInput& input) {
  return MakeDocument(kPageHtml, kPageScript, MakePageData(input));
}

}  // namespace gprofx
