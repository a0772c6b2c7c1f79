from parzen.classifiers.l2.l2_classifier import L2Classifier
