from parzen.classifiers.l2.l2_classifier import L2Classifier
from parzen.classifiers.l2.l2_linear_classifier import L2LinearClassifier
