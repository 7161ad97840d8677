/* Decoded code: pages of ops, decoded one at a time when waves first execute them, and how waves
 * move from page to page. Finding a page takes no lock; creating one and decoding do. The handler
 * of an op is published last. */
#include "amdgpu_wave.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, SLAB_INSTS = 32 };

struct amdgpu_slab {
    struct amdgpu_slab *next;
    unsigned used;
    struct amdgpu_inst insts[SLAB_INSTS];
};

struct entry { /* a shape and its pages */
    struct amdgpu_shape shape;
    struct entry *next;
    _Atomic(struct amdgpu_page *) buckets[BUCKETS];
};

static struct {
    pthread_mutex_t lock;
    struct entry *entries;
    uint64_t lowest, highest; /* addresses between which all pages lie */
    unsigned active;          /* dispatches */
    struct amdgpu_page *retired;
} code = {.lock = PTHREAD_MUTEX_INITIALIZER, .lowest = UINT64_MAX};

/* ---- shapes -------------------------------------------------------------------------- */

static bool is_alike(const struct amdgpu_shape *a, const struct amdgpu_shape *b)
{
    return a->device == b->device && a->isa == b->isa && a->lanes == b->lanes &&
           a->vgprs == b->vgprs && a->agprs == b->agprs && a->emitters == b->emitters;
}

static struct entry *find_entry(const struct amdgpu_shape *like)
{
    struct entry *entry = code.entries;
    while (entry && !is_alike(&entry->shape, like))
        entry = entry->next;
    return entry;
}

const struct amdgpu_shape *amdgpu_shape_of(const struct amdgpu_shape *like)
{
    pthread_mutex_lock(&code.lock);
    struct entry *entry = find_entry(like);
    if (!entry && (entry = calloc(1, sizeof *entry))) {
        entry->shape = *like;
        entry->next = code.entries;
        code.entries = entry;
    }
    pthread_mutex_unlock(&code.lock);
    return entry ? &entry->shape : NULL;
}

static struct entry *entry_of(const struct amdgpu_shape *shape)
{
    return (struct entry *)(uintptr_t)shape; /* its first member */
}

/* ---- pages ----------------------------------------------------------------------------- */

static const struct amdgpu_op *decode_op(struct amdgpu_wave *wave, const struct amdgpu_op *op);
static const struct amdgpu_op *next_page(struct amdgpu_wave *wave, const struct amdgpu_op *op);

static _Atomic(struct amdgpu_page *) *bucket_of(const struct amdgpu_shape *shape, uint64_t address)
{
    return &entry_of(shape)->buckets[address / AMDGPU_PAGE_SIZE % BUCKETS];
}

static struct amdgpu_page *find_page(const struct amdgpu_shape *shape, uint64_t address)
{
    struct amdgpu_page *page =
        atomic_load_explicit(bucket_of(shape, address), memory_order_acquire);
    while (page && page->address != address)
        page = atomic_load_explicit(&page->next, memory_order_acquire);
    return page;
}

static struct amdgpu_page *make_page(const struct amdgpu_shape *shape, uint64_t address,
                                     uint64_t memory)
{
    struct amdgpu_page *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->address = address;
    page->memory = memory;
    page->shape = shape;
    for (unsigned i = 0; i < AMDGPU_PAGE_WORDS + AMDGPU_INST_WORDS; i++) {
        page->ops[i].run = i < AMDGPU_PAGE_WORDS ? decode_op : next_page;
        page->ops[i].offset = i * 4;
    }
    return page;
}

static void free_page(struct amdgpu_page *page)
{
    while (page->slabs) {
        struct amdgpu_slab *slab = page->slabs;
        page->slabs = slab->next;
        free(slab);
    }
    free(page);
}

/* The page of the code at address, created if necessary. NULL: no code, or out of memory. */
static struct amdgpu_page *page_at(const struct amdgpu_shape *shape, uint64_t address)
{
    uint64_t start = address & -(uint64_t)AMDGPU_PAGE_SIZE;
    struct amdgpu_page *page = find_page(shape, start);
    if (page || !sim_translate(shape->device, address, 4, false))
        return page;
    pthread_mutex_lock(&code.lock);
    page = find_page(shape, start);
    if (!page && (page = make_page(shape, start, sim_memory_id(address)))) {
        _Atomic(struct amdgpu_page *) *bucket = bucket_of(shape, start);
        atomic_store_explicit(&page->next, atomic_load_explicit(bucket, memory_order_relaxed),
                              memory_order_relaxed);
        atomic_store_explicit(bucket, page, memory_order_release);
        code.lowest = start < code.lowest ? start : code.lowest;
        code.highest =
            start + AMDGPU_PAGE_SIZE > code.highest ? start + AMDGPU_PAGE_SIZE : code.highest;
    }
    pthread_mutex_unlock(&code.lock);
    return page;
}

/* ---- discarding pages: under the lock ------------------------------------------------------- */

/* The pages that can be freed, once the lock is released: their regions may still be compiled,
 * which has to be waited for. */
static struct amdgpu_page *take_retired(void)
{
    struct amdgpu_page *pages = code.active == 0 ? code.retired : NULL;
    if (pages)
        code.retired = NULL;
    return pages;
}

/* Regions first, which refer to ops of other pages. */
static void free_pages(struct amdgpu_page *pages)
{
    for (struct amdgpu_page *page = pages; page; page = page->retired)
        if (atomic_load(&page->has_sites))
            page->shape->emitters->free(page);
    while (pages) {
        struct amdgpu_page *page = pages;
        pages = page->retired;
        free_page(page);
    }
}

/* Waves that execute a retired page stay on it. */
static void retire_memory(uint64_t memory)
{
    for (struct entry *entry = code.entries; entry; entry = entry->next)
        for (unsigned i = 0; i < BUCKETS; i++) {
            _Atomic(struct amdgpu_page *) *link = &entry->buckets[i];
            struct amdgpu_page *page;
            while ((page = atomic_load_explicit(link, memory_order_relaxed))) {
                if (page->memory != memory) {
                    link = &page->next;
                    continue;
                }
                atomic_store_explicit(link, atomic_load(&page->next), memory_order_release);
                page->retired = code.retired;
                code.retired = page;
            }
        }
}

/* The id of some memory, other than keep, with decoded code in [start, end); 0: none. */
static uint64_t decoded_in(uint64_t start, uint64_t end, uint64_t keep)
{
    for (struct entry *entry = code.entries; entry; entry = entry->next)
        for (unsigned i = 0; i < BUCKETS; i++)
            for (struct amdgpu_page *page = atomic_load(&entry->buckets[i]); page;
                 page = atomic_load(&page->next))
                if (page->address < end && page->address + AMDGPU_PAGE_SIZE > start &&
                    page->memory != keep)
                    return page->memory;
    return 0;
}

static void discard(uint64_t start, uint64_t end, uint64_t keep)
{
    uint64_t memory;
    if (end <= code.lowest || start >= code.highest)
        return;
    while ((memory = decoded_in(start, end, keep)))
        retire_memory(memory);
}

void amdgpu_code_discard(uint64_t address, size_t size)
{
    pthread_mutex_lock(&code.lock);
    discard(address, address + size, 0);
    struct amdgpu_page *pages = take_retired();
    pthread_mutex_unlock(&code.lock);
    free_pages(pages);
}

/* Whether a page at address was decoded from memory other than memory. */
static bool is_stale(uint64_t address, uint64_t memory)
{
    uint64_t start = address & -(uint64_t)AMDGPU_PAGE_SIZE;
    for (struct entry *entry = code.entries; entry; entry = entry->next) {
        const struct amdgpu_page *page = find_page(&entry->shape, start);
        if (page && page->memory != memory)
            return true;
    }
    return false;
}

void amdgpu_code_enter(uint64_t entry)
{
    uint64_t memory = sim_memory_id(entry);
    pthread_mutex_lock(&code.lock);
    code.active++;
    if (is_stale(entry, memory))
        discard(entry, entry + 1, memory);
    pthread_mutex_unlock(&code.lock);
}

void amdgpu_code_leave(void)
{
    pthread_mutex_lock(&code.lock);
    code.active--;
    struct amdgpu_page *pages = take_retired();
    pthread_mutex_unlock(&code.lock);
    free_pages(pages);
}

/* ---- decoding: under the lock ---------------------------------------------------------------- */

static const struct amdgpu_op *stop_with(struct amdgpu_wave *wave, const struct amdgpu_op *op,
                                         const char *what)
{
    return amdgpu_fail(
        wave, op, &(struct amdgpu_fault){.kind = AMDGPU_END_INSTRUCTION, .what = what, .lane = -1});
}

static const struct amdgpu_op *unknown(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return stop_with(wave, op, "executes an instruction that this device does not have");
}

static const struct amdgpu_op *not_simulated(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return stop_with(wave, op, "executes an instruction that is not simulated");
}

static const struct amdgpu_op *no_register(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return stop_with(wave, op, "uses a register that was not allocated to it");
}

static const struct amdgpu_op *no_room(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    return amdgpu_fail(wave, op,
                       &(struct amdgpu_fault){.kind = AMDGPU_END_NO_MEMORY,
                                              .what = "cannot be decoded: out of memory",
                                              .lane = -1});
}

static bool has_register(const struct amdgpu_shape *shape, const struct amdgpu_operand *operand)
{
    unsigned end = operand->reg + operand->count;
    if (operand->kind == AMDGPU_SREG)
        return end <= AMDGPU_SREGS;
    if (operand->kind == AMDGPU_VREG)
        return operand->reg < 256 ? end <= shape->vgprs : end - 256 <= shape->agprs;
    return true;
}

static bool have_registers(const struct amdgpu_shape *shape, const struct amdgpu_operand *operands,
                           unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!has_register(shape, &operands[i]))
            return false;
    return true;
}

static bool has_registers(const struct amdgpu_shape *shape, const struct amdgpu_inst *inst)
{
    return have_registers(shape, inst->dst, 2) &&
           have_registers(shape, inst->src, AMDGPU_SOURCES) &&
           have_registers(shape, &inst->dst_y, 1) &&
           have_registers(shape, inst->src_y, AMDGPU_SOURCES) &&
           have_registers(shape, &inst->addr, 1) && have_registers(shape, &inst->saddr, 1) &&
           have_registers(shape, &inst->data, 1) && have_registers(shape, &inst->data1, 1) &&
           have_registers(shape, &inst->soffset, 1);
}

static bool emit(const struct amdgpu_shape *shape, const struct amdgpu_inst *inst,
                 struct amdgpu_op *op)
{
    switch (inst->row->format) {
    case AMDGPU_SOP1:
    case AMDGPU_SOP2:
    case AMDGPU_SOPK:
    case AMDGPU_SOPC:
    case AMDGPU_SOPP:
        return amdgpu_emit_scalar(shape->isa, shape->lanes, inst, op);
    case AMDGPU_VOP3P:
        return shape->emitters->matrix(shape->isa, inst, op) ||
               shape->emitters->vector(shape->isa, shape->lanes, inst, op);
    case AMDGPU_VOP1:
    case AMDGPU_VOP2:
    case AMDGPU_VOPC:
    case AMDGPU_VOP3:
    case AMDGPU_VOPD:
        return shape->emitters->vector(shape->isa, shape->lanes, inst, op);
    default:
        return shape->emitters->memory(shape->isa, shape->lanes, inst, op);
    }
}

static struct amdgpu_inst *keep_inst(struct amdgpu_page *page, const struct amdgpu_inst *inst)
{
    struct amdgpu_slab *slab = page->slabs;
    if (!slab || slab->used == SLAB_INSTS) {
        if (!(slab = malloc(sizeof *slab)))
            return NULL;
        slab->used = 0;
        slab->next = page->slabs;
        page->slabs = slab;
    }
    slab->insts[slab->used] = *inst;
    return &slab->insts[slab->used++];
}

/* Copies the readable part of the longest possible instruction; returns its size in bytes. */
static size_t fetch(const struct amdgpu_shape *shape, uint64_t address,
                    uint32_t out_words[AMDGPU_INST_WORDS])
{
    unsigned count = 0;
    for (; count < AMDGPU_INST_WORDS; count++) {
        const unsigned char *word = sim_translate(shape->device, address + 4 * count, 4, false);
        if (!word)
            break;
        memcpy(&out_words[count], word, 4);
    }
    return count * 4;
}

/* Decodes the op at an index of the page; its handler is set last. False: there is no code at
 * all. */
static bool decode(struct amdgpu_page *page, unsigned index)
{
    uint32_t words[AMDGPU_INST_WORDS];
    struct amdgpu_inst inst = {0};
    struct amdgpu_op made = {.offset = index * 4, .run = unknown};
    size_t size = fetch(page->shape, page->address + index * 4, words);
    if (size == 0)
        return false;
    if (amdgpu_decode(page->shape->isa, page->shape->lanes, words, size, &inst) == AMDGPU_DECODED) {
        amdgpu_set_length(&made, inst.length);
        made.count = inst.dst[0].count;
        if (sim_profile_on())
            inst.kind = (unsigned char)amdgpu_class_of(&inst);
        made.inst = keep_inst(page, &inst);
        if (!made.inst)
            made.run = no_room;
        else if (!has_registers(page->shape, &inst))
            made.run = no_register;
        else if (!emit(page->shape, made.inst, &made))
            made.run = not_simulated;
    }
    struct amdgpu_op *op = &page->ops[index];
    enum { REST = offsetof(struct amdgpu_op, length) };
    _Static_assert(offsetof(struct amdgpu_op, run) < REST, "run is published last");
    _Static_assert(offsetof(struct amdgpu_op, offset) < REST, "offset is not written again");
    memcpy((char *)op + REST, (const char *)&made + REST, sizeof made - REST);
    __atomic_store_n(&op->run, made.run, __ATOMIC_RELEASE);
    return true;
}

static const struct amdgpu_op *no_code(struct amdgpu_wave *wave, uint64_t address)
{
    return amdgpu_fail(wave, NULL,
                       &(struct amdgpu_fault){.kind = AMDGPU_END_MEMORY,
                                              .what = "fetches an instruction that cannot be read,",
                                              .has_address = true,
                                              .address = address,
                                              .lane = -1});
}

/* Decodes an op of the page, unless it is decoded. False: there is no code. */
static bool decode_once(struct amdgpu_page *page, size_t index)
{
    bool there = true;
    if (amdgpu_is_decoded(&page->ops[index]))
        return true;
    pthread_mutex_lock(&code.lock);
    if (!amdgpu_is_decoded(&page->ops[index]))
        there = decode(page, (unsigned)index);
    pthread_mutex_unlock(&code.lock);
    return there;
}

const struct amdgpu_op *amdgpu_decoded(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct amdgpu_page *page = (struct amdgpu_page *)(uintptr_t)wave->page;
    size_t index = (size_t)(op - page->ops);
    return decode_once(page, index) ? op : no_code(wave, page->address + index * 4);
}

static const struct amdgpu_op *decode_op(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    wave->steps--; /* no instruction of the kernel */
    return amdgpu_decoded(wave, op);
}

bool amdgpu_is_refused(amdgpu_handler run)
{
    return run == unknown || run == not_simulated || run == no_register || run == no_room;
}

bool amdgpu_is_decoded(const struct amdgpu_op *op)
{
    return __atomic_load_n(&op->run, __ATOMIC_ACQUIRE) != decode_op;
}

/* ---- moving between pages ------------------------------------------------------------------- */

const struct amdgpu_op *amdgpu_goto(struct amdgpu_wave *wave, uint64_t address)
{
    if (address % 4)
        return amdgpu_fail(
            wave, NULL,
            &(struct amdgpu_fault){.kind = AMDGPU_END_ALIGNMENT,
                                   .what = "fetches an instruction from a misaligned address,",
                                   .has_address = true,
                                   .address = address,
                                   .lane = -1});
    const struct amdgpu_page *page = page_at(wave->block->dispatch->shape, address);
    if (!page)
        return no_code(wave, address);
    wave->page = page;
    return &page->ops[address % AMDGPU_PAGE_SIZE / 4];
}

/* The page after another, in which the op at an index is. NULL: there is no code. */
static struct amdgpu_page *page_after(struct amdgpu_page *page, size_t index)
{
    struct amdgpu_page *following = atomic_load_explicit(&page->following, memory_order_acquire);
    if (following)
        return following;
    following = page_at(page->shape, page->address + AMDGPU_PAGE_SIZE + index * 4);
    if (following && following->memory == page->memory) /* then both are discarded together */
        atomic_store_explicit(&page->following, following, memory_order_release);
    return following;
}

static const struct amdgpu_op *next_page(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    struct amdgpu_page *page = (struct amdgpu_page *)(uintptr_t)wave->page;
    size_t index = (size_t)(op - page->ops) - AMDGPU_PAGE_WORDS;
    const struct amdgpu_page *following = page_after(page, index);
    if (!following)
        return no_code(wave, page->address + AMDGPU_PAGE_SIZE + index * 4);
    wave->page = following;
    wave->steps--;
    return &following->ops[index];
}

/* The page that op jumps to, which is cached in effect. NULL: there is no code. */
static const struct amdgpu_page *page_of_jump(const struct amdgpu_page *from,
                                              const struct amdgpu_op *op, uint64_t address)
{
    const struct amdgpu_page *page = __atomic_load_n(&op->effect, __ATOMIC_ACQUIRE);
    if (page)
        return page;
    page = page_at(from->shape, address);
    if (page && page->memory == from->memory)
        __atomic_store_n(&((struct amdgpu_op *)(uintptr_t)op)->effect, page, __ATOMIC_RELEASE);
    return page;
}

const struct amdgpu_op *amdgpu_jump_far(struct amdgpu_wave *wave, const struct amdgpu_op *op)
{
    uint64_t address = amdgpu_address(wave, op) + (uint64_t)op->offset_bytes * 4;
    const struct amdgpu_page *page = page_of_jump(wave->page, op, address);
    if (!page)
        return no_code(wave, address);
    wave->page = page;
    return &page->ops[address % AMDGPU_PAGE_SIZE / 4];
}

/* ---- looking ahead -------------------------------------------------------------------------- */

const struct amdgpu_op *amdgpu_ahead(const struct amdgpu_op *op)
{
    struct amdgpu_page *page = amdgpu_page_of(op);
    size_t index = op->offset / 4;
    if (index >= AMDGPU_PAGE_WORDS) {
        struct amdgpu_page *following = page_after(page, index -= AMDGPU_PAGE_WORDS);
        if (!following || following->memory != page->memory)
            return NULL;
        page = following;
        op = &page->ops[index];
    }
    return decode_once(page, index) ? op : NULL;
}

const struct amdgpu_op *amdgpu_ahead_target(const struct amdgpu_op *op)
{
    const struct amdgpu_page *from = amdgpu_page_of(op);
    if (op->bits)
        return op + op->offset_bytes;
    uint64_t address = from->address + op->offset + (uint64_t)op->offset_bytes * 4;
    const struct amdgpu_page *page = page_of_jump(from, op, address);
    return page && page->memory == from->memory ? &page->ops[address % AMDGPU_PAGE_SIZE / 4] : NULL;
}
