#include "core/redact/mask_arguments.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/path.h"
#include "core/base/text.h"

namespace gprofx {
namespace {

constexpr char kMask[] = "***";
constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kQuotes = "\"'`";

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLetter(char c) { return IsUpper(c) || (c >= 'a' && c <= 'z'); }
bool IsNameLetter(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

// Returns a name in lower case with "_" between its words: "aws_access_key" for "aws.accessKey".
std::string LastWords(std::string_view name) {
  std::string words;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool separates = c == '-' || c == '.' || c == '_';
    const bool begins = IsUpper(c) && i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if (separates || begins) words += '_';
    if (!separates) words += c;
  }
  return AsciiLower(words);
}

// True if the value of an option or variable of this name is a secret.
bool IsSecretName(std::string_view name) {
  static constexpr std::string_view kLast[] = {
      "auth", "authorization", "bearer", "cookie", "credential", "credentials", "key",
      "pass", "psk",           "pwd",    "sas",    "sig",        "signature",   "token"};
  static constexpr std::string_view kAnywhere[] = {
      "password", "passwd", "passphrase", "secret", "apikey", "accesskey", "authorization"};
  // If a name ends in one of these words, its value says where the secret is or which one it is,
  // and is not the secret itself: --password-file, secret_name.
  static constexpr std::string_view kPlaces[] = {"file",  "path", "dir", "env",
                                                 "stdin", "id",   "name"};
  const std::string words = LastWords(name);
  const std::string_view last = std::string_view(words).substr(words.rfind('_') + 1);
  if (IsOneOf(last, kPlaces)) return false;
  if (IsOneOf(last, kLast)) return true;
  return std::any_of(std::begin(kAnywhere), std::end(kAnywhere),
                     [&](std::string_view part) { return words.find(part) != std::string::npos; });
}

// Known kinds of keys: the prefix, and the minimum number of characters after it.
constexpr struct {
  std::string_view start;
  size_t least;
} kKeys[] = {{"AKIA", 16}, {"ASIA", 16},   {"ghp_", 16},        {"gho_", 16},
             {"ghs_", 16}, {"ghu_", 16},   {"github_pat_", 16}, {"hf_", 16},
             {"sk-", 16},  {"glpat-", 16}, {"xoxb-", 10},       {"xoxp-", 10},
             {"AIza", 30}, {"npm_", 16},   {"pypi-", 16},       {"eyJ", 20}};

// True for "--name" and "--name=value". Other words that begin with a dash may be values: a
// password may begin with any character.
bool IsLongOption(std::string_view word) {
  if (word.size() < 3 || !word.starts_with("--") || !IsLetter(word[2])) return false;
  const std::string_view name = word.substr(0, word.find('='));
  return std::all_of(name.begin(), name.end(), IsNameLetter);
}

// Copies a text and replaces each secret in it.
class Masker {
 public:
  explicit Masker(std::string_view text) : text_(text) {}

  std::string Run() && {
    while (at_ < text_.size()) {
      if (Key() || Scheme() || Named() || Userinfo()) continue;
      out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  std::string_view Rest() const { return text_.substr(at_); }
  bool AtWord() const { return at_ == 0 || !IsNameLetter(text_[at_ - 1]); }
  void Copy(size_t end) {
    out_ += text_.substr(at_, end - at_);
    at_ = end;
  }
  void Mask(size_t end) {
    if (end <= at_) return;
    out_ += kMask;
    at_ = end;
  }
  size_t Skip(size_t from, std::string_view letters) const {
    return std::min(text_.find_first_not_of(letters, from), text_.size());
  }
  size_t Until(size_t from, std::string_view letters) const {
    return std::min(text_.find_first_of(letters, from), text_.size());
  }

  bool Key() {
    if (!AtWord()) return false;
    for (const auto& [start, least] : kKeys) {
      if (!Rest().starts_with(start)) continue;
      size_t end = at_ + start.size();
      while (end < text_.size() && IsNameLetter(text_[end])) ++end;
      if (end - at_ - start.size() < least) continue;
      Mask(end);
      return true;
    }
    return false;
  }

  // Copies "Bearer X" or "Basic X" with X masked.
  bool Scheme() {
    if (!AtWord()) return false;
    for (const std::string_view scheme : {"Bearer", "bearer", "Basic"}) {
      if (!Rest().starts_with(scheme)) continue;
      const size_t begin = at_ + scheme.size(), value = Skip(begin, kBlank);
      if (value == begin || value == text_.size()) continue;
      Copy(value);
      Mask(Until(value, "\"'` \t\r\n"));
      return true;
    }
    return false;
  }

  // Copies "password=X", "'api_key': 'X'" or "--token X" with X masked. A quoted X ends at its
  // closing quote. In a URL or in a text of several words, X ends with the parameter or word.
  bool Named() {
    if (!AtWord() || !IsNameLetter(text_[at_])) return false;
    size_t end = at_;
    while (end < text_.size() && IsNameLetter(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const bool is_option = name.starts_with('-');
    const bool is_whole = at_ == 0;
    size_t value = end;
    if (!IsSecretName(name) && !(name.starts_with("-D") && IsSecretName(name.substr(2)))) {
      Copy(end);
      return true;
    }
    if (value < text_.size() && kQuotes.find(text_[value]) != std::string_view::npos) ++value;
    const size_t sign = Skip(value, kBlank);
    const bool equals = sign < text_.size() && text_[sign] == '=';
    const bool colon = sign < text_.size() && text_[sign] == ':';
    if (equals || colon) {
      value = Skip(sign + 1, kBlank);
    } else if (is_option && sign > end) {
      value = sign;
      if (IsLongOption(text_.substr(value, Until(value, kBlank) - value))) {
        Copy(value);
        return true;
      }
    } else {
      Copy(end);
      return true;
    }
    Copy(value);
    if (at_ == text_.size()) return true;
    // If the whole argument is "NAME=X", the secret X extends to its end.
    if (is_whole && equals && sign == end) {
      Mask(text_.size());
    } else if (const char quote = text_[at_]; kQuotes.find(quote) != std::string_view::npos) {
      Copy(at_ + 1);
      Mask(Until(at_, std::string_view(&quote, 1)));
    } else if (colon) {
      Mask(Until(at_, "\"'`\r\n,}"));  // the value of a header may contain blanks
    } else {
      Mask(Until(at_, "\"'`&;,}) \t\r\n"));
    }
    return true;
  }

  // Copies "://user:X@host" with X masked. In HTTP URLs, X is also masked in "://X@host", where it
  // is a token.
  bool Userinfo() {
    constexpr std::string_view kSlashes = "://";
    if (!Rest().starts_with(kSlashes)) return false;
    const size_t begin = at_ + kSlashes.size();
    const size_t end = Until(begin, "/?#\"'` \t\r\n");
    const std::string_view host = text_.substr(begin, end - begin);
    const size_t at = host.rfind('@');
    if (at == std::string_view::npos) return false;
    const size_t colon = host.find(':');
    const bool http =
        AsciiLower(text_.substr(at_ < 5 ? 0 : at_ - 5, std::min<size_t>(at_, 5))).find("http") !=
        std::string::npos;
    if (colon < at) {
      Copy(begin + colon + 1);
    } else if (http) {
      Copy(begin);
    } else {
      Copy(begin + at);
      return true;
    }
    Mask(begin + at);
    return true;
  }

  std::string_view text_;
  std::string out_;
  size_t at_ = 0;
};

// True if `word` is an option or a name after which the next argument is a secret.
bool AsksForSecret(std::string_view word) {
  if (word == "Bearer" || word == "Basic") return true;
  if (word.ends_with(':')) return IsSecretName(word.substr(0, word.size() - 1));
  return word.starts_with('-') && word.find_first_of("=:/ ") == std::string_view::npos &&
         IsSecretName(word);
}

// Masks X in "user:X", the value of the option -u. curl -u user:X has a secret, docker -u 1000:1000
// has none.
std::string MaskUser(std::string_view word) {
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::string(word);
  if (word.find_first_not_of("0123456789:") == std::string_view::npos) return std::string(word);
  return std::string(word.substr(0, colon + 1)) + kMask;
}

constexpr std::string_view kUserOptions[] = {"-u", "-U", "--user", "--proxy-user"};

// Returns the length of the option in "-uname:X" or "--user=name:X". Returns 0 for other words,
// such as "-url=http://host".
size_t AttachedUserAt(std::string_view word) {
  for (const std::string_view option : kUserOptions) {
    const size_t begin = option.size() + (option.starts_with("--") ? 1 : 0);
    if (word.size() <= begin || !word.starts_with(option)) continue;
    if (begin > option.size() && word[option.size()] != '=') continue;
    const std::string_view user = word.substr(begin, word.find(':', begin) - begin);
    if (user.find_first_of("=/") == std::string_view::npos) return begin;
  }
  return 0;
}

// Masks the values of the option -p for programs that take a password there. Call Mask() for each
// word of a command, in order.
class ShortPasswords {
 public:
  // Returns the masked word; no value if it contains no password.
  std::optional<std::string> Mask(std::string_view word) {
    if (std::exchange(value_follows_, false)) return kMask;
    const std::string_view program = BaseName(word);
    if (program == "sshpass") is_sshpass_ = true;
    if (program.starts_with("mysql") || program.starts_with("mariadb")) is_mysql_ = true;
    if (!(is_sshpass_ || is_mysql_) || !word.starts_with("-p")) return std::nullopt;
    value_follows_ = is_sshpass_ && word == "-p";  // after -p, mysql asks for the password
    is_sshpass_ = false;  // another -p belongs to the command that sshpass starts
    return word == "-p" ? "-p" : std::string("-p") + kMask;
  }

 private:
  bool is_sshpass_ = false, is_mysql_ = false, value_follows_ = false;
};

bool IsInterpreter(std::string_view program) {
  static constexpr std::string_view kNames[] = {"Rscript", "bash", "dash", "java", "julia", "node",
                                                "perl",    "php",  "ruby", "sh",   "zsh"};
  const std::string_view base = BaseName(program);
  return IsOneOf(base, kNames) || base.starts_with("python") || base.starts_with("pypy");
}

std::vector<std::string> ProgramOnly(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  // A program may have overwritten its arguments and put everything into the first one.
  std::vector<std::string> kept = {words[0].substr(0, words[0].find_first_of(kBlank))};
  size_t taken = 1;
  if (IsInterpreter(kept[0])) {
    for (size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == "-m" && i + 1 < words.size()) {
        kept.push_back(word);
        kept.push_back(words[i + 1]);
        taken = i + 2;
        break;
      }
      if (word == "-X" || word == "-W") {
        ++i;
      } else if (word.starts_with("-") && word.find('c') != std::string::npos) {
        break;  // the next word is code
      } else if (!word.starts_with("-")) {
        kept.push_back(word);
        taken = i + 1;
        break;
      }
    }
  }
  if (taken < words.size() || kept[0] != words[0]) kept.emplace_back("...");
  return kept;
}

}  // namespace

bool NamesSecret(std::string_view text) {
  for (size_t begin = 0; begin < text.size(); ++begin) {
    size_t end = begin;
    while (end < text.size() && IsNameLetter(text[end])) ++end;
    if (end != begin && IsSecretName(text.substr(begin, end - begin))) return true;
    begin = end;
  }
  return false;
}

std::string MaskText(std::string_view text) { return Masker(text).Run(); }

std::vector<std::string> StoredCommand(const std::vector<std::string>& words, Arguments arguments) {
  if (arguments == Arguments::kLeftOut) return ProgramOnly(words);
  std::vector<std::string> masked;
  masked.reserve(words.size());
  ShortPasswords short_passwords;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view before = i > 0 ? words[i - 1] : std::string_view();
    if (auto password = short_passwords.Mask(words[i])) {
      masked.push_back(*std::move(password));
    } else if (i > 0 && AsksForSecret(before) && !IsLongOption(words[i]) && !words[i].empty()) {
      // In "Authorization:" "Bearer" "X", keep the word Bearer.
      masked.emplace_back(words[i] == "Bearer" || words[i] == "Basic" ? words[i] : kMask);
    } else if (IsOneOf(before, kUserOptions)) {
      masked.push_back(MaskUser(words[i]));
    } else if (const size_t user = AttachedUserAt(words[i]); user > 0) {
      masked.push_back(words[i].substr(0, user) +
                       MaskUser(std::string_view(words[i]).substr(user)));
    } else {
      masked.push_back(MaskText(words[i]));
    }
  }
  return masked;
}

}  // namespace gprofx
