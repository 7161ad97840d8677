/* Counts what the accesses of a warp's lanes amount to: transactions, lines, and passes over the
 * banks of shared memory. */
#include "sim_profile.h"

#include <string.h>

enum { LANES_MAX = 64, BANKS = 32, WORD = 4, PASS = BANKS * WORD };

/* The addresses of the lanes of mask in ascending order, which most accesses have anyway. */
static unsigned sort(const struct sim_profile_access *access, uint64_t out_at[LANES_MAX])
{
    unsigned count = 0;
    for (uint64_t left = access->mask; left; left &= left - 1) {
        uint64_t at = access->at[__builtin_ctzll(left)];
        unsigned place = count++;
        for (; place > 0 && out_at[place - 1] > at; place--)
            out_at[place] = out_at[place - 1];
        out_at[place] = at;
    }
    return count;
}

/* How many units of a size the lanes touch: unit 1 counts bytes. */
static uint64_t units_of(const uint64_t *at, unsigned count, unsigned bytes, unsigned unit)
{
    uint64_t next = 0, units = 0; /* next: the first unit that is not counted yet */
    for (unsigned i = 0; i < count; i++) {
        uint64_t first = at[i] / unit, end = (at[i] + bytes - 1) / unit + 1;
        if (i > 0 && first < next)
            first = next;
        if (end > first) {
            units += end - first;
            next = end;
        }
    }
    return units;
}

static struct sim_access_counts *add_lanes(struct sim_profile_counts *counts,
                                           enum sim_access_kind kind,
                                           const struct sim_profile_access *access)
{
    struct sim_access_counts *to = &counts->accesses[kind];
    unsigned lanes = (unsigned)__builtin_popcountll(access->mask);
    to->accesses++;
    to->lanes += lanes;
    to->bytes += (uint64_t)lanes * access->bytes;
    return to;
}

void sim_profile_memory(struct sim_profile_counts *counts, enum sim_access_kind kind,
                        const struct sim_profile_access *access)
{
    uint64_t at[LANES_MAX];
    if (!access->mask || access->bytes == 0)
        return;
    struct sim_access_counts *to = add_lanes(counts, kind, access);
    if (kind == SIM_LOCAL_LOAD || kind == SIM_LOCAL_STORE)
        return; /* devices interleave the lanes' local memory, so that they are always in a row */
    unsigned count = sort(access, at);
    to->transactions += units_of(at, count, access->bytes, access->transaction);
    to->lines += units_of(at, count, access->bytes, access->line);
    to->distinct += units_of(at, count, access->bytes, 1);
}

/* ---- banks ---------------------------------------------------------------------------------- */

struct banks {
    unsigned char counts[BANKS];
    uint64_t words[BANKS][LANES_MAX]; /* that lanes want of each */
};

/* Lanes that want one word get it in one pass, unless each of them changes it. */
static void want(struct banks *banks, uint64_t word, bool each)
{
    unsigned bank = (unsigned)(word % BANKS), count = banks->counts[bank];
    for (unsigned i = 0; !each && i < count; i++)
        if (banks->words[bank][i] == word)
            return;
    if (count < LANES_MAX)
        banks->words[bank][banks->counts[bank]++] = word;
}

/* Passes for the lanes of a group. */
static unsigned passes_of(const struct sim_profile_access *access, uint64_t mask, bool each)
{
    struct banks banks;
    unsigned most = 0;
    memset(banks.counts, 0, sizeof banks.counts);
    for (uint64_t left = mask; left; left &= left - 1) {
        uint64_t at = access->at[__builtin_ctzll(left)];
        for (uint64_t word = at / WORD; word <= (at + access->bytes - 1) / WORD; word++)
            want(&banks, word, each);
    }
    for (unsigned bank = 0; bank < BANKS; bank++)
        most = banks.counts[bank] > most ? banks.counts[bank] : most;
    return most;
}

/* A pass has one word of each bank, so that lanes are served in groups that fill one. */
void sim_profile_banks(struct sim_profile_counts *counts, enum sim_access_kind kind,
                       const struct sim_profile_access *access)
{
    unsigned group = access->bytes <= WORD       ? PASS / WORD
                     : access->bytes <= 2 * WORD ? PASS / (2 * WORD)
                                                 : PASS / (4 * WORD);
    if (!access->mask || access->bytes == 0)
        return;
    struct sim_access_counts *to = add_lanes(counts, kind, access);
    for (unsigned first = 0; first < LANES_MAX; first += group) {
        uint64_t mask = access->mask & (((UINT64_C(1) << group) - 1) << first);
        if (!mask)
            continue;
        to->passes += passes_of(access, mask, kind == SIM_SHARED_ATOMIC);
        to->least++;
    }
}
