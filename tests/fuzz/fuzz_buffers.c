/* Files that are said to be dma-bufs of simulated devices. The first byte says what file: its
 * pages, whether it is sealed, whether its last page is cut. What follows is the page that says
 * what it is; the process and the files that it names are always this one's, so that no other
 * process's are opened. */
#include "fuzz.h"
#include "simkmt_export.c"

enum { PAGES_MAX = 8, SEALED = 8, CUT = 16, TRUE_MARK = 32, OWN_TABLE = 64 };

static struct simkmt_node gpu = {.number = 1};
static int table = -1;
static uint64_t table_id;

struct simkmt simkmt;

struct simkmt_node *simkmt_gpu_node(uint32_t number)
{
    return number == 1 ? &gpu : NULL;
}

bool simkmt_is_open(void)
{
    return true;
}

HSAKMT_STATUS simkmt_refuse(HSAKMT_STATUS status, const char *format, ...)
{
    (void)format;
    return status;
}

/* Nothing of the program's is known: what is opened is not entered. */
void simkmt_memory_lock(void) {}
void simkmt_memory_unlock(void) {}
void simkmt_memory_enter(struct memory *memory)
{
    (void)memory;
}
struct memory *simkmt_memory_at(const void *address)
{
    (void)address;
    return NULL;
}
struct memory *simkmt_memory_new(enum kind kind, uint32_t node, HsaMemFlags flags)
{
    (void)kind, (void)node, (void)flags;
    return NULL;
}
void simkmt_memory_free(struct memory *memory)
{
    (void)memory;
}
bool simkmt_memory_adopt(struct memory *memory, void *start, uint64_t size)
{
    (void)memory, (void)start, (void)size;
    return false;
}
HSAKMT_STATUS simkmt_share_at_rest(const void *address, uint64_t size, uint32_t *out_node,
                                   struct sim_shared *out_shared)
{
    (void)address, (void)size, (void)out_node, (void)out_shared;
    return HSAKMT_STATUS_ERROR;
}

/* A device with an allocation that is shared. */
static void open_world(void)
{
    static const size_t bytes[] = {1 << 20};
    uint64_t offset;
    fuzz_check(sim_space_open(bytes, 1));
    const struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, 4 * SIMKMT_PAGE, 0);
    fuzz_check(memory && sim_memory_share(memory, &offset) >= 0);
    table = sim_shared_table(&table_id);
}

static int make_file(const uint8_t *data, size_t size, uint64_t *out_end)
{
    unsigned char page[SIMKMT_PAGE] = {0};
    struct tail tail;
    memcpy(page, data + 1, size - 1 < sizeof page ? size - 1 : sizeof page);
    memcpy(&tail, page, sizeof tail);
    tail.shared.process = getpid();
    if (data[0] & TRUE_MARK)
        tail.mark = TAIL_MARK;
    if (data[0] & OWN_TABLE) {
        tail.shared.table = table;
        tail.shared.table_id = table_id;
    }
    memcpy(page, &tail, sizeof tail);
    *out_end = (uint64_t)(data[0] % PAGES_MAX) * SIMKMT_PAGE + (data[0] & CUT ? 100 : SIMKMT_PAGE);
    int file = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    fuzz_check(file >= 0 && ftruncate(file, (off_t)*out_end) == 0);
    if (data[0] & SEALED)
        fuzz_check(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    if (*out_end >= SIMKMT_PAGE)
        fuzz_check(pwrite(file, page, sizeof page, (off_t)(*out_end - SIMKMT_PAGE)) ==
                   (ssize_t)sizeof page);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct simkmt_buffer buffer;
    struct stat about;
    uint64_t end;
    if (table < 0)
        open_world();
    if (size == 0)
        return 0;
    int file = make_file(data, size, &end);
    if (simkmt_buffer_open(file, &buffer)) {
        fuzz_check(data[0] & SEALED && fstat(buffer.file, &about) == 0);
        fuzz_check(buffer.size > 0 && buffer.size % SIMKMT_PAGE == 0 && buffer.node <= 1);
        fuzz_check(buffer.offset <= (uint64_t)about.st_size &&
                   buffer.size <= (uint64_t)about.st_size - buffer.offset);
        close(buffer.file);
    }
    close(file);
    return 0;
}
