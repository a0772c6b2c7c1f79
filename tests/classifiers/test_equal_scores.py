"""A point whose score is exactly 0 gets the first class, whatever its label is called."""

from __future__ import annotations

import numpy as np
import pytest

import parzen

MACHINES = [
    parzen.ParzenClassifier, parzen.LaplacianClassifier, parzen.L2Classifier,
    parzen.BMachineClassifier, parzen.LSSVMClassifier, parzen.RLSClassifier,
    parzen.KernelMSEClassifier, parzen.KernelFisherClassifier,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:class 'no', 'yes' has one")
@pytest.mark.parametrize("labels", [["no", "yes"], ["yes", "no"]], ids=" and ".join)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.__name__)
def test_halfway_between_two_classes_the_first_one_is_said(machine, labels):
    clf = machine(bandwidth=1.0).fit(np.array([[-1.0], [1.0]]), labels)
    assert clf.decision_function([[0.0]]) == 0.0
    assert clf.predict([[0.0], [-0.5], [0.5]]).tolist() == ["no", *labels]
