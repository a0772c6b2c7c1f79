#include "python.hpp"

namespace {

// The callable that hears how much of a pass is done; owned, and never released because it lives as long as
// the interpreter. Read and written with the interpreter lock held.
PyObject* progress_listener = nullptr;

}  // namespace

bool interrupted() {
    const nb::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
}

bool interrupted_or_reported(const parzen::Control& control) {
    const nb::gil_scoped_acquire lock;
    if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0) return true;
    if (progress_listener == nullptr) return false;
    PyObject* result = PyObject_CallFunction(progress_listener, "d", control.share());
    Py_XDECREF(result);
    return result == nullptr;
}

void bind_progress(nb::module_& m) {
    m.def(
        "report_progress_to",
        [](nb::object listener) {
            Py_XDECREF(progress_listener);
            progress_listener = listener.release().ptr();
        },
        "listener"_a,
        "Register the function that every pass over pairs calls now and then with the share of its\n"
        "work that is done, from 0 to 1. It is called on the thread that started the pass.");
}
