from parzen.papers.laplacian.study import PAPER, STUDY
