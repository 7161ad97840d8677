/* Owns the folder of temporary files and the signal handlers. */
#include "temp.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "text.h"

static char folder[4096];
static volatile sig_atomic_t caught;
static volatile pid_t children[AH_TEMP_CHILDREN];

static void on_signal(int number)
{
    int error = errno;
    caught = number;
    for (int i = 0; i < AH_TEMP_CHILDREN; i++)
        if (children[i] > 0)
            kill(-children[i], number);
    errno = error;
}

void ah_temp_init(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = on_signal}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void ah_temp_fini(void)
{
    DIR *dir = *folder ? opendir(folder) : NULL;
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    rmdir(folder);
    *folder = '\0';
}

static bool make_folder(void)
{
    static bool failed; /* which was said */
    if (*folder || failed)
        return !failed;
    const char *base = getenv("TMPDIR");
    if (!base || !*base)
        base = "/tmp";
    if ((size_t)snprintf(folder, sizeof(folder), "%s/hipcc-XXXXXX", base) < sizeof(folder) &&
        mkdtemp(folder))
        return true;
    ah_report_error(
        "cannot make a folder for temporary files in %s: %s; TMPDIR names another place", base,
        strerror(errno));
    failed = true;
    *folder = '\0';
    return false;
}

const char *ah_temp_path(const char *name, bool dry)
{
    if (dry) {
        const char *base = getenv("TMPDIR");
        return ah_text_print("%s/hipcc-XXXXXX/%s", base && *base ? base : "/tmp", name);
    }
    return make_folder() ? ah_text_print("%s/%s", folder, name) : NULL;
}

void ah_temp_child_started(pid_t pid)
{
    for (int i = 0; i < AH_TEMP_CHILDREN; i++) {
        if (!children[i]) {
            children[i] = pid;
            break;
        }
    }
    if (caught) /* it came between the decision to start and now */
        kill(-pid, caught);
}

void ah_temp_child_ended(pid_t pid)
{
    for (int i = 0; i < AH_TEMP_CHILDREN; i++)
        if (children[i] == pid)
            children[i] = 0;
}

int ah_temp_signal(void)
{
    return caught;
}

void ah_temp_obey_signal(void)
{
    if (!caught)
        return;
    ah_temp_fini();
    signal(caught, SIG_DFL);
    raise(caught);
}
