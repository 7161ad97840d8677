/* Owns the folder of object files that are kept. */
#include "jit_store.h"

#include "env.h"
#include "sim_options.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OBJECT_MAX = 64 << 20, PATH_SIZE = 1200, NAME_SIZE = 64 };
static const uint64_t limit = UINT64_C(256) << 20;
static const char suffix[] = ".region";

/* A file with nothing behind the header is a mark. */
struct header {
    char magic[8];
    struct jit_key key;
    uint64_t size, checksum;
};
static const char magic[8] = "AHJIT 1";

/* ---- the folder -------------------------------------------------------------------------- */

static struct jit_store usual; /* no folder: nothing is kept */

/* $XDG_CACHE_HOME/anyhip or ~/.cache/anyhip. */
static void choose_folder(char *out_folder, size_t size)
{
    char *cache = ah_env_path("XDG_CACHE_HOME"), *home = ah_env_path("HOME");
    if (cache && *cache == '/')
        snprintf(out_folder, size, "%s/anyhip", cache);
    else if (home && *home == '/')
        snprintf(out_folder, size, "%s/.cache/anyhip", home);
    free(cache);
    free(home);
}

static void choose(void)
{
    const char *setting = sim_options()->jit_cache;
    if (ah_env_is_privileged() || strcasecmp(setting, "off") == 0)
        return;
    usual.limit = limit;
    if (*setting)
        snprintf(usual.folder, sizeof usual.folder, "%s", setting);
    else
        choose_folder(usual.folder, sizeof usual.folder);
}

static const struct jit_store *store_of_user(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return &usual;
}

/* The folder, and those that it is in. */
static void make_folders(const char *folder)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path; *at && (at = strchr(at + 1, '/'));) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    (void)mkdir(path, 0700);
}

static void name_file(const struct jit_store *store, const struct jit_key *key, char *out_path)
{
    snprintf(out_path, PATH_SIZE, "%s/%016llx%016llx%s", store->folder,
             (unsigned long long)key->words[0], (unsigned long long)key->words[1], suffix);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Nobody but this user, or root, can have written it. */
static bool is_trusted(const struct stat *status)
{
    return S_ISREG(status->st_mode) && (status->st_uid == geteuid() || status->st_uid == 0) &&
           !(status->st_mode & (S_IWGRP | S_IWOTH));
}

static bool read_all(int file, void *bytes, size_t size)
{
    for (char *at = bytes; size;) {
        ssize_t got = read(file, at, size);
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Of a file that is this key's. */
static bool read_header(int file, const struct jit_key *key, struct header *out_header)
{
    struct stat status;
    return fstat(file, &status) == 0 && is_trusted(&status) &&
           read_all(file, out_header, sizeof *out_header) &&
           memcmp(out_header->magic, magic, sizeof magic) == 0 &&
           memcmp(&out_header->key, key, sizeof *key) == 0 && out_header->size <= OBJECT_MAX &&
           out_header->size + sizeof *out_header == (uint64_t)status.st_size;
}

static void *read_object(int file, const struct jit_key *key, size_t *out_size, bool *out_marked)
{
    struct header header;
    if (!read_header(file, key, &header))
        return NULL;
    *out_marked = header.size == 0;
    void *object = *out_marked ? NULL : malloc(header.size);
    if (object && read_all(file, object, header.size) &&
        jit_hash(object, header.size) == header.checksum) {
        *out_size = header.size;
        return object;
    }
    free(object);
    return NULL;
}

void *jit_store_read_in(const struct jit_store *store, const struct jit_key *key, size_t *out_size)
{
    char path[PATH_SIZE];
    name_file(store, key, path);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return NULL;
    bool marked = false;
    void *object = read_object(file, key, out_size, &marked);
    if (object) /* when it was used last */
        (void)futimens(file, NULL);
    close(file);
    if (!object && !marked)
        (void)unlink(path);
    return object;
}

bool jit_store_has_in(const struct jit_store *store, const struct jit_key *key)
{
    char path[PATH_SIZE];
    name_file(store, key, path);
    return access(path, R_OK) == 0;
}

/* ---- writing ----------------------------------------------------------------------------- */

static bool write_all(int file, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        ssize_t put = write(file, at, size);
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static void write_file(const struct jit_store *store, const struct jit_key *key, const void *object,
                       size_t size)
{
    struct header header = {.key = *key, .size = size, .checksum = jit_hash(object, size)};
    char path[PATH_SIZE], temporary[PATH_SIZE + NAME_SIZE];
    memcpy(header.magic, magic, sizeof magic);
    name_file(store, key, path);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int file = mkostemp(temporary, O_CLOEXEC);
    if (file < 0 && errno == ENOENT) {
        make_folders(store->folder);
        snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
        file = mkostemp(temporary, O_CLOEXEC);
    }
    if (file < 0)
        return;
    bool written = write_all(file, &header, sizeof header) && write_all(file, object, size);
    written = close(file) == 0 && written;
    if (!written || rename(temporary, path) != 0)
        (void)unlink(temporary);
}

void jit_store_write_in(const struct jit_store *store, const struct jit_key *key,
                        const void *object, size_t size)
{
    if (size > 0 && size <= OBJECT_MAX)
        write_file(store, key, object, size);
}

bool jit_store_mark_in(const struct jit_store *store, const struct jit_key *key)
{
    bool marked = jit_store_has_in(store, key);
    if (!marked)
        write_file(store, key, "", 0);
    return marked;
}

/* ---- bounding ---------------------------------------------------------------------------- */

struct kept {
    char name[256];
    uint64_t size;
    struct timespec used;
};

static int compare_used(const void *a, const void *b)
{
    const struct timespec *x = &((const struct kept *)a)->used;
    const struct timespec *y = &((const struct kept *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* The files of the folder, also those that a process has not finished. NULL: none, or no memory. */
static struct kept *list(DIR *folder, size_t *out_count)
{
    struct kept *files = NULL;
    size_t count = 0, room = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct stat status;
        if (!strstr(entry->d_name, suffix) ||
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (count == room) {
            struct kept *more = realloc(files, (room = 2 * room + 64) * sizeof *files);
            if (!more)
                break;
            files = more;
        }
        files[count] = (struct kept){.size = (uint64_t)status.st_size, .used = status.st_mtim};
        snprintf(files[count++].name, sizeof files->name, "%s", entry->d_name);
    }
    *out_count = count;
    return files;
}

void jit_store_prune(const struct jit_store *store)
{
    DIR *folder = opendir(store->folder);
    size_t count = 0;
    uint64_t bytes = 0;
    if (!folder)
        return;
    struct kept *files = list(folder, &count);
    for (size_t i = 0; i < count; i++)
        bytes += files[i].size;
    if (files)
        qsort(files, count, sizeof *files, compare_used);
    const uint64_t wanted = bytes > store->limit ? store->limit / 4 * 3 : bytes;
    for (size_t i = 0; bytes > wanted && i < count; i++)
        if (unlinkat(dirfd(folder), files[i].name, 0) == 0)
            bytes -= files[i].size;
    free(files);
    closedir(folder);
}

/* ---- the user's -------------------------------------------------------------------------- */

bool jit_store_is_on(void)
{
    return *store_of_user()->folder;
}

bool jit_store_has(const struct jit_key *key)
{
    return jit_store_is_on() && jit_store_has_in(&usual, key);
}

bool jit_store_mark(const struct jit_key *key)
{
    return jit_store_is_on() && jit_store_mark_in(&usual, key);
}

void *jit_store_read(const struct jit_key *key, size_t *out_size)
{
    return jit_store_is_on() ? jit_store_read_in(&usual, key, out_size) : NULL;
}

void jit_store_write(const struct jit_key *key, const void *object, size_t size)
{
    static atomic_uint written;
    if (!jit_store_is_on())
        return;
    if (atomic_fetch_add(&written, 1) % 32 == 0)
        jit_store_prune(&usual);
    jit_store_write_in(&usual, key, object, size);
}
