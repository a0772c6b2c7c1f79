// Sums over the pairs of one sample with itself: each unordered pair is visited once.
#pragma once

#include "sums/packing.hpp"

namespace parzen {

template <class T>
bool symmetric_pays(const Packed<T>& packed);

// Plain sums only: a factor taken out of row i would not suit row j.
template <class T>
void symmetric_sums(const Packed<T>& packed, double work, T* sums, Control& control);

}  // namespace parzen
