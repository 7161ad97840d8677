/* Loads and stores of PTX for every way in which the addresses of a warp's lanes may lie to each
 * other, compared with a loop over lanes. Registered for each instruction set of the host, since
 * each has its own code for addresses in a row, for one address and for any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "one_kernel.h"

/* The buffer, in bytes: an element's number for each lane, the mask of lanes that access, elements
 * that are read, elements that are written, what each lane read. */
enum { LANES = 32, MASK = 128, FROM = 256, TO = FROM + 2048, OUT = TO + 2048, END = OUT + 1024 };
enum { ELEMENTS = 128, OUT_STRIDE = 32 };

struct kind {
    const char *type, *reg; /* the prefix of registers of width bytes */
    unsigned size, width, count;
    bool sign;
};

static const struct kind kinds[] = {
    {"u32", "r", 4, 4, 1, false},     {"v2.u32", "r", 4, 4, 2, false},
    {"v4.u32", "r", 4, 4, 4, false},  {"u64", "rd", 8, 8, 1, false},
    {"v2.u64", "rd", 8, 8, 2, false}, {"u8", "r", 1, 4, 1, false},
    {"s8", "r", 1, 4, 1, true},       {"s8", "rs", 1, 2, 1, true},
    {"u8", "rs", 1, 2, 1, false},     {"u16", "r", 2, 4, 1, false},
    {"s16", "r", 2, 4, 1, true},      {"b16", "rs", 2, 2, 1, false},
    {"u32", "rd", 4, 8, 1, false},    {"s32", "rd", 4, 8, 1, true},
    {"v4.u8", "r", 1, 4, 4, false},
};

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + strlen(text), 8192 - strlen(text), format, arguments);
    va_end(arguments);
}

static void add_registers(char *text, const struct kind *kind)
{
    add(text, "%s", kind->count > 1 ? "{" : "");
    for (unsigned i = 0; i < kind->count; i++)
        add(text, "%s%%%s%u", i ? ", " : "", kind->reg, 10 + i);
    add(text, "%s", kind->count > 1 ? "}" : "");
}

/* Each thread copies the words that are its own, 32 of them apart. */
static void add_copy(char *text, const char *load, const char *store)
{
    for (unsigned at = 0; at < 4096; at += 4 * LANES)
        add(text, "%s+%u];\n%s+%u], %%r20;\n", load, at, store, at);
}

static void add_accesses(char *text, const struct kind *kind, const char *space, const char *base)
{
    add(text, "@%%p1 ld%s.%s ", space, kind->type);
    add_registers(text, kind);
    add(text, ", [%s];\n@%%p1 st%s.%s [%s+2048], ", base, space, kind->type, base);
    add_registers(text, kind);
    add(text, ";\n");
}

static void add_start(char *text, const struct kind *kind)
{
    text[0] = 0;
    add(text,
        "ld.global.u32 %%r1, [%%rd1];\nmul.lo.u32 %%r1, %%r1, %u;\n"
        "ld.global.u32 %%r2, [%%rd0+%u];\nshr.u32 %%r2, %%r2, %%r0;\nand.b32 %%r2, %%r2, 1;\n"
        "setp.ne.u32 %%p1, %%r2, 0;\nmov.u32 %%r4, tile;\n",
        kind->size * kind->count, MASK);
    for (unsigned i = 0; i < kind->count; i++)
        add(text, "mov.b%u %%%s%u, 0x77;\n", 8 * kind->width, kind->reg, 10 + i);
}

/* What the thread has read. */
static void add_end(char *text, const struct kind *kind)
{
    add(text, "mad.wide.u32 %%rd8, %%r0, %u, %%rd0;\n", OUT_STRIDE);
    for (unsigned i = 0; i < kind->count; i++)
        add(text, "st.global.b%u [%%rd8+%u], %%%s%u;\n", 8 * kind->width, OUT + i * kind->width,
            kind->reg, 10 + i);
}

/* A thread reads the element whose number it finds, and writes it to the element of that number in
 * another place, of space "", ".global", ".shared". */
static const char *body_of(const struct kind *kind, const char *space, bool shared)
{
    static char text[8192];
    add_start(text, kind);
    add(text, "mov.u64 %%rd3, tile;\ncvta.shared.u64 %%rd3, %%rd3;\ncvt.u64.u32 %%rd4, %%r1;\n"
              "mad.wide.u32 %%rd6, %%r0, 4, %%rd0;\nmad.lo.u32 %%r5, %%r0, 4, %%r4;\n");
    if (shared)
        add_copy(text, "ld.global.u32 %r20, [%rd6+256", "st.shared.u32 [%r5");
    if (shared)
        add(text, "bar.sync 0;\n");
    if (shared && space[0]) {
        add(text, "add.u32 %%r6, %%r4, %%r1;\n");
        add_accesses(text, kind, space, "%r6");
    } else {
        add(text, "add.s64 %%rd7, %s, %%rd4;\n", shared ? "%rd3" : "%rd0");
        if (!shared)
            add(text, "add.s64 %%rd7, %%rd7, %u;\n", FROM);
        add_accesses(text, kind, space, "%rd7");
    }
    if (shared)
        add(text, "bar.sync 0;\n");
    if (shared)
        add_copy(text, "ld.shared.u32 %r20, [%r5", "st.global.u32 [%rd6+256");
    add_end(text, kind);
    return text;
}

/* The same in local memory, of which each thread has a copy of the places in global memory; it
 * copies the element that it wrote back. */
static const char *body_of_local(const struct kind *kind, const char *space)
{
    static char text[8192];
    add_start(text, kind);
    add(text,
        ".local .align 32 .b8 mine[4096];\nmov.u64 %%rd3, mine;\nmov.u32 %%r7, 0;\nNEXT:\n"
        "cvt.u64.u32 %%rd24, %%r7;\nadd.s64 %%rd25, %%rd0, %%rd24;\nadd.s64 %%rd26, %%rd3, "
        "%%rd24;\n"
        "ld.global.u32 %%r20, [%%rd25+%u];\nst.local.u32 [%%rd26], %%r20;\n"
        "add.u32 %%r7, %%r7, 4;\nsetp.lt.u32 %%p2, %%r7, 4096;\n@%%p2 bra NEXT;\n"
        "cvt.u64.u32 %%rd4, %%r1;\nadd.s64 %%rd5, %%rd3, %%rd4;\nadd.s64 %%rd6, %%rd0, %%rd4;\n"
        "mov.u64 %%rd7, %%rd5;\n%s",
        FROM, space[0] ? "" : "cvta.local.u64 %rd7, %rd5;\n");
    add_accesses(text, kind, space, "%rd7");
    for (unsigned i = 0; i < kind->size * kind->count; i++)
        add(text, "@%%p1 ld.local.u8 %%r20, [%%rd5+%u];\n@%%p1 st.global.u8 [%%rd6+%u], %%r20;\n",
            TO - FROM + i, TO + i);
    add_end(text, kind);
    return text;
}

/* ---- what is expected ------------------------------------------------------------------ */

static void expect(const struct kind *kind, unsigned char *memory, unsigned threads)
{
    const uint32_t *numbers = (const uint32_t *)(const void *)memory;
    unsigned whole = kind->size * kind->count;
    for (unsigned lane = 0; lane < threads; lane++) {
        bool executes = numbers[MASK / 4] >> lane & 1;
        const unsigned char *from = memory + FROM + numbers[lane] * whole;
        for (unsigned i = 0; i < kind->count; i++) {
            uint64_t value = 0x77;
            unsigned left = 64 - 8 * kind->size;
            if (executes) {
                value = 0;
                memcpy(&value, from + i * kind->size, kind->size);
                value = kind->sign ? (uint64_t)((int64_t)(value << left) >> left) : value;
            }
            memcpy(memory + OUT + lane * OUT_STRIDE + i * kind->width, &value, kind->width);
        }
        if (executes)
            memcpy(memory + TO + numbers[lane] * whole, from, whole);
    }
}

/* ---- the ways ------------------------------------------------------------------------------ */

static uint32_t in_a_row(unsigned lane)
{
    return 3 + lane;
}
static uint32_t the_same(unsigned lane)
{
    (void)lane;
    return 5;
}
static uint32_t two_rows(unsigned lane)
{
    return lane < 16 ? 40 + lane : lane;
}
static uint32_t a_row_twice(unsigned lane)
{
    return 7 + lane % 16;
}
static uint32_t one_of_two(unsigned lane)
{
    return lane < 16 ? 9 : 2;
}
static uint32_t a_row_and_one(unsigned lane)
{
    return lane < 16 ? 11 + lane : 70;
}
static uint32_t four_rows(unsigned lane)
{
    return lane % 8 + lane / 8 * 24;
}
static uint32_t every_other(unsigned lane)
{
    return 2 * lane;
}
static uint32_t backwards(unsigned lane)
{
    return 50 - lane;
}
static uint32_t anywhere(unsigned lane)
{
    return (lane * 2654435761u >> 7) % ELEMENTS;
}
static uint32_t in_a_row_but_one(unsigned lane)
{
    return lane == 19 ? 90 : lane;
}

static uint32_t (*const ways[])(unsigned lane) = {
    in_a_row,  the_same,    two_rows,  a_row_twice, one_of_two,       a_row_and_one,
    four_rows, every_other, backwards, anywhere,    in_a_row_but_one,
};

static const struct {
    uint32_t mask;
    unsigned threads;
} shapes[] = {{UINT32_MAX, 32}, {UINT32_MAX, 20}, {0x0ff0f0f1, 32},
              {1u << 19, 32},   {0xffff0000, 32}, {0x00fffff0, 32},
              {0x5a5a5a5a, 27}, {0x80021008, 32}, {UINT32_MAX, 3}};

static void fill(unsigned char *memory, unsigned whole, unsigned way, uint32_t mask)
{
    uint32_t *words = (uint32_t *)(void *)memory;
    for (unsigned i = 0; i < END / 4; i++)
        words[i] = 0x80f1b3c5u * (i + 1);
    for (unsigned lane = 0; lane < LANES; lane++) /* 16 bytes at most, of 2048 */
        words[lane] = ways[way](lane) % (whole > 16 ? ELEMENTS / 2 : ELEMENTS);
    words[MASK / 4] = mask;
}

enum where { GLOBAL, SHARED, LOCAL };

static void lanes_access(const char *space, enum where where)
{
    static unsigned char memory[END] __attribute__((aligned(16)));
    static unsigned char expected[END] __attribute__((aligned(16)));
    const char *tile = ".shared .align 16 .b8 tile[4096];";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct kind *kind = &kinds[k];
        for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++) {
            unsigned s = (unsigned)((k + way) % (sizeof shapes / sizeof *shapes));
            for (unsigned turn = 0; turn < 3; turn++) {
                unsigned shape = turn == 0 ? 0 : (s + turn) % (sizeof shapes / sizeof *shapes);
                unsigned threads = where == SHARED ? LANES : shapes[shape].threads;
                fill(memory, kind->size * kind->count, way, shapes[shape].mask);
                memcpy(expected, memory, sizeof memory);
                expect(kind, expected, threads);
                const char *body = where == LOCAL ? body_of_local(kind, space)
                                                  : body_of(kind, space, where == SHARED);
                assert_int_equal(one_run(tile, body, threads, (uint32_t *)(void *)memory, END / 4),
                                 PTX_END_OK);
                assert_memory_equal(memory, expected, sizeof memory);
            }
        }
    }
}

static void lanes_access_global_memory(void **state)
{
    (void)state;
    lanes_access(".global", GLOBAL);
}

static void lanes_access_global_memory_by_generic_addresses(void **state)
{
    (void)state;
    lanes_access("", GLOBAL);
}

static void lanes_access_shared_memory(void **state)
{
    (void)state;
    lanes_access(".shared", SHARED);
}

static void lanes_access_shared_memory_by_generic_addresses(void **state)
{
    (void)state;
    lanes_access("", SHARED);
}

static void lanes_access_local_memory(void **state)
{
    (void)state;
    lanes_access(".local", LOCAL);
}

static void lanes_access_local_memory_by_generic_addresses(void **state)
{
    (void)state;
    lanes_access("", LOCAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_access_global_memory),
        cmocka_unit_test(lanes_access_global_memory_by_generic_addresses),
        cmocka_unit_test(lanes_access_shared_memory),
        cmocka_unit_test(lanes_access_shared_memory_by_generic_addresses),
        cmocka_unit_test(lanes_access_local_memory),
        cmocka_unit_test(lanes_access_local_memory_by_generic_addresses),
    };
    return cmocka_run_group_tests(tests, run_open, run_close);
}
