// Arguments: one table says each option's name, meaning and effect; --help prints it.
#include "options.hpp"

#include <charconv>
#include <sstream>

#include "cases.hpp"

namespace vest::bench {
namespace {

/// Numbers may be written 1e7 wherever a whole number is meant.
double number(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0.0)
    throw std::invalid_argument("'" + text + "' is not a number of at least 0");
  return value;
}

template <class T>
std::vector<T> numbers(const std::string& text, char separator) {
  std::vector<T> values;
  std::istringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, separator);)
    values.push_back(static_cast<T>(number(piece)));
  if (values.empty()) throw std::invalid_argument("a list of numbers is missing");
  return values;
}

template <class T>
T one_of(const std::string& text, std::initializer_list<std::pair<const char*, T>> choices) {
  std::string names;
  for (const auto& [name, choice] : choices) {
    if (text == name) return choice;
    names += std::string(names.empty() ? "" : ", ") + name;
  }
  throw std::invalid_argument("'" + text + "' is none of " + names);
}

struct Option {
  const char* name;
  const char* value;  ///< What follows the name; "" for nothing.
  const char* meaning;
  void (*apply)(Options&, const std::string&);
};

constexpr Option kOptions[] = {
    {"--shape", "IxJx..", "dimensions of the tensor to draw",
     [](Options& o, const std::string& v) { o.spec.shape = numbers<pos_t>(v, 'x'); }},
    {"--entries", "N", "how many distinct entries to draw",
     [](Options& o, const std::string& v) { o.spec.entries = static_cast<pos_t>(number(v)); }},
    {"--skew", "S,S,..", "per mode, how unevenly rows are drawn: 0 evenly, 1 about as in ratings",
     [](Options& o, const std::string& v) { o.spec.skew = numbers<double>(v, ','); }},
    {"--heavy", "SHARE", "the share of all entries that one row of mode 0 holds",
     [](Options& o, const std::string& v) { o.spec.heavy = number(v); }},
    {"--bursts", "", "rows of mode 0 meet few combinations of the third and later modes",
     [](Options& o, const std::string&) { o.spec.bursts = true; }},
    {"--seed", "N", "of the tensor and the start",
     [](Options& o, const std::string& v) { o.spec.seed = static_cast<std::uint64_t>(number(v)); }},
    {"--tensor", "FILE", "read a .tns text file instead: coordinates from 1, then the value",
     [](Options& o, const std::string& v) { o.file = v; }},
    {"--ranks", "J,J,..", "one for all modes, or one per mode",
     [](Options& o, const std::string& v) { o.ranks = numbers<index_t>(v, ','); }},
    {"--loss", "l1|lf|noise",
     "the penalty on the elements: absolute, squared, or by their variances",
     [](Options& o, const std::string& v) {
       o.kind = one_of<PenaltyKind>(v, {{"l1", PenaltyKind::kL1},
                                        {"lf", PenaltyKind::kFrobenius},
                                        {"noise", PenaltyKind::kNoise}});
     }},
    {"--pairs", "", "a sparse core of mean, biases and pairs of modes; the loss is noise",
     [](Options& o, const std::string&) {
       o.pairs = true;
       o.kind = PenaltyKind::kNoise;
       o.plan.core = PlanOverrides::Core::kRuns;
       o.plan.ones = true;
     }},
    {"--lam", "X", "its weight, before scaling by entries over elements",
     [](Options& o, const std::string& v) { o.lam = number(v); }},
    {"--sparsity", "SHARE", "prune each part to this share before the timing starts",
     [](Options& o, const std::string& v) { o.sparsity = number(v); }},
    {"--threads", "N", "0: all there are",
     [](Options& o, const std::string& v) { o.threads = static_cast<int>(number(v)); }},
    {"--isa", "NAME", "which build of the kernels; by default the best for this processor",
     [](Options& o, const std::string& v) { o.isa = v; }},
    {"--tables", "auto|yes|no",
     "tuple tables, or contracting per entry; by default what costs less",
     [](Options& o, const std::string& v) {
       using Force = PlanOverrides::Force;
       o.plan.tables = one_of<Force>(
           v, {{"auto", Force::kAuto}, {"yes", Force::kTables}, {"no", Force::kOnTheFly}});
     }},
    {"--core", "auto|gram|blocks", "how to sweep the core; by default what costs less",
     [](Options& o, const std::string& v) {
       using Core = PlanOverrides::Core;
       o.plan.core = one_of<Core>(
           v, {{"auto", Core::kAuto}, {"gram", Core::kGram}, {"blocks", Core::kBlocks}});
     }},
    {"--iterations", "N", "how many to time; by default what fits in --seconds, 3 at least",
     [](Options& o, const std::string& v) { o.iterations = static_cast<int>(number(v)); }},
    {"--seconds", "X", "how long to repeat iterations",
     [](Options& o, const std::string& v) { o.seconds = number(v); }},
    {"--compare", "literal|sparsity",
     "with the paper's loops on the same data and start, or with sparsity 0",
     [](Options& o, const std::string& v) {
       o.compare =
           one_of<Compare>(v, {{"literal", Compare::kLiteral}, {"sparsity", Compare::kSparsity}});
     }},
    {"--literal-iterations", "N", "how many iterations of the paper's loops to time",
     [](Options& o, const std::string& v) { o.literal_iterations = static_cast<int>(number(v)); }},
    {"--scale", "order|dimension|entries|threads|busy",
     "run a series of the paper's scalability figure",
     [](Options& o, const std::string& v) {
       o.series = one_of<Series>(v, {{"order", Series::kOrder},
                                     {"dimension", Series::kDimension},
                                     {"entries", Series::kEntries},
                                     {"threads", Series::kThreads},
                                     {"busy", Series::kBusy}});
     }},
    {"--max", "N", "where the series over dimension and entries end (1e7)",
     [](Options& o, const std::string& v) { o.max = number(v); }},
    {"--json", "FILE", "also write all results there",
     [](Options& o, const std::string& v) { o.json = v; }},
    {"--list", "", "show the named cases", [](Options& o, const std::string&) { o.list = true; }},
    {"--help", "", "show this", [](Options& o, const std::string&) { o.help = true; }},
};

void set_from(std::span<const std::string> arguments, Options& options) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Option* found = nullptr;
    for (const Option& option : kOptions)
      if (arguments[i] == option.name) found = &option;
    if (!found)
      throw std::invalid_argument("'" + arguments[i] + "' is no option; see vest_bench --help");
    const bool takes_value = *found->value != '\0';
    if (takes_value && i + 1 == arguments.size())
      throw std::invalid_argument(arguments[i] + " needs " + found->value);
    try {
      found->apply(options, takes_value ? arguments[i + 1] : std::string());
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string(found->name) + ": " + error.what());
    }
    if (takes_value) ++i;
  }
}

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> split;
  for (std::string word; stream >> word;) split.push_back(word);
  return split;
}

}  // namespace

Options parse(std::span<const std::string> arguments) {
  Options options;
  if (!arguments.empty() && !arguments[0].starts_with("-")) {
    const Case& named = find_case(arguments[0]);
    options.name = named.name;
    set_from(words(named.arguments), options);
    arguments = arguments.subspan(1);
  }
  set_from(arguments, options);
  if (options.sparsity >= 1.0) throw std::invalid_argument("--sparsity must be below 1");
  if (options.compare == Compare::kLiteral && options.kind == PenaltyKind::kNoise)
    throw std::invalid_argument("the paper's loops know no variances");
  if (options.spec.shape.size() < 2)
    throw std::invalid_argument("--shape needs two modes at least");
  return options;
}

std::string help() {
  std::string text =
      "vest_bench [CASE] [OPTIONS]\n\n"
      "Times the steps of one iteration on a tensor that it draws or reads. A case is a name for\n"
      "a set of options (--list shows them); options after it override it.\n\n";
  for (const Option& option : kOptions) {
    std::string line = std::string("  ") + option.name;
    if (*option.value != '\0') line += std::string(" ") + option.value;
    if (line.size() > 28) {
      text += line + "\n";
      line.clear();
    }
    line.resize(30, ' ');
    text += line + option.meaning + "\n";
  }
  return text;
}

}  // namespace vest::bench
