// The digits by which entries are sorted and elements selected.
#pragma once

namespace vest {

/// 2,048 buckets: as many streams of writes stay in the second-level cache.
inline constexpr int kDigitBits = 11;

}  // namespace vest
