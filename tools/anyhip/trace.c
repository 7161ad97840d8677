/* Owns the options of `anyhip trace`, and what it says about files that it cannot read. */
#include "trace.h"

#include "command_line.h"
#include "events.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TOP = 20 };

struct request {
    const char *file;
    size_t top;
    bool json;
};

static const char command[] = "trace";

/* ---- options -----------------------------------------------------------------------------------
 */

static bool read_top(const char *text, size_t *out_top)
{
    char *end;
    errno = 0;
    unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : AH_REPORT_ALL;
    if (value >= AH_REPORT_ALL || *end)
        return ah_refuse(command, "--top needs a number of lines, 0 for all, and not \"%s\"", text);
    *out_top = value ? value : AH_REPORT_ALL;
    return true;
}

static bool read_options(int count, char **arguments, struct request *request)
{
    bool options = true;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (!options || *argument != '-') {
            if (request->file)
                return ah_refuse(command, "takes one file");
            request->file = argument;
        } else if (strcmp(argument, "--") == 0) {
            options = false;
        } else if (strcmp(argument, "--json") == 0) {
            request->json = true;
        } else if (strcmp(argument, "--top") == 0) {
            if (++i == count)
                return ah_refuse(command, "--top needs a number of lines");
            if (!read_top(arguments[i], &request->top))
                return false;
        } else {
            return ah_refuse(command, "has no option \"%s\"", argument);
        }
    }
    return request->file ? true : ah_refuse(command, "needs a file");
}

/* ---- the file ----------------------------------------------------------------------------------
 */

static FILE *open_trace(const char *name)
{
    struct stat about;
    FILE *file = fopen(name, "re");
    if (file && fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(file);
        file = NULL;
        errno = EISDIR;
    }
    if (!file)
        ah_complain(name, "%s", strerror(errno));
    return file;
}

/* What is wrong with the file, as far as a summary makes sense all the same: *out_usable. Returns
 * the exit status. */
static int judge(const struct request *request, const struct ah_events *events,
                 const struct ah_summary *summary, bool *out_usable)
{
    *out_usable = summary->is_of_anyhip;
    switch (events->end) {
    case AH_EVENTS_UNREADABLE:
        return ah_complain(request->file, "%s", strerror(errno));
    case AH_EVENTS_NO_MEMORY:
        return ah_complain(request->file, "%s", strerror(ENOMEM));
    case AH_EVENTS_NO_LIST:
        return ah_complain(request->file,
                           "it is no trace: it does not begin with a list of events");
    case AH_EVENTS_WRONG:
        return ah_complain(request->file,
                           "there is no event before byte %" PRIu64 ", after %" PRIu64,
                           events->offset, events->count);
    case AH_EVENTS_TOO_LONG:
        return ah_complain(request->file,
                           "the event before byte %" PRIu64 " is longer than %d bytes",
                           events->offset, AH_EVENT_MAX);
    case AH_EVENTS_CUT:
        return ah_complain(request->file, "it is cut off after %" PRIu64 " events", events->count);
    case AH_EVENTS_MORE:
    case AH_EVENTS_COMPLETE:
        break;
    }
    if (!*out_usable && events->count > 0)
        return ah_complain(request->file, "the events in it are not of AnyHIP");
    if (!*out_usable)
        return ah_complain(request->file, "there are no events in it");
    return 0;
}

static int summarise(const struct request *request, FILE *file, struct ah_summary *summary)
{
    struct ah_events events;
    cJSON *event;
    bool usable;
    ah_events_init(&events, file);
    while ((event = ah_events_next(&events)) != NULL) {
        ah_summary_add(summary, event);
        cJSON_Delete(event);
    }
    int status = judge(request, &events, summary, &usable);
    bool complete = events.end == AH_EVENTS_COMPLETE;
    ah_events_fini(&events);
    if (usable && !(request->json ? ah_report_json(summary, request->top, complete)
                                  : ah_report_text(summary, request->top, complete)))
        status = 1;
    return status;
}

int ah_trace(int count, char **arguments)
{
    struct request request = {.top = TOP};
    struct ah_summary summary;
    int status = 1;
    if (!read_options(count, arguments, &request) || !request.file)
        return AH_EXIT_USAGE;
    FILE *file = open_trace(request.file);
    if (!file)
        return 1;
    if (ah_summary_init(&summary))
        status = summarise(&request, file, &summary);
    else
        ah_complain(request.file, "%s", strerror(ENOMEM));
    ah_summary_fini(&summary);
    fclose(file);
    return status;
}
