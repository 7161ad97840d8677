/* In the place of the translator, for programs that only read PTX: every function has one op. */
#include "ptx_exec.h"
#include "ptx_translate.h"

static const struct ptx_op *run(struct ptx_warp *warp, const struct ptx_op *op)
{
    (void)warp, (void)op;
    return NULL;
}

enum ptx_result ptx_code_translate(struct ptx_module *module, unsigned sm, struct ptx_log *log)
{
    static struct ptx_op op = {.run = run};
    static struct ptx_code code = {.ops = &op, .op_count = 1};
    (void)sm, (void)log;
    for (struct ptx_function *function = module->functions; function; function = function->next)
        function->code = function->declared_only ? NULL : &code;
    return PTX_OK;
}

void ptx_code_place(struct ptx_module *module)
{
    (void)module;
}

void ptx_code_free(struct ptx_module *module)
{
    (void)module;
}
