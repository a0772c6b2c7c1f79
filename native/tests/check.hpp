// A test framework of one page: TEST(name) { CHECK(condition); } and a main that runs them all.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace check {

struct Case {
    const char* name;
    void (*body)();
};

inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

inline int& failures() {  // of the current test
    static int count = 0;
    return count;
}

// What the current check is about; printed with a failure.
inline std::string& subject() {
    static std::string text;
    return text;
}

struct Registration {
    Registration(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline void report(bool passed, const char* condition, const char* file, int line) {
    constexpr int most_printed = 6;
    if (passed) return;
    if (++failures() <= most_printed) std::printf("  %s:%d: %s [%s]\n", file, line, condition, subject().c_str());
}

inline int run() {
    int failed = 0;
    for (const Case& test : cases()) {
        failures() = 0;
        subject().clear();
        try {
            test.body();
        } catch (const std::exception& error) {
            ++failures();
            std::printf("  threw: %s [%s]\n", error.what(), subject().c_str());
        }
        failed += failures() > 0;
        std::printf("%s %s", failures() > 0 ? "FAIL" : "pass", test.name);
        if (failures() > 0) std::printf(" (%d checks)", failures());
        std::printf("\n");
    }
    return failed == 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                   \
    static void name();                                              \
    static const check::Registration name##_registered(#name, name); \
    static void name()
#define CHECK(condition) check::report(static_cast<bool>(condition), #condition, __FILE__, __LINE__)
