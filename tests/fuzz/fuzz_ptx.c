/* PTX of any content, as simulated devices read, check and translate it: a module that loads has
 * rows for all of its instructions, ops for all of its functions and variables that can be written;
 * one that does not has said why. */
#include "fuzz.h"
#include "ptx.h"
#include "ptx_exec.h"
#include "ptx_log.h"
#include "ptx_rows.h"

#include <stdlib.h>
#include <string.h>

enum { IMAGE_MAX = 1 << 20 };

static void check_operand(const struct ptx_operand *operand)
{
    fuzz_check(operand->kind != PTX_NO_OPERAND);
    for (unsigned i = 0; i < operand->element_count; i++)
        check_operand(&operand->elements[i]);
    if (operand->kind == PTX_OP_REG || operand->kind == PTX_OP_LABEL ||
        operand->kind == PTX_OP_SYMBOL || operand->kind == PTX_OP_COMPONENT)
        fuzz_check(operand->symbol && strlen(operand->symbol->name) > 0);
}

static void check_function(const struct ptx_function *function)
{
    struct ptx_kernel_info info;
    size_t offset, size;
    for (unsigned i = 0; i < function->inst_count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        fuzz_check(inst->row && (inst->row->kind == PTX_ROW_MISSING ||
                                 strcmp(inst->row->opcode, inst->opcode) == 0));
        for (unsigned o = 0; o < inst->operand_count; o++)
            check_operand(&inst->operands[o]);
    }
    if (!function->declared_only) {
        const struct ptx_code *code = function->code;
        fuzz_check(code && code->op_count > 0);
        for (uint32_t i = 0; i < code->op_count; i++)
            fuzz_check(code->ops[i].run);
    }
    if (function->entry && !function->declared_only) {
        fuzz_check(ptx_module_kernel(function->module, function->symbol->name) == function);
        ptx_kernel_info(function, &info);
        for (unsigned i = 0; i < info.param_count; i++)
            fuzz_check(ptx_kernel_param(function, i, &offset, &size) &&
                       offset + size <= info.param_size);
    }
}

static void check_module(struct ptx_module *module)
{
    size_t align, size = ptx_module_size(module, &align);
    fuzz_check(align > 0);
    ptx_module_place(module, UINT64_C(0x700000000000));
    unsigned char *image = size <= IMAGE_MAX ? malloc(size) : NULL;
    if (image)
        ptx_module_initialise(module, image);
    free(image);
    for (const struct ptx_function *function = module->functions; function;
         function = function->next)
        check_function(function);
}

/* With a text that has some of the names that seeds have. */
static void check_link(const uint8_t *data, size_t size)
{
    static const char other[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".global .u32 x = 1;\n.weak .func f() { ret; }\n"
                                ".visible .entry k() { ret; }\n";
    char *text = strndup((const char *)data, size), *linked = NULL;
    const char *const texts[] = {other, text};
    enum ptx_result result = text ? ptx_link(texts, 2, NULL, &linked) : PTX_NO_MEMORY;
    fuzz_check((result == PTX_OK) == (linked != NULL));
    free(linked);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[2048];
    struct ptx_log log = {.text = text, .capacity = sizeof text};
    struct ptx_module *module = NULL;
    *text = '\0';
    enum ptx_result result = ptx_module_load((const char *)data, size, 90, &log, &module);
    fuzz_check((result == PTX_OK) == (module != NULL));
    fuzz_check((result == PTX_OK) == (log.errors == 0) || result == PTX_NO_MEMORY);
    fuzz_check(log.length < sizeof text && strlen(text) == log.length);
    if (module)
        check_module(module);
    ptx_module_destroy(module);
    check_link(data, size);
    return 0;
}
