// SPDX-License-Identifier: MIT
#include "glassbox/launch_syntax.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <regex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::glassbox {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// Behind the quote that ends a text which starts at `at`.
std::size_t end_of_text(const std::string& source, std::size_t at) {
  const char quote = source[at];
  for (++at; at < source.size() && source[at] != quote && source[at] != '\n'; ++at) {
    if (source[at] == '\\') ++at;
  }
  return std::min(at + 1, source.size());
}

/// Likewise of R"name(...)name".
std::size_t end_of_raw_text(const std::string& source, std::size_t quote) {
  const std::size_t open = source.find('(', quote);
  if (open == std::string::npos) return source.size();
  const std::string close = ")" + source.substr(quote + 1, open - quote - 1) + "\"";
  const std::size_t end = source.find(close, open);
  return end == std::string::npos ? source.size() : end + close.size();
}

/// Behind the comment that starts at `at`; `at` itself if none does.
std::size_t end_of_comment(const std::string& source, std::size_t at) {
  const std::size_t most = source.size();
  if (source.compare(at, 2, "//") == 0) return std::min(source.find('\n', at), most);
  if (source.compare(at, 2, "/*") != 0) return at;
  const std::size_t end = source.find("*/", at + 2);
  return end == std::string::npos ? most : end + 2;
}

unsigned line_at(const std::string& source, std::size_t at) {
  return 1 + static_cast<unsigned>(std::count(source.begin(), source.begin() + at, '\n'));
}

/// A piece of the source, and what takes its place.
struct Change {
  std::size_t begin;
  std::size_t end;
  std::string text;
};

/// Finds the launches of one source.
class Launches {
 public:
  explicit Launches(const std::string& source) : source_(source), tokens_(tokens_of(source)) {}

  std::vector<Change> changes() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (is_launch(i)) add_launch(i);
      if (is(i, "(") && i > 0 && takes_kernel_address(text(i - 1))) drop_cast(i + 1);
      if (is(i, "func") && is(i + 1, "=")) drop_cast(i + 2);
      if (is(i, "cudaKernelNodeParams") && is_name(i + 1)) {  // its first member is the kernel
        const std::size_t value = is(i + 2, "=") ? i + 3 : i + 2;
        if (is(value, "{")) drop_cast(value + 1);
      }
      if (is(i, "cudaLaunchKernelExC") || is(i, "cudaOccupancyMaxActiveClusters"))
        drop_cast(second_argument(i + 1));
      if (is(i, "__shared__") && is(i + 1, "alignas")) move_alignment(i);
      if (is_declared(i, "gridDim") || is_declared(i, "blockDim")) rename(i);
      if (is_member(i)) changes_.push_back({tokens_[i].begin, tokens_[i].begin, "host_"});
      if (is(i, "__cluster_dims__") && is(i + 1, "(")) note_cluster(i);
      if (is(i, "int") && is(i + 1, "main") && is(i + 2, "(")) complete_returns(i + 2);
    }
    name_device_architecture();
    give_host_sides();
    std::ranges::stable_sort(changes_, {}, &Change::begin);
    return changes_;
  }

  bool takes_memory_on_device() const {
    bool takes = false;
    visit_places([&](std::size_t i, Place, bool on_device) {
      takes = takes || (on_device && (is(i, "new") || (is(i, "malloc") && is(i + 1, "("))));
    });
    return takes;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::string_view text(std::size_t i) const {
    return std::string_view(source_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  bool is(std::size_t i, std::string_view wanted) const {
    return i < tokens_.size() && text(i) == wanted;
  }
  bool is_name(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == Token::Kind::kWord;
  }

  bool is_triple(std::size_t i, std::string_view sign) const {
    return is(i, sign) && is(i + 1, sign) && is(i + 2, sign);
  }
  /// Without anything between them; some editors write `<< <`.
  bool is_close_together(std::size_t i) const {
    return tokens_[i].end == tokens_[i + 1].begin && tokens_[i + 1].end == tokens_[i + 2].begin;
  }

  bool is_launch(std::size_t i) const {
    if (!is_triple(i, "<") || i == 0) return false;
    const std::string_view before = text(i - 1);
    return (is_name(i - 1) && before != "operator") || before == ">" || before == ")" ||
           before == "]";
  }

  /// Index of the bracket that the one at `i` closes or opens, counting those of its own kind and
  /// leaping over brackets of the other kinds.
  std::size_t partner(std::size_t i, int step) const {
    constexpr std::string_view kOpen = "([{<";
    constexpr std::string_view kClose = ")]}>";
    const std::string_view& same = step > 0 ? kOpen : kClose;
    const std::string_view& other = step > 0 ? kClose : kOpen;
    const std::size_t kind = same.find(text(i)[0]);
    int depth = 0;
    for (; i < tokens_.size(); i += static_cast<std::size_t>(step)) {
      if (tokens_[i].kind != Token::Kind::kSign) continue;
      const char sign = text(i)[0];
      if (sign == same[kind]) {
        ++depth;
      } else if (sign == other[kind]) {
        if (--depth == 0) return i;
      } else if (kind == 3 && same.substr(0, 3).find(sign) != std::string_view::npos) {
        i = partner(i, step);
        if (i == kNone) return kNone;
      }
    }
    return kNone;
  }

  /// Where the kernel's name starts that ends in front of token `end`.
  std::size_t start_of_kernel(std::size_t end) const {
    std::size_t i = end - 1;
    while (true) {
      if (is(i, ">") || is(i, ")") || is(i, "]")) {
        const std::size_t open = partner(i, -1);
        if (open == kNone || open == 0) return kNone;
        const bool whole = is(i, ")") && !is_name(open - 1);  // (kernel)<<<...>>>
        i = whole ? open : open - 1;
        if (whole) return i;
        if (is(i, ">") || is(i, ")") || is(i, "]")) continue;
      }
      if (!is_name(i)) return kNone;
      if (i >= 2 && is(i - 1, ":") && is(i - 2, ":")) {
        const bool qualified = i >= 3 && (is_name(i - 3) || is(i - 3, ">")) &&
                               !is(i - 3, "return") && !is(i - 3, "else");
        if (!qualified) return i - 2;
        i -= 3;
      } else if (i >= 2 && is(i - 1, ".")) {
        i -= 2;
      } else if (i >= 3 && is(i - 1, ">") && is(i - 2, "-")) {
        i -= 3;
      } else {
        return i;
      }
    }
  }

  /// The ">>>(" that ends the shape of the launch at `i`.
  std::size_t end_of_shape(std::size_t i) const {
    const bool spaced = !is_close_together(i);
    for (i += 3; i + 3 < tokens_.size(); ++i) {
      if (is_triple(i, ">") && is(i + 3, "(") && (spaced || is_close_together(i))) return i;
      if (is(i, "(") || is(i, "[") || is(i, "{")) {
        i = partner(i, 1);
        if (i == kNone) return kNone;
      }
      if (is(i, ";")) return kNone;
    }
    return kNone;
  }

  void add_launch(std::size_t i) {
    const std::size_t first = start_of_kernel(i);
    const std::size_t shape_end = end_of_shape(i);
    const std::size_t close = shape_end == kNone ? kNone : partner(shape_end + 3, 1);
    if (first == kNone || close == kNone || shape_end == i + 3) {
      throw SourceRefused(line_at(source_, tokens_[i].begin));
    }
    std::string kernel =
        source_.substr(tokens_[first].begin, tokens_[i - 1].end - tokens_[first].begin);
    const auto lines = static_cast<std::size_t>(std::count(kernel.begin(), kernel.end(), '\n'));
    kernel = std::regex_replace(kernel, std::regex(R"(\s*\\?\s*\n\s*)"), " ");
    const std::string name = std::regex_replace(kernel, std::regex(R"(["\\])"), "\\$&");
    const bool arguments = close > shape_end + 4;
    const std::string call = kernel +
                             "(::ladder::glassbox::parameter<decltype(glassbox_arguments)>("
                             "glassbox_arguments)...)";
    changes_.push_back(
        {tokens_[first].begin, tokens_[i + 2].end,
         "::ladder::glassbox::launch(\"" + name + "\", " + std::string(lines, '\n')});
    changes_.push_back({tokens_[shape_end].begin, tokens_[shape_end + 3].end,
                        ")([=](auto&&... glassbox_arguments) "
                        "__attribute__((no_sanitize(\"thread\"))) -> decltype(" +
                            call + ") { " + call + "; }" + (arguments ? ", " : "")});
    // NULL is a number, which a kernel's pointer does not take.
    for (std::size_t k = shape_end + 4; k < close; ++k) {
      const bool alone =
          (is(k + 1, ",") || k + 1 == close) && (is(k - 1, ",") || k == shape_end + 4);
      if (is(k, "NULL") && alone) changes_.push_back({tokens_[k].begin, tokens_[k].end, "nullptr"});
      if (is(k, "(") || is(k, "{")) k = partner(k, 1);
    }
  }

  /// "extern __shared__ alignas(16) T": nvcc takes the attribute anywhere, g++ in front alone.
  void move_alignment(std::size_t i) {
    const std::size_t close = partner(i + 2, 1);
    if (close == kNone) return;
    std::size_t first = i;
    while (first > 0 && (is(first - 1, "extern") || is(first - 1, "static") ||
                         is(first - 1, "volatile") || is(first - 1, "const"))) {
      --first;
    }
    const std::size_t begin = tokens_[i + 1].begin;
    const std::string alignment = source_.substr(begin, tokens_[close].end - begin);
    changes_.push_back({tokens_[first].begin, tokens_[first].begin, alignment + " "});
    changes_.push_back({begin, tokens_[close].end, ""});
  }

  static bool takes_kernel_address(std::string_view function) {
    return function == "cudaLaunchKernel" || function == "cudaLaunchCooperativeKernel";
  }

  /// Of the call whose parenthesis is at `open`.
  std::size_t second_argument(std::size_t open) const {
    std::size_t i = open + 1;
    for (; i < tokens_.size() && !is(i, ",") && !is(i, ")"); ++i) {
      if (is(i, "(") || is(i, "[") || is(i, "{")) i = partner(i, 1);
      if (i == kNone) return tokens_.size();
    }
    return i + 1;
  }

  /// The run time's templates want the kernel itself: `(void*)kernel` forgets what it takes, and so
  /// does `reinterpret_cast<void*>(kernel)`.
  void drop_cast(std::size_t i) {
    const bool is_named = is(i, "reinterpret_cast") && is(i + 1, "<");
    if (!is_named && !is(i, "(")) return;
    std::size_t k = is_named ? i + 2 : i + 1;
    if (is(k, "const")) ++k;
    if (!is(k, "void") || !is(k + 1, "*") || !is(k + 2, is_named ? ">" : ")")) return;
    changes_.push_back({tokens_[i].begin, tokens_[k + 2].end, ""});
  }

  /// nvcc takes `return;` in main(), whose parameters begin at `open`; g++ wants a value. Not where
  /// there may be a lambda, which needs none.
  void complete_returns(std::size_t open) {
    const std::size_t close = partner(open, 1);
    if (close == kNone || !is(close + 1, "{")) return;
    const std::size_t end = partner(close + 1, 1);
    if (end == kNone) return;
    std::vector<Change> returns;
    for (std::size_t k = close + 2; k < end; ++k) {
      if (is(k, "]") && (is(k + 1, "(") || is(k + 1, "{"))) return;
      if (is(k, "return") && is(k + 1, ";"))
        returns.push_back({tokens_[k].end, tokens_[k].end, " 0"});
    }
    changes_.insert(changes_.end(), returns.begin(), returns.end());
  }

  /// "dim3 gridDim", or the second of "dim3 grid(2), blockDim(64)"
  bool is_declared(std::size_t i, std::string_view name) const {
    if (!is(i, name) || i == 0) return false;
    if (is_name(i - 1)) return !is(i - 1, "return") && !is(i - 1, "case") && !is(i - 1, "else");
    constexpr std::string_view kBehindNames = "(={;,";
    if (!is(i - 1, ",") || kBehindNames.find(text(i + 1)) == std::string_view::npos) return false;
    std::size_t k = i - 1;
    for (; k > 0 && !is(k, ";") && !is(k, "{") && !is(k, "("); --k) {
      if (is(k, ")")) k = partner(k, -1);
      if (k == kNone) return false;
    }
    return is(k + 1, "dim3") || is(k + 2, "dim3");
  }

  /// "config.gridDim", "config->blockDim", "{.gridDim = 2}"
  bool is_member(std::size_t i) const {
    if (i == 0 || !(is(i, "gridDim") || is(i, "blockDim"))) return false;
    return is(i - 1, ".") || (i > 1 && is(i - 1, ">") && is(i - 2, "-"));
  }

  /// \brief The run time learns a kernel's cluster from a variable behind it, of the form
  ///        ClusterOfKernel("kernel", address, {2, 1, 1}). Templates have no address.
  void note_cluster(std::size_t i) {
    const std::size_t close = partner(i + 1, 1);
    std::size_t name = close;
    while (name != kNone && !is(name + 1, "(")) {
      if (++name + 1 >= tokens_.size()) return;
      // __launch_bounds__(256) and __attribute__((...))
      if (text(name).starts_with("__") && is(name + 1, "(")) name = partner(name + 1, 1);
    }
    const std::size_t end = name == kNone ? kNone : end_of_function(name + 1);
    if (end == kNone || !is_name(name)) return;
    std::size_t begin = i;
    while (begin > 0 && !is(begin - 1, ";") && !is(begin - 1, "}") && !is(begin - 1, "{") &&
           !is(begin - 1, "template")) {
      --begin;
    }
    const bool is_template = begin > 0 && is(begin - 1, "template");
    const std::string kernel(text(name));
    const std::size_t extents = tokens_[i + 1].end;
    std::string dims = source_.substr(extents, tokens_[close].begin - extents);
    std::ranges::replace(dims, '\n', ' ');
    changes_.push_back({tokens_[end].end, tokens_[end].end,
                        " static const ::ladder::glassbox::ClusterOfKernel glassbox_cluster_" +
                            kernel + "_" + std::to_string(tokens_[i].begin) + "(\"" + kernel +
                            "\", " + (is_template ? "nullptr" : "(const void*)&" + kernel) + ", {" +
                            dims + "});"});
  }

  /// The brace or the semicolon that ends the function whose parameters begin at `open`.
  std::size_t end_of_function(std::size_t open) const {
    const std::size_t close = partner(open, 1);
    if (close == kNone) return kNone;
    for (std::size_t i = close + 1; i < tokens_.size(); ++i) {
      if (is(i, ";")) return i;
      if (is(i, "{")) return partner(i, 1);
    }
    return kNone;
  }

  /// gridDim and blockDim are words of the kernels: a variable of the host gets another name, from
  /// its declaration to the end of its block; a parameter to the end of its function.
  void rename(std::size_t i) {
    const std::string name(text(i));
    int braces = 0;
    int parentheses = 0;
    for (; i < tokens_.size() && braces >= 0; ++i) {
      if (is(i, "{")) ++braces;
      if (is(i, "}")) --braces;
      if (is(i, "(")) ++parentheses;
      if (is(i, ")")) --parentheses;
      const bool parameter = parentheses < 0;
      if (parameter && braces == 0 && (is(i, "}") || is(i, ";"))) return;
      const bool known = std::ranges::any_of(
          changes_, [&](const Change& change) { return change.begin == tokens_[i].begin; });
      if (is(i, name) && !known) {
        changes_.push_back({tokens_[i].begin, tokens_[i].end, "host_" + name});
      }
    }
  }

  /// \brief g++ compiles once what nvcc compiles twice, so __CUDA_ARCH__ gets another name wherever
  ///        nvcc's pass for the device counts: in kernels, in functions of the device alone, and
  ///        outside of functions. In functions of the host, which may be the device's too, it stays
  ///        undefined.
  void name_device_architecture() {
    visit_places([&](std::size_t i, Place place, bool) {
      if (is(i, "__CUDA_ARCH__") && place != Place::kHost)
        changes_.push_back({tokens_[i].begin, tokens_[i].end, kDeviceArchitecture});
    });
  }

  // -- Variables of the device that the host names
  // -------------------------------------------------

  bool is_any(std::size_t i, std::initializer_list<std::string_view> words) const {
    return i < tokens_.size() && std::ranges::find(words, text(i)) != words.end();
  }

  /// Where the statement starts that holds this token.
  std::size_t start_of_statement(std::size_t i) const {
    while (i > 0 && !is_any(i - 1, {";", "{", "}"}))
      --i;
    return i;
  }

  /// The name that a declaration with __device__ or __constant__ at `i` gives to a variable.
  std::string_view variable_declared_at(std::size_t i) const {
    std::size_t name = kNone;
    for (std::size_t k = start_of_statement(i); k < tokens_.size(); ++k) {
      if (is_any(k, {"const", "constexpr", "__managed__", "__global__", "__host__", "template",
                     "struct", "class", "using", "typedef", "("})) {
        return {};
      }
      if (is_any(k, {";", "=", "{", "["})) break;
      if (is_any(k, {"__align__", "alignas", "__attribute__"}) || is(k, "<")) {
        k = partner(is(k, "<") ? k : k + 1, 1);
        if (k == kNone) return {};
      } else if (is_name(k)) {
        name = k;
      }
    }
    return name == kNone || name <= i ? std::string_view() : text(name);
  }

  /// Is it declared between `begin` and `end`, perhaps? Then it is another variable there.
  bool may_be_declared(std::string_view name, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      if (!is(i, name) || i == 0) continue;
      const bool behind_type =
          is_name(i - 1) && !is_any(i - 1, {"return", "case", "else", "delete", "throw", "sizeof"});
      const bool behind_star = is_any(i - 1, {"*", "&", ">"}) && i > 1 &&
                               (is_name(i - 2) || is_any(i - 2, {"*", "&", ">"}));
      const bool is_next = is(i - 1, ",") && is_any(i + 1, {"=", ";", "[", "{", "]"});
      const bool is_bound = is(i - 1, "[") && i > 1 && is_any(i - 2, {"auto", "&"});
      if (behind_type || behind_star || is_next || is_bound) return true;
    }
    return false;
  }

  /// Is it in an argument of cudaMemcpyToSymbol() or the like, or of decltype()?
  bool names_symbol(std::size_t i, std::size_t begin) const {
    int depth = 0;
    while (i-- > begin) {
      if (is(i, ")")) ++depth;
      if (!is(i, "(") || --depth >= 0) continue;
      depth = 0;
      if (i > 0 && (text(i - 1).find("Symbol") != std::string_view::npos || is(i - 1, "decltype")))
        return true;
    }
    return false;
  }

  /// \brief On a GPU, a `__device__` variable is two: the host's of that name starts as 0, and no
  ///        kernel ever sees it. So functions of the host alone name another one.
  void give_host_sides() {
    std::set<std::string_view> names;
    std::vector<std::pair<std::size_t, std::size_t>> bodies;
    std::size_t body = kNone;
    visit_places([&](std::size_t i, Place place, bool on_device) {
      if (place == Place::kOutside && is_any(i, {"__device__", "__constant__"})) {
        if (const auto name = variable_declared_at(i); !name.empty()) names.insert(name);
      }
      if (place == Place::kHost && !on_device && body == kNone) body = i;
      if (place != Place::kHost && body != kNone)
        bodies.emplace_back(std::exchange(body, kNone), i);
    });
    for (const auto& [begin, end] : bodies) {
      for (const std::string_view name : names)
        give_host_side(name, begin, end);
    }
  }

  void give_host_side(std::string_view name, std::size_t begin, std::size_t end) {
    if (may_be_declared(name, start_of_statement(begin), end)) return;
    for (std::size_t i = begin; i < end; ++i) {
      if (!is(i, name) || is_any(i - 1, {".", ":"}) || is_any(i + 1, {":", "("})) continue;
      if (is(i - 1, ">") && is(i - 2, "-")) continue;
      if (names_symbol(i, begin)) continue;
      changes_.push_back({tokens_[i].begin, tokens_[i].end,
                          "::ladder::glassbox::on_host_side(" + std::string(name) + ")"});
    }
  }

  enum class Place { kOutside, kHost, kDevice };

  /// Calls visit(token, place, whether the function may run on the device) for all tokens.
  template <class Visit>
  void visit_places(Visit visit) const {
    std::vector<bool> on_device = {false};
    std::vector<Place> places = {Place::kOutside};
    bool global = false, device = false, host = false, function = false, type = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      global = global || is(i, "__global__");
      device = device || is(i, "__device__");
      host = host || is(i, "__host__");
      function = function || is(i, "(");
      type = type || is(i, "class") || is(i, "struct") || is(i, "namespace") || is(i, "enum");
      if (is(i, "{")) {
        const bool for_device = global || (device && !host);
        const Place body = for_device ? Place::kDevice : Place::kHost;
        const bool begins = places.back() == Place::kOutside && function && !(type && !for_device);
        places.push_back(begins ? body : places.back());
        on_device.push_back(begins ? global || device : on_device.back());
      }
      if (is(i, "}") && places.size() > 1) {
        places.pop_back();
        on_device.pop_back();
      }
      if (is(i, "{") || is(i, "}") || is(i, ";")) {
        global = device = host = function = type = false;
      }
      visit(i, places.back(), on_device.back());
    }
  }

  const std::string& source_;
  std::vector<Token> tokens_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Token> tokens_of(const std::string& source) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < source.size();) {
    const char c = source[i];
    if (const std::size_t end = end_of_comment(source, i); end != i) {
      i = end;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
      ++i;
    } else if (c == '"' || c == '\'') {
      const std::size_t end = end_of_text(source, i);
      tokens.push_back({Token::Kind::kText, i, end});
      i = end;
    } else if (is_word(c)) {
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      std::size_t end = i;
      // A number may hold points and 1'000's quotes.
      while (end < source.size() &&
             (is_word(source[end]) ||
              (number && (source[end] == '.' || (source[end] == '\'' && end + 1 < source.size() &&
                                                 is_word(source[end + 1])))))) {
        ++end;
      }
      const bool raw =
          !number && end < source.size() && source[end] == '"' && source[end - 1] == 'R';
      if (raw) end = end_of_raw_text(source, end);
      const auto kind = number ? Token::Kind::kNumber
                        : raw  ? Token::Kind::kText
                               : Token::Kind::kWord;
      tokens.push_back({kind, i, end});
      i = end;
    } else {
      tokens.push_back({Token::Kind::kSign, i, i + 1});
      ++i;
    }
  }
  return tokens;
}

std::optional<std::string> without_launch_syntax(const std::string& source) {
  const std::vector<Change> changes = Launches(source).changes();
  if (changes.empty()) return std::nullopt;
  std::string text;
  std::size_t at = 0;
  for (const Change& change : changes) {
    if (change.begin < at) continue;
    text += source.substr(at, change.begin - at) + change.text;
    at = change.end;
  }
  return text + source.substr(at);
}

bool takes_memory_on_device(const std::string& source) {
  return Launches(source).takes_memory_on_device();
}

std::vector<Inclusion> inclusions_of(const std::string& source) {
  std::vector<Inclusion> found;
  const std::vector<Token> tokens = tokens_of(source);
  const auto is = [&](std::size_t i, std::string_view wanted) {
    return std::string_view(source).substr(tokens[i].begin, tokens[i].end - tokens[i].begin) ==
           wanted;
  };
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!is(i, "#") || !is(i + 1, "include")) continue;
    const std::size_t begin = tokens[i + 2].begin;
    const char open = source[begin];
    if (open != '"' && open != '<') continue;
    const std::size_t close = source.find(open == '"' ? '"' : '>', begin + 1);
    if (close == std::string::npos) continue;
    found.push_back({.directive = tokens[i + 1].begin,
                     .begin = begin,
                     .end = close + 1,
                     .name = source.substr(begin + 1, close - begin - 1),
                     .quoted = open == '"',
                     .line = line_at(source, begin)});
  }
  return found;
}

}  // namespace ladder::glassbox
