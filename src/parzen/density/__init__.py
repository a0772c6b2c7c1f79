from parzen.density.kernel_density import KernelDensity
