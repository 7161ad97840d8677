/* The host's clock (CLOCK_MONOTONIC, ns), and the clock of a device on its time line.
 *
 * The two run at different rates, which change as they become warm. Now and then both are read at
 * the same moment (a sample), and the ticks in between are converted by straight lines from one
 * sample to the next. The conversion never jumps back and never changes the order of two ticks: an
 * error that a sample shows is mended over the following time, and not at once. Only where the
 * host's clock turns out to be far ahead (the machine slept) does the line begin anew.
 *
 * The caller locks. */
#ifndef AH_CLOCKS_H
#define AH_CLOCKS_H

#include <stdint.h>

enum { AH_CLOCKS_SEGMENTS = 64 };

struct ah_clocks {
    double nominal;  /* nanoseconds in a tick, as the device says */
    unsigned count;  /* of segments that are in use */
    unsigned latest; /* the index of the last of them, in a ring */
    uint64_t first_ticks, first_ns, last_ticks, last_ns; /* samples */
    struct ah_clock_segment {
        uint64_t ticks;
        double ns;    /* at ticks */
        double slope; /* nanoseconds in a tick from there on */
    } segments[AH_CLOCKS_SEGMENTS];
};

/* Now, in nanoseconds of CLOCK_MONOTONIC. */
uint64_t ah_clock_now(void);

/* frequency: of the device's clock, in ticks per second. */
void ah_clocks_init(struct ah_clocks *clocks, double frequency);

/* A sample. One that is no later than an earlier one is ignored. */
void ah_clocks_sample(struct ah_clocks *clocks, uint64_t ticks, uint64_t ns);

/* The time of a tick, in nanoseconds of CLOCK_MONOTONIC; there was a sample. */
uint64_t ah_clocks_convert(const struct ah_clocks *clocks, uint64_t ticks);

#endif
