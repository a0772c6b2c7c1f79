from parzen.papers.run import PAPERS, paper, reproduce, versions
