// Large arrays begin at a huge page, small ones anywhere; both are vectors like any other.
#include "vest/big_vector.hpp"

#include <cstdint>
#include <numeric>
#include <utility>

#include "check.hpp"

namespace {

using vest::BigVector;
using vest::HugePages;

bool begins_a_page(const BigVector<double>& vector) {
  return reinterpret_cast<std::uintptr_t>(vector.data()) % HugePages<double>::kPage == 0;
}

void large_arrays_begin_a_page() {
  constexpr std::size_t kLarge = 2 * HugePages<double>::kPage / sizeof(double);
  for (const std::size_t size : {kLarge, kLarge + 1, 3 * kLarge})
    CHECK(begins_a_page(BigVector<double>(size)));
}

void they_are_vectors() {
  BigVector<double> a(10);
  std::iota(a.begin(), a.end(), 0.0);
  const BigVector<double> small = a;
  a.resize(1'000'000, 7.0);  // from an ordinary place to huge pages
  CHECK(begins_a_page(a) && a[9] == 9.0 && a[10] == 7.0 && a.back() == 7.0);
  BigVector<double> b = std::move(a);
  b.resize(10);
  b.shrink_to_fit();  // and back
  CHECK(b == small);
  b.clear();
  CHECK(b.empty());
}

}  // namespace

int main() {
  RUN(large_arrays_begin_a_page);
  RUN(they_are_vectors);
  return check::report();
}
