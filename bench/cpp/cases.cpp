// The list of cases, in the order in which --list shows them.
#include "cases.hpp"

#include <stdexcept>
#include <string>

namespace vest::bench {
namespace {

constexpr Case kCases[] = {
    {"ml-small", "the paper's MovieLens corner against its own loops",
     "--tensor ML_small.tns --ranks 6,6,2,2 --compare literal --literal-iterations 3"},
    {"ml-small-10", "the same with a core of 2,500 elements, where the loops take minutes",
     "--tensor ML_small.tns --ranks 10,10,5,5"},
    {"movielens20m", "MovieLens-20M's shape: skewed users and movies, ratings in sessions",
     "--shape 138000x27000x21x24 --entries 18e6 --skew 1,1.2 --bursts --ranks 6,6,2,2"},
    {"yelp", "Yelp's shape", "--shape 71000x16000x108 --entries 301000 --skew 1,1 --ranks 10"},
    {"entries", "scalability: entries 10^3 to 10^7 at dimension 1,000",
     "--scale entries --ranks 3 --seconds 1"},
    {"dimension", "scalability: dimension = entries, 10^3 to 10^7",
     "--scale dimension --ranks 3 --seconds 1"},
    {"order", "scalability: order 3 to 10 with 1,000 entries at dimension 1,000",
     "--scale order --ranks 3 --seconds 1"},
    {"threads", "scalability: threads, a million entries",
     "--scale threads --shape 1000x1000x1000 --entries 1e6 --ranks 3 --seconds 4"},
    {"short-modes", "threads where all entries fall in the 24 and the 21 rows of two modes",
     "--scale threads --shape 24x21x20000 --entries 2e6 --ranks 6,6,6"},
    {"one-heavy-row", "threads where one row holds half of all entries",
     "--scale threads --shape 20000x20000x100 --entries 2e6 --heavy 0.5 --ranks 6,6,6"},
    {"busy", "one and two threads beside 0, 1, 2 and 4 busy processes, at ML_small's shape",
     "--scale busy --shape 999x999x21x24 --entries 40000 --skew 1,1.2 --bursts --ranks 6,6,2,2"},
    {"pairs", "a sparse core: mean, biases and 20 columns that join each two of four modes",
     "--pairs --shape 6040x3706x36x24 --entries 1e6 --skew 1,1.2 --ranks 22"},
    {"sparse", "an iteration at sparsity 0.9 against one at 0",
     "--compare sparsity --sparsity 0.9 --shape 14000x5000x21x24 --entries 1e6 --skew 1,1.2 "
     "--bursts --ranks 6,6,2,2"},
};

}  // namespace

std::span<const Case> cases() { return kCases; }

const Case& find_case(std::string_view name) {
  for (const Case& one : kCases)
    if (name == one.name) return one;
  throw std::invalid_argument("no case is called '" + std::string(name) +
                              "'; see vest_bench --list");
}

}  // namespace vest::bench
