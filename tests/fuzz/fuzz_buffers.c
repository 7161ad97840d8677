/* Files that are said to be dma-bufs of simulated devices. The first byte says what file: its
 * pages, whether it is sealed, whether its last page is cut. What follows is the page that says
 * what it is; the process and the files that it names are always this one's, so that no other
 * process's are opened. */
#include "fuzz.h"
#include "sim_buffer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES_MAX = 8, SEALED = 8, CUT = 16, TRUE_MARK = 32, OWN_TABLE = 64 };

static int table = -1;
static uint64_t table_id;

/* The layout of the page. */
struct tail {
    uint64_t mark, size;
    uint32_t node, elsewhere;
    struct sim_shared shared;
    uint64_t start;
};
#define TAIL_MARK UINT64_C(0x667562616d644841)

/* A device with an allocation that is shared. */
static void open_world(void)
{
    static const size_t bytes[] = {1 << 20};
    uint64_t offset;
    fuzz_check(sim_space_open(bytes, 1));
    const struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, 4 * PAGE, 0);
    fuzz_check(memory && sim_memory_share(memory, &offset) >= 0);
    table = sim_shared_table(&table_id);
}

static int make_file(const uint8_t *data, size_t size, uint64_t *out_end)
{
    unsigned char page[PAGE] = {0};
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
    *out_end = (uint64_t)(data[0] % PAGES_MAX) * PAGE + (data[0] & CUT ? 100 : PAGE);
    int file = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    fuzz_check(file >= 0 && ftruncate(file, (off_t)*out_end) == 0);
    if (data[0] & SEALED)
        fuzz_check(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    if (*out_end >= PAGE)
        fuzz_check(pwrite(file, page, sizeof page, (off_t)(*out_end - PAGE)) ==
                   (ssize_t)sizeof page);
    return file;
}

/* The memory is in the file. */
static void check(struct sim_buffer *buffer, bool sealed)
{
    struct stat about;
    fuzz_check(sealed && fstat(buffer->file, &about) == 0);
    fuzz_check(buffer->size > 0 && buffer->size % PAGE == 0);
    fuzz_check(buffer->offset <= (uint64_t)about.st_size &&
               buffer->size <= (uint64_t)about.st_size - buffer->offset);
    close(buffer->file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sim_buffer buffer;
    uint64_t end;
    if (table < 0)
        open_world();
    if (size == 0)
        return 0;
    int file = make_file(data, size, &end);
    if (sim_buffer_open(file, &buffer))
        check(&buffer, data[0] & SEALED);
    if (sim_buffer_open_any(file, &buffer))
        check(&buffer, data[0] & SEALED);
    close(file);
    return 0;
}
