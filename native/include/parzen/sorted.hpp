// Kernel sums of one feature in O(n log n): the points are sorted once, and every sum over a window of them
// adds a few running sums. None is subtracted, so that nothing cancels.
//
//   uniform, triangular, epanechnikov   polynomials in y on either side of x: moments of the window
//   laplacian (radial or not)           exp(-|x - y| / h) = exp(-(x - c) / h) exp((y - c) / h)
//
// The points are cut into cells no wider than the bandwidth. A window around a query is the end of
// one cell, whole cells, and the beginning of another, so running sums within the cells, from the
// left and from the right, serve every window without subtracting one from another:
//
//   points    |  . ..  . |...  .. .|  . .  ..  |
//   window          [-------x---------]           end of cell 1 + cell 2 + beginning of cell 3
//
// Running sums are compensated and moments are taken about the middle of the cell, so errors are a
// few roundings relative to the mass in the window, whatever the number of points and their offset.
#pragma once

#include "parzen/sums.hpp"

namespace parzen {

// The same as kernel_sums, for one dimension and a kernel whose row of the table says `sorted`.
template <class T>
void sorted_sums(const SumsInput<T>& input, Mode mode, T* sums, T* log_scale, Control& control);

}  // namespace parzen
