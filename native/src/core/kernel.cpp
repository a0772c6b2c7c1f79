#include "parzen/kernel.hpp"

#include <cstring>

#include "core/formulas.hpp"

namespace parzen {

const char* find_kernel(const char* name, const double* parameters, int count, Kernel& kernel) {
    for (int i = 0; i < kernel_count; ++i) {
        if (std::strcmp(name, kernel_rows[i].name) != 0) continue;
        const auto profile = static_cast<Profile>(i);
        return with_formula(profile, [&]<class Formula>() -> const char* {
            if (count != Formula::parameter_count) return "the kernel takes another number of parameters";
            if (!Formula::accepts(parameters)) return "a parameter of the kernel is out of range";
            kernel = {};
            kernel.profile = profile;
            Formula::set(kernel, parameters);
            return nullptr;
        });
    }
    return "the native core has no kernel of this name";
}

double bandwidth_scale(const Kernel& kernel, double bandwidth) {
    return with_formula(kernel.profile, [&]<class Formula>() { return Formula::scale(bandwidth); });
}

double log_value(const Kernel& kernel, double u, double bandwidth) {
    return with_formula(kernel.profile, [&]<class Formula>() { return Formula::log_value(kernel, u, bandwidth); });
}

}  // namespace parzen
