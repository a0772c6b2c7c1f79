from parzen.papers.notes.study import PAPER, STUDY
