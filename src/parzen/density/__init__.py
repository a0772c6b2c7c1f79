from parzen.density.kernel_density import KernelDensity, check_metric, density_kernel
