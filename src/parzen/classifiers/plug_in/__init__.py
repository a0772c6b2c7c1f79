from parzen.classifiers.plug_in.novelty import NoveltyByDensities
from parzen.classifiers.plug_in.parzen import ParzenClassifier
