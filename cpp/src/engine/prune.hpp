// Whom to prune: the elements of least responsibility.
#pragma once

#include <span>

#include "vest/model.hpp"
#include "vest/parallel.hpp"

namespace vest {

/// Elements that compete with each other for being kept.
struct Ranked {
  std::span<const double> responsibility;
  std::span<Mark> marks;
};

/// Marks the `count` free elements of least responsibility among all parts as chosen; ties go to
/// the earlier part and the lower position. Linear time: a radix selection, no sort. Values stay as
/// they are.
void mark_least(std::span<const Ranked> parts, pos_t count, const Team& team);

}  // namespace vest
