/* Owns what is done to the code for NVIDIA between clang's passes and after them. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "constants.h"
#include "copies.h"
#include "popcounts.h"
#include "ptx_names.h"
#include "report.h"

struct step {
    struct ah_plan *plan;
    const struct ah_target *target;
    const char *module, *path; /* LLVM's textual form, and the PTX */
};

/* ---- the module --------------------------------------------------------- */

/* Each gives the module changed, or NULL. */
static const char *(*const changes[])(const char *module) = {ah_copies_widen, ah_arrays_align,
                                                             ah_popcounts_use};

static bool finish_module(struct ah_job *job)
{
    const struct step *step = job->context;
    size_t size;
    const char *module = ah_file_read(step->module, &size), *now = module;
    for (size_t i = 0; module && i < sizeof changes / sizeof *changes; i++) {
        const char *changed = changes[i](now);
        now = changed ? changed : now;
    }
    if (module && (now == module || ah_file_write(step->module, now, strlen(now))))
        return true;
    ah_report_error("cannot %s %s", module ? "write" : "read", step->module);
    return false;
}

/* ---- constant memory ---------------------------------------------------- */

/* Makes the PTX once more, with the variables that do not fit in global memory. False after a
 * message. */
static bool move_constants(const struct step *step, const struct ah_job *job, const char *ptx,
                           size_t bytes)
{
    struct ah_strings moved = {0};
    size_t size;
    const char *module = ah_file_read(step->module, &size);
    const char *changed = module ? ah_constants_move(module, ptx, &moved) : NULL;
    if (!changed) {
        ah_report_error("constant variables take %zu bytes of %d in the code for %s", bytes,
                        AH_CONSTANTS_MAX, job->target);
        ah_report_note("they cannot be placed in global memory instead; declare some __device__");
        return false;
    }
    if (ah_file_write(step->module, changed, strlen(changed)) && ah_jobs_output_of(&job->argv))
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
    if (step->plan->request->allow_undefined || !ah_ptx_find_undefined(text, size, &name, &length))
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

struct ah_job *ah_ptx_add(struct ah_plan *plan, struct ah_job *job, const struct ah_target *target,
                          const char *module, const char *path, bool whole)
{
    struct step *step = ah_text_alloc(sizeof(*step));
    *step = (struct step){plan, target, module, path};
    job->finish = finish_module;
    job->context = step;
    job->shows = ah_text_print("widen copies and align arrays in %s", module);
    struct ah_job *last = ah_jobs_add(&plan->jobs);
    ah_pass_push_ptx(plan, target, module, path, &last->argv);
    last->target = target->arch;
    last->finish = whole ? finish : finish_constants;
    last->context = step;
    if (whole)
        last->shows = ah_text_print("correct the symbol names in %s", path);
    ah_job_needs(&plan->jobs, last, job);
    return last;
}
