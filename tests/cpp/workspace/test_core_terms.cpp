// The list of a core's terms: every non-zero element once, leading columns shared.
#include "workspace/core_terms.hpp"

#include "check.hpp"

using namespace vest;

namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr std::size_t kAny = SIZE_MAX;
constexpr index_t kRanks[] = {2, 3, 4};

/// (0, 1, 2), (0, 1, 3), (0, 2, 0) and (1, 1, 2).
std::vector<double> four_elements() {
  std::vector<double> core(24, 0.0);
  core[6] = 5.0, core[7] = -1.0, core[8] = 2.0, core[18] = 3.0;
  return core;
}

void leading_columns_are_shared() {
  const CoreTerms terms(four_elements(), kRanks, kAny);
  CHECK(terms.complete() && terms.order() == 3);
  CHECK(terms.level(0).columns == Numbers({0, 1}) && terms.level(0).place == Numbers({0, 1}));
  CHECK(terms.level(0).first == Numbers({0, 2, 3}));
  CHECK(terms.level(1).columns == Numbers({1, 2}) && terms.level(1).place == Numbers({0, 1, 0}));
  CHECK(terms.level(1).first == Numbers({0, 2, 3, 4}));
  CHECK(terms.level(2).columns == Numbers({0, 2, 3}));
  CHECK(terms.level(2).place == Numbers({1, 2, 0, 1}) && terms.level(2).first.empty());
  CHECK(std::vector<double>(terms.values(), terms.values() + 4) ==
        std::vector<double>({5.0, -1.0, 2.0, 3.0}));
  CHECK(terms.nodes() == 9 && terms.columns() == 7);
}

/// Nobody reads the whole of a core whose list would be too long.
void a_long_list_is_given_up() {
  CHECK(CoreTerms(four_elements(), kRanks, 9).complete());
  CHECK(!CoreTerms(four_elements(), kRanks, 8).complete());
}

/// An element that is zero may yet be uncertain.
void variances_are_listed_beside_the_values() {
  std::vector<double> variances(24, 0.0);
  variances[6] = 0.5, variances[23] = 0.25;
  const CoreTerms terms(four_elements(), variances, kRanks);
  CHECK(std::vector<double>(terms.values(), terms.values() + 5) ==
        std::vector<double>({5.0, -1.0, 2.0, 3.0, 0.0}));
  CHECK(std::vector<double>(terms.variances(), terms.variances() + 5) ==
        std::vector<double>({0.5, 0.0, 0.0, 0.0, 0.25}));
}

void no_elements_no_terms() {
  const CoreTerms terms(std::vector<double>(24, 0.0), kRanks, kAny);
  CHECK(terms.complete() && terms.nodes() == 0 && terms.columns() == 0);
  CHECK(terms.level(0).count() == 0);
}

}  // namespace

int main() {
  RUN(leading_columns_are_shared);
  RUN(a_long_list_is_given_up);
  RUN(variances_are_listed_beside_the_values);
  RUN(no_elements_no_terms);
  return check::report();
}
