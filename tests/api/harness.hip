// What hip_test.h makes of tests that pass, fail, check nothing and have nothing to run on. Some of
// these fail on purpose: tests/api/CMakeLists.txt says what must come of it.
#include "../support/hip_test.h"

TEST("passes")
{
    CHECK(true);
    CHECK_EQ(1 + 1, 2);
}

TEST("fails")
{
    CHECK_EQ(1 + 1, 3);
}

TEST("checks nothing")
{
    ah_test::buffer<int> memory(1);
    memory.read();
}

TEST("is skipped")
{
    CHECK(true);
    SKIP("a reason");
}

TEST("is not skipped after a failure")
{
    CHECK(false);
    SKIP("a reason");
}

HIP_TEST_MAIN
