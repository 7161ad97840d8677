/* Regions as jit wants them (wave.h), made from the ops of a function. */
#ifndef PTX_REGION_H
#define PTX_REGION_H

#include "ptx_exec.h"
#include "ptx_warp.h"
#include "ptx_wave_access.h"
#include "wave.h"

/* ---- memory of a region's description ---------------------------------------------------- */

struct ptx_region_chunk {
    struct ptx_region_chunk *next;
};

struct ptx_region {
    struct wave_region wave;
    struct ptx_region_chunk *chunks;
    size_t count; /* instructions */
    char name[128];
    /* Where lanes may wait while others execute the region, in the interpreter's order; and those
     * of them at which some may wait where it is entered. */
    const struct ptx_op *places[PTX_PLACES];
    unsigned place_count;
    uint64_t entered;
};

/* What a function's regions have in common, for blocks of one size; each may be NULL. It has to
 * exist as long as they do. */
struct ptx_known {
    const struct ptx_code *code;
    struct ptx_facts *facts;
    struct ptx_live *live, *nans;
    struct ptx_parts *parts;
    bool ragged; /* blocks end in a warp that has not all lanes */
};

/* Finds out what is known, of code and blocks of that size. */
void ptx_known_init(struct ptx_known *known, const struct ptx_code *code, const uint32_t block[3]);
void ptx_known_fini(struct ptx_known *known); /* accepts zeros */

/* The region that begins at op entry. NULL: it is too small to be worth it, or there is no memory.
 */
struct ptx_region *ptx_region_create(const struct ptx_known *known, uint32_t entry);
void ptx_region_destroy(struct ptx_region *region);

/* ---- one op ------------------------------------------------------------------------------ */

enum { PTX_REGION_SLOTS = 24 };
enum { PTX_FORM_MODS = 5 }; /* the argument of arithmetic that is its modifiers */

/* How an op, or what it does for some lanes, is executed in a region. */
struct ptx_form {
    enum wave_kind kind;
    const char *function; /* NULL: the op's handler */
    uint64_t arguments[12];
    unsigned argument_count;
    uint64_t addresses; /* as of struct wave_inst */
    struct wave_slot reads[PTX_REGION_SLOTS], writes[PTX_REGION_SLOTS];
    unsigned read_count, write_count;
    bool plain;   /* the handler does nothing that wave_inst.plain excludes */
    bool any;     /* the handler may access every slot of the region */
    bool gathers; /* its lanes name each other in the slot members, and have to be there */
    uint32_t members;
    bool carries; /* it writes the condition code */
    /* NaNs. Of which reads, by their bits, what is done with one NaN is done with all; whether
     * reads of 32-bit slots go to the result as they are; and what does the same as function,
     * with PTX_ALU_ANY_NAN among its modifiers, except that a NaN may be any (or NULL). */
    uint32_t numbers;
    bool copies;
    const char *any_nan;
};

/* False: the region is left before the op. */
bool ptx_form_of(const struct ptx_code *code, const struct ptx_op *op, struct ptx_form *out_form);
/* The same for the lanes that a guard names, whose handler is ptx_run_guard, or, where guard is
 * NULL, for those that execute: others keep what they have. False: there is no such form. */
bool ptx_form_some(const struct ptx_code *code, const struct ptx_op *op, const struct ptx_op *guard,
                   struct ptx_form *out_form);

void ptx_form_read(struct ptx_form *form, uint32_t offset, uint32_t size);
void ptx_form_write(struct ptx_form *form, uint32_t offset, uint32_t size);

/* Arithmetic: false if op is not a row of ptx_alu.def. */
bool ptx_form_alu(const struct ptx_code *code, const struct ptx_op *op, bool some,
                  struct ptx_form *out_form);
/* Shuffles, votes and other ops between lanes: false if it is none, or has no function for some
 * lanes, where these are asked for. */
bool ptx_form_lanes(const struct ptx_op *op, bool some, struct ptx_form *out_form);
/* Loads and stores. many: the function has many of them, so that each has to be small. */
void ptx_form_access(const struct ptx_op *op, enum ptx_wave_shape shape, bool many,
                     struct ptx_form *out_form);
/* Whether there is a function for it where nothing is known about its addresses. */
bool ptx_form_is_any(const struct ptx_op *op);
/* Whether there is one where they are known to be one place or a row. */
bool ptx_form_is_shaped(const struct ptx_op *op);
/* Whether the one for that shape executes some lanes as well as all. */
bool ptx_form_is_some(const struct ptx_op *op, enum ptx_wave_shape shape);
/* Whether it is a load that has a function for one place, which writes a slot of 4 or 8 bytes for
 * all lanes, also for those that wait or have ended. */
bool ptx_form_loads_same(const struct ptx_code *code, const struct ptx_op *op);
/* The form of an access of which that is known. */
void ptx_form_shape(const struct ptx_code *code, const struct ptx_op *op, enum ptx_wave_shape shape,
                    struct ptx_form *form);

/* Whether an op is a load or a store, whose extra is a struct ptx_access. */
bool ptx_form_is_access(const struct ptx_code *code, const struct ptx_op *op);
/* Whether an op loads one element of a parameter of the launch by its name. */
bool ptx_form_is_parameter(const struct ptx_code *code, const struct ptx_op *op);

/* How much more than its budget a warp may use up in a region, on a branch or a jump back: nothing
 * in loops that may wait for others, and elsewhere what compiled code does in little time. */
unsigned ptx_region_allowance(const struct ptx_op *op);

/* Whether an op can be executed again from the same registers and memory, with the same effect. */
bool ptx_form_repeats(const struct ptx_code *code, const struct ptx_op *op);
/* Whether it is a store, whose extra is a struct ptx_access. */
bool ptx_form_is_store(const struct ptx_code *code, const struct ptx_op *op);

/* Calls an op's handler from a region, for the lanes that execute it. Where the handler has done
 * more than go on with the next op for them, what it returns is not that op, but ptx_region_left()
 * of it. */
const void *ptx_region_call(void *warp, const void *op);

/* The machine of PTX; its bitcode is NULL where none was compiled. */
const struct wave_machine *ptx_region_machine(void);

#endif
