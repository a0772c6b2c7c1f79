from parzen.density.domains import ColumnDomains
from parzen.density.kernel_density import KernelDensity
