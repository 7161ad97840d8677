/* Runs every spelling of the list on a device, real or simulated, and writes what
 * it gives: "name type hash r0 r1 ..." or "name refused: why". Knows nothing of
 * the simulator; needs only libdl.
 *
 *   alu_golden <driver library> <list> <output>     on the first device
 *   alu_golden --ptx <list> <directory>             only writes the PTX modules
 *
 * golden/h200.txt is what it wrote on an H200 with driver 580.159 (CUDA 13.0). */
#include "alu_inputs.h"

#include <dlfcn.h>
#include <stdarg.h>

enum { GROUP = 48, SLOTS = 5, LOG_SIZE = 8192 };

/* ---- text of a kernel -------------------------------------------------------------- */

struct text {
    char *at;
    size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (text->capacity - text->length < 4096) {
        text->capacity += 1 << 16;
        text->at = realloc(text->at, text->capacity);
        if (!text->at)
            abort();
    }
    text->length += (size_t)vsnprintf(text->at + text->length, text->capacity - text->length,
                                      format, arguments);
    va_end(arguments);
}

/* The type with which a register is declared. */
static const char *register_of(const char *type)
{
    if (strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0)
        return type;
    unsigned size = alu_size(type);
    return size <= 2 ? "b16" : size == 4 ? "b32" : "b64";
}

static void put_source(struct text *text, const struct alu_spelling *spelling, unsigned s)
{
    const char *type = spelling->sources[s];
    if (strcmp(type, "pred") == 0) {
        put(text, "  .reg .pred s%u; .reg .b32 w%u;\n  ld.global.b32 w%u, [in+%u];\n", s, s, s,
            8 * s);
        put(text, "  setp.ne.u32 s%u, w%u, 0;\n", s, s);
        return;
    }
    const char *name = register_of(type);
    put(text, "  .reg .%s s%u;\n  ld.global.%s s%u, [in+%u];\n", name, s, name, s, 8 * s);
}

static void put_result(struct text *text, const char *type, const char *name, unsigned offset)
{
    if (strcmp(type, "pred") == 0)
        put(text, "  selp.u64 o, 1, 0, %s;\n", name);
    else if (strcmp(register_of(type), "b16") == 0)
        put(text, "  cvt.u64.u16 o, %s;\n", name);
    else if (strcmp(register_of(type), "b64") == 0 || strcmp(type, "f64") == 0)
        put(text, "  mov.b64 o, %s;\n", name);
    else
        put(text, "  mov.b32 w, %s;\n  cvt.u64.u32 o, w;\n", name);
    put(text, "  st.global.u64 [out+%u], o;\n", offset);
}

static void put_carry_in(struct text *text, const struct alu_spelling *spelling)
{
    bool wide = alu_size(spelling->result) == 8;
    put(text, "  .reg .b%d cin, cs;\n  ld.global.b%d cin, [in+32];\n", wide ? 64 : 32,
        wide ? 64 : 32);
    if (alu_borrows(spelling))
        put(text, "  sub.cc.u%d cs, 0, cin;\n", wide ? 64 : 32);
    else
        put(text, "  add.cc.u%d cs, cin, -1;\n", wide ? 64 : 32);
}

static void put_instruction(struct text *text, const struct alu_spelling *spelling)
{
    put(text, "  %s d%s", spelling->text, spelling->second ? "|q" : "");
    for (unsigned s = 0; s < spelling->count; ++s) {
        if (spelling->has_immediate && s == 3)
            put(text, ", 0x%x", spelling->immediate);
        put(text, ", s%u", s);
    }
    if (spelling->has_immediate && spelling->count <= 3)
        put(text, ", 0x%x", spelling->immediate);
    put(text, ";\n");
}

/* Thread i: sources at in + 40 * i, 8 bytes each; results at out + 16 * i. */
static void put_kernel(struct text *text, const struct alu_spelling *spelling, unsigned number)
{
    bool predicate = strcmp(spelling->result, "pred") == 0;
    put(text, ".visible .entry k%u(.param .u64 pin, .param .u64 pout)\n{\n", number);
    put(text, "  .reg .b64 in, out, o, t; .reg .b32 w, tid;\n");
    put(text, "  ld.param.u64 in, [pin];\n  ld.param.u64 out, [pout];\n");
    put(text, "  mov.u32 tid, %%tid.x;\n  mul.wide.u32 t, tid, %u;\n  add.u64 in, in, t;\n",
        8 * SLOTS);
    put(text, "  mul.wide.u32 t, tid, 16;\n  add.u64 out, out, t;\n");
    for (unsigned s = 0; s < spelling->count; ++s)
        put_source(text, spelling, s);
    put(text, "  .reg .%s d;\n", predicate ? "pred" : register_of(spelling->result));
    if (spelling->second)
        put(text, "  .reg .pred q;\n");
    if (alu_takes_carry(spelling))
        put_carry_in(text, spelling);
    put_instruction(text, spelling);
    if (alu_gives_carry(spelling)) {
        bool wide = alu_size(spelling->result) == 8;
        put(text, "  .reg .b%d c;\n  %s.u%d c, 0, 0;\n", wide ? 64 : 32,
            alu_borrows(spelling) ? "subc" : "addc", wide ? 64 : 32);
        put_result(text, wide ? "b64" : "b32", "c", 8);
    }
    put_result(text, spelling->result, "d", 0);
    if (spelling->second)
        put_result(text, "pred", "q", 8);
    put(text, "  ret;\n}\n");
}

static void put_header(struct text *text, const struct alu_spelling *spelling)
{
    unsigned version = spelling->version > 70 ? spelling->version : 70;
    unsigned target = spelling->target > 70 ? spelling->target : 70;
    /* The PTX version that a target requires. */
    version = target >= 100 && version < 86 ? 86 : version;
    version = target >= 89 && version < 78 ? 78 : version;
    version = target >= 86 && version < 71 ? 71 : version;
    text->length = 0;
    put(text, ".version %u.%u\n.target sm_%u\n.address_size 64\n", version / 10, version % 10,
        target);
}

/* ---- the driver --------------------------------------------------------------------- */

typedef unsigned long long address;
static struct {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*retain)(void **, int);
    int (*current)(void *);
    int (*load)(void **, const void *, unsigned, int *, void **);
    int (*unload)(void *);
    int (*function)(void **, void *, const char *);
    int (*allocate)(address *, size_t);
    int (*write)(address, const void *, size_t);
    int (*read)(void *, address, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*finish)(void);
} driver;

static bool find(void *library, const char *name, void *out_function)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        fprintf(stderr, "%s is missing\n", name);
    memcpy(out_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool open_driver(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *context = NULL;
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    if (!find(library, "cuInit", &driver.init) || !find(library, "cuDeviceGet", &driver.device) ||
        !find(library, "cuDevicePrimaryCtxRetain", &driver.retain) ||
        !find(library, "cuCtxSetCurrent", &driver.current) ||
        !find(library, "cuModuleLoadDataEx", &driver.load) ||
        !find(library, "cuModuleUnload", &driver.unload) ||
        !find(library, "cuModuleGetFunction", &driver.function) ||
        !find(library, "cuMemAlloc_v2", &driver.allocate) ||
        !find(library, "cuMemcpyHtoD_v2", &driver.write) ||
        !find(library, "cuMemcpyDtoH_v2", &driver.read) ||
        !find(library, "cuLaunchKernel", &driver.launch) ||
        !find(library, "cuCtxSynchronize", &driver.finish))
        return false;
    int device, error = driver.init(0);
    error = error ? error : driver.device(&device, 0);
    error = error ? error : driver.retain(&context, device);
    error = error ? error : driver.current(context);
    if (error)
        fprintf(stderr, "no device: error %d\n", error);
    return error == 0;
}

/* Loads text; on failure *out_log has the compiler's messages. */
static int load(const char *text, void **out_module, char *out_log)
{
    enum { ERROR_LOG = 5, ERROR_LOG_SIZE = 6 };
    int options[] = {ERROR_LOG, ERROR_LOG_SIZE};
    void *values[] = {out_log, (void *)(uintptr_t)LOG_SIZE};
    memset(out_log, 0, LOG_SIZE);
    return driver.load(out_module, text, 2, options, values);
}

/* ---- running ---------------------------------------------------------------------------- */

struct output {
    FILE *file;
    address in, out;
    unsigned done, refused, failed;
};

/* Writes the line of the compiler's log that has the error. */
static void refuse(struct output *output, const struct alu_spelling *spelling, int error, char *log)
{
    char name[128];
    alu_name(spelling, name, sizeof name);
    char *line = strstr(log, "error");
    line = line ? line : log;
    line[strcspn(line, "\n")] = 0;
    fprintf(output->file, "%s refused: %d %.160s\n", name, error, line);
    ++output->refused;
}

static int run(struct output *output, const struct alu_spelling *spelling, void *module,
               unsigned number)
{
    static uint64_t in[ALU_LANES][SLOTS], out[ALU_LANES][2], results[2][ALU_LANES];
    char name[16];
    void *function, *parameters[] = {&output->in, &output->out};
    memset(in, 0, sizeof in);
    memset(out, 0xcc, sizeof out);
    for (unsigned lane = 0; lane < ALU_LANES; ++lane) {
        for (unsigned s = 0; s < spelling->count; ++s)
            in[lane][s] = alu_input(spelling, lane, s);
        in[lane][4] = alu_carry_in(spelling, lane);
    }
    snprintf(name, sizeof name, "k%u", number);
    int error = driver.function(&function, module, name);
    error = error ? error : driver.write(output->in, in, sizeof in);
    error = error ? error : driver.write(output->out, out, sizeof out);
    error = error ? error
                  : driver.launch(function, 1, 1, 1, ALU_LANES, 1, 1, 0, NULL, parameters, NULL);
    error = error ? error : driver.finish();
    error = error ? error : driver.read(out, output->out, sizeof out);
    if (error)
        return error;
    for (unsigned lane = 0; lane < ALU_LANES; ++lane)
        for (unsigned k = 0; k < 2; ++k)
            results[k][lane] = out[lane][k];
    alu_write(output->file, spelling, false, results[0]);
    if (alu_gives_carry(spelling))
        for (unsigned lane = 0; lane < ALU_LANES; ++lane)
            results[1][lane] &= 1;
    if (spelling->second || alu_gives_carry(spelling))
        alu_write(output->file, spelling, true, results[1]);
    ++output->done;
    return 0;
}

static void run_all(struct output *output, const struct alu_spelling *spellings, unsigned count,
                    void *module)
{
    for (unsigned i = 0; i < count; ++i) {
        int error = run(output, &spellings[i], module, i);
        if (error) {
            fprintf(output->file, "%s failed: %d\n", spellings[i].text, error);
            ++output->failed;
        }
    }
}

/* Runs spellings of one version and target together, or one by one if they do not load together. */
static void run_group(struct output *output, const struct alu_spelling *spellings, unsigned count,
                      struct text *text)
{
    static char log[LOG_SIZE];
    void *module;
    put_header(text, &spellings[0]);
    for (unsigned i = 0; i < count; ++i)
        put_kernel(text, &spellings[i], i);
    int error = load(text->at, &module, log);
    if (error && count > 1) {
        for (unsigned i = 0; i < count; ++i)
            run_group(output, &spellings[i], 1, text);
    } else if (error) {
        refuse(output, &spellings[0], error, log);
    } else {
        run_all(output, spellings, count, module);
        driver.unload(module);
    }
}

static bool same_module(const struct alu_spelling *a, const struct alu_spelling *b)
{
    return a->version == b->version && a->target == b->target;
}

static unsigned group_at(const struct alu_spelling *spellings, unsigned count, unsigned first)
{
    unsigned size = 1;
    while (first + size < count && size < GROUP &&
           same_module(&spellings[first], &spellings[first + size]))
        ++size;
    return size;
}

static int write_ptx(const struct alu_spelling *spellings, unsigned count, const char *directory)
{
    struct text text = {0};
    for (unsigned i = 0, size; i < count; i += size) {
        char path[512];
        size = group_at(spellings, count, i);
        put_header(&text, &spellings[i]);
        for (unsigned k = 0; k < size; ++k)
            put_kernel(&text, &spellings[i + k], k);
        snprintf(path, sizeof path, "%s/%04u.ptx", directory, i);
        FILE *file = fopen(path, "w");
        if (!file || fwrite(text.at, text.length, 1, file) != 1 || fclose(file))
            return 1;
    }
    free(text.at);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    struct alu_spelling *spellings = argc == 4 ? alu_read_list(argv[2], &count) : NULL;
    if (!spellings) {
        fprintf(stderr, "usage: %s <driver library>|--ptx <list> <output>\n", argv[0]);
        return 2;
    }
    if (strcmp(argv[1], "--ptx") == 0)
        return write_ptx(spellings, count, argv[3]);
    struct output output = {.file = fopen(argv[3], "w")};
    if (!output.file || !open_driver(argv[1]) ||
        driver.allocate(&output.in, ALU_LANES * SLOTS * 8) ||
        driver.allocate(&output.out, ALU_LANES * 16))
        return 1;
    struct text text = {0};
    for (unsigned i = 0, size; i < count; i += size) {
        size = group_at(spellings, count, i);
        run_group(&output, &spellings[i], size, &text);
    }
    printf("%u spellings: %u done, %u refused, %u failed\n", count, output.done, output.refused,
           output.failed);
    free(text.at);
    free(spellings);
    return fclose(output.file) != 0;
}
