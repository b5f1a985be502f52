// SPDX-License-Identifier: MIT
#include "glassbox/two_sides.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "glassbox/code_sides.hpp"
#include "glassbox/inline_ptx.hpp"

namespace ladder::glassbox {
namespace {

class TwoSides : private TokenReader {
 public:
  explicit TwoSides(const std::string& source) : TokenReader(source), sides_(*this) {}

  std::vector<Change> changes() {
    for (std::size_t i = 0; i < size(); ++i) {
      if (is_asm(i)) translate_asm(i);
      if (asks_for_architecture(i) && sides_.place(i) != Place::kHost)
        changes_.push_back({token(i).begin, token(i).end, kDeviceArchitecture});
    }
    for (const FunctionBody& body : sides_.bodies()) {
      if (has_two_bodies(body)) give_two_bodies(body);
    }
    give_host_sides();
    return changes_;
  }

  std::vector<OneSided> one_sided() const {
    std::vector<OneSided> found;
    for (const FunctionBody& body : sides_.bodies()) {
      std::string_view reason = reason_for_one(body);
      if (reason.empty() && body.is_constant) reason = "constant";
      std::size_t i = body.open;
      while (i < end_of(body) && !asks_for_architecture(i))
        ++i;
      if (asks_for_architecture(body) && !reason.empty())
        found.push_back({line_at(source_, token(i).begin), reason});
    }
    return found;
  }

  std::set<std::string_view> device_variables() const {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < size(); ++i) {
      if (sides_.place(i) != Place::kOutside || !is_any(i, {"__device__", "__constant__"}))
        continue;
      if (const auto name = variable_declared_at(i); !name.empty()) names.insert(name);
    }
    return names;
  }

  std::set<std::string> device_functions() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < size(); ++i) {
      if (sides_.place(i) != Place::kOutside || !is(i, "__device__")) continue;
      if (const std::string name = function_declared_at(i); !name.empty()) names.insert(name);
    }
    return names;
  }

  bool takes_memory_on_device() const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (sides_.on_device(i) && (is(i, "new") || (is(i, "malloc") && is(i + 1, "(")))) return true;
    }
    return false;
  }

 private:
  // -- Inline PTX
  // ---------------------------------------------------------------------------------

  bool is_asm(std::size_t i) const { return is_any(i, {"asm", "__asm__", "__asm"}); }

  /// The assembler of the host stays what it is; in device code it is PTX.
  void translate_asm(std::size_t i) {
    const bool is_of_host =
        sides_.place(i) == Place::kHost &&
        (!sides_.on_device(i) || has_two_bodies(sides_.bodies()[sides_.body_around(i)]));
    const bool is_in_directive = !directive_end(i).empty();
    if (is_of_host && !is_in_directive) {
      if (is(i, "asm")) changes_.push_back({token(i).begin, token(i).end, "__asm__"});
    } else if (sides_.place(i) != Place::kOutside || is_in_directive) {
      if (const auto change = translation_of_asm(i)) changes_.push_back(*change);
    }
  }

  /// \brief A call that g++ refuses, with a sentence. It does so where the call is left once all is
  ///        optimised: headers hold functions that nobody calls.
  static std::string refusal_of(const std::string& instruction) {
    std::string name = "glassbox_refuses_" + instruction;
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return "__extension__({ extern void " + name +
           "() __attribute__((error(\"the emulator does not have the PTX instruction " +
           instruction +
           ": call a function of common/ptx, or give it C++ that does the same behind #ifdef "
           "__GLASSBOX__ [not-emulated]\"))); " +
           name + "(); })";
  }

  /// C++ for the PTX at `i`, or what refuses it.
  std::optional<Change> translation_of_asm(std::size_t i) const {
    std::size_t open = i + 1;
    while (is_any(open, {"volatile", "__volatile__", "__volatile", "inline"}))
      ++open;
    const std::size_t close = is(open, "(") ? partner(open, 1) : kNone;
    if (close == kNone) return std::nullopt;
    const std::string directive = directive_end(i);
    AsmTranslation made = {.code = {}, .refused = "that a macro puts together"};
    if (const auto statement = asm_statement(open, close)) made = translated(*statement);
    const std::size_t begin = token(i).begin, end = token(close).end;
    std::string text = made.code.empty() ? refusal_of(made.refused) : made.code;
    const auto lines = std::count(source_.begin() + static_cast<std::ptrdiff_t>(begin),
                                  source_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    for (std::ptrdiff_t line = 0; line < lines; ++line)
      text += directive.empty() ? "\n" : directive;
    return Change{begin, end, text};
  }

  /// How a line ends that goes on, if the token is in a directive of the preprocessor; else empty.
  std::string directive_end(std::size_t i) const {
    std::size_t line = token(i).begin;
    while (true) {
      line = source_.rfind('\n', line == 0 ? 0 : line - 1);
      if (line == std::string::npos) break;
      if (line == 0 || source_[line - 1] != '\\') break;
    }
    const std::size_t first =
        source_.find_first_not_of(" \t\n", line == std::string::npos ? 0 : line);
    return first != std::string::npos && source_[first] == '#' ? " \\\n" : "";
  }

  /// What stands between the parentheses; nothing if it is not made of literals.
  std::optional<AsmStatement> asm_statement(std::size_t open, std::size_t close) const {
    AsmStatement statement;
    std::size_t i = open + 1;
    for (; i < close && !is(i, ":"); ++i) {
      if (token(i).kind != Token::Kind::kText || text(i)[0] != '"') return std::nullopt;
      statement.text += unescaped(text(i));
    }
    for (int part = 0; i < close && part < 2; ++part) {
      ++i;  // the colon
      while (i < close && !is(i, ":")) {
        if (i + 1 >= close || token(i).kind != Token::Kind::kText || !is(i + 1, "("))
          return std::nullopt;
        const std::size_t end = partner(i + 1, 1);
        if (end == kNone) return std::nullopt;
        std::string operand = source_.substr(token(i + 1).end, token(end).begin - token(i + 1).end);
        std::ranges::replace(operand, '\n', ' ');
        std::ranges::replace(operand, '\\', ' ');
        statement.operands.push_back(operand);
        if (part == 0) ++statement.outputs;
        i = end + 1;
        if (is(i, ",")) ++i;
      }
    }
    return statement;
  }

  static std::string unescaped(std::string_view literal) {
    std::string result;
    for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
      if (literal[i] == '\\') {
        ++i;
        result += literal[i] == 'n' ? '\n' : literal[i] == 't' ? ' ' : literal[i];
      } else if (literal.substr(i, 2) == "%%") {
        result += literal[i++];
      } else {
        result += literal[i];
      }
    }
    return result;
  }

  // -- Functions of both sides that ask which one it is
  // ---------------------------------------------

  bool asks_for_architecture(std::size_t i) const { return is(i, "__CUDA_ARCH__"); }

  std::size_t end_of(const FunctionBody& body) const {
    return body.close == kNone ? size() : body.close;
  }

  bool asks_for_architecture(const FunctionBody& body) const {
    if (body.place != Place::kHost || !(body.on_device || body.may_be_both)) return false;
    for (std::size_t i = body.open; i < end_of(body); ++i) {
      const std::size_t around = sides_.body_around(i);
      if (asks_for_architecture(i) && around != kNone && &sides_.bodies()[around] == &body)
        return true;
    }
    return false;
  }

  bool has_two_bodies(const FunctionBody& body) const {
    return asks_for_architecture(body) && reason_for_one(body).empty();
  }

  /// Why the function cannot have two bodies; empty if it can.
  std::string_view reason_for_one(const FunctionBody& body) const {
    if (!body.is_one_piece) return "conditional";
    for (std::size_t i = body.open; i < body.close; ++i) {
      if (is(i, "goto")) return "goto";  // a function has each label once
    }
    return "";
  }

  void give_two_bodies(const FunctionBody& body) {
    const std::size_t begin = token(body.open).end;
    std::string for_device;
    std::size_t at = begin;
    for (std::size_t i = body.open + 1; i < body.close; ++i) {
      std::optional<Change> change;
      if (asks_for_architecture(i)) change = {token(i).begin, token(i).end, kDeviceArchitecture};
      if (is_asm(i)) change = translation_of_asm(i);
      if (!change || change->begin < at) continue;
      for_device += source_.substr(at, change->begin - at) + change->text;
      at = change->end;
    }
    for_device += source_.substr(at, token(body.close).begin - at);
    const std::string line = std::to_string(line_at(source_, begin));
    changes_.push_back({begin, begin,
                        " extern bool glassbox_in_kernel() __asm__(\"glassbox_in_kernel\");"
                        " if (!__builtin_is_constant_evaluated() && glassbox_in_kernel()) {" +
                            for_device + "} else {\n#line " + line + "\n"});
    changes_.push_back({token(body.close).begin, token(body.close).begin, "}"});
  }

  // -- Variables of the device that the host names
  // -------------------------------------------------

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

  /// The name that a declaration with __device__ at `i`, and without __host__, gives to a function.
  std::string function_declared_at(std::size_t i) const {
    std::size_t name = kNone;
    for (std::size_t k = start_of_statement(i); k < tokens_.size(); ++k) {
      if (is_any(k, {"__host__", "__global__", "using", "typedef", ";", "=", "{"})) return {};
      if (is_any(k, {"__align__", "alignas", "__attribute__", "__launch_bounds__"}) || is(k, "<")) {
        k = partner(is(k, "<") ? k : k + 1, 1);
        if (k == kNone) return {};
      } else if (is(k, "operator")) {
        std::string text(this->text(k));
        while (++k < tokens_.size() && !is(k, "("))
          text += this->text(k);
        return text == "operator" ? "operator()" : text;
      } else if (is(k, "(")) {
        return name == kNone || name <= i ? std::string() : std::string(text(name));
      } else if (is_name(k)) {
        name = k;
      }
    }
    return {};
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
    const std::set<std::string_view> names = device_variables();
    for (const FunctionBody& body : sides_.bodies()) {
      if (body.place != Place::kHost || body.on_device) continue;
      for (const std::string_view name : names)
        give_host_side(name, body.open, end_of(body));
    }
  }

  void give_host_side(std::string_view name, std::size_t begin, std::size_t end) {
    if (may_be_declared(name, start_of_statement(begin), end)) return;
    for (std::size_t i = begin; i < end; ++i) {
      if (sides_.on_device(i)) continue;  // a lambda
      if (!is(i, name) || is_any(i - 1, {".", ":"}) || is_any(i + 1, {":", "("})) continue;
      if (is(i - 1, ">") && is(i - 2, "-")) continue;
      if (names_symbol(i, begin)) continue;
      changes_.push_back({token(i).begin, token(i).end,
                          "::ladder::glassbox::on_host_side(" + std::string(name) + ")"});
    }
  }

  CodeSides sides_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> for_one_compilation(const std::string& source) {
  return TwoSides(source).changes();
}

std::vector<OneSided> one_sided_functions(const std::string& source) {
  return TwoSides(source).one_sided();
}

std::vector<std::string> device_variables(const std::string& source) {
  const TwoSides sides(source);
  const std::set<std::string_view> names = sides.device_variables();
  return {names.begin(), names.end()};
}

std::vector<std::string> device_functions(const std::string& source) {
  const std::set<std::string> names = TwoSides(source).device_functions();
  return {names.begin(), names.end()};
}

bool takes_memory_on_device(const std::string& source) {
  return TwoSides(source).takes_memory_on_device();
}

}  // namespace ladder::glassbox
