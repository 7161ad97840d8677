/* What AMD's runtime tells a model of GPUs, in any order: allocations that overlap, ends of what
 * never began, queues anywhere, signals at any address. Pieces of 6 bytes: the call, a page, how
 * many, flags, an offset and the device. A list of what ought to be known is kept beside it. */
#include "fuzz.h"
#include "simkmt_model.c"

#include <sys/mman.h>

enum { PAGE = SIMKMT_PAGE, PAGES = 32, PIECE = 6, CALLS = 64, APERTURE = 8 << 20, VRAM = 4 << 20 };

struct known {
    uint64_t start, size;
    unsigned char *view;
};

static struct known known[CALLS];
static unsigned known_count, created, destroyed, events;
static unsigned char *host, *aperture;
static hsakmt_model_t *models_here[2];

/* ---- what the model asks for ----------------------------------------------------------- */

struct simkmt simkmt;

HSAKMT_STATUS hsaKmtCreateQueue(uint32_t node, uint32_t type, uint32_t percentage, int32_t priority,
                                void *address, uint64_t size, HsaEvent *event,
                                HsaQueueResource *resource)
{
    (void)address, (void)size;
    fuzz_check(node >= 1 && node <= 2 && percentage == 100 && priority == 0 && !event);
    fuzz_check(type == HSA_QUEUE_SDMA || type == HSA_QUEUE_COMPUTE_AQL);
    resource->QueueId = ++created;
    return created % 4 == 3 ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID queue)
{
    (void)queue;
    destroyed++;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS simkmt_nodes_create(const struct amdgpu_model *const *models, int count, size_t space)
{
    (void)models, (void)count, (void)space;
    __builtin_trap();
}

int simkmt_sysfs_read(const char *folder, const struct amdgpu_model **out_models)
{
    (void)folder, (void)out_models;
    __builtin_trap();
}

bool simkmt_sysfs_write(const char *folder)
{
    (void)folder;
    __builtin_trap();
}

int amdgpu_list_read(const char *list, const struct amdgpu_model **out_models)
{
    (void)list, (void)out_models;
    __builtin_trap();
}

void amdgpu_code_discard(uint64_t start, size_t size)
{
    (void)start, (void)size;
}

void amdgpu_signals_changed(void) {}

void amdgpu_signal_store(amd_signal_t *signal, int64_t value)
{
    signal->value = value;
}

static void count_event(void *data, unsigned event)
{
    fuzz_check(data == &events && event != 0);
    events++;
}

static void open_world(void)
{
    static const size_t bytes[] = {SPACE, SPACE};
    fuzz_check(sim_space_open(bytes, 2));
    host = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    aperture = mmap(NULL, APERTURE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fuzz_check(host != MAP_FAILED && aperture != MAP_FAILED);
    simkmt.nodes[1].number = 1;
    simkmt.nodes[2].number = 2;
    simkmt.nodes[2].gpu.device = 1;
    atomic_store(&simkmt.node_count, 3);
    for (int i = 0; i < 2; i++) {
        models_here[i] = create();
        set_aperture(models_here[i], aperture, APERTURE);
        set_set_event(models_here[i], count_event, &events);
    }
}

/* ---- what ought to be known ------------------------------------------------------------ */

static void forget(unsigned i)
{
    known[i] = known[--known_count];
}

static void expect_allocated(uint64_t start, uint64_t size, unsigned char *view)
{
    for (unsigned i = 0; i < known_count;) {
        if (start < known[i].start + known[i].size && known[i].start < start + size)
            forget(i);
        else
            i++;
    }
    known[known_count++] = (struct known){start, size, view};
}

static void expect_freed(uint64_t start)
{
    for (unsigned i = 0; i < known_count; i++)
        if (known[i].start == start) {
            forget(i);
            return;
        }
}

static const struct known *find(uint64_t address)
{
    for (unsigned i = 0; i < known_count; i++)
        if (address - known[i].start < known[i].size)
            return &known[i];
    return NULL;
}

/* ---- calls ----------------------------------------------------------------------------- */

static void allocate(hsakmt_model_t *model, uint64_t address, uint64_t size, uint8_t flags)
{
    uint32_t kind = flags % 2 ? HSAKMT_MODEL_GTT : HSAKMT_MODEL_VRAM;
    if (flags & 2)
        kind |= HSAKMT_MODEL_PUBLIC;
    if (flags & 4)
        kind |= HSAKMT_MODEL_DOORBELL;
    bool by_host = kind & (HSAKMT_MODEL_GTT | HSAKMT_MODEL_PUBLIC);
    uint64_t start = (by_host ? (uintptr_t)host : VRAM) + address;
    alloced(model, (void *)start, size, kind);
    if (!(kind & HSAKMT_MODEL_DOORBELL))
        expect_allocated(start, size, by_host ? (unsigned char *)start : aperture + start);
}

static void make_queue(hsakmt_model_t *model, const uint8_t *piece, uint64_t address)
{
    struct hsakmt_model_queue_info info = {
        .ring_base_address = address,
        .ring_size = (uint32_t)piece[2] * 64,
        .read_pointer_address = address + piece[4],
        .queue_type = piece[3] % 4,
    };
    hsakmt_model_queue_t *queue = register_queue(model, &info);
    bool known_type = info.queue_type == 1 || info.queue_type == 2;
    fuzz_check(!queue || known_type);
    if (queue)
        destroy_queue(model, queue);
}

/* Of a device that comes upon an address: the program's, unless it is known. */
static void look_at(uint64_t address)
{
    const struct known *piece = find(address);
    unsigned char *view = sim_translate(0, address, 1, true);
    if (piece) {
        fuzz_check(view == piece->view + (address - piece->start));
        return;
    }
    bool is_host = address - (uintptr_t)host < PAGES * PAGE;
    fuzz_check(sim_memory_resolve(address, true) == is_host || view);
    view = sim_translate(0, address, 1, true);
    fuzz_check(is_host ? view == (unsigned char *)address : !view);
}

static void fail_queue(uint64_t address, int status)
{
    amd_queue_t queue = {.queue_inactive_signal = {address}};
    const struct amdgpu_queue_error error = {.status = (hsa_status_t)status};
    simkmt_model_failed(&simkmt.nodes[1], &queue, &error);
}

static void call(const uint8_t *piece)
{
    hsakmt_model_t *model = models_here[piece[5] % 2];
    uint64_t page = (uint64_t)(piece[1] % PAGES) * PAGE;
    uint64_t size = (uint64_t)(1 + piece[2] % (PAGES - piece[1] % PAGES)) * PAGE;
    uint64_t address = (piece[3] % 2 ? (uintptr_t)host : VRAM) + page + piece[4];
    switch (piece[0] % 8) {
    case 0:
    case 1:
        allocate(model, page, size, piece[3]);
        break;
    case 2:
        freed(model, (void *)(address - piece[4]), size);
        expect_freed(address - piece[4]);
        break;
    case 3:
        look_at(address);
        break;
    case 4:
        simkmt_model_begin(NULL, NULL);
        break;
    case 5:
        simkmt_model_changed(&simkmt.nodes[1], address);
        break;
    case 6:
        fail_queue(address, HSA_STATUS_ERROR + piece[2]);
        break;
    default:
        make_queue(model, piece, address);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!host) {
        open_world();
        sim_memory_set_resolver(is_of_program);
    }
    memset(host, 0, PAGES * PAGE);
    for (size_t at = 0; at + PIECE <= size && at / PIECE < CALLS; at += PIECE)
        call(data + at);
    while (known_count > 0) {
        const struct known last = known[0];
        freed(models_here[0], (void *)last.start, last.size);
        forget(0);
        fuzz_check(!sim_translate(0, last.start, 1, false) || last.start >= (uintptr_t)host);
    }
    simkmt_model_begin(NULL, NULL);
    fuzz_check(all.programs == 0 && !all.table.root);
    return 0;
}
