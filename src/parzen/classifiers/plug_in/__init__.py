from parzen.classifiers.plug_in.parzen import ParzenClassifier
