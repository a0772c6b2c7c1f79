// The instruction sets, and the speed limits of the processor that the benchmark compares with.
#include <nanobind/stl/string.h>

#include <string>

#include "parzen/tile.hpp"
#include "python.hpp"

namespace {

template <class T>
T sum_exponentials(In<T, 1> u, T scale, int repeats) {
    require(u.shape(0) <= std::numeric_limits<int>::max() / 2, "u has too many elements");
    T sum = 0;
    for (int i = 0; i < repeats; ++i)
        sum += parzen::tile_ops<T>().sum_exponentials(u.data(), static_cast<int>(u.shape(0)), scale);
    return sum;
}

template <class T>
void bind_limits(nb::module_& m, const char* peak, const char* exponentials) {
    m.def(
        peak, [](std::ptrdiff_t count) { return parzen::tile_ops<T>().peak_multiply_add(count); }, "count"_a,
        "Run `count` fused multiply-adds per vector lane, as fast as the processor can.\n"
        "The returned number only keeps the loop from being optimised away.");
    m.def(exponentials, &sum_exponentials<T>, "u"_a, "scale"_a, "repeats"_a,
          "Sum 2^(scale u_j) over u, shape (n,), `repeats` times, with the exponential of the kernels.");
}

nb::list instruction_sets() {
    int count = 0;
    const parzen::InstructionSet* sets = parzen::instruction_sets(&count);
    nb::list result;
    for (int i = 0; i < count; ++i) result.append(nb::make_tuple(sets[i].name, sets[i].supported()));
    return result;
}

}  // namespace

void bind_processor(nb::module_& m) {
    m.def(
        "instruction_set", [] { return std::string(parzen::instruction_set()); },
        "Return the name of the instruction set in use.");
    m.def("instruction_sets", &instruction_sets,
          "Return (name, supported by this processor) of every instruction set that was compiled, widest first.");
    m.def(
        "choose_instruction_set", [](const std::string& name) { return parzen::choose_instruction_set(name.c_str()); },
        "name"_a,
        "Use the instruction set of that name, or the widest for \"\". Return False, and change nothing, if it is\n"
        "unknown, not supported by this processor, or fails its self-check.");
    m.def(
        "lanes_float64", [] { return parzen::tile_ops<double>().lanes; },
        "Return how many float64 numbers a vector of the instruction set in use holds.");
    bind_limits<float>(m, "peak_multiply_add_float32", "sum_exponentials_float32");
    bind_limits<double>(m, "peak_multiply_add_float64", "sum_exponentials_float64");
}
