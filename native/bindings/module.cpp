// The module parzen._native. Each topic has a file of its own beside this one.
#include "python.hpp"

NB_MODULE(_native, m) {
    m.doc() = "The native core. Callers check their arguments first; shapes and indices are checked again here.";
    nb::set_leak_warnings(false);  // a model that lives as long as the process keeps its packed points and trees
    m.attr("build_type") = PARZEN_BUILD_TYPE;
    m.attr("compiler") = PARZEN_COMPILER;
    bind_processor(m);
    bind_sums(m);
    bind_tree(m);
    bind_simplex(m);
    bind_metric(m);
    bind_conformal(m);
    bind_anova(m);
    bind_gaps(m);
    bind_products(m);
    bind_reflections(m);
}
