/* Shuffles, votes and what else lanes do together in regions. */
#include "ptx_handlers.h"
#include "ptx_region.h"
#include "ptx_wave_access.h"

enum { MASK = 4, WORDS = 4 * PTX_LANES };

/* The function of a vote or a shuffle, or NULL. */
static const char *function_of(const struct ptx_op *op, bool some)
{
    const struct ptx_warp_op *extra = op->extra;
#define NAME(name) (some ? "ptx_wave_some_" #name : "ptx_wave_" #name)
    if (op->run == ptx_run_shuffle_up)
        return NAME(shuffle_up);
    if (op->run == ptx_run_shuffle_down)
        return NAME(shuffle_down);
    if (op->run == ptx_run_shuffle_bfly)
        return NAME(shuffle_bfly);
    if (op->run == ptx_run_shuffle_idx)
        return NAME(shuffle_idx);
    if (op->run == ptx_run_activemask)
        return NAME(activemask);
    if (op->run != ptx_run_vote)
        return NULL;
    return extra->mode == 'a'   ? NAME(vote_all)
           : extra->mode == 'y' ? NAME(vote_any)
           : extra->mode == 'n' ? NAME(vote_uni)
                                : NAME(vote_ballot);
#undef NAME
}

static void add_slots(const struct ptx_op *op, const struct ptx_warp_op *extra,
                      struct ptx_form *form)
{
    bool vote = op->run == ptx_run_vote;
    ptx_form_read(form, op->a, vote ? MASK : WORDS);
    ptx_form_read(form, op->b, vote ? 0 : WORDS);
    ptx_form_read(form, op->c, vote ? 0 : WORDS);
    ptx_form_write(form, op->d, vote && extra->mode != 'B' ? MASK : WORDS);
    if (extra->has_predicate)
        ptx_form_write(form, extra->predicate, MASK);
    if (extra->sync)
        ptx_form_read(form, extra->members, WORDS);
}

/* Handlers that look at no slots but these. */
static bool form_handler(const struct ptx_op *op, struct ptx_form *form)
{
    const struct ptx_warp_op *extra = op->extra;
    bool match = op->run == ptx_run_match, redux = op->run == ptx_run_redux;
    if (!match && !redux && op->run != ptx_run_elect)
        return false;
    form->kind = WAVE_HANDLER;
    form->plain = true;
    form->gathers = true;
    form->members = extra->members;
    if (match || redux)
        ptx_form_read(form, op->a, match && extra->wide ? 2 * WORDS : WORDS);
    ptx_form_read(form, extra->members, WORDS);
    ptx_form_write(form, op->d, WORDS);
    if (extra->has_predicate)
        ptx_form_write(form, extra->predicate, MASK);
    return true;
}

bool ptx_form_lanes(const struct ptx_op *op, bool some, struct ptx_form *out_form)
{
    const struct ptx_warp_op *extra = op->extra;
    const char *function = function_of(op, some);
    if (op->run == ptx_run_warp_barrier) {
        out_form->function = "ptx_wave_meet";
        ptx_form_read(out_form, extra->members, WORDS);
        out_form->gathers = true;
        out_form->members = extra->members;
        return !some;
    }
    if (!function)
        return !some && form_handler(op, out_form);
    out_form->function = function;
    out_form->argument_count = 7;
    out_form->arguments[0] = op->d;
    if (op->run == ptx_run_activemask) {
        ptx_form_write(out_form, op->d, WORDS);
        return true;
    }
    bool vote = op->run == ptx_run_vote;
    out_form->arguments[1] = op->a;
    out_form->arguments[2] = !vote ? op->b : extra->sync ? extra->members : PTX_NO_GUARD;
    out_form->arguments[3] = op->c;
    out_form->arguments[4] = extra->has_predicate;
    out_form->arguments[6] = extra->predicate;
    add_slots(op, extra, out_form);
    out_form->gathers = extra->sync;
    out_form->members = extra->members;
    return true;
}
