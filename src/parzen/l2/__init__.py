from parzen.l2.carriers import Carriers
from parzen.l2.density import L2KernelDensity
from parzen.l2.form import LINEAR_TERMS, L2Form, LinearTerm
from parzen.l2.oracle import oracle_epsilon, refuse_other_criteria
from parzen.l2.other_rows import OtherRowsInChunks
from parzen.l2.programme import (
    NeighbourSums,
    counts_of,
    dense_gram,
    target_shifts,
    targets,
)
from parzen.l2.solver import L2Solver, OneL2Solution
from parzen.l2.units import Units
