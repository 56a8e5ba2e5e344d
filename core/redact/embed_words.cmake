# Writes OUT: the text file WORDS as a C++ string. Run by cmake -P.
# A string literal is at most 65,536 characters long in every compiler: the text is split into several.
file(READ ${WORDS} text)
string(LENGTH "${text}" length)
set(parts "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 60000 part)
  string(APPEND parts "\n    R\"gprofx(${part})gprofx\"")
  math(EXPR at "${at} + 60000")
endwhile()
file(WRITE ${OUT} "// Made from core/redact/public_words.txt.\n#include \"core/redact/public_words.h\"\n\nnamespace gprofx {\n\n"
     "const std::string_view kPublicWords =${parts};\n\n}  // namespace gprofx\n")
