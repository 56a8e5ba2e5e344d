#include "core/redact/mask_source.h"

#include <algorithm>
#include <vector>

#include "core/redact/mask_arguments.h"

namespace gprofx {
namespace {

struct Span {
  size_t begin, end;
};

// Masks each line separately. The lines keep their numbers.
std::string MaskLines(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out += MaskText(text.substr(begin, end - begin));
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

// Splits a text into statements and masks the strings and comments of those that name a secret.
class SourceMasker {
 public:
  explicit SourceMasker(std::string_view text) : text_(text) {}

  std::string Run() && {
    while (at_ < text_.size()) Step();
    EndStatement(text_.size());
    return std::move(out_);
  }

 private:
  void Step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return String(c);
    if (c == '#') return Comment();
    ++at_;
    if (c == '\\') {  // a backslash continues the line
      at_ = std::min(at_ + 1, text_.size());
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth_;
    } else if (c == ')' || c == ']' || c == '}') {
      depth_ = std::max(0, depth_ - 1);
    } else if (c == '\n' && depth_ == 0) {
      EndStatement(at_);
    }
  }

  // Skips a string. A string in single or double quotes also ends at the end of its line; one in
  // triple quotes does not.
  void String(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    const size_t begin = at_ + (is_long ? 3 : 1);
    for (at_ = begin; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        ++at_;
      } else if (is_long ? text_.substr(at_, 3) == three : c == quote || c == '\n') {
        break;
      }
    }
    at_ = std::min(at_, text_.size());
    hidden_.push_back({std::min(begin, at_), at_});
    if (at_ < text_.size() && text_[at_] == quote) at_ += is_long ? 3 : 1;
  }

  void Comment() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    hidden_.push_back({at_ + 1, end});
    at_ = end;
  }

  void EndStatement(size_t end) {
    const std::string_view whole = text_.substr(begin_, end - begin_);
    if (!NamesSecret(whole) && whole.find("PRIVATE KEY-----") == std::string_view::npos) {
      out_ += MaskLines(whole);
    } else {
      Hide(end);
    }
    hidden_.clear();
    begin_ = end;
    depth_ = 0;
  }

  void Hide(size_t end) {
    size_t at = begin_;
    for (const Span& span : hidden_) {
      const std::string_view inside = text_.substr(span.begin, span.end - span.begin);
      out_ += text_.substr(at, span.begin - at);
      if (!inside.empty()) out_ += "***";
      out_.append(static_cast<size_t>(std::count(inside.begin(), inside.end(), '\n')), '\n');
      at = span.end;
    }
    out_ += text_.substr(at, end - at);
  }

  const std::string_view text_;
  size_t at_ = 0, begin_ = 0;  // begin_: start of the current statement
  int depth_ = 0;              // number of open brackets
  std::vector<Span> hidden_;   // contents of strings and comments of the statement
  std::string out_;
};

}  // namespace

std::string MaskSource(std::string_view text) { return SourceMasker(text).Run(); }

}  // namespace gprofx
