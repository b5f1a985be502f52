// SPDX-License-Identifier: MIT
#include "glassbox/inline_ptx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

namespace ladder::glassbox {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kTypes = {
    {{"pred", "bool"},           {"u8", "std::uint8_t"},      {"s8", "std::int8_t"},
     {"b8", "std::uint8_t"},     {"u16", "std::uint16_t"},    {"s16", "std::int16_t"},
     {"b16", "std::uint16_t"},   {"f16", "std::uint16_t"},    {"bf16", "std::uint16_t"},
     {"u32", "std::uint32_t"},   {"s32", "std::int32_t"},     {"b32", "std::uint32_t"},
     {"f16x2", "std::uint32_t"}, {"bf16x2", "std::uint32_t"}, {"f32", "float"},
     {"u64", "std::uint64_t"},   {"s64", "std::int64_t"},     {"b64", "std::uint64_t"},
     {"f64", "double"},          {"tf32", "std::uint32_t"}}};

std::string type_named(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, [](const auto& type) { return type.first; });
  return found == kTypes.end() ? std::string() : std::string(found->second);
}

/// Special registers, and what they are in C++.
const std::map<std::string, std::string, std::less<>>& special_registers() {
  static const std::map<std::string, std::string, std::less<>> all = {
      {"laneid", "lane_index()"},
      {"warpid", "warp_index()"},
      {"smid", "multiprocessor()"},
      {"nsmid", "multiprocessors()"},
      {"lanemask_eq", "(1u << lane_index())"},
      {"lanemask_lt", "((1u << lane_index()) - 1)"},
      {"lanemask_le", "((2u << lane_index()) - 1)"},
      {"lanemask_gt", "(~0u << lane_index() << 1)"},
      {"lanemask_ge", "(~0u << lane_index())"},
      {"tid.x", "unpack(packed_thread_index()).x"},
      {"tid.y", "unpack(packed_thread_index()).y"},
      {"tid.z", "unpack(packed_thread_index()).z"},
      {"ctaid.x", "unpack(packed_block_index()).x"},
      {"ctaid.y", "unpack(packed_block_index()).y"},
      {"ctaid.z", "unpack(packed_block_index()).z"},
      {"ntid.x", "unpack(packed_block_extent()).x"},
      {"ntid.y", "unpack(packed_block_extent()).y"},
      {"ntid.z", "unpack(packed_block_extent()).z"},
      {"nctaid.x", "unpack(packed_grid_extent()).x"},
      {"nctaid.y", "unpack(packed_grid_extent()).y"},
      {"nctaid.z", "unpack(packed_grid_extent()).z"},
      {"clock", "static_cast<unsigned>(clock64())"},
      {"clock64", "clock64()"},
      {"globaltimer", "clock64()"},
      {"cluster_ctarank", "cluster_rank()"}};
  return all;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\r");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n\r") - begin + 1));
}

/// At this sign, outside of brackets.
Words split(std::string_view text, char sign) {
  Words parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += static_cast<int>(c == '[' || c == '{' || c == '(');
    depth -= static_cast<int>(c == ']' || c == '}' || c == ')');
    if (c == sign && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty() || !parts.empty()) parts.push_back(trimmed(part));
  return parts;
}

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size() - 1);
      result += '\n';
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i), text.size() - 2) + 1;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// Thrown where an instruction is not known.
struct Unknown {
  std::string instruction;
};

class Translator {
 public:
  explicit Translator(const AsmStatement& statement) : statement_(statement) {}

  std::string code() {
    std::string body;
    const std::string text = without_comments(statement_.text);
    std::string one;
    int brackets = 0;
    for (const char c : text) {
      const bool starts = trimmed(one).empty();
      if (c == '{' && starts) {
        body += "{ ";
        one.clear();
      } else if (c == '}' && starts) {
        body += "} ";
        one.clear();
      } else if (c == ';') {
        body += instruction(trimmed(one));
        one.clear();
      } else {
        one += c;
      }
      brackets += static_cast<int>(c == '{') - static_cast<int>(c == '}');
    }
    if (!trimmed(one).empty()) body += instruction(trimmed(one));
    if (brackets != 0) throw Unknown{"a brace without its partner"};
    return "do { namespace glassbox_ptx = ::ladder::emulator::inline_ptx; "
           "[[maybe_unused]] bool glassbox_carry = false; " +
           operands() + qualified(body) + "} while (0)";
  }

 private:
  /// The statement stands among the program's own names, so ours have a namespace in front.
  static std::string qualified(const std::string& body) {
    static const std::regex own(
        R"((^|[^\w:])(in|out|sum|difference|wide_product|high_product|product|smaller|larger|sum_with|)"
        R"(difference_with|shifted_left|shifted_right|leading_zeros|field|with_field|by_table|with_parts|)"
        R"(to_whole|multiprocessor|multiprocessors|)"
        R"(pointer|load|store|load_volatile|store_volatile|load_flag|store_flag|Several|Wide|)"
        R"(narrow_next_atomic|number_in_shared|)"
        R"(pointer_to_shared|lane_index|warp_index|threads_of_block|unpack|packed_thread_index|)"
        R"(packed_block_index|packed_block_extent|packed_grid_extent|cluster_rank|step_aside|)"
        R"(wait_at_named_barrier|load_tiles|store_tiles|multiply_bf16|multiply_tf32|multiply_half|)"
        R"(start_copy|commit_copies|wait_for_copies|round_to_tf32|round_to_even_tf32|Nowhere|)"
        R"(fence_proxy_async|wait_for_previous_kernel|launch_dependents)(?=[<(]))");
    return std::regex_replace(body, own, "$1glassbox_ptx::$2");
  }

  std::string operands() const {
    std::string text;
    for (std::size_t i = 0; i < statement_.operands.size(); ++i) {
      const char* const form = i < statement_.outputs ? "auto&& glassbox_{} = ({}); "
                                                      : "const auto glassbox_{} = ({}); ";
      text += fmt::format(fmt::runtime(form), i, statement_.operands[i]);
    }
    return text;
  }

  // -- Operands
  // -----------------------------------------------------------------------------------

  /// The C++ name of a register.
  std::string register_named(const std::string& name) const {
    if (name == "_") return "Nowhere()";
    if (name.starts_with('%') && name.size() > 1 &&
        std::isdigit(static_cast<unsigned char>(name[1])))
      return "glassbox_" + name.substr(1);
    if (!registers_.contains(name)) throw Unknown{name};
    std::string plain = "glassbox_r_";
    for (const char c : name)
      plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return plain;
  }

  static bool is_number(const std::string& word) {
    return !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) != 0 ||
                             (word[0] == '-' && word.size() > 1));
  }

  /// An operand as a value of this type.
  std::string value(const std::string& operand, const std::string& type) const {
    if (operand.starts_with("!"))
      return fmt::format("!in<bool>({})", register_named(operand.substr(1)));
    if (operand.starts_with("0f") || operand.starts_with("0F"))
      return fmt::format("in<{}>(std::uint32_t{{0x{}u}})", type, operand.substr(2));
    if (operand.starts_with("0d") || operand.starts_with("0D"))
      return fmt::format("in<{}>(std::uint64_t{{0x{}ull}})", type, operand.substr(2));
    if (is_number(operand)) {
      std::string digits = operand;
      if (digits.ends_with('U')) digits.pop_back();
      return fmt::format("static_cast<{}>({})", type, digits);
    }
    if (operand.starts_with('%') && operand.size() > 1 &&
        std::isalpha(static_cast<unsigned char>(operand[1])) && !registers_.contains(operand)) {
      const auto found = special_registers().find(operand.substr(1));
      if (found == special_registers().end()) throw Unknown{operand};
      return fmt::format("static_cast<{}>({})", type, found->second);
    }
    if (operand.starts_with('{')) return packed(operand, type);
    return fmt::format("in<{}>({})", type, register_named(operand));
  }

  /// {low, high} as one value of twice the size.
  std::string packed(const std::string& operand, const std::string& type) const {
    const Words parts = split(operand.substr(1, operand.size() - 2), ',');
    if (parts.size() != 2) throw Unknown{operand};
    const bool is_wide = type.find("64") != std::string::npos || type == "double";
    const char* const half = is_wide ? "std::uint32_t" : "std::uint16_t";
    const char* const whole = is_wide ? "std::uint64_t" : "std::uint32_t";
    return fmt::format("in<{}>(static_cast<{}>({}) | static_cast<{}>({}) << {})", type, whole,
                       value(parts[0], half), whole, value(parts[1], half), is_wide ? 32 : 16);
  }

  std::string assign(const std::string& target, const std::string& value) const {
    if (!target.starts_with('{'))
      return fmt::format("out({}, {}); ", register_named(target), value);
    const Words parts = split(target.substr(1, target.size() - 2), ',');
    if (parts.size() != 2) throw Unknown{target};
    return fmt::format(
        "{{ const auto glassbox_v = {0}; constexpr int kHalf = sizeof glassbox_v * 4; "
        "using Half = std::conditional_t<kHalf == 32, std::uint32_t, std::uint16_t>; "
        "out({1}, static_cast<Half>(glassbox_v)); "
        "out({2}, static_cast<Half>(glassbox_v >> kHalf)); }} ",
        value, register_named(parts[0]), register_named(parts[1]));
  }

  /// "[%1 + 16]" as a pointer.
  std::string pointer(const std::string& operand, bool shared) const {
    if (!operand.starts_with('[') || !operand.ends_with(']')) throw Unknown{operand};
    std::string inner = trimmed(operand.substr(1, operand.size() - 2));
    std::string offset = "0";
    if (const std::size_t sign = inner.find_first_of("+-", 1); sign != std::string::npos) {
      offset = trimmed(inner.substr(inner[sign] == '+' ? sign + 1 : sign));
      inner = trimmed(inner.substr(0, sign));
      if (!is_number(offset)) offset = value(offset, "std::int64_t");
    }
    return fmt::format("pointer<{}>({}, {})", shared, register_named(inner), offset);
  }

  // -- Instructions
  // -------------------------------------------------------------------------------

  std::string instruction(const std::string& text) {
    if (text.empty()) return "";
    if (text.starts_with(".reg")) return declaration(text);
    if (text.starts_with("@")) {
      const std::size_t end = text.find_first_of(" \t\n");
      if (end == std::string::npos) throw Unknown{text};
      const bool inverted = text[1] == '!';
      const std::string predicate = text.substr(inverted ? 2 : 1, end - (inverted ? 2 : 1));
      return fmt::format("if ({}in<bool>({})) {{ {}}} ", inverted ? "!" : "",
                         register_named(predicate), instruction(trimmed(text.substr(end))));
    }
    const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
    whole_name_ = text.substr(0, end);
    if (whole_name_.find(':') == whole_name_.size() - 1) throw Unknown{"a label: " + whole_name_};
    name_ = split_name(whole_name_);
    operands_ = split(text.substr(end), ',');
    std::string result = translate();
    if (result.empty()) throw Unknown{whole_name_};
    return result;
  }

  static Words split_name(const std::string& name) {
    Words parts;
    std::string part;
    for (std::size_t i = 0; i <= name.size(); ++i) {
      if (i < name.size() && name[i] != '.') {
        part += name[i];
      } else {
        parts.push_back(std::exchange(part, {}));
      }
    }
    return parts;
  }

  /// ".reg .b32 a, b" and ".reg .f32 t<4>"
  std::string declaration(const std::string& text) {
    const std::size_t type_begin = text.find('.', 4);
    const std::size_t type_end = text.find_first_of(" \t\n", type_begin);
    if (type_begin == std::string::npos || type_end == std::string::npos) throw Unknown{text};
    const std::string type = type_named(text.substr(type_begin + 1, type_end - type_begin - 1));
    if (type.empty()) throw Unknown{text};
    std::string result;
    for (const std::string& word : split(text.substr(type_end), ',')) {
      Words names = {word};
      if (const std::size_t angle = word.find('<'); angle != std::string::npos) {
        names.clear();
        for (int i = 0; i < std::stoi(word.substr(angle + 1)); ++i)
          names.push_back(word.substr(0, angle) + std::to_string(i));
      }
      for (const std::string& name : names) {
        registers_.insert(name);
        result += fmt::format("[[maybe_unused]] {} {}{{}}; ", type, register_named(name));
      }
    }
    return result;
  }

  bool has(std::string_view part) const { return std::ranges::find(name_, part) != name_.end(); }
  const std::string& op() const { return name_[0]; }
  const std::string& operand(std::size_t i) const {
    if (i >= operands_.size()) throw Unknown{whole_name_};
    return operands_[i];
  }
  /// The last type in the name.
  std::string type() const {
    for (auto part = name_.rbegin(); part != name_.rend(); ++part) {
      if (std::string type = type_named(*part); !type.empty()) return type;
    }
    throw Unknown{whole_name_};
  }
  std::string in(std::size_t i) const { return value(operand(i), type()); }
  std::string in(std::size_t i, const char* type) const { return value(operand(i), type); }
  /// Operand 0 = function(operands 1, 2, ...)
  std::string call(const std::string& function, std::size_t inputs) const {
    std::string arguments;
    for (std::size_t i = 1; i <= inputs; ++i)
      arguments += (i > 1 ? ", " : "") + in(i);
    return assign(operand(0), fmt::format("{}({})", function, arguments));
  }

  std::string translate() {
    for (const auto part : {&Translator::moves, &Translator::arithmetic, &Translator::bits,
                            &Translator::floats, &Translator::conversions, &Translator::memory,
                            &Translator::warps, &Translator::copies, &Translator::matrices}) {
      if (std::string code = (this->*part)(); !code.empty()) return code;
    }
    return "";
  }

  std::string moves() {
    if (op() == "mov") return assign(operand(0), in(1));
    if (op() == "cvta") {
      const bool to = has("to");
      if (!has("shared")) return assign(operand(0), in(1, "std::uint64_t"));
      const std::string address = in(1, "std::uint64_t");
      return assign(
          operand(0),
          to ? fmt::format("number_in_shared(reinterpret_cast<void*>({}))", address)
             : fmt::format("reinterpret_cast<std::uint64_t>(pointer_to_shared({}))", address));
    }
    if (op() == "selp") {
      return assign(operand(0), fmt::format("({} ? {} : {})", in(3, "bool"), in(1), in(2)));
    }
    if (op() == "setp" && name_.size() == 3) {
      const std::string sign = comparison(name_[1]);
      if (sign.empty()) return "";
      return assign(operand(0), fmt::format("({} {} {})", in(1), sign, in(2)));
    }
    return "";
  }

  static std::string comparison(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kSigns = {
        {{"eq", "=="},
         {"ne", "!="},
         {"lt", "<"},
         {"le", "<="},
         {"gt", ">"},
         {"ge", ">="},
         {"lo", "<"},
         {"ls", "<="},
         {"hi", ">"},
         {"hs", ">="}}};
    const auto found = std::ranges::find(kSigns, name, [](const auto& sign) { return sign.first; });
    return found == kSigns.end() ? std::string() : std::string(found->second);
  }

  std::string arithmetic() {
    const bool is_packed = has("f16") || has("bf16") || has("f16x2") || has("bf16x2");
    if (is_packed || has("sat")) return "";
    const bool carries = op() == "addc" || op() == "subc", writes = has("cc");
    if (carries || (writes && (op() == "add" || op() == "sub"))) {
      const std::string carry = carries ? "glassbox_carry" : "false";
      return fmt::format(
          "{{ bool glassbox_next = glassbox_carry; {} {}}} ",
          assign(operand(0), fmt::format("{}({}, {}, {}, glassbox_next)",
                                         op().starts_with("add") ? "sum_with" : "difference_with",
                                         unsigned_in(1), unsigned_in(2), carry)),
          writes ? "glassbox_carry = glassbox_next; " : "");
    }
    if (op() == "add") return call("sum<" + type() + ">", 2);
    if (op() == "sub") return call("difference<" + type() + ">", 2);
    if (op() == "min") return call("smaller<" + type() + ">", 2);
    if (op() == "max") return call("larger<" + type() + ">", 2);
    if (op() == "div" && !has("approx"))
      return assign(operand(0), fmt::format("({} / {})", in(1), in(2)));
    if (op() == "rem") return assign(operand(0), fmt::format("({} % {})", in(1), in(2)));
    if (op() == "neg")
      return assign(operand(0), fmt::format("difference<{0}>({0}{{}}, {1})", type(), in(1)));
    if (op() == "abs") return assign(operand(0), fmt::format("({0} < 0 ? -{0} : {0})", in(1)));
    if (op() == "mul" || op() == "mad") {
      const bool is_sum = op() == "mad";
      std::string product;
      std::string sum_type = type();
      if (has("wide")) {
        product = fmt::format("wide_product<{}>({}, {})", type(), in(1), in(2));
        sum_type = "Wide<" + type() + ">";
      } else {
        product = fmt::format("{}<{}>({}, {})", has("hi") ? "high_product" : "product", type(),
                              in(1), in(2));
      }
      if (!is_sum) return assign(operand(0), product);
      return assign(operand(0),
                    fmt::format("sum<{}>({}, {})", sum_type, product, value(operand(3), sum_type)));
    }
    return "";
  }

  std::string unsigned_in(std::size_t i) const {
    return in(i, type().find("64") != std::string::npos ? "std::uint64_t" : "std::uint32_t");
  }

  std::string bits() {
    const auto sign = [&](const char* sign) {
      return assign(operand(0), fmt::format("({} {} {})", in(1), sign, in(2)));
    };
    if (op() == "and") return sign("&");
    if (op() == "or") return sign("|");
    if (op() == "xor") return sign("^");
    if (op() == "not")
      return assign(operand(0), fmt::format("static_cast<{}>(~{})", type(), in(1)));
    if (op() == "shl" || op() == "shr")
      return assign(operand(0),
                    fmt::format("shifted_{}<{}>({}, {})", op() == "shl" ? "left" : "right", type(),
                                in(1), in(2, "std::uint32_t")));
    if (op() == "popc")
      return assign(operand(0),
                    fmt::format("static_cast<std::uint32_t>(__builtin_popcountll({}))", in(1)));
    if (op() == "clz") return call("leading_zeros<" + type() + ">", 1);
    if (op() == "brev")
      return call(type().find("64") != std::string::npos ? "__brevll" : "__brev", 1);
    if (op() == "bfe")
      return assign(operand(0), fmt::format("field<{}>({}, {}, {})", type(), in(1),
                                            in(2, "std::uint32_t"), in(3, "std::uint32_t")));
    if (op() == "bfi")
      return assign(operand(0), fmt::format("with_field<{}>({}, {}, {}, {})", type(), in(1), in(2),
                                            in(3, "std::uint32_t"), in(4, "std::uint32_t")));
    if (op() == "prmt" && name_.size() == 2) return call("__byte_perm", 3);
    if (op() == "lop3" && operands_.size() == 5) return call("by_table", 4);
    if (op() == "shf" && name_.size() == 4) {
      const std::string function =
          fmt::format("__funnelshift_{}{}", name_[1], name_[2] == "clamp" ? "c" : "");
      return call(function, 3);
    }
    if (op() == "dp4a")
      return assign(operand(0), fmt::format("__dp4a({0}({1}), {0}({2}), {0}({3}))",
                                            has("s32") ? "int" : "unsigned", in(1, "std::uint32_t"),
                                            in(2, "std::uint32_t"), in(3, "std::uint32_t")));
    return video();
  }

  /// \brief "vabsdiff4.u32.u32.u32.add": an operation on two or four numbers in a word, all of one
  ///        type; with .add, the third operand and all results.
  std::string video() {
    if (op().size() < 5 || op()[0] != 'v' || name_.size() < 4) return "";
    const std::string_view name = op(), operation = name.substr(1, name.size() - 2);
    const bool is_signed = name_[1] == "s32", adds = has("add"), saturates = has("sat");
    constexpr std::array kInByte = {"avrg", "min", "max", "absdiff"};
    const bool fits = std::ranges::find(kInByte, operation) != kInByte.end();
    const bool is_sum = operation == "add" || operation == "sub";
    if (!(is_signed || name_[1] == "u32") || name_[2] != name_[1] || name_[3] != name_[1] ||
        (name.back() != '2' && name.back() != '4') || !(fits || is_sum) || (adds && is_sum) ||
        (saturates && !is_sum) || (adds && is_signed && operation == "absdiff") ||
        name_.size() != 4u + static_cast<unsigned>(adds) + static_cast<unsigned>(saturates)) {
      return "";
    }
    const char* const sign = is_signed ? "s" : "u";
    const std::string suffix =
        is_sum ? (saturates ? std::string(is_signed ? "ss" : "us") : "") : sign;
    const std::string made =
        fmt::format("__v{}{}{}({}, {})", operation == "avrg" ? "avg" : operation, suffix,
                    name.back(), in(1, "std::uint32_t"), in(2, "std::uint32_t"));
    if (!adds) return assign(operand(0), made);
    return assign(operand(0),
                  fmt::format("with_parts<std::{}int{}_t>({}, {})", is_signed ? "" : "u",
                              name.back() == '2' ? 16 : 8, in(3, "std::uint32_t"), made));
  }

  std::string floats() {
    const bool is_float = type_or_empty() == "float";
    if (!is_float && type_or_empty() != "double") return "";
    if (op() == "fma" && !has("sat")) return call("std::fma", 3);
    if (op() == "div") return assign(operand(0), fmt::format("({} / {})", in(1), in(2)));
    if (op() == "sqrt") return call("std::sqrt", 1);
    if (op() == "rcp") return assign(operand(0), fmt::format("({}(1) / {})", type(), in(1)));
    if (op() == "rsqrt") return call(is_float ? "rsqrtf" : "rsqrt", 1);
    if (op() == "ex2") return call("std::exp2", 1);
    if (op() == "lg2") return call("std::log2", 1);
    if (op() == "sin") return call("std::sin", 1);
    if (op() == "cos") return call("std::cos", 1);
    if (op() == "tanh") return call("std::tanh", 1);
    if (op() == "copysign")
      return assign(operand(0), fmt::format("std::copysign({}, {})", in(2), in(1)));
    return "";
  }

  std::string type_or_empty() const { return type_named(name_.back()); }

  /// cvt.TO.FROM
  std::string conversions() {
    if (op() != "cvt" || name_.size() < 3 || has("sat")) return "";
    const std::string& to_name = name_[name_.size() - 2];
    const std::string& from_name = name_.back();
    if (from_name == "f32" && to_name == "tf32")
      return assign(operand(0),
                    fmt::format("{}({})", has("rna") ? "round_to_tf32" : "round_to_even_tf32",
                                in(1, "float")));
    if (from_name == "f32" && to_name == "f16")
      return assign(operand(0),
                    fmt::format("__half_as_ushort(__float2half_rn({}))", in(1, "float")));
    if (from_name == "f16" && to_name == "f32")
      return assign(operand(0),
                    fmt::format("__half2float(__ushort_as_half({}))", in(1, "std::uint16_t")));
    if (from_name == "f32" && to_name == "bf16")
      return assign(operand(0),
                    fmt::format("__bfloat16_as_ushort(__float2bfloat16_rn({}))", in(1, "float")));
    if (from_name == "f32" && (to_name == "f16x2" || to_name == "bf16x2") && !has("relu")) {
      const bool is_half = to_name == "f16x2";
      const char* const bits = is_half ? "__half_as_ushort(__float2half_rn({}))"
                                       : "__bfloat16_as_ushort(__float2bfloat16_rn({}))";
      return assign(operand(0), fmt::format("(static_cast<std::uint32_t>({}) << 16 | {})",
                                            fmt::format(fmt::runtime(bits), in(1, "float")),
                                            fmt::format(fmt::runtime(bits), in(2, "float"))));
    }
    const bool is_short =
        to_name.find("f16") != std::string::npos || from_name.find("f16") != std::string::npos;
    const std::string to = type_named(to_name), from = type_named(from_name);
    if (to.empty() || from.empty() || is_short) return "";
    const bool to_real = to == "float" || to == "double",
               from_real = from == "float" || from == "double";
    const std::string value = this->value(operand(1), from);
    if (from_real && !to_real) {
      const char* const rounded = has("rzi")   ? "std::trunc"
                                  : has("rmi") ? "std::floor"
                                  : has("rpi") ? "std::ceil"
                                  : has("rni") ? "std::nearbyint"
                                               : nullptr;
      if (rounded == nullptr) return "";
      return assign(operand(0), fmt::format("to_whole<{}>({}, {}({}))", to, value, rounded, value));
    }
    const bool rounds_otherwise =
        has("rz") || has("rm") || has("rp") || has("rzi") || has("rmi") || has("rpi");
    if (to_real && rounds_otherwise) return "";
    return assign(operand(0), fmt::format("static_cast<{}>({})", to, value));
  }

  std::string memory() {
    const bool shared = has("shared") || has("shared::cta");
    const bool is_flag = has("acquire") || has("release") || has("relaxed") || has("acq_rel");
    if (op() == "ld" || op() == "ldu") return load(shared, is_flag);
    if (op() == "st") return store(shared, is_flag);
    if (op() == "atom" || op() == "red") return atomic(shared);
    if (op() == "prefetch" || op() == "prefetchu" || op() == "discard" || op() == "applypriority")
      return "(void)0; ";
    if (op() == "createpolicy") return assign(operand(0), "std::uint64_t{0}");
    if (op() == "membar" || (op() == "fence" && !has("proxy") && !has("mbarrier_init")))
      return memory_fence();
    if (op() == "fence" && has("proxy"))
      return "fence_proxy_async(std::source_location::current()); ";
    return "";
  }

  std::string memory_fence() const {
    return has("cta") ? "__threadfence_block(); " : "__threadfence(); ";
  }

  /// \brief An access in its memory order, as the emulator's cuda::atomic has it: what releases
  ///        follows a fence, and one follows what acquires.
  std::string ordered(const std::string& access) const {
    const bool releases = has("release") || has("acq_rel");
    const bool acquires = has("acquire") || has("acq_rel");
    return (releases ? memory_fence() : "") + access +
           (acquires ? memory_fence() : "step_aside(); ");
  }

  /// Comes right before an atomic or a store that only its own block has to see.
  std::string narrowed() const { return has("cta") ? "narrow_next_atomic(); " : ""; }

  int vector_size() const { return has("v8") ? 8 : has("v4") ? 4 : has("v2") ? 2 : 1; }

  std::string load(bool shared, bool is_flag) {
    const std::string address = pointer(operand(1), shared);
    const int n = vector_size();
    if (is_flag) {
      if (n != 1) return "";
      return ordered(assign(operand(0), fmt::format("load_flag<{}>({})", type(), address)));
    }
    if (n == 1) {
      return assign(operand(0), fmt::format("load{}<{}>({})", has("volatile") ? "_volatile" : "",
                                            type(), address));
    }
    const Words parts = vector_parts(operand(0), n);
    std::string code = fmt::format("{{ const auto glassbox_v = load<Several<{}, {}>::Type>({}); ",
                                   type(), n, address);
    for (int i = 0; i < n; ++i)
      code += fmt::format("out({}, {}(glassbox_v[{}])); ",
                          register_named(parts[static_cast<std::size_t>(i)]), type(), i);
    return code + "} ";
  }

  Words vector_parts(const std::string& operand, int n) const {
    Words parts;
    if (operand.starts_with('{')) parts = split(operand.substr(1, operand.size() - 2), ',');
    if (static_cast<int>(parts.size()) != n) throw Unknown{whole_name_};
    return parts;
  }

  std::string store(bool shared, bool is_flag) {
    const std::string address = pointer(operand(0), shared);
    const int n = vector_size();
    if (is_flag) {
      if (n != 1) return "";
      return ordered(narrowed() + fmt::format("store_flag<{}>({}, {}); ", type(), address, in(1)));
    }
    if (n == 1) {
      return fmt::format("store{}<{}>({}, {}); ", has("volatile") ? "_volatile" : "", type(),
                         address, in(1));
    }
    std::string all;
    for (const std::string& part : vector_parts(operand(1), n))
      all += (all.empty() ? "" : ", ") + value(part, type());
    return fmt::format("store<Several<{0}, {1}>::Type>({2}, Several<{0}, {1}>::Type{{{3}}}); ",
                       type(), n, address, all);
  }

  std::string atomic(bool shared) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kFunctions = {
        {{"add", "atomicAdd"},
         {"min", "atomicMin"},
         {"max", "atomicMax"},
         {"exch", "atomicExch"},
         {"and", "atomicAnd"},
         {"or", "atomicOr"},
         {"xor", "atomicXor"},
         {"inc", "atomicInc"},
         {"dec", "atomicDec"},
         {"cas", "atomicCAS"}}};
    const bool returns = op() == "atom";
    for (const auto& [part, function] : kFunctions) {
      if (!has(part)) continue;
      if (vector_size() != 1 || has("noftz")) return "";
      // As atomicAdd() and its friends have them.
      std::string own = type();
      if (own == "std::uint64_t") own = "unsigned long long";
      if (own == "std::int64_t") own = part == "add" ? "unsigned long long" : "long long";
      if (own == "std::uint32_t") own = "unsigned";
      if (own == "std::int32_t") own = "int";
      std::string call = fmt::format("{}(static_cast<{}*>({}), {}", function, own,
                                     pointer(operand(returns ? 1 : 0), shared),
                                     value(operand(returns ? 2 : 1), own));
      if (part == "cas") call += ", " + value(operand(3), own);
      call += ")";
      return ordered(narrowed() + (returns ? assign(operand(0), call) : call + "; "));
    }
    return "";
  }

  std::string warps() {
    if ((op() == "bar" || op() == "barrier") && (has("sync") || has("arrive")) && !has("cluster") &&
        !has("warp")) {
      if (has("arrive")) return "";
      if (operand(0) == "0" && operands_.size() == 1) return "__syncthreads(); ";
      if (operands_.size() == 1) {
        return fmt::format(
            "if (const int glassbox_id = {}; glassbox_id == 0) __syncthreads(); else "
            "wait_at_named_barrier(glassbox_id, threads_of_block(), "
            "std::source_location::current()); ",
            in(0, "int"));
      }
      return fmt::format("wait_at_named_barrier({}, {}, std::source_location::current()); ",
                         in(0, "int"), in(1, "int"));
    }
    if (whole_name_ == "bar.warp.sync")
      return fmt::format("__syncwarp({}); ", in(0, "std::uint32_t"));
    if (whole_name_ == "activemask.b32") return assign(operand(0), "__activemask()");
    if (whole_name_ == "vote.sync.ballot.b32")
      return assign(operand(0),
                    fmt::format("__ballot_sync({}, {})", in(2, "std::uint32_t"), in(1, "bool")));
    if (op() == "vote" && has("sync") && has("pred") && (has("any") || has("all")))
      return assign(operand(0), fmt::format("(__{}_sync({}, {}) != 0)", has("any") ? "any" : "all",
                                            in(2, "std::uint32_t"), in(1, "bool")));
    if (op() == "shfl" && has("sync") && operands_.size() == 5 && operand(3) == "0x1f" &&
        operand(0).find('|') == std::string::npos) {
      const std::string function = has("idx")    ? "__shfl_sync"
                                   : has("bfly") ? "__shfl_xor_sync"
                                   : has("down") ? "__shfl_down_sync"
                                                 : "";
      if (function.empty()) return "";
      return assign(operand(0), fmt::format("{}({}, {}, {})", function, in(4, "std::uint32_t"),
                                            in(1, "std::uint32_t"), in(2, "int")));
    }
    if (op() == "nanosleep") return "__nanosleep(0); ";
    if (op() == "trap") return "__trap(); ";
    if (op() == "griddepcontrol")
      return fmt::format("{}(); ", has("wait") ? "wait_for_previous_kernel" : "launch_dependents");
    return "";
  }

  std::string copies() {
    if (op() != "cp" || !has("async") || has("bulk") || has("mbarrier")) return "";
    if (has("commit_group")) return "commit_copies(std::source_location::current()); ";
    if (has("wait_group"))
      return fmt::format("wait_for_copies({}, std::source_location::current()); ",
                         in(0, "unsigned"));
    if (has("wait_all")) {
      return "commit_copies(std::source_location::current()); "
             "wait_for_copies(0, std::source_location::current()); ";
    }
    if (!has("ca") && !has("cg")) return "";
    const std::string bytes = in(2, "unsigned");
    // A fourth operand of 32 bits is the number of bytes to read; a predicate is not known here.
    const bool has_size = operands_.size() > 3 && !has("L2::cache_hint");
    if (has_size && registers_.contains(operand(3))) return "";
    return fmt::format("start_copy({}, {}, {}, {}, std::source_location::current()); ",
                       pointer(operand(0), true), pointer(operand(1), false), bytes,
                       has_size ? in(3, "unsigned") : bytes);
  }

  std::string matrices() {
    if (op() == "ldmatrix" && has("m8n8") && has("b16")) {
      const int tiles = has("x4") ? 4 : has("x2") ? 2 : 1;
      std::string target = operand(0);
      if (!target.starts_with('{')) target = "{" + target + "}";
      const Words parts = vector_parts(target, tiles);
      std::string code = fmt::format(
          "{{ unsigned glassbox_v[{}]; load_tiles<{}>(glassbox_v, {}, "
          "std::source_location::current()); ",
          tiles, has("trans"), pointer(operand(1), true));
      for (int i = 0; i < tiles; ++i)
        code += fmt::format("out({}, glassbox_v[{}]); ",
                            register_named(parts[static_cast<std::size_t>(i)]), i);
      return code + "} ";
    }
    if (op() == "stmatrix" && has("x4") && has("b16")) {
      std::string words;
      for (const std::string& part : vector_parts(operand(1), 4))
        words += (words.empty() ? "" : ", ") + value(part, "unsigned");
      return fmt::format(
          "{{ const unsigned glassbox_v[4] = {{{}}}; store_tiles<{}>({}, glassbox_v, "
          "std::source_location::current()); }} ",
          words, has("trans"), pointer(operand(0), true));
    }
    if (op() == "mma") return product();
    return "";
  }

  /// Of m16n8k16 with BF16, and of m16n8k8 with TF32, added up in FP32.
  std::string product() {
    const bool is_bf16 = has("m16n8k16") && whole_name_.ends_with(".f32.bf16.bf16.f32");
    const bool is_tf32 = has("m16n8k8") && whole_name_.ends_with(".f32.tf32.tf32.f32");
    const bool is_half = has("m16n8k16") && whole_name_.ends_with(".f32.f16.f16.f32");
    if (!is_bf16 && !is_tf32 && !is_half) return "";
    const auto list = [&](std::size_t i, int n, const char* type) {
      std::string all;
      for (const std::string& part : vector_parts(operand(i), n))
        all += (all.empty() ? "" : ", ") + value(part, type);
      return all;
    };
    std::string code = fmt::format(
        "{{ float glassbox_v[4] = {{{}}}; const unsigned glassbox_a[4] = {{{}}}, glassbox_b[2] = "
        "{{{}}}; multiply_{}(glassbox_v, glassbox_a, glassbox_b, "
        "std::source_location::current()); ",
        list(3, 4, "float"), list(1, 4, "unsigned"), list(2, 2, "unsigned"),
        is_bf16   ? "bf16"
        : is_tf32 ? "tf32"
                  : "half");
    const Words parts = vector_parts(operand(0), 4);
    for (int i = 0; i < 4; ++i)
      code += fmt::format("out({}, glassbox_v[{}]); ",
                          register_named(parts[static_cast<std::size_t>(i)]), i);
    return code + "} ";
  }

  const AsmStatement& statement_;
  std::set<std::string> registers_;
  std::string whole_name_;
  Words name_;  ///< its parts
  Words operands_;
};

}  // namespace

AsmTranslation translated(const AsmStatement& statement) {
  try {
    return {.code = Translator(statement).code(), .refused = {}};
  } catch (const Unknown& unknown) {
    return {.code = {}, .refused = unknown.instruction};
  }
}

}  // namespace ladder::glassbox
