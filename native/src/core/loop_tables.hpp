// Tables of inner loops are compiled once per instruction set, under the name of the table and the
// set: how such a name is made where a table is defined, and which table is in use.
#pragma once

#define PARZEN_JOIN_(name, isa) name##_##isa
#define PARZEN_JOIN(name, isa) PARZEN_JOIN_(name, isa)
#define PARZEN_OF_ISA(name) PARZEN_JOIN(name, PARZEN_ISA)

#ifdef PARZEN_X86

#include <cstring>

#include "parzen/tile.hpp"

#define PARZEN_DECLARE_LOOPS(type, name)      \
    extern const type* const name##_baseline; \
    extern const type* const name##_avx2;     \
    extern const type* const name##_avx512
#define PARZEN_LOOPS_IN_USE(name) parzen::loops_in_use(name##_baseline, name##_avx2, name##_avx512)

namespace parzen {

template <class Loops>
const Loops& loops_in_use(const Loops* baseline, const Loops* avx2, const Loops* avx512) {
    if (std::strcmp(instruction_set(), "avx512") == 0) return *avx512;
    if (std::strcmp(instruction_set(), "avx2") == 0) return *avx2;
    return *baseline;
}

}  // namespace parzen

#else

#define PARZEN_DECLARE_LOOPS(type, name) extern const type* const name##_baseline
#define PARZEN_LOOPS_IN_USE(name) (*name##_baseline)

#endif
