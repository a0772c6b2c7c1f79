from parzen.papers.kernel_optimization.study import PAPER
