// The instruction sets: chosen by name, refused when unknown, used only after a self-check.
#include <cstring>

#include "check.hpp"
#include "parzen/tile.hpp"

namespace {

const parzen::InstructionSet* baseline() {
    int count = 0;
    const parzen::InstructionSet* sets = parzen::instruction_sets(&count);
    return sets + count - 1;
}

}  // namespace

TEST(the_baseline_is_always_there) {
    CHECK(std::strcmp(baseline()->name, "baseline") == 0);
    CHECK(baseline()->supported());
}

TEST(a_set_is_chosen_by_name) {
    int count = 0;
    const parzen::InstructionSet* sets = parzen::instruction_sets(&count);
    for (int s = 0; s < count; ++s) {
        check::subject() = sets[s].name;
        CHECK(parzen::choose_instruction_set(sets[s].name) == sets[s].supported());
        if (sets[s].supported()) {
            CHECK(std::strcmp(parzen::instruction_set(), sets[s].name) == 0);
            CHECK(&parzen::tile_ops<double>() == sets[s].full);
            CHECK(&parzen::tile_ops<float>() == sets[s].single);
        }
    }
    CHECK(parzen::choose_instruction_set(""));
}

TEST(an_unknown_name_is_refused_and_changes_nothing) {
    parzen::choose_instruction_set("baseline");
    CHECK(!parzen::choose_instruction_set("abacus"));
    CHECK(std::strcmp(parzen::instruction_set(), "baseline") == 0);
    parzen::choose_instruction_set("");
}

TEST(the_best_set_is_the_widest_supported_one) {
    CHECK(parzen::choose_instruction_set(""));
    int count = 0;
    const parzen::InstructionSet* sets = parzen::instruction_sets(&count);
    int widest = 0;
    while (!sets[widest].supported()) ++widest;
    CHECK(std::strcmp(parzen::instruction_set(), sets[widest].name) == 0);
}

namespace {

void skewed_root(double* u, int count) {
    baseline()->full->root(u, count);
    u[count - 1] += 1e-9;
}

void skewed_accumulate(const parzen::BandwidthPlan<double>& plan, const parzen::RowTask<double>& task) {
    baseline()->full->accumulate(plan, task);
    task.out[0] *= 1 + 1e-9;
}

void skewed_pairs(const parzen::BandwidthPlan<float>& plan, const parzen::PairTask<float>& task) {
    baseline()->single->accumulate_pairs(plan, task);
    task.point_sums[0] *= 1.001f;
}

}  // namespace

TEST(the_self_check_refuses_a_set_with_one_wrong_function) {
    CHECK(parzen::passes_self_check(*baseline()));
    parzen::TileOps<double> full = *baseline()->full;
    parzen::TileOps<float> single = *baseline()->single;
    parzen::InstructionSet set = *baseline();
    set.full = &full;
    set.single = &single;
    CHECK(parzen::passes_self_check(set));
    full.root = skewed_root;
    CHECK(!parzen::passes_self_check(set));
    full = *baseline()->full;
    full.accumulate = skewed_accumulate;
    CHECK(!parzen::passes_self_check(set));
    full = *baseline()->full;
    single.accumulate_pairs = skewed_pairs;
    CHECK(!parzen::passes_self_check(set));
}
