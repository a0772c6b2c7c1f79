from parzen.papers.bmachine.study import PAPER, STUDY
