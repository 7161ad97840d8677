/* A summary on standard output, as text or as JSON, whose form anyhip(1) describes. */
#ifndef AH_ANYHIP_REPORT_H
#define AH_ANYHIP_REPORT_H

#include "summary.h"

/* top: as many lines of each table, and gaps; complete: whether the file has its end. False: out of
 * memory, after a message. */
bool ah_report_text(const struct ah_summary *summary, size_t top, bool complete);
bool ah_report_json(const struct ah_summary *summary, size_t top, bool complete);

/* The most that fit: for gaps of JSON, and for "all". */
enum { AH_REPORT_ALL = 1 << 30 };

#endif
