/* The handlers for the translator (ptx_handlers.def), and the operands of their ops beyond slots:
 * the translator fills these structures, and the handler reads them. */
#ifndef PTX_HANDLERS_H
#define PTX_HANDLERS_H

#include "ptx_exec.h"

#define PTX_HANDLER(name)                                                                          \
    const struct ptx_op *ptx_run_##name(struct ptx_warp *warp, const struct ptx_op *op);
#include "ptx_handlers.def"
#undef PTX_HANDLER

/* ---- control ------------------------------------------------------------------------- */

struct ptx_targets { /* of brx.idx */
    unsigned count;
    const struct ptx_op *ops[];
};

/* Of one call instruction; the caller's side of each value is a struct ptx_formal. */
struct ptx_call {
    const struct ptx_code *callee; /* NULL: the call is by address, or of a built-in function */
    const struct ptx_builtin *builtin;
    uint32_t address; /* the slot */
    uint8_t address_size;
    unsigned arg_count, result_count;
    struct ptx_formal *args, *results;
};

enum ptx_barrier_action { PTX_BAR_SYNC, PTX_BAR_ARRIVE, PTX_BAR_POPC, PTX_BAR_AND, PTX_BAR_OR };

struct ptx_barrier_op {
    enum ptx_barrier_action action;
    uint32_t number; /* slots */
    bool constant;   /* the number is written in the program */
    bool counted, aligned;
    uint32_t count;
    uint32_t result, predicate;
};

/* ---- profiles ------------------------------------------------------------------------- */

enum ptx_counted { PTX_COUNT_PLAIN, PTX_COUNT_BRANCH, PTX_COUNT_BRANCH_INDEXED };

struct ptx_count {
    enum sim_class kind;
    enum ptx_counted counted;
    bool guarded;
    uint32_t guard, inverted; /* as a and b of a guard */
    uint32_t index;           /* PTX_COUNT_BRANCH_INDEXED: the slot */
};

/* ---- mov ------------------------------------------------------------------------------ */

struct ptx_pieces {
    unsigned count, size, width; /* bytes of a piece, and of its slot's elements */
    uint32_t slots[4];
};

/* ---- memory --------------------------------------------------------------------------- */

enum { PTX_VECTOR_MAX = 8 };

/* An access to memory. Lane l accesses bytes bytes at
 *   register base of l (if any) + address of symbol (if any) + offset. */
struct ptx_access {
    enum ptx_space space; /* PTX_PARAM: the launch's parameters; those of functions are in
                             PTX_LOCAL */
    enum ptx_space named; /* as in the program */
    uint8_t address_size; /* bytes of an element of base: 4 or 8; 0: no base */
    uint8_t size;         /* bytes of an element in memory */
    uint8_t count;        /* elements: 1, or those of the vector */
    uint8_t bytes;        /* size * count */
    bool write, atomic;
    bool sign;  /* loads into wider registers extend the sign */
    bool frame; /* the symbol's address is relative to the activation's local memory */
    uint32_t base;
    unsigned line; /* in the PTX text */
    int64_t offset;
    const struct ptx_symbol *symbol; /* its address is known when the kernel runs */
    uint32_t slots[PTX_VECTOR_MAX];  /* of the elements: destinations or sources */
    uint8_t widths[PTX_VECTOR_MAX];  /* bytes of an element of each slot */
};

/* The handler of a load or a store, whose op has it as its extra. */
ptx_handler ptx_access_handler(const struct ptx_access *access);
/* Whether a handler is one of those. */
bool ptx_is_access_handler(ptx_handler handler);

/* The address of a space's window in generic addresses; 0: the space has no window, and its
 * addresses are generic ones. */
uint64_t ptx_window_of(enum ptx_space space);

/* Executes an atomic operation of some lanes at where, which is aligned; b and c are the slots of
 * its operands, and what each lane found goes to old, which is like a slot. shared: no other thread
 * of the host uses that memory. */
typedef void (*ptx_element)(unsigned char *where, uint32_t lanes, const unsigned char *b,
                            const unsigned char *c, unsigned char *old, bool shared);
/* The same in memory of the block, of lanes with places of their own: each at where[lane] + shift,
 * one after the other. */
typedef void (*ptx_each_element)(unsigned char *const *where, size_t shift, uint32_t lanes,
                                 const unsigned char *b, const unsigned char *c,
                                 unsigned char *old);

struct ptx_atomic {
    struct ptx_access access; /* first: it is the op's extra; its slots are those of b */
    ptx_element element;
    ptx_each_element each; /* NULL: there is none */
    bool returns;
    uint32_t d[PTX_VECTOR_MAX];
    uint32_t c;
    uint8_t width; /* bytes of an element in the slots */
};

/* Sets element and each to those of an operation ("add") on a type. False: there is no such
 * operation. */
bool ptx_atomic_find(const char *operation, enum ptx_type type, struct ptx_atomic *atomic);

struct ptx_copy {
    struct ptx_access to; /* first: it is the op's extra */
    struct ptx_access *from;
    bool has_size, has_ignore;
    uint32_t size, ignore; /* slots: bytes to copy, the rest is zeros; whether to copy nothing */
};

enum ptx_mbarrier_action {
    PTX_MBARRIER_INITIALISE,
    PTX_MBARRIER_INVALIDATE,
    PTX_MBARRIER_ARRIVE,
    PTX_MBARRIER_ARRIVE_DROP,
    PTX_MBARRIER_EXPECT_BYTES,
    PTX_MBARRIER_COMPLETE_BYTES,
    PTX_MBARRIER_ARRIVE_BYTES,
    PTX_MBARRIER_DROP_BYTES,
    PTX_MBARRIER_NOTHING,
};

struct ptx_mbarrier_op {
    struct ptx_access access; /* first: it is the op's extra */
    enum ptx_mbarrier_action action;
    bool has_count, parity;
    uint32_t count, state, d; /* slots */
    bool returns;
};

/* ---- textures and surfaces ------------------------------------------------------------ */

enum { PTX_COORDINATES_MAX = 4 };
enum ptx_image_level { PTX_LEVEL_BASE, PTX_LEVEL_GIVEN, PTX_LEVEL_GRADIENT };
enum ptx_image_beyond { PTX_BEYOND_TRAP, PTX_BEYOND_CLAMP, PTX_BEYOND_ZERO };

/* Slots of elements are as in ptx_access. */
struct ptx_image_access {
    uint32_t object; /* slot of the handles */
    int64_t offset;  /* added to them */
    unsigned dimensions;
    bool layered, cube, whole; /* whole: coordinates are integers */
    enum ptx_image_level level;
    enum ptx_image_beyond beyond;
    bool surface;   /* a query of a surface */
    bool formatted; /* sust.p */
    unsigned channel;
    unsigned query;                                 /* width, height, depth, layers, levels */
    uint32_t at[PTX_COORDINATES_MAX], dx[3], dy[3]; /* dx[0]: the level */
    unsigned count, size; /* elements of a surface access, bytes of each */
    uint32_t slots[PTX_VECTOR_MAX];
    uint8_t widths[PTX_VECTOR_MAX];
};

/* ---- between the lanes of a warp -------------------------------------------------------- */

struct ptx_warp_op {
    bool sync, has_predicate, abs, nan, wide;
    char mode; /* vote: a y n (uni) B (ballot); match: a y; redux: + < > & | ^ */
    bool is_signed;
    bool is_float;
    uint32_t predicate; /* slot of the second destination */
    uint32_t members;   /* slot */
};

#endif
