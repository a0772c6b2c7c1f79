from parzen.solvers.box.asymmetric import asymmetric_box_least_squares
from parzen.solvers.box.compress import CompressedMatrix
from parzen.solvers.box.least_squares import box_least_squares
