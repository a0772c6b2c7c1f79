from parzen.papers.auto.study import PAPER
