#include "python.hpp"

bool interrupted() {
    const nb::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
}

bool interrupted_or_reported(const parzen::Control& control) {
    const nb::gil_scoped_acquire lock;
    if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0) return true;
    PyObject* progress = PyImport_ImportModule("parzen._core.progress");
    PyObject* result = progress == nullptr ? nullptr : PyObject_CallMethod(progress, "tell", "d", control.share());
    Py_XDECREF(result);
    Py_XDECREF(progress);
    return result == nullptr;
}
