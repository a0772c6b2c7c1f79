from parzen.classifiers.plug_in.learned_metric import LearnedMetric, MetricDecision
from parzen.classifiers.plug_in.parzen import ParzenClassifier
