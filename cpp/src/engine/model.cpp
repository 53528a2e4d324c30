// Checking that a core and factors fit together, and counting their versions.
#include "vest/model.hpp"

#include <string>
#include <utility>

namespace vest {

TuckerModel::TuckerModel(std::vector<index_t> ranks, arma::vec core, std::vector<arma::mat> factors,
                         std::shared_ptr<const void> owner)
    : owner_(std::move(owner)),
      ranks_(std::move(ranks)),
      core_(std::move(core)),
      factors_(std::move(factors)) {
  if (factors_.size() != ranks_.size())
    throw std::invalid_argument("the core has " + std::to_string(ranks_.size()) +
                                " modes but there are " + std::to_string(factors_.size()) +
                                " factors");
  pos_t size = 1;
  for (Mode n = 0; n < ranks_.size(); ++n) {
    if (ranks_[n] < 1 || factors_[n].n_rows != rank(n))
      throw std::invalid_argument(
          "factor " + std::to_string(n) + " has " + std::to_string(factors_[n].n_rows) +
          " columns but the core has " + std::to_string(ranks_[n]) + " in that mode");
    size = checked_product(size, ranks_[n], "the core");
  }
  if (core_.n_elem != static_cast<arma::uword>(size))
    throw std::invalid_argument("the core has " + std::to_string(core_.n_elem) +
                                " elements, its ranks say " + std::to_string(size));
  marks_.emplace_back(core_.n_elem, Mark::kFree);
  for (const arma::mat& factor : factors_) marks_.emplace_back(factor.n_elem, Mark::kFree);
  versions_.assign(marks_.size(), 1);
}

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

std::span<const double> TuckerModel::values(std::size_t part) const {
  if (part == 0) return {core_.memptr(), core_.n_elem};
  return {factors_[part - 1].memptr(), factors_[part - 1].n_elem};
}

std::span<double> TuckerModel::edit(std::size_t part) {
  ++versions_[part];
  const std::span<const double> read = values(part);
  return {const_cast<double*>(read.data()), read.size()};
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
