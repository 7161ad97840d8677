/* Owns the conversion of a device's time to the host's. */
#include "clocks.h"

#include <time.h>

/* An error is mended in this time. One that is greater than FAR, and would need a jump forward, is
 * not mended but taken over. */
static const double MEND = 1e9, FAR = 1e6;
/* How much slower or faster than the device's clock the line may become by that. */
static const double SLOWEST = 0.5, FASTEST = 2;

uint64_t ah_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void ah_clocks_init(struct ah_clocks *clocks, double frequency)
{
    *clocks = (struct ah_clocks){.nominal = 1e9 / frequency};
}

/* Ticks before the oldest segment lie on its line, continued backwards. */
static const struct ah_clock_segment *segment_of(const struct ah_clocks *clocks, uint64_t ticks)
{
    unsigned index = clocks->latest;
    for (unsigned left = clocks->count; left > 1 && clocks->segments[index].ticks > ticks; left--)
        index = (index + AH_CLOCKS_SEGMENTS - 1) % AH_CLOCKS_SEGMENTS;
    return &clocks->segments[index];
}

static double convert(const struct ah_clocks *clocks, uint64_t ticks)
{
    const struct ah_clock_segment *segment = segment_of(clocks, ticks);
    return segment->ns + (double)(int64_t)(ticks - segment->ticks) * segment->slope;
}

static void begin_segment(struct ah_clocks *clocks, uint64_t ticks, double ns, double slope)
{
    clocks->latest = clocks->count == 0 ? 0 : (clocks->latest + 1) % AH_CLOCKS_SEGMENTS;
    clocks->count += clocks->count < AH_CLOCKS_SEGMENTS;
    clocks->segments[clocks->latest] = (struct ah_clock_segment){ticks, ns, slope};
}

/* The rate over all samples, since that of two neighbours has the error of both. */
static double rate(const struct ah_clocks *clocks, uint64_t ticks, uint64_t ns)
{
    return (double)(ns - clocks->first_ns) / (double)(ticks - clocks->first_ticks);
}

/* The slope of a line that meets the clock after the time of mending. */
static double mending_slope(const struct ah_clocks *clocks, double is, double now, double real)
{
    double slope = real * (1 + (now - is) / MEND);
    double least = clocks->nominal * SLOWEST, most = clocks->nominal * FASTEST;
    return slope < least ? least : slope > most ? most : slope;
}

static void begin_anew(struct ah_clocks *clocks, uint64_t ticks, uint64_t ns)
{
    clocks->first_ticks = ticks;
    clocks->first_ns = ns;
    begin_segment(clocks, ticks, (double)ns, clocks->nominal);
}

void ah_clocks_sample(struct ah_clocks *clocks, uint64_t ticks, uint64_t ns)
{
    if (clocks->count > 0 && (ticks <= clocks->last_ticks || ns <= clocks->last_ns))
        return;
    double is = clocks->count > 0 ? convert(clocks, ticks) : 0;
    if (clocks->count == 0 || (double)ns - is > FAR)
        begin_anew(clocks, ticks, ns);
    else
        begin_segment(clocks, ticks, is,
                      mending_slope(clocks, is, (double)ns, rate(clocks, ticks, ns)));
    clocks->last_ticks = ticks;
    clocks->last_ns = ns;
}

uint64_t ah_clocks_convert(const struct ah_clocks *clocks, uint64_t ticks)
{
    double ns = convert(clocks, ticks);
    return ns > 0 ? (uint64_t)ns : 0;
}
