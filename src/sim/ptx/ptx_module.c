/* The functions of ptx.h for modules: loading, variables in memory, information about kernels.
 * front reads modules, translate translates them, and exec runs kernels. */
#include "ptx_exec.h"
#include "ptx_front.h"
#include "ptx_translate.h"
#include "sim_memory.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED_LIMIT = 48 << 10, THREADS_MAX = 1024 };

/* ---- loading --------------------------------------------------------------------------- */

static bool check_size(const struct ptx_function *function, const char *what, size_t size,
                       size_t limit, struct ptx_log *log)
{
    if (size <= limit)
        return true;
    ptx_log_error(log, function->symbol->line, "'%.200s' uses %zu bytes of %s, the limit is %zu",
                  function->symbol->name, size, what, limit);
    return false;
}

static enum ptx_result check_functions(const struct ptx_module *module, struct ptx_log *log)
{
    bool fit = true;
    for (struct ptx_function *f = module->functions; f && fit; f = f->next) {
        if (!f->code)
            continue;
        fit = check_size(f, "local memory", f->code->local_size, PTX_LOCAL_LIMIT, log);
        if (fit && f->entry)
            fit = check_size(f, "shared memory", f->code->shared_size, SHARED_LIMIT, log) &&
                  check_size(f, "parameters", f->code->param_size, PTX_PARAM_LIMIT, log);
    }
    return fit ? PTX_OK : PTX_INVALID;
}

enum ptx_result ptx_module_load(const char *text, size_t size, unsigned sm, struct ptx_log *log,
                                struct ptx_module **out_module)
{
    struct ptx_module *module;
    enum ptx_result result = ptx_front_read(text, size, sm, log, &module);
    if (result == PTX_OK)
        result = ptx_code_translate(module, sm, log);
    if (result == PTX_OK)
        result = check_functions(module, log);
    if (result != PTX_OK) {
        ptx_module_destroy(module);
        module = NULL;
    }
    *out_module = module;
    return result;
}

void ptx_module_destroy(struct ptx_module *module)
{
    if (!module)
        return;
    ptx_code_free(module);
    ptx_front_free(module);
}

/* ---- variables ------------------------------------------------------------------------- */

static bool is_placed(const struct ptx_symbol *symbol)
{
    return symbol->space == PTX_GLOBAL || symbol->space == PTX_CONST;
}

/* The offset of each variable in turn; *offset: where the next one may begin. */
static size_t place(const struct ptx_symbol *symbol, size_t *offset)
{
    size_t at = (*offset + symbol->align - 1) / symbol->align * symbol->align;
    *offset = at + symbol->size;
    return at;
}

size_t ptx_module_size(const struct ptx_module *module, size_t *out_align)
{
    size_t size = 0, align = 1;
    for (const struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next) {
        if (!is_placed(symbol))
            continue;
        place(symbol, &size);
        align = symbol->align > align ? symbol->align : align;
    }
    if (out_align)
        *out_align = align;
    return size;
}

void ptx_module_place(struct ptx_module *module, uint64_t base)
{
    size_t size = 0;
    for (struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next)
        if (is_placed(symbol))
            symbol->address = base + place(symbol, &size);
    ptx_code_place(module);
}

bool ptx_module_variable(const struct ptx_module *module, const char *name, uint64_t *out_address,
                         size_t *out_size)
{
    const struct ptx_symbol *symbol = ptx_module_find(module, name);
    if (!symbol || symbol->kind != PTX_VARIABLE || !is_placed(symbol))
        return false;
    *out_address = symbol->address;
    *out_size = symbol->size;
    return true;
}

static void relocate(const struct ptx_relocation *relocation, unsigned char *variable)
{
    const struct ptx_symbol *symbol = relocation->symbol;
    uint64_t address = symbol->address + (uint64_t)relocation->addend;
    if (symbol->kind == PTX_FUNCTION)
        address = symbol->function->symbol->address + (uint64_t)relocation->addend;
    else if (relocation->generic && symbol->space == PTX_SHARED)
        address += SIM_SHARED_WINDOW;
    address >>= relocation->shift;
    memcpy(variable + relocation->offset, &address, relocation->size);
}

void ptx_module_initialise(const struct ptx_module *module, unsigned char *out_image)
{
    size_t size = 0;
    for (const struct ptx_symbol *symbol = module->variables; symbol; symbol = symbol->next) {
        if (!is_placed(symbol))
            continue;
        size_t from = size, at = place(symbol, &size);
        memset(out_image + from, 0, size - from);
        for (const struct ptx_piece *piece = symbol->pieces; piece; piece = piece->next)
            memcpy(out_image + at + piece->offset, piece->bytes, piece->size);
        for (const struct ptx_relocation *relocation = symbol->relocations; relocation;
             relocation = relocation->next)
            relocate(relocation, out_image + at);
    }
}

/* ---- kernels --------------------------------------------------------------------------- */

struct ptx_function *ptx_module_kernel(const struct ptx_module *module, const char *name)
{
    struct ptx_symbol *symbol = ptx_module_find(module, name);
    bool is_kernel = symbol && symbol->kind == PTX_FUNCTION && symbol->function->entry &&
                     !symbol->function->declared_only;
    return is_kernel ? symbol->function : NULL;
}

const struct ptx_function *ptx_module_next_kernel(const struct ptx_module *module,
                                                  const struct ptx_function *kernel)
{
    const struct ptx_function *next = kernel ? kernel->next : module->functions;
    while (next && !next->entry)
        next = next->next;
    return next;
}

static unsigned threads_of(const struct ptx_function *kernel)
{
    const unsigned *threads =
        kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads;
    uint64_t product = (uint64_t)threads[0] * threads[1];
    if (product == 0 || product > THREADS_MAX || product * threads[2] > THREADS_MAX)
        return THREADS_MAX;
    return product * threads[2] > 0 ? (unsigned)(product * threads[2]) : THREADS_MAX;
}

/* The number of registers that the driver's assembler would use: it spills the others to local
 * memory if there are more than an instruction can encode, or if a block of the declared number of
 * threads would not fit. */
static unsigned registers_of(const struct ptx_function *kernel, unsigned live)
{
    enum { OF_UNIT = 65536, OF_THREAD_MAX = 255, STEP = 8, WARP = 32 };
    unsigned most = OF_THREAD_MAX;
    bool announced = kernel->required_threads[0] || kernel->max_threads[0];
    unsigned threads = (threads_of(kernel) + WARP - 1) / WARP * WARP;
    if (announced && OF_UNIT / threads < most)
        most = OF_UNIT / threads / STEP * STEP;
    if (kernel->max_registers > 0 && kernel->max_registers < most)
        most = kernel->max_registers;
    return live < most ? live : most;
}

void ptx_kernel_info(const struct ptx_function *kernel, struct ptx_kernel_info *out_info)
{
    *out_info = (struct ptx_kernel_info){
        .name = kernel->symbol->name,
        .const_size = ptx_module_space_size(kernel->module, PTX_CONST),
        .max_threads = threads_of(kernel),
        .ptx_version = kernel->module->version,
        .target = kernel->module->target,
    };
    memcpy(out_info->required_threads, kernel->required_threads, sizeof out_info->required_threads);
    for (const struct ptx_symbol *param = kernel->params; param; param = param->next) {
        place(param, &out_info->param_size);
        out_info->param_count++;
    }
    if (kernel->code) {
        out_info->shared_size = kernel->code->shared_size;
        out_info->local_size = kernel->code->local_size;
        out_info->registers = registers_of(kernel, kernel->code->registers);
    }
}

bool ptx_kernel_param(const struct ptx_function *kernel, unsigned index, size_t *out_offset,
                      size_t *out_size)
{
    size_t size = 0;
    for (const struct ptx_symbol *param = kernel->params; param; param = param->next, index--) {
        *out_offset = place(param, &size);
        *out_size = param->size;
        if (index == 0)
            return true;
    }
    return false;
}
