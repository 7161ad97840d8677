/* Takes away what the forms of rows of amdgpu_valu.def mean. Where EACH_ROW is defined, all forms
 * then are EACH_ROW(id, other): other has the effect, and is the row itself but for SAME. Included
 * again wherever they change. */
#undef LANES1
#undef LANES2
#undef LANES3
#undef LANES4
#undef NEAR1
#undef NEAR2
#undef HALF1
#undef HALF2
#undef HALF3
#undef MIX32
#undef MIX16
#undef CARRY2
#undef CARRY3
#undef TEST2
#undef PAIRS2
#undef PAIRS3
#undef HALVES2
#undef HALVES3
#undef FLOATS2
#undef FLOATS3
#undef RAW
#undef SAME
#if defined(EACH_ROW)
#define LANES1(id, ...)      EACH_ROW(id, id)
#define LANES2(id, ...)      EACH_ROW(id, id)
#define LANES3(id, ...)      EACH_ROW(id, id)
#define LANES4(id, ...)      EACH_ROW(id, id)
#define NEAR1(id, ...)       EACH_ROW(id, id)
#define NEAR2(id, ...)       EACH_ROW(id, id)
#define HALF1(id, ...)       EACH_ROW(id, id)
#define HALF2(id, ...)       EACH_ROW(id, id)
#define HALF3(id, ...)       EACH_ROW(id, id)
#define MIX32(id, ...)       EACH_ROW(id, id)
#define MIX16(id, ...)       EACH_ROW(id, id)
#define CARRY2(id, ...)      EACH_ROW(id, id)
#define CARRY3(id, ...)      EACH_ROW(id, id)
#define TEST2(id, ...)       EACH_ROW(id, id)
#define PAIRS2(id, ...)      EACH_ROW(id, id)
#define PAIRS3(id, ...)      EACH_ROW(id, id)
#define HALVES2(id, ...)     EACH_ROW(id, id)
#define HALVES3(id, ...)     EACH_ROW(id, id)
#define FLOATS2(id, ...)     EACH_ROW(id, id)
#define FLOATS3(id, ...)     EACH_ROW(id, id)
#define RAW(id, ...)         EACH_ROW(id, id)
#define SAME(id, other, ...) EACH_ROW(id, other)
#endif
