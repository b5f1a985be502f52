// SPDX-License-Identifier: MIT
#include "glassbox/launch_syntax.hpp"

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "glassbox/host_addresses.hpp"
#include "glassbox/launch_checks.hpp"
#include "glassbox/source_tokens.hpp"
#include "glassbox/two_sides.hpp"

namespace ladder::glassbox {
namespace {

/// Finds the launches of one source.
class Launches : private TokenReader {
 public:
  explicit Launches(const std::string& source) : TokenReader(source) {}

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
    return changes_;
  }

 private:
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

  std::vector<Change> changes_;
};

}  // namespace

std::optional<std::string> without_launch_syntax(const std::string& source,
                                                 const std::set<std::string>& device_functions) {
  std::vector<Change> changes = Launches(source).changes();
  for (std::vector<Change> more : {for_one_compilation(source), checks_of_launches(source),
                                   addresses_on_host(source, device_functions)})
    std::ranges::move(more, std::back_inserter(changes));
  if (changes.empty()) return std::nullopt;
  std::ranges::stable_sort(changes, {}, &Change::begin);
  std::string text;
  std::size_t at = 0;
  for (const Change& change : changes) {
    if (change.begin < at) continue;
    text += source.substr(at, change.begin - at) + change.text;
    at = change.end;
  }
  return text + source.substr(at);
}

}  // namespace ladder::glassbox
