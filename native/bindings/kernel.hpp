// Kernels as Python names them.
#pragma once

#include <string>
#include <vector>

#include "parzen/kernel.hpp"
#include "python.hpp"

inline parzen::Kernel kernel_named(const std::string& name, const std::vector<double>& parameters) {
    require(parameters.size() <= largest_count, "the kernel has too many parameters");
    parzen::Kernel kernel;
    const char* error =
        parzen::find_kernel(name.c_str(), parameters.data(), static_cast<int>(parameters.size()), kernel);
    require(error == nullptr, error);
    return kernel;
}
