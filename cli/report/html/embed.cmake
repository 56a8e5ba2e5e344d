# Writes OUT: the assets of pages as C++ strings. Run by cmake -P with CSS, SHARED, HTML, SCRIPTS, DIFF_HTML,
# DIFF_SCRIPTS, OUT.
# Strings of C++ may be no longer than 65,536 characters in every compiler: each file is one.
set(code "// Made from the files of cli/report/html.\n#include \"cli/report/html/assets.h\"\n\nnamespace gprofx {\n\n")
function(add_asset name files)
  set(parts "")
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(APPEND parts "\n    R\"gprofx(${text})gprofx\"")
  endforeach()
  set(code "${code}const std::string_view ${name} =${parts};\n\n" PARENT_SCOPE)
endfunction()
add_asset(kPageStyle "${CSS}")
add_asset(kSharedScript "${SHARED}")
add_asset(kPageHtml "${HTML}")
add_asset(kPageScript "${SCRIPTS}")
add_asset(kDiffHtml "${DIFF_HTML}")
add_asset(kDiffScript "${DIFF_SCRIPTS}")
file(WRITE ${OUT} "${code}}  // namespace gprofx\n")
