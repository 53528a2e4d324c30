// Everything a fit needs beside the tensor, the plan and the model: allocated before the loop.
#pragma once

#include <armadillo>
#include <span>
#include <vector>

#include "vest/model.hpp"
#include "vest/plan.hpp"

namespace vest {

/// A thread's own memory, handed out piece by piece from the start of each chunk of work.
class Scratch {
 public:
  explicit Scratch(std::span<double> memory) : left_(memory) {}

  /// Throws std::logic_error if a kernel asks for more than it was sized for.
  [[nodiscard]] double* take(std::size_t size);

 private:
  std::span<double> left_;
};

/// Sums over all entries for the core's sweep and responsibilities: one slot of partial sums for
/// each run of chunks, few enough that the slots stay small beside the tensor.
struct CoreSlots {
  Cut cut{0, 1};      ///< Over the chunks of the core's entry order.
  arma::mat partial;  ///< One column per slot.
  arma::vec total;    ///< The columns added up in order.
};

struct Workspace {
  Workspace(const Plan& plan, const TuckerModel& model, const Team& team);

  [[nodiscard]] Scratch scratch(int thread) {
    return Scratch({threads.colptr(static_cast<arma::uword>(thread)), threads.n_rows});
  }

  const Team& team;
  arma::mat threads;                   ///< One column of scratch per thread.
  const ModePlan* prepared = nullptr;  ///< Whose tables, at the model's present state, are ready.
  std::vector<double> core;            ///< The core with permuted axes.
  std::vector<double> tables;          ///< One J_last x J_n table per tuple of the mode at work.
  arma::mat pieces;                    ///< Partial sums of long rows, one column per piece.
  std::vector<double> squares;         ///< Squared residuals per chunk.

  CoreSlots slots;
  std::vector<double> gram;           ///< Inner products of core features, as the sweep reads them.
  std::vector<std::size_t> offsets;   ///< Where an element of `gram` stands among the summed pairs.
  std::vector<double> gradient;       ///< Block by block: what is left to explain.
  arma::vec residual, lead, product;  ///< kBlocks: per entry, in the core's order.
};

}  // namespace vest
