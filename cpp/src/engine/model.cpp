// Checking that a core and factors fit together, and counting their versions.
#include "vest/model.hpp"

#include <armadillo>
#include <string>
#include <utility>

namespace vest {

struct TuckerModel::Matrices {
  arma::vec core;
  std::vector<arma::mat> factors;
};

TuckerModel::TuckerModel(std::vector<index_t> ranks, arma::vec values, std::vector<arma::mat> given,
                         std::shared_ptr<const void> owner)
    : owner_(std::move(owner)),
      ranks_(std::move(ranks)),
      matrices_(std::make_shared<Matrices>(Matrices{std::move(values), std::move(given)})) {
  const auto& [core, factors] = *matrices_;
  if (factors.size() != ranks_.size())
    throw std::invalid_argument("the core has " + std::to_string(ranks_.size()) +
                                " modes but there are " + std::to_string(factors.size()) +
                                " factors");
  pos_t size = 1;
  for (Mode n = 0; n < ranks_.size(); ++n) {
    if (ranks_[n] < 1 || factors[n].n_rows != rank(n))
      throw std::invalid_argument("factor " + std::to_string(n) + " has " +
                                  std::to_string(factors[n].n_rows) + " columns but the core has " +
                                  std::to_string(ranks_[n]) + " in that mode");
    size = checked_product(size, ranks_[n], "the core");
  }
  if (core.n_elem != static_cast<arma::uword>(size))
    throw std::invalid_argument("the core has " + std::to_string(core.n_elem) +
                                " elements, its ranks say " + std::to_string(size));
  marks_.emplace_back(core.n_elem, Mark::kFree);
  for (const arma::mat& factor : factors) marks_.emplace_back(factor.n_elem, Mark::kFree);
  versions_.assign(marks_.size(), 1);
  find_parts();
}

TuckerModel TuckerModel::borrowing(std::vector<index_t> ranks, std::span<double> core,
                                   std::span<const FactorArray> factors,
                                   std::shared_ptr<const void> owner) {
  std::vector<arma::mat> matrices;
  matrices.reserve(factors.size());  // a growing vector would copy them, out of their memory
  for (const FactorArray& each : factors)
    matrices.emplace_back(each.memory, each.columns, each.rows, false, true);
  return {std::move(ranks), arma::vec(core.data(), core.size(), false, true), std::move(matrices),
          std::move(owner)};
}

TuckerModel::TuckerModel(const TuckerModel& other)
    : owner_(other.owner_),
      ranks_(other.ranks_),
      matrices_(other.matrices_ ? std::make_shared<Matrices>(*other.matrices_) : nullptr),
      variances_(other.variances_),
      marks_(other.marks_),
      versions_(other.versions_) {
  if (matrices_) find_parts();
}

TuckerModel& TuckerModel::operator=(const TuckerModel& other) { return *this = TuckerModel(other); }

void TuckerModel::find_parts() {
  arma::vec& core = matrices_->core;
  parts_ = {{core.memptr(), core.n_elem, core.n_elem}};
  for (arma::mat& factor : matrices_->factors)
    parts_.push_back({factor.memptr(), factor.n_elem, factor.n_rows});
}

const arma::vec& TuckerModel::core() const { return matrices_->core; }
const arma::mat& TuckerModel::factor(Mode n) const { return matrices_->factors[n]; }

void TuckerModel::set_variances(std::vector<std::span<double>> variances) {
  if (variances.size() != parts())
    throw std::invalid_argument("a model of " + std::to_string(parts()) + " parts needs as many " +
                                "arrays of variances, not " + std::to_string(variances.size()));
  for (std::size_t part = 0; part < parts(); ++part)
    if (variances[part].size() != marks_[part].size())
      throw std::invalid_argument("part " + std::to_string(part) + " has " +
                                  std::to_string(marks_[part].size()) + " elements but " +
                                  std::to_string(variances[part].size()) + " variances");
  variances_ = std::move(variances);
}

std::span<double> TuckerModel::edit(std::size_t part) {
  ++versions_[part];
  return {parts_[part].values, parts_[part].size};
}

bool ModelStamp::fits(const TuckerModel& model, std::size_t but) const {
  for (std::size_t part = 0; part < model.parts(); ++part)
    if (part != but && versions_[part] != model.version(part)) return false;
  return true;
}

void ModelStamp::set(const TuckerModel& model) {
  for (std::size_t part = 0; part < model.parts(); ++part) versions_[part] = model.version(part);
}

}  // namespace vest
