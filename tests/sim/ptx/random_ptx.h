/* Random kernels: straight lines, loops that lanes leave together or one by one, branches on which
 * they part, predicated instructions, loads and stores, shuffles, ends, from a number that says
 * which. Every kernel ends, and accesses only its own memory. */
#ifndef TESTS_SIM_PTX_RANDOM_PTX_H
#define TESTS_SIM_PTX_RANDOM_PTX_H

#include "../random_state.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum {
    RANDOM_THREADS = 64,
    RANDOM_BLOCKS = 2,
    RANDOM_WORDS = 32, /* of results, for each thread */
    RANDOM_SHARED = 1024,
};

struct random_ptx {
    uint64_t state;
    char *text;
    size_t size, length;
    unsigned labels, depth;
    unsigned parts; /* branches around what is being made */
    bool ended;     /* some lanes may have ended */
};

static inline uint32_t random_below(struct random_ptx *r, uint32_t limit)
{
    return random_state_below(&r->state, limit);
}

__attribute__((format(printf, 2, 3))) static inline void random_add(struct random_ptx *r,
                                                                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(r->text + r->length, r->size - r->length, format, arguments);
    va_end(arguments);
    r->length += (size_t)length;
}

enum { RANDOM_R = 12, RANDOM_D = 6, RANDOM_F = 8, RANDOM_G = 6, RANDOM_P = 5, RANDOM_H = 4 };

/* A register of a letter's kind, or sometimes a constant. */
static inline const char *random_source(struct random_ptx *r, char kind)
{
    static const char *const words[] = {"0",  "1",          "-1",          "7",
                                        "31", "2147483647", "-2147483648", "65535"};
    static const char *const floats[] = {"0f3F800000", "0f00000000", "0fBF000000",
                                         "0f7F800000", "0f00000001", "0f40490FDB"};
    static const char *const doubles[] = {"0d3FF0000000000000", "0d0000000000000000",
                                          "0dC000000000000000", "0d7FF0000000000000"};
    static char names[8][16];
    static unsigned next;
    char *name = names[next++ % 8];
    bool constant = random_below(r, 6) == 0;
    if (constant && (kind == 'r' || kind == 'd'))
        return words[random_below(r, 8)];
    if (constant && kind == 'f')
        return floats[random_below(r, 6)];
    if (constant && kind == 'g')
        return doubles[random_below(r, 4)];
    unsigned count = kind == 'r'   ? RANDOM_R
                     : kind == 'd' ? RANDOM_D
                     : kind == 'f' ? RANDOM_F
                     : kind == 'g' ? RANDOM_G
                     : kind == 'h' ? RANDOM_H
                                   : RANDOM_P;
    snprintf(name, 16, "%%%c%u", kind, (unsigned)random_below(r, count));
    return name;
}

/* op: "add.u32 r r r": the instruction and the kinds of its operands; a kind in capitals has to be
 * a register. */
static inline void random_instruction(struct random_ptx *r, const char *op)
{
    char name[64];
    const char *at = op;
    size_t length = 0;
    while (*at && *at != ' ' && length < sizeof name - 1)
        name[length++] = *at++;
    name[length] = 0;
    if (random_below(r, 8) == 0)
        random_add(r, "@%s%%p%u ", random_below(r, 2) ? "!" : "",
                   (unsigned)random_below(r, RANDOM_P));
    random_add(r, "%s", name);
    for (bool first = true; *at; first = false) {
        at++;
        char kind = *at++;
        const char *operand = random_source(r, (char)(kind | 32));
        while ((first || kind < 'a') && operand[0] != '%')
            operand = random_source(r, (char)(kind | 32));
        random_add(r, "%s%s", first ? " " : ", ", operand);
    }
    random_add(r, ";\n");
}

static inline void random_arithmetic(struct random_ptx *r)
{
    static const char *const ops[] = {
        "add.u32 r r r",
        "sub.s32 r r r",
        "mul.lo.u32 r r r",
        "mad.lo.s32 r r r r",
        "mul.hi.s32 r r r",
        "mul.hi.u32 r r r",
        "and.b32 r r r",
        "or.b32 r r r",
        "xor.b32 r r r",
        "not.b32 r r",
        "shl.b32 r r r",
        "shr.u32 r r r",
        "shr.s32 r r r",
        "min.s32 r r r",
        "max.u32 r r r",
        "abs.s32 r r",
        "neg.s32 r r",
        "popc.b32 r r",
        "clz.b32 r r",
        "brev.b32 r r",
        "div.s32 r r r",
        "rem.u32 r r r",
        "div.u32 r r r",
        "sad.u32 r r r r",
        "add.u64 d d d",
        "sub.s64 d d d",
        "mul.lo.u64 d d d",
        "mad.lo.s64 d d d d",
        "mul.wide.u32 d r r",
        "mul.wide.s32 d r r",
        "mad.wide.s32 d r r d",
        "and.b64 d d d",
        "xor.b64 d d d",
        "shl.b64 d d r",
        "shr.u64 d d r",
        "shr.s64 d d r",
        "min.u64 d d d",
        "max.s64 d d d",
        "popc.b64 r d",
        "clz.b64 r d",
        "mul.hi.u64 d d d",
        "div.s64 d d d",
        "add.f32 f f f",
        "sub.f32 f f f",
        "mul.f32 f f f",
        "fma.rn.f32 f f f f",
        "div.rn.f32 f f f",
        "min.f32 f f f",
        "max.f32 f f f",
        "abs.f32 f f",
        "neg.f32 f f",
        "sqrt.rn.f32 f f",
        "rcp.rn.f32 f f",
        "ex2.approx.f32 f f",
        "lg2.approx.f32 f f",
        "sin.approx.f32 f f",
        "cos.approx.f32 f f",
        "rsqrt.approx.f32 f f",
        "add.ftz.f32 f f f",
        "mul.rz.f32 f f f",
        "add.rp.f32 f f f",
        "fma.rm.f32 f f f f",
        "mul.sat.f32 f f f",
        "copysign.f32 f f f",
        "add.f64 g g g",
        "sub.f64 g g g",
        "mul.f64 g g g",
        "fma.rn.f64 g g g g",
        "div.rn.f64 g g g",
        "min.f64 g g g",
        "max.f64 g g g",
        "abs.f64 g g",
        "neg.f64 g g",
        "sqrt.rn.f64 g g",
        "cvt.rn.f32.s32 f R",
        "cvt.rzi.s32.f32 r F",
        "cvt.rni.s32.f32 r F",
        "cvt.rzi.u32.f32 r F",
        "cvt.f64.f32 g F",
        "cvt.rn.f32.f64 f G",
        "cvt.s64.s32 d R",
        "cvt.u64.u32 d R",
        "cvt.u32.u64 r D",
        "cvt.rn.f64.s64 g D",
        "cvt.rzi.s64.f64 d G",
        "cvt.s32.s8 r R",
        "cvt.u16.u32 h R",
        "cvt.u32.u16 r H",
        "cvt.s32.s16 r H",
        "add.u16 h H H",
        "mul.lo.u16 h H H",
        "shr.u16 h H R",
        "mul.wide.u16 r H H",
        "cvt.rn.f16.f32 h F",
        "cvt.f32.f16 f H",
        "add.f16 h H H",
        "fma.rn.f16 h H H H",
        "add.f16x2 r R R",
        "fma.rn.f16x2 r R R R",
        "setp.lt.s32 p r r",
        "setp.ge.u32 p r r",
        "setp.eq.s32 p r r",
        "setp.ne.u64 p d d",
        "setp.lt.f32 p f f",
        "setp.geu.f32 p f f",
        "setp.nan.f32 p f f",
        "setp.gt.f64 p g g",
        "setp.lt.and.s32 p r r P",
        "setp.gt.or.f32 p f f P",
        "setp.ne.xor.u32 p r r P",
        "selp.b32 r r r P",
        "selp.f32 f f f P",
        "selp.b64 d d d P",
        "selp.f64 g g g P",
        "slct.s32.s32 r r r r",
        "set.lt.u32.s32 r r r",
        "set.ge.f32.f32 f f f",
        "and.pred p P P",
        "xor.pred p P P",
        "not.pred p P",
        "mov.pred p P",
        "mov.b32 r R",
        "mov.b64 d D",
        "mov.f32 f F",
        "mov.f64 g G",
        "mov.b32 r F",
        "mov.b32 f R",
        "mov.b64 d G",
        "mov.b64 g D",
        "bfe.u32 r r r r",
        "bfi.b32 r r r r r",
        "prmt.b32 r r r r",
        "shf.l.wrap.b32 r r r r",
        "shf.r.clamp.b32 r r r r",
        "dp4a.u32.u32 r r r r",
        "add.cc.u32 r r r",
        "addc.cc.u32 r r r",
        "addc.u32 r r r",
        "sub.cc.u32 r r r",
        "subc.u32 r r r",
        "mad.lo.cc.u32 r r r r",
        "madc.hi.u32 r r r r",
        "bfind.u32 r R",
        "fns.b32 r R R r",
        "testp.finite.f32 p F",
        "cnot.b32 r r",
        "max.f16 h H H",
        "cvt.rn.bf16.f32 h F",
        "cvt.sat.u8.s32 r R",
        "tanh.approx.f32 f F",
        "ex2.approx.ftz.f32 f F",
        "lg2.approx.ftz.f32 f F",
        "sin.approx.ftz.f32 f F",
        "rsqrt.approx.ftz.f32 f F",
        "rcp.approx.ftz.f32 f F",
        "div.full.ftz.f32 f f f",
        "min.ftz.f32 f f f",
        "max.ftz.NaN.f32 f f f",
        "abs.ftz.f32 f F",
        "cvt.ftz.f32.f32 f F",
        "cvt.sat.f32.f32 f F",
        "cvt.rmi.ftz.f32.f32 f F",
        "cvt.rpi.f64.f64 g G",
        "cvt.rzi.ftz.s32.f32 r F",
        "cvt.rni.f16.f16 h H",
        "cvt.rz.f16.f32 h F",
        "cvt.rn.relu.bf16.f32 h F",
        "cvt.rna.tf32.f32 r F",
        "cvt.rn.f16.s32 h R",
        "fma.rn.sat.f16 h H H H",
        "add.ftz.f16x2 r R R",
        "setp.lt.ftz.f32 p f f",
        "setp.gt.or.ftz.f32 p f f P",
        "set.le.ftz.u32.f32 r f f",
    };
    random_instruction(r, ops[random_below(r, sizeof ops / sizeof *ops)]);
}

/* Of an access; it matters to none of what a thread alone has. */
static inline const char *random_ordering(struct random_ptx *r)
{
    static const char *const orderings[] = {"", "", "", "", ".volatile", ".relaxed.gpu"};
    return orderings[random_below(r, sizeof orderings / sizeof *orderings)];
}

static inline void random_access(struct random_ptx *r)
{
    static const char *const sizes[] = {"u32", "s32", "b32", "f32", "u64", "f64", "u16",
                                        "s16", "u8",  "s8",  "s32", "u32", "s16", "s8"};
    static const char kinds[] = "rrrfdghhrrddrh";
    static const unsigned bytes[] = {4, 4, 4, 4, 8, 8, 2, 2, 1, 1, 4, 4, 2, 1};
    unsigned n = random_below(r, 14), size = bytes[n];
    bool write = random_below(r, 2), shared = random_below(r, 2);
    const char *value = random_source(r, kinds[n]);
    while (value[0] != '%')
        value = random_source(r, kinds[n]);
    /* addresses: one for all, in a row, in rows of halves, or any */
    switch (random_below(r, 4)) {
    case 0:
        random_add(r, "mov.u32 %%t0, %u;\n", random_below(r, 16) * 8);
        break;
    case 1:
        random_add(r, "shl.b32 %%t0, %%tx, %u;\n", size == 8 ? 3u : size == 4 ? 2u : size - 1u);
        break;
    case 2:
        random_add(r, "and.b32 %%t0, %%tx, 15;\nmul.lo.u32 %%t0, %%t0, %u;\n", size);
        break;
    default:
        random_add(r, "and.b32 %%t0, %%r%u, 63;\nshl.b32 %%t0, %%t0, 3;\n",
                   (unsigned)random_below(r, RANDOM_R));
    }
    bool table = !shared && !write && random_below(r, 2);
    if (table)
        random_add(r, "cvt.u64.u32 %%ta, %%t0;\nadd.u64 %%ta, %%ta, %%table;\n");
    if (random_below(r, 6) == 0)
        random_add(r, "@%%p%u ", (unsigned)random_below(r, RANDOM_P));
    const char *how = random_ordering(r);
    if (shared && write) /* what a thread alone has: no races */
        random_add(r, "st%s.shared.%s [%%own+%u], %s;\n", how, sizes[n], random_below(r, 2) * 8,
                   value);
    else if (shared)
        random_add(r, "ld%s.shared.%s %s, [%%own+%u];\n", how, sizes[n], value,
                   random_below(r, 2) * 8);
    else if (write)
        random_add(r, "st%s.global.%s [%%mine+%u], %s;\n", how, sizes[n], random_below(r, 8) * 8,
                   value);
    else if (!table)
        random_add(r, "ld%s.global.%s %s, [%%mine+%u];\n", how, sizes[n], value,
                   random_below(r, 8) * 8);
    else
        random_add(r, "ld%s.global.%s %s, [%%ta];\n", how, sizes[n], value);
}

/* An access, of one element or several, at any offset in what a thread alone has of a space, or of
 * the table in rows. */
static inline void random_anywhere(struct random_ptx *r)
{
    static const struct {
        const char *type;
        char kind;
        unsigned bytes, count;
    } elements[] = {
        {"u32", 'r', 4, 1},    {"f32", 'f', 4, 1},    {"u64", 'd', 8, 1},    {"u16", 'h', 2, 1},
        {"s16", 'r', 2, 1},    {"u8", 'r', 1, 1},     {"s8", 'r', 1, 1},     {"u8", 'h', 1, 1},
        {"v2.u32", 'r', 4, 2}, {"v2.f32", 'f', 4, 2}, {"v4.u32", 'r', 4, 4}, {"v2.u64", 'd', 8, 2},
        {"v2.u16", 'h', 2, 2}, {"v4.b16", 'h', 2, 4}, {"v2.s16", 'r', 2, 2}, {"v4.u8", 'r', 1, 4},
        {"v4.s8", 'h', 1, 4},  {"v2.u8", 'r', 1, 2},  {"b32", 'd', 4, 1},    {"s32", 'd', 4, 1}};
    unsigned n = random_below(r, 20), halves = RANDOM_H + 1 - elements[n].count;
    unsigned first = random_below(r, elements[n].kind == 'h' && halves < 3 ? halves : 3);
    unsigned step = elements[n].bytes * elements[n].count, any = random_below(r, RANDOM_R);
    bool write = random_below(r, 2), shared = random_below(r, 2), generic = random_below(r, 2);
    if (!write && !shared && random_below(r, 2)) /* rows; the slot is not known to have one */
        random_add(r,
                   "and.b32 %%t0, %%r%u, 0;\nadd.u32 %%t0, %%t0, %%tx;\n"
                   "mad.wide.u32 %%ta, %%t0, %u, %%table;\n",
                   any, step);
    else if (!shared)
        random_add(r, "and.b32 %%t0, %%r%u, 3;\nmad.wide.u32 %%ta, %%t0, %u, %%mine;\n", any, step);
    else
        random_add(r, "and.b32 %%t0, %%r%u, %u;\nmad.lo.u32 %%t1, %%t0, %u, %%own;\n", any,
                   16 / step - 1, step);
    if (shared && generic)
        random_add(r, "cvt.u64.u32 %%ta, %%t1;\ncvta.shared.u64 %%ta, %%ta;\n");
    if (random_below(r, 4) == 0)
        random_add(r, "@%%p%u ", (unsigned)random_below(r, RANDOM_P));
    const char *in = generic ? "" : shared ? ".shared" : ".global";
    const char *address = shared && !generic ? "%t1" : "%ta";
    bool vector = elements[n].count > 1;
    char values[64], *at = values + sprintf(values, "%s", vector ? "{" : "");
    for (unsigned i = 0; i < elements[n].count; i++)
        at += sprintf(at, "%s%%%c%u", i ? ", " : "", elements[n].kind, first + i);
    sprintf(at, "%s", vector ? "}" : "");
    const char *how = random_ordering(r);
    if (write)
        random_add(r, "st%s%s.%s [%s], %s;\n", how, in, elements[n].type, address, values);
    else
        random_add(r, "ld%s%s.%s %s, [%s];\n", how, in, elements[n].type, values, address);
}

/* Of memory that a thread alone has: at one offset for all lanes, or at any. */
static inline void random_local(struct random_ptx *r)
{
    static const char *const sizes[] = {"u32", "f32", "u64", "f64", "u16", "u8", "s8"};
    static const char kinds[] = "rfdghrr";
    unsigned n = random_below(r, 7);
    const char *value = random_source(r, kinds[n]);
    while (value[0] != '%')
        value = random_source(r, kinds[n]);
    bool any = random_below(r, 3) == 0;
    if (any)
        random_add(r,
                   "and.b32 %%t0, %%r%u, 7;\nshl.b32 %%t0, %%t0, 3;\ncvt.u64.u32 %%ta, %%t0;\n"
                   "mov.u64 %%tl, loc;\nadd.u64 %%tl, %%tl, %%ta;\n",
                   (unsigned)random_below(r, RANDOM_R));
    if (random_below(r, 6) == 0)
        random_add(r, "@%%p%u ", (unsigned)random_below(r, RANDOM_P));
    bool write = random_below(r, 2);
    random_add(r, write ? "st.local.%s [" : "ld.local.%s ", sizes[n]);
    if (!write)
        random_add(r, "%s, [", value);
    if (any)
        random_add(r, "%%tl]");
    else
        random_add(r, "loc+%u]", 8 * random_below(r, 8));
    if (write)
        random_add(r, ", %s", value);
    random_add(r, ";\n");
}

/* Between lanes that are all there. */
static inline void random_between(struct random_ptx *r)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    unsigned d = random_below(r, RANDOM_R), a = random_below(r, RANDOM_R),
             mode = random_below(r, 6);
    if (mode < 4 && !r->ended)
        random_add(r, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %u, %u, -1;\n", modes[mode], d,
                   (unsigned)random_below(r, RANDOM_P), a, random_below(r, 32),
                   mode == 0 ? 0u : 31u);
    else if (mode & 1)
        random_add(r, "vote.sync.ballot.b32 %%r%u, %%p%u, -1;\n", d,
                   (unsigned)random_below(r, RANDOM_P));
    else
        random_add(r, "vote.sync.%s.pred %%p%u, %%p%u, -1;\n", mode & 2 ? "any" : "all",
                   (unsigned)random_below(r, RANDOM_P), (unsigned)random_below(r, RANDOM_P));
}

/* Between the lanes that are here, whichever these are, and under a guard those that it names. */
static inline void random_among(struct random_ptx *r)
{
    static const char *const votes[] = {"all", "any", "uni"};
    unsigned d = random_below(r, RANDOM_R), a = random_below(r, RANDOM_R);
    unsigned p = random_below(r, RANDOM_P), q = random_below(r, RANDOM_P);
    char guard[8] = "";
    random_add(r, "activemask.b32 %%t1;\n");
    if (random_below(r, 3) == 0) {
        snprintf(guard, sizeof guard, "@%%p%u ", q);
        random_add(r, "vote.sync.ballot.b32 %%t1, %%p%u, %%t1;\n", q);
    }
    switch (random_below(r, 7)) {
    case 0: /* lanes alone have values that they all know */
        random_add(r,
                   "bfind.u32 %%t2, %%t1;\n%sshfl.sync.idx.b32 %%r%u|%%p%u, %%r%u, %%t2, 31, "
                   "%%t1;\n",
                   guard, d, p, a);
        break;
    case 1:
        random_add(r, "%svote.sync.ballot.b32 %%r%u, %%p%u, %%t1;\n", guard, d, p);
        break;
    case 2:
        random_add(r, "%svote.sync.%s.pred %%p%u, %%p%u, %%t1;\n", guard, votes[random_below(r, 3)],
                   p, q);
        break;
    case 3:
        random_add(r, "%smatch.any.sync.b32 %%r%u, %%r%u, %%t1;\n", guard, d, a);
        break;
    case 4:
        random_add(r, "%sredux.sync.add.s32 %%r%u, %%r%u, %%t1;\n", guard, d, a);
        break;
    case 5:
        random_add(r, "%sbar.warp.sync %%t1;\n", guard);
        break;
    default:
        random_add(r, "%sactivemask.b32 %%r%u;\n", guard, d);
    }
}

/* Of what a thread alone has, so that its order is known. */
static inline void random_atomic(struct random_ptx *r)
{
    static const char *const operations[] = {"add.u32",  "add.f32", "min.s32", "max.u32",
                                             "exch.b32", "cas.b32", "inc.u32", "xor.b32"};
    unsigned n = random_below(r, 8), shared = random_below(r, 2), at = 4 * random_below(r, 4);
    const char kind = n == 1 ? 'f' : 'r', *in = shared ? "shared" : "global";
    const char *own = shared ? "%own" : "%mine";
    if (random_below(r, 4) == 0)
        random_add(r, "@%%p%u ", (unsigned)random_below(r, RANDOM_P));
    if (n != 4 && n != 5 && random_below(r, 2)) {
        random_add(r, "red.%s.%s [%s+%u], %%%c%u;\n", in, operations[n], own, at, kind,
                   (unsigned)random_below(r, 8));
        return;
    }
    random_add(r, "atom.%s.%s %%%c%u, [%s+%u], %%%c%u", in, operations[n], kind,
               (unsigned)random_below(r, 8), own, at, kind, (unsigned)random_below(r, 8));
    if (n == 5)
        random_add(r, ", %%r%u", (unsigned)random_below(r, RANDOM_R));
    random_add(r, ";\n");
}

/* Some lanes end. */
static inline void random_end(struct random_ptx *r)
{
    r->ended = true;
    random_add(r, "setp.gt.u32 %%q6, %%tx, %u;\n", random_below(r, 64));
    random_add(r, random_below(r, 2) ? "@%%q6 bra END;\n" : "@%%q6 exit;\n");
}

static inline void random_statements(struct random_ptx *r, unsigned count);

static inline void random_loop(struct random_ptx *r)
{
    unsigned label = r->labels++, depth = r->depth++;
    bool even = random_below(r, 3) != 0; /* all lanes leave together */
    random_add(r, "mov.u32 %%c%u, %u;\n", depth, 1 + random_below(r, 6));
    if (!even)
        random_add(r, "and.b32 %%t0, %%tx, 3;\nadd.u32 %%c%u, %%c%u, %%t0;\n", depth, depth);
    random_add(r, "L%u:\n", label);
    random_statements(r, 1 + random_below(r, 6));
    if (random_below(r, 3) == 0) { /* some leave early */
        random_add(r, "@%%p%u bra B%u;\n", (unsigned)random_below(r, RANDOM_P), label);
        random_statements(r, 1 + random_below(r, 3));
    }
    random_add(r, "sub.u32 %%c%u, %%c%u, 1;\nsetp.ne.u32 %%q%u, %%c%u, 0;\n@%%q%u bra L%u;\n",
               depth, depth, depth, depth, depth, label);
    random_add(r, "B%u:\n", label);
    r->depth--;
}

static inline void random_branch(struct random_ptx *r)
{
    unsigned label = r->labels++;
    r->parts++;
    if (random_below(r, 2))
        random_add(r, "setp.lt.u32 %%q7, %%tx, %u;\n@%%q7 bra L%u;\n", random_below(r, 3) * 32,
                   label);
    else
        random_add(r, "@%%p%u bra L%u;\n", (unsigned)random_below(r, RANDOM_P), label);
    random_statements(r, 1 + random_below(r, 4));
    if (random_below(r, 2)) {
        unsigned end = r->labels++;
        random_add(r, "bra L%u;\nL%u:\n", end, label);
        random_statements(r, 1 + random_below(r, 4));
        label = end;
    }
    random_add(r, "L%u:\n", label);
    r->parts--;
}

/* Branches by an index that is often the same in all lanes. */
static inline void random_switch(struct random_ptx *r)
{
    unsigned label = r->labels++, cases = 2 + random_below(r, 4), unused = random_below(r, 3);
    r->parts++;
    if (random_below(r, 3) == 0)
        random_add(r, "rem.u32 %%t0, %%r%u, %u;\n", (unsigned)random_below(r, RANDOM_R),
                   cases + unused);
    else if (r->depth)
        random_add(r, "rem.u32 %%t0, %%c%u, %u;\n", r->depth - 1, cases + unused);
    else
        random_add(r, "rem.u32 %%t0, %%bx, %u;\n", cases + unused);
    random_add(r, "T%u: .branchtargets S%u_0", label, label);
    for (unsigned i = 1; i < cases + unused; i++)
        random_add(r, ", S%u_%u", label, i % cases);
    random_add(r, ";\n%sbrx.idx %%t0, T%u;\n", random_below(r, 6) ? "" : "@%p0 ", label);
    for (unsigned i = 0; i < cases; i++) {
        random_add(r, "S%u_%u:\n", label, i);
        random_statements(r, 1 + random_below(r, 2));
        if (random_below(r, 4))
            random_add(r, "bra L%u;\n", label);
    }
    random_add(r, "L%u:\n", label);
    r->parts--;
}

static inline void random_statements(struct random_ptx *r, unsigned count)
{
    for (unsigned i = 0; i < count && r->length + 4096 < r->size; i++) {
        unsigned kind = random_below(r, 48);
        if (kind < 2 && r->depth < 3)
            random_loop(r);
        else if (kind < 5 && r->depth < 3)
            random_branch(r);
        else if (kind < 11)
            random_access(r);
        else if (kind == 11 && r->depth + r->parts == 0)
            random_add(r, "bar.sync 0;\n");
        else if (kind == 12 && r->depth + r->parts == 0)
            random_between(r);
        else if (kind == 13 && random_below(r, 4) == 0)
            random_end(r);
        else if (kind == 13)
            random_among(r);
        else if (kind == 14 && random_below(r, 2))
            random_atomic(r);
        else if (kind < 16)
            random_local(r);
        else if (kind < 20)
            random_anywhere(r);
        else if (kind == 20 && r->depth < 3 && r->parts < 3)
            random_switch(r);
        else
            random_arithmetic(r);
    }
}

/* The kernel k(out, table): out has RANDOM_WORDS words of each thread, table 1 KiB of anything. */
static inline void random_kernel(struct random_ptx *r, unsigned count)
{
    random_add(
        r,
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u64 tab)\n{\n"
        ".reg .pred %%p<8>, %%q<8>;\n.reg .b16 %%h<8>;\n"
        ".reg .b32 %%r<16>, %%t<4>, %%tx, %%own, %%c<4>, %%gid, %%bx;\n"
        ".reg .b64 %%d<8>, %%ta, %%tl, %%mine, %%table;\n.reg .f32 %%f<8>;\n.reg .f64 %%g<8>;\n"
        ".shared .align 16 .b8 sh[%d];\n.local .align 8 .b8 loc[64];\n"
        "ld.param.u64 %%mine, [out];\nld.param.u64 %%table, [tab];\n"
        "mov.u32 %%tx, %%tid.x;\nmov.u32 %%bx, %%ctaid.x;\n"
        "mad.lo.u32 %%gid, %%bx, %d, %%tx;\nmad.wide.u32 %%mine, %%gid, %d, %%mine;\n"
        "mov.u32 %%own, sh;\nmad.lo.u32 %%own, %%tx, 16, %%own;\n"
        "mul.wide.u32 %%ta, %%gid, 305419896;\nst.shared.u64 [%%own], %%ta;\nst.shared.u32 "
        "[%%own+8], %%gid;\n"
        "st.shared.u32 [%%own+12], %%tx;\n",
        RANDOM_SHARED, RANDOM_THREADS, 4 * RANDOM_WORDS);
    for (unsigned i = 0; i < 8; i++)
        random_add(r, "st.local.u64 [loc+%u], %%ta;\n", 8 * i);
    for (unsigned i = 0; i < RANDOM_R; i++)
        random_add(r, "mad.lo.u32 %%r%u, %%gid, %u, %u;\n", i, random_below(r, 100000),
                   random_below(r, 5) ? random_below(r, 1000) : 0);
    for (unsigned i = 0; i < RANDOM_D; i++)
        random_add(r, "mul.wide.s32 %%d%u, %%r%u, %%r%u;\n", i, i, i + 1);
    for (unsigned i = 0; i < RANDOM_F; i++)
        random_add(r, "cvt.rn.f32.s32 %%f%u, %%r%u;\nmul.f32 %%f%u, %%f%u, 0f3A83126F;\n", i, i, i,
                   i);
    for (unsigned i = 0; i < RANDOM_G; i++)
        random_add(r, "cvt.f64.f32 %%g%u, %%f%u;\n", i, i);
    for (unsigned i = 0; i < RANDOM_H; i++)
        random_add(r, "cvt.u16.u32 %%h%u, %%r%u;\n", i, i);
    for (unsigned i = 0; i < RANDOM_P; i++)
        random_add(r, "setp.gt.s32 %%p%u, %%r%u, %u;\n", i, i, random_below(r, 5000));
    random_statements(r, count);
    /* What is compiled ends here, and what follows is compiled once. */
    random_add(r, "bar.sync 0;\n");
    for (unsigned i = 0; i < RANDOM_R; i++)
        random_add(r, "st.global.u32 [%%mine+%u], %%r%u;\n", 4 * i, i);
    random_add(r,
               "xor.b64 %%d0, %%d0, %%d1;\nxor.b64 %%d2, %%d2, %%d3;\nxor.b64 %%d4, %%d4, %%d5;\n"
               "st.global.u64 [%%mine+48], %%d0;\nst.global.u64 [%%mine+56], %%d2;\n"
               "st.global.u64 [%%mine+64], %%d4;\n");
    for (unsigned i = 0; i < RANDOM_F; i++)
        random_add(r, "st.global.f32 [%%mine+%u], %%f%u;\n", 72 + 4 * i, i);
    for (unsigned i = 0; i < 2; i++)
        random_add(r,
                   "xor.b64 %%d0, %%d%u, %%d0;\nmov.b64 %%d1, %%g%u;\nmov.b64 %%d2, %%g%u;\n"
                   "xor.b64 %%d1, %%d1, %%d2;\nst.global.u64 [%%mine+%u], %%d1;\n",
                   i, 3 * i, 3 * i + 1, 104 + 8 * i);
    random_add(r, "END:\nret;\n}\n");
}

#endif
