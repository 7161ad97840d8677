/* The forms of ptx_alu.def as operands in slots. Who includes this defines
 *     WAVE_ROW(id, kind, d, a, b, c, e)
 * where kind is ONCE, TWICE, ROUND or NUMBERS as in ptx_alu.c, CARRY, TEST, SET or LOOK for
 * rows with operands that the op's bits announce, and d to e are bytes of slots (0: none); then ALU
 * as WAVE_FORM_##form(id, __VA_ARGS__) and includes ptx_alu.def. */
#ifndef PTX_WAVE_FORMS_H
#define PTX_WAVE_FORMS_H

/* Beside the size of a slot of f32. */
#define WAVE_F32        1
#define WAVE_SIZE(size) ((size) & ~WAVE_F32)

#define WAVE_ALL_u8     64
#define WAVE_ALL_s8     64
#define WAVE_ALL_u16    64
#define WAVE_ALL_s16    64
#define WAVE_ALL_b16    64
#define WAVE_ALL_f16    64
#define WAVE_ALL_f16w   64
#define WAVE_ALL_bf16w  64
#define WAVE_ALL_bf16   64
#define WAVE_ALL_u32    128
#define WAVE_ALL_s32    128
#define WAVE_ALL_b32    128
#define WAVE_ALL_f32    (128 | WAVE_F32)
#define WAVE_ALL_u64    256
#define WAVE_ALL_s64    256
#define WAVE_ALL_b64    256
#define WAVE_ALL_f64    256
#define WAVE_ALL_pred   4
#define WAVE_ALL(T)     WAVE_ALL_##T
/* Two halves in each lane. */
#define WAVE_TWO(T)                     (2 * WAVE_ALL_##T)

#define WAVE_FORM_LANES1(id, D, A, ...) WAVE_ROW(id, ONCE, WAVE_ALL(D), WAVE_ALL(A), 0, 0, 0)
#define WAVE_FORM_LANES2(id, D, A, B, ...)                                                         \
    WAVE_ROW(id, ONCE, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), 0, 0)
#define WAVE_FORM_LANES3(id, D, A, B, C, ...)                                                      \
    WAVE_ROW(id, ONCE, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), WAVE_ALL(C), 0)
#define WAVE_FORM_LANES4(id, D, A, B, C, E, ...)                                                   \
    WAVE_ROW(id, ONCE, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), WAVE_ALL(C), WAVE_ALL(E))
#define WAVE_FORM_MODES1(id, D, A, ...) WAVE_ROW(id, TWICE, WAVE_ALL(D), WAVE_ALL(A), 0, 0, 0)
#define WAVE_FORM_MODES2(id, D, A, B, ...)                                                         \
    WAVE_ROW(id, TWICE, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), 0, 0)
#define WAVE_FORM_MODES3(id, D, A, B, C, ...)                                                      \
    WAVE_ROW(id, TWICE, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), WAVE_ALL(C), 0)
#define WAVE_FORM_ROUND1(id, D, A, ...) WAVE_ROW(id, ROUND, WAVE_ALL(D), WAVE_ALL(A), 0, 0, 0)
#define WAVE_FORM_ROUND2(id, D, A, B, ...)                                                         \
    WAVE_ROW(id, ROUND, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), 0, 0)
#define WAVE_FORM_ROUND3(id, D, A, B, C, ...)                                                      \
    WAVE_ROW(id, ROUND, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), WAVE_ALL(C), 0)
#define WAVE_FORM_NUMBERS1(id, D, A, ...) WAVE_ROW(id, NUMBERS, WAVE_ALL(D), WAVE_ALL(A), 0, 0, 0)
#define WAVE_FORM_NUMBERS2(id, D, A, B, ...)                                                       \
    WAVE_ROW(id, NUMBERS, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), 0, 0)
#define WAVE_FORM_NUMBERS3(id, D, A, B, C, ...)                                                    \
    WAVE_ROW(id, NUMBERS, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), WAVE_ALL(C), 0)
#define WAVE_FORM_PAIRS2(id, D, A, B, ...)                                                         \
    WAVE_ROW(id, ONCE, WAVE_TWO(D), WAVE_TWO(A), WAVE_TWO(B), 0, 0)
#define WAVE_FORM_MODEPAIRS1(id, D, A, ...) WAVE_ROW(id, TWICE, WAVE_TWO(D), WAVE_TWO(A), 0, 0, 0)
#define WAVE_FORM_MODEPAIRS2(id, D, A, B, ...)                                                     \
    WAVE_ROW(id, TWICE, WAVE_TWO(D), WAVE_TWO(A), WAVE_TWO(B), 0, 0)
#define WAVE_FORM_MODEPAIRS3(id, D, A, B, C, ...)                                                  \
    WAVE_ROW(id, TWICE, WAVE_TWO(D), WAVE_TWO(A), WAVE_TWO(B), WAVE_TWO(C), 0)
#define WAVE_FORM_WIDES2               WAVE_FORM_MODES2
#define WAVE_FORM_WIDES3               WAVE_FORM_MODES3
#define WAVE_FORM_WIDEPAIRS2           WAVE_FORM_MODEPAIRS2
#define WAVE_FORM_WIDEPAIRS3           WAVE_FORM_MODEPAIRS3
#define WAVE_FORM_TEST1(id, A, ...)    WAVE_ROW(id, TEST, 4, WAVE_ALL(A), 0, 0, 0)
#define WAVE_FORM_TEST2(id, A, B, ...) WAVE_ROW(id, TEST, 4, WAVE_ALL(A), WAVE_ALL(B), 0, 0)
#define WAVE_FORM_MODETEST2(id, A, B, ...)                                                         \
    WAVE_ROW(id, TEST_TWICE, 4, WAVE_ALL(A), WAVE_ALL(B), 0, 0)
#define WAVE_FORM_TESTPAIR(id, A, B, ...) WAVE_ROW(id, TEST, 4, WAVE_TWO(A), WAVE_TWO(B), 0, 0)
#define WAVE_FORM_SET2(id, D, A, B, ...)                                                           \
    WAVE_ROW(id, SET, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), 4, 0)
#define WAVE_FORM_WORDS1(id, ...) WAVE_ROW(id, ONCE, 4, 4, 0, 0, 0)
#define WAVE_FORM_WORDS2(id, ...) WAVE_ROW(id, ONCE, 4, 4, 4, 0, 0)
#define WAVE_FORM_CARRY2(id, D, A, B, ...)                                                         \
    WAVE_ROW(id, CARRY, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), 0, 0)
#define WAVE_FORM_CARRY3(id, D, A, B, C, ...)                                                      \
    WAVE_ROW(id, CARRY, WAVE_ALL(D), WAVE_ALL(A), WAVE_ALL(B), WAVE_ALL(C), 0)
#define WAVE_FORM_LOP3(id, ...) WAVE_ROW(id, LOOK, 128, 128, 128, 128, 4)

#endif
