// The inner loops of Householder's reflections, compiled once per instruction set.
//
// A strip is [height][width]. The reflections of a strip, together, are I - V F V' with the columns
// of V below a unit triangle and an upper triangular F, both of the strip's width.
#pragma once

#include <cstddef>

namespace parzen {

template <class T>
struct ReflectionLoops {
    std::size_t width;

    // Reflections that make a strip below the upper triangle `top` zero: V in place of the strip.
    void (*below)(T* strip, std::size_t height, T* top, T* factor);
    // The same for a strip whose own first rows become the triangle, which is written to `top`.
    void (*inside)(T* strip, std::size_t height, T* top, T* factor);

    // Applies reflections to another strip and the block above it, or to the strip alone where the
    // unit triangle of V is inside (no `top`). The first `used` rows of the strip are not zero.
    void (*apply)(const T* reflections, std::size_t used, std::size_t height, const T* factor, T* top, T* strip);
};

}  // namespace parzen
