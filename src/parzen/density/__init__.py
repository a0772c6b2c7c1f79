from parzen.density.columns import Columns
from parzen.density.kernel_density import KernelDensity
