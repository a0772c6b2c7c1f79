from parzen.papers.l2.study import PAPER, STUDY
