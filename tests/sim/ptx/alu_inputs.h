/* The list of spellings that alu_spellings.c prints, and the inputs of each, which alu_golden.c,
 * alu_direct.c and alu_compare.c share. Header only. */
#ifndef ALU_INPUTS_H
#define ALU_INPUTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALU_LANES = 128, ALU_SOURCES = 4 };

struct alu_spelling {
    unsigned row, version, target;
    char text[112]; /* "add.rn.f32" */
    bool has_immediate;
    unsigned immediate;
    char result[8]; /* type of the destination */
    bool second;    /* there is a second destination, a predicate */
    unsigned count; /* sources */
    char sources[ALU_SOURCES][8];
    bool wider; /* cvt: registers need not be of the types' sizes */
};

static inline void alu_take_operand(struct alu_spelling *spelling, const char *word)
{
    bool destination = *word == '=';
    word += destination;
    if (*word == '~') {
        spelling->wider = true;
        ++word;
    }
    if (*word == '#')
        return;
    char *to = destination ? spelling->result : spelling->sources[spelling->count++];
    size_t length = strcspn(word, "|");
    snprintf(to, 8, "%.*s", (int)length, word);
    if (word[length] == '|')
        spelling->second = true;
}

/* One line of the list. */
static inline bool alu_parse(char *line, struct alu_spelling *out_spelling)
{
    char immediate[16], operands[96];
    memset(out_spelling, 0, sizeof *out_spelling);
    if (sscanf(line, "%u\t%111[^\t]\t%15[^\t]\t%u\t%u\t%95[^\n]", &out_spelling->row,
               out_spelling->text, immediate, &out_spelling->version, &out_spelling->target,
               operands) != 6)
        return false;
    out_spelling->has_immediate = immediate[0] != '-';
    out_spelling->immediate = (unsigned)strtoul(immediate, NULL, 0);
    char *state;
    for (char *word = strtok_r(operands, " ", &state); word; word = strtok_r(NULL, " ", &state))
        alu_take_operand(out_spelling, word);
    return true;
}

/* All lines of a file; the caller frees it. NULL: it cannot be read. */
static inline struct alu_spelling *alu_read_list(const char *path, unsigned *out_count)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    struct alu_spelling *all = NULL;
    unsigned count = 0;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        struct alu_spelling *more = realloc(all, (count + 1) * sizeof *all);
        if (!more)
            break;
        all = more;
        count += alu_parse(line, &all[count]);
    }
    fclose(file);
    *out_count = count;
    return all;
}

/* "lop3.b32#96": how results are named. */
static inline void alu_name(const struct alu_spelling *spelling, char *out_name, size_t size)
{
    if (spelling->has_immediate)
        snprintf(out_name, size, "%s#%x", spelling->text, spelling->immediate);
    else
        snprintf(out_name, size, "%s", spelling->text);
}

/* ---- values ------------------------------------------------------------------- */

static inline unsigned alu_size(const char *type) /* bytes; predicates count as one */
{
    static const struct {
        const char *type;
        unsigned size;
    } sizes[] = {{"u8", 1},  {"s8", 1},  {"pred", 1}, {"b8", 1},   {"u16", 2},
                 {"s16", 2}, {"b16", 2}, {"f16", 2},  {"bf16", 2}, {"u64", 8},
                 {"s64", 8}, {"b64", 8}, {"f64", 8}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (strcmp(type, sizes[i].type) == 0)
            return sizes[i].size;
    return 4;
}

static inline uint64_t alu_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline uint64_t alu_seed(const struct alu_spelling *spelling)
{
    uint64_t seed = 14695981039346656037u + spelling->immediate;
    for (const char *at = spelling->text; *at; ++at)
        seed = (seed ^ (unsigned char)*at) * 1099511628211u;
    return seed;
}

static const uint64_t alu_integers[] = {
    0,
    1,
    2,
    3,
    0xffffffffffffffff,
    0xfffffffffffffffe,
    0x7f,
    0x80,
    0x81,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0x8001,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    7,
    8,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    0x5555555555555555,
    0xaaaaaaaaaaaaaaaa,
    0xffffff7f,
    0xffffff80,
    0xffffffffffff8000,
    0xffffffffffff7fff,
    0xffffffff80000000,
    0xffffffff7fffffff,
    0x00ffffff,
    0x01000001,
    0x0001000100010001,
    0x80007fff80007fff,
    10,
    1000,
    0x123456789abcdef0,
    0x20000000000001,
};
static const uint32_t alu_f32[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f800001, 0xff812345, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0xbf7fffff, 0x3f000000, 0xbf000000,
    0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000,
    0x4f7fffff, 0x5f000000, 0xdf000000, 0x5effffff, 0x5f800000, 0x437f8000, 0x437f0000, 0x42ff0000,
    0xc3008000, 0xc3000000, 0x477fe000, 0x477ff000, 0x477fefff, 0x38800000, 0x387fffff, 0x33800000,
    0x33000000, 0x33000001, 0x3eaaaaab, 0x40490fdb, 0xc0490fdb, 0x41200000, 0x7e800000, 0x7e800001,
    0x7f000000, 0xff000000, 0x00400000, 0x80200000, 0x3dcccccd, 0x3efffffe, 0x3effffff, 0x3f00ffff,
    0x3f018000, 0x3f008000, 0x3f801000, 0x3f803000, 0x3f807fff, 0x3f808001, 0x43e00000, 0x43e80000,
    0x43f00000, 0x3b000000, 0x3a800000, 0x47600000, 0x47700000, 0x37800000, 0x37000000, 0x4b000001,
    0x4b800001, 0xca800001, 0x42b0c0a5, 0xc2fc0000, 0xc3160000, 0x43000000, 0x7f7f8000, 0x7f7f7fff,
};
static const uint64_t alu_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8123456789abc,
    0x7ff0000000000001, 0xfff4000000000123, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001,
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0xbff8000000000000,
    0x4004000000000000, 0xc004000000000000, 0x41dfffffffc00000, 0x41dfffffffe00000,
    0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000100000, 0xc1e0000000200000,
    0x41efffffffe00000, 0x41effffffff00000, 0x41f0000000000000, 0x43e0000000000000,
    0xc3e0000000000000, 0x43dfffffffffffff, 0x43f0000000000000, 0x43efffffffffffff,
    0x47efffffe0000000, 0x47effffff0000000, 0x47efffffefffffff, 0x47f0000000000000,
    0x36a0000000000000, 0x3690000000000000, 0x3690000000000001, 0x380fffffe0000000,
    0x380ffffff0000000, 0x3810000000000000, 0x40efffc000000000, 0x40effe0000000000,
    0x40effdffffffffff, 0x3f10000000000000, 0x3e60000000000000, 0x3e60000000000001,
    0x3ff0000010000000, 0x3ff0000030000000, 0x3ff0000010000001, 0x3ff0020000000000,
    0x3ff0020000000001, 0x3fd5555555555555, 0x400921fb54442d18, 0x7fd0000000000000,
    0x7fe0000000000000, 0x0008000000000000, 0x3cb0000000000000, 0x4330000000000001,
    0x4340000000000001, 0x406fe00000000000, 0x406ff00000000000, 0xc060200000000000,
};
static const uint16_t alu_f16[] = {
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7c01, 0xfd55,
    0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x7bff, 0xfbff, 0x3bff,
    0x3c01, 0x3800, 0xb800, 0x3e00, 0xbe00, 0x4100, 0xc100, 0x5bf8, 0x5bfc, 0x57f0,
    0xd800, 0xd808, 0x6400, 0x6401, 0x7800, 0xf800, 0x4248, 0x3555, 0x0200, 0x8100,
    0x2e66, 0x4900, 0xffff, 0x7fff, 0x5f00, 0x5f80, 0x1400, 0x1000, 0x5640, 0xd640,
};
static const uint16_t alu_bf16[] = {
    0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0xffa5,
    0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x7f7f, 0xff7f, 0x3f7f,
    0x3f81, 0x3f00, 0xbf00, 0x3fc0, 0xbfc0, 0x4020, 0xc020, 0x4f00, 0xcf00, 0x5f00,
    0x4f80, 0x437f, 0x4300, 0x4380, 0x3380, 0x3880, 0x4780, 0x4049, 0x3eab, 0x0040,
    0x8020, 0x3dcd, 0x4120, 0xffff, 0x7fff, 0x7f00, 0x7e80, 0x42b1, 0xc2fc, 0xc316,
};

#define ALU_COUNT(array) (sizeof(array) / sizeof *(array))

/* A float of about the size of 1 with random digits. */
static inline uint64_t alu_moderate(const char *type, uint64_t random)
{
    unsigned exponent = (unsigned)(random >> 58) % 24;
    if (strcmp(type, "f32") == 0)
        return (random & 0x807fffff) | (uint64_t)(115 + exponent) << 23;
    if (strcmp(type, "f64") == 0)
        return (random & 0x800fffffffffffff) | (uint64_t)(1011 + exponent) << 52;
    if (strcmp(type, "f16") == 0)
        return (random & 0x83ff) | (uint64_t)(4 + exponent) << 10;
    if (strcmp(type, "bf16") == 0)
        return (random & 0x807f) | (uint64_t)(115 + exponent) << 7;
    return random >> (random & 31);
}

static inline uint64_t alu_edge(const char *type, uint64_t which)
{
    if (strcmp(type, "f32") == 0)
        return alu_f32[which % ALU_COUNT(alu_f32)];
    if (strcmp(type, "f64") == 0)
        return alu_f64[which % ALU_COUNT(alu_f64)];
    if (strcmp(type, "f16") == 0)
        return alu_f16[which % ALU_COUNT(alu_f16)];
    if (strcmp(type, "bf16") == 0)
        return alu_bf16[which % ALU_COUNT(alu_bf16)];
    return alu_integers[which % ALU_COUNT(alu_integers)];
}

/* NaNs of different payloads, so that results show which operand was chosen. */
static inline uint64_t alu_nan(const char *type, uint64_t random)
{
    static const uint64_t f64[] = {0x7ff8000000000111, 0xfff8000000002222, 0x7ff0000000033333,
                                   0xfff0000000444444, 0x3ff8000000000000, 0x7ff0000000000000};
    static const uint32_t f32[] = {0x7fc00111, 0xffc02222, 0x7f833333,
                                   0xff844444, 0x3fc00000, 0x7f800000};
    bool wide = strcmp(type, "f64") == 0;
    return wide ? f64[random % ALU_COUNT(f64)] : f32[random % ALU_COUNT(f32)];
}

/* One value of a type, in its low bits. If alone, edge cases come first, in order. */
static inline uint64_t alu_value(const char *type, unsigned lane, uint64_t random, bool alone)
{
    if (strcmp(type, "pred") == 0)
        return random & 1;
    uint64_t again = alu_mix(random);
    bool edge = alone ? lane < 96 : lane < 80;
    if (edge)
        return alu_edge(type, alone ? lane : again >> 8);
    if (!alone && lane >= 108 && (strcmp(type, "f64") == 0 || strcmp(type, "f32") == 0))
        return alu_nan(type, again >> 8);
    return random >> 32 & 1 ? again : alu_moderate(type, again);
}

static inline uint64_t alu_input(const struct alu_spelling *spelling, unsigned lane,
                                 unsigned source)
{
    const char *type = spelling->sources[source];
    size_t length = strlen(type);
    uint64_t random = alu_mix(alu_seed(spelling) + lane * 16 + source * 4);
    bool alone = spelling->count == 1;
    if (length > 2 && strcmp(type + length - 2, "x2") == 0) {
        char half[8];
        snprintf(half, sizeof half, "%.*s", (int)length - 2, type);
        uint64_t low = alu_value(half, lane, random, alone) & 0xffff;
        return low | (alu_value(half, lane, alu_mix(random + 1), false) & 0xffff) << 16;
    }
    uint64_t value = alu_value(type, lane, random, alone);
    unsigned size = alu_size(type);
    /* cvt must ignore the bits of a register above the type's. */
    if (spelling->wider && size == 1)
        size = 2;
    return size == 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

/* Identifies the inputs, so that results of different inputs are not compared. */
static inline uint32_t alu_hash(const struct alu_spelling *spelling)
{
    uint64_t hash = 0;
    for (unsigned lane = 0; lane < ALU_LANES; ++lane)
        for (unsigned s = 0; s < spelling->count; ++s)
            hash = alu_mix(hash ^ alu_input(spelling, lane, s));
    return (uint32_t)hash;
}

/* ---- results ------------------------------------------------------------------- */

/* Writes "name type hash r0 r1 ..."; predicates as 0 and 1 without spaces. */
static inline void alu_write(FILE *file, const struct alu_spelling *spelling, bool second,
                             const uint64_t *results)
{
    char name[128];
    alu_name(spelling, name, sizeof name);
    const char *type = second ? "pred" : spelling->result;
    fprintf(file, "%s%s %s %08x", name, second ? "|q" : "", type, alu_hash(spelling));
    bool predicate = strcmp(type, "pred") == 0;
    if (predicate)
        fputc(' ', file);
    for (unsigned lane = 0; lane < ALU_LANES; ++lane)
        fprintf(file, predicate ? "%llx" : " %llx", (unsigned long long)results[lane]);
    fputc('\n', file);
}

/* Whether the instruction has a carry-in (from the bit of source e), and a carry-out. */
static inline bool alu_takes_carry(const struct alu_spelling *spelling)
{
    return !strncmp(spelling->text, "addc", 4) || !strncmp(spelling->text, "subc", 4) ||
           !strncmp(spelling->text, "madc", 4);
}
static inline bool alu_gives_carry(const struct alu_spelling *spelling)
{
    return strstr(spelling->text, ".cc") != NULL;
}
static inline bool alu_borrows(const struct alu_spelling *spelling)
{
    return !strncmp(spelling->text, "sub", 3);
}
static inline unsigned alu_carry_in(const struct alu_spelling *spelling, unsigned lane)
{
    return alu_mix(alu_seed(spelling) + lane * 16 + 13) & 1;
}

#endif
