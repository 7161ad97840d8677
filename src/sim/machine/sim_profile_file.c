/* Owns the file of a profile: its name, which is the process's own, and its form (anyhip(1)). It is
 * replaced as a whole, so that whoever reads it finds all of it. */
#include "sim_profile_state.h"

#include "log.h"
#include "sim_options.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 1000 };

static char *file_name; /* of this process; NULL: none is chosen yet */
static bool told;       /* that it cannot be written */

/* ---- the name ------------------------------------------------------------------------------- */

void sim_profile_save_elsewhere(void)
{
    file_name = NULL; /* the parent's, whose memory may be in use there */
    told = false;
}

/* A process that executes another program keeps its number, and finds the file of the program
 * before. */
static char *claim_name(const char *folder, const char *engine)
{
    for (unsigned i = 1; i <= NAMES_MAX; i++) {
        char *name = NULL, more[16] = "";
        if (i > 1)
            snprintf(more, sizeof more, "-%u", i);
        if (asprintf(&name, "%s/%d-%s%s.json", folder, (int)getpid(), engine, more) < 0)
            return NULL;
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file >= 0) {
            close(file);
            return name;
        }
        free(name);
        if (errno != EEXIST)
            return NULL;
    }
    errno = EEXIST;
    return NULL;
}

static bool choose_name(const char *engine)
{
    const char *folder = sim_options()->profile;
    if (file_name)
        return true;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return false;
    file_name = claim_name(folder, engine);
    return file_name;
}

/* ---- text -------------------------------------------------------------------------------------
 */

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < ' ')
            fprintf(out, "\\u%04x", *at);
        else
            fputc(*at, out);
    }
    fputc('"', out);
}

static void put_number(FILE *out, const char *name, uint64_t value)
{
    fprintf(out, ",\"%s\":%" PRIu64, name, value);
}

static void put_size(FILE *out, const char *name, const uint32_t size[3])
{
    fprintf(out, ",\"%s\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", name, size[0], size[1], size[2]);
}

/* ---- a kernel -----------------------------------------------------------------------------------
 */

static void put_instructions(FILE *out, const struct sim_profile_counts *counts)
{
    static const char *const names[] = {
#define SIM_CLASS(id, name) name,
#include "sim_classes.def"
#undef SIM_CLASS
    };
    uint64_t executed = 0, lanes = 0;
    for (unsigned i = 0; i < SIM_CLASS_COUNT; i++) {
        executed += counts->executed[i];
        lanes += counts->lanes[i];
    }
    fprintf(out, ",\"instructions\":{\"executed\":%" PRIu64, executed);
    put_number(out, "by_lanes", counts->by_lanes);
    put_number(out, "lanes", lanes);
    fputs(",\"classes\":{", out);
    const char *comma = "";
    for (unsigned i = 0; i < SIM_CLASS_COUNT; i++) {
        if (counts->executed[i] == 0)
            continue;
        fprintf(out, "%s\"%s\":{\"executed\":%" PRIu64 ",\"lanes\":%" PRIu64 "}", comma, names[i],
                counts->executed[i], counts->lanes[i]);
        comma = ",";
    }
    fputs("}}", out);
}

static bool is_global(enum sim_access_kind kind)
{
    return kind <= SIM_GLOBAL_ATOMIC;
}

static bool is_shared(enum sim_access_kind kind)
{
    return kind >= SIM_SHARED_LOAD && kind <= SIM_SHARED_ATOMIC;
}

static void put_access(FILE *out, enum sim_access_kind kind,
                       const struct sim_profile_kernel *kernel,
                       const struct sim_access_counts *counts)
{
    fprintf(out, "{\"accesses\":%" PRIu64, counts->accesses);
    put_number(out, "lanes", counts->lanes);
    put_number(out, "bytes", counts->bytes);
    if (is_global(kind)) {
        put_number(out, "transactions", counts->transactions);
        put_number(out, "lines", counts->lines);
        put_number(out, "bytes_moved", counts->transactions * kernel->transaction);
        put_number(out, "bytes_used", counts->distinct);
    }
    if (is_shared(kind)) {
        put_number(out, "passes", counts->passes);
        put_number(out, "conflicts", counts->passes - counts->least);
    }
    fputc('}', out);
}

static void put_memory(FILE *out, const struct sim_profile_record *record)
{
    static const char *const names[SIM_ACCESS_KINDS] = {
        [SIM_GLOBAL_LOAD] = "global_load",     [SIM_GLOBAL_STORE] = "global_store",
        [SIM_GLOBAL_ATOMIC] = "global_atomic", [SIM_SHARED_LOAD] = "shared_load",
        [SIM_SHARED_STORE] = "shared_store",   [SIM_SHARED_ATOMIC] = "shared_atomic",
        [SIM_LOCAL_LOAD] = "local_load",       [SIM_LOCAL_STORE] = "local_store"};
    fprintf(out, ",\"memory\":{\"transaction_bytes\":%u,\"line_bytes\":%u",
            record->kernel.transaction, record->kernel.line);
    for (enum sim_access_kind i = 0; i < SIM_ACCESS_KINDS; i++) {
        if (record->counts.accesses[i].accesses == 0)
            continue;
        fprintf(out, ",\"%s\":", names[i]);
        put_access(out, i, &record->kernel, &record->counts.accesses[i]);
    }
    fputc('}', out);
}

static void put_occupancy(FILE *out, const struct sim_profile_kernel *kernel)
{
    unsigned warps = kernel->blocks_per_unit * kernel->warps_per_block;
    fprintf(out, ",\"occupancy\":{\"blocks_per_unit\":%u,\"warps_per_unit\":%u",
            kernel->blocks_per_unit, warps);
    put_number(out, "warps_per_unit_max", kernel->warps_per_unit_max);
    put_number(out, "simds_per_unit", kernel->simds_per_unit);
    fputs(",\"limit\":", out);
    put_text(out, kernel->limit);
    fputc('}', out);
}

static void put_record(FILE *out, const struct sim_profile_record *record)
{
    const struct sim_profile_kernel *kernel = &record->kernel;
    fputs("{\"name\":", out);
    put_text(out, kernel->name);
    fputs(",\"title\":", out);
    put_text(out, record->title);
    fputs(",\"model\":", out);
    put_text(out, kernel->model);
    put_number(out, "device", (unsigned)kernel->device);
    put_size(out, "grid", kernel->grid);
    put_size(out, "block", kernel->block);
    put_number(out, "warp", kernel->lanes);
    put_number(out, "registers", kernel->registers);
    put_number(out, "shared_bytes", kernel->shared);
    put_number(out, "local_bytes", kernel->local);
    put_number(out, "launches", record->launches);
    put_number(out, "ended", record->ended);
    put_number(out, "failed", record->failed);
    put_instructions(out, &record->counts);
    put_number(out, "branches", record->counts.branches);
    put_number(out, "divergent_branches", record->counts.divergent);
    put_memory(out, record);
    if (!record->others)
        put_occupancy(out, kernel);
    fprintf(out, ",\"host\":{\"seconds\":%.9f}}", (double)record->host_ns / 1e9);
}

/* ---- the file
 * ------------------------------------------------------------------------------------ */

static void put_table(FILE *out, const struct sim_profile_table *table, bool complete)
{
    fprintf(out, "{\"anyhip_profile\":%d,\"process\":%d,\"program\":", SIM_PROFILE_VERSION,
            (int)getpid());
    put_text(out, program_invocation_short_name);
    fprintf(out, ",\"complete\":%s", complete ? "true" : "false");
    put_number(out, "launches_not_counted", table->lost);
    fputs(",\"kernels\":[", out);
    for (size_t i = 0; i < table->count; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_record(out, table->records[i]);
    }
    fputs("\n]}\n", out);
}

static bool write_file(const struct sim_profile_table *table, bool complete)
{
    char *new = NULL;
    if (asprintf(&new, "%s.new", file_name) < 0)
        return false;
    FILE *out = fopen(new, "wex");
    bool good = out != NULL;
    if (out) {
        put_table(out, table, complete);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
        good = good && rename(new, file_name) == 0;
        int error = errno;
        if (!good)
            unlink(new);
        errno = error;
    }
    free(new);
    return good;
}

bool sim_profile_save(const struct sim_profile_table *table, bool complete)
{
    const char *engine = table->count ? table->records[0]->kernel.engine : "none";
    if (choose_name(engine) && write_file(table, complete))
        return true;
    if (!told)
        AH_LOG_NOTICE(AH_LOG_ERROR, "the profile in %s cannot be written: %s",
                      sim_options()->profile, strerror(errno));
    told = true;
    return false;
}
