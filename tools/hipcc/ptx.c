/* Owns what is done to PTX after clang wrote it. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

#include "constants.h"
#include "ptx_names.h"
#include "report.h"

struct step {
    struct ah_plan *plan;
    const struct ah_target *target;
    const char *path;
};

/* ---- constant memory ---------------------------------------------------- */

/* The command of the job, which makes PTX, changed to give the module in LLVM's textual form. A
 * source from standard input was kept in a file. */
static struct ah_strings module_command(const struct ah_job *job, const char *path,
                                        const char *module)
{
    struct ah_strings argv = {0};
    for (size_t i = 0; i < job->argv.count; i++) {
        const char *word = job->argv.at[i];
        bool last = i + 1 == job->argv.count;
        if (!strcmp(word, path))
            word = module;
        else if (last && !strcmp(word, "-") && job->standard_input)
            word = job->standard_input;
        if (!strcmp(word, "-S"))
            ah_strings_push(&argv, "-emit-llvm");
        ah_strings_push(&argv, word);
    }
    return argv;
}

/* Compiles once more, with the variables that do not fit in global memory. False after a message.
 */
static bool move_constants(const struct step *step, const struct ah_job *job, const char *ptx,
                           size_t bytes)
{
    const char *path =
        ah_plan_scratch(step->plan, ah_text_print("%s.ll", ah_path_base(step->path)));
    struct ah_strings first = module_command(job, step->path, path), second = {0}, moved = {0};
    size_t size;
    if (step->plan->failed)
        return false;
    const char *module = ah_jobs_output_of(&first) ? ah_file_read(path, &size) : NULL;
    const char *changed = module ? ah_constants_move(module, ptx, &moved) : NULL;
    if (!changed) {
        ah_report_error("constant variables take %zu bytes of %d in the code for %s", bytes,
                        AH_CONSTANTS_MAX, job->target);
        ah_report_note("they cannot be placed in global memory instead; declare some __device__");
        return false;
    }
    ah_pass_push_codegen(step->plan, step->target, path, step->path, &second);
    if (ah_file_write(path, changed, strlen(changed)) && ah_jobs_output_of(&second))
        return true;
    ah_report_error("cannot compile the code for %s with constants in global memory", job->target);
    return false;
}

/* ---- names -------------------------------------------------------------- */

static const char *demangled(const struct ah_plan *plan, const char *name)
{
    const char *tool = ah_text_print("%s/llvm-cxxfilt", plan->toolchain->bin);
    struct ah_strings argv = {0};
    if (!ah_path_is_program(tool))
        return name;
    ah_strings_push(&argv, tool);
    ah_strings_push(&argv, name);
    char *answer = ah_jobs_output_of(&argv);
    if (answer)
        answer[strcspn(answer, "\r\n")] = '\0';
    return answer && *answer ? answer : name;
}

static bool all_defined(const struct step *step, const struct ah_job *job, const char *text,
                        size_t size)
{
    const char *name;
    size_t length;
    if (step->plan->request->allow_undefined ||
        !ah_ptx_find_undefined(text, size, &name, &length))
        return true;
    ah_report_error("undefined device function: %s",
                    demangled(step->plan, ah_text_copy(name, length)));
    ah_report_note("code for %s calls it%s", job->target,
                   step->plan->request->rdc ? ""
                                            : "; a function of another source needs -fgpu-rdc");
    return false;
}

static bool correct_names(const struct step *step, const struct ah_job *job, const char *text,
                          size_t size)
{
    char *fixed = NULL;
    size_t fixed_size;
    enum ah_ptx_fix result = ah_ptx_fix_names(text, size, &fixed, &fixed_size);
    bool ok = result == AH_PTX_FIX_UNCHANGED ||
              (result == AH_PTX_FIX_CHANGED && ah_file_write(step->path, fixed, fixed_size));
    free(fixed);
    if (!ok)
        ah_report_error("cannot correct the symbol names of the PTX for %s: %s", job->target,
                        result == AH_PTX_FIX_CLASH ? "two would become equal" : "no room");
    return ok;
}

/* ---- the step ----------------------------------------------------------- */

/* What the job wrote, after a second compilation where constants do not fit. NULL after a message.
 */
static char *fitting_text(const struct step *step, const struct ah_job *job, size_t *out_size)
{
    char *text = ah_file_read(step->path, out_size);
    size_t bytes = text ? ah_constants_size(text) : 0;
    if (bytes > AH_CONSTANTS_MAX) {
        if (!move_constants(step, job, text, bytes))
            return NULL;
        text = ah_file_read(step->path, out_size);
    }
    if (!text)
        ah_report_error("cannot read %s", step->path);
    return text;
}

static bool finish_constants(struct ah_job *job)
{
    size_t size;
    return fitting_text(job->context, job, &size) != NULL;
}

static bool finish(struct ah_job *job)
{
    const struct step *step = job->context;
    size_t size;
    char *text = fitting_text(step, job, &size);
    return text && all_defined(step, job, text, size) && correct_names(step, job, text, size);
}

static void want(struct ah_plan *plan, struct ah_job *job, const struct ah_target *target,
                 const char *path, bool (*step_of_job)(struct ah_job *job))
{
    struct step *step = ah_text_alloc(sizeof(*step));
    *step = (struct step){plan, target, path};
    job->finish = step_of_job;
    job->context = step;
}

void ah_ptx_want_fit(struct ah_plan *plan, struct ah_job *job, const struct ah_target *target,
                     const char *path)
{
    want(plan, job, target, path, finish);
    job->shows = ah_text_print("correct the symbol names in %s", path);
}

void ah_ptx_want_constants(struct ah_plan *plan, struct ah_job *job, const struct ah_target *target,
                           const char *path)
{
    want(plan, job, target, path, finish_constants);
}
