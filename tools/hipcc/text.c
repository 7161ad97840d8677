/* Owns strings, lists and files of the compile driver; one chain of allocations,
 * freed at the end. */
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct block {
    struct block *next;
    max_align_t data[];
};

static struct block *blocks;

static void *must(void *memory)
{
    if (!memory) {
        fputs("hipcc: error: out of memory\n", stderr);
        abort();
    }
    return memory;
}

void *ah_text_alloc(size_t size)
{
    struct block *block = must(calloc(1, sizeof(*block) + size));
    block->next = blocks;
    blocks = block;
    return block->data;
}

void ah_text_release(void)
{
    while (blocks) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

char *ah_text_copy(const char *text, size_t length)
{
    char *copy = ah_text_alloc(length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *ah_text_print(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = ah_text_alloc((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void ah_strings_push(struct ah_strings *list, const char *text)
{
    if (list->count + 1 >= list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        const char **at = ah_text_alloc(capacity * sizeof(*at));
        if (list->count)
            memcpy(at, list->at, list->count * sizeof(*at));
        list->at = at;
        list->capacity = capacity;
    }
    list->at[list->count++] = text;
    list->at[list->count] = NULL;
}

void ah_strings_append(struct ah_strings *list, const struct ah_strings *more)
{
    for (size_t i = 0; i < more->count; i++)
        ah_strings_push(list, more->at[i]);
}

bool ah_strings_contain(const struct ah_strings *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->at[i], text))
            return true;
    return false;
}

void ah_strings_split(struct ah_strings *list, const char *text, const char *separators)
{
    for (const char *p = text; *p;) {
        size_t length = strcspn(p, separators);
        if (length)
            ah_strings_push(list, ah_text_copy(p, length));
        p += length + (p[length] != '\0');
    }
}

void ah_strings_split_quoted(struct ah_strings *list, const char *text)
{
    const char *p = text;
    for (;;) {
        p += strspn(p, " \t\r\n\v\f");
        if (!*p)
            return;
        char *word = ah_text_alloc(strlen(p) + 1), quote = 0;
        size_t n = 0;
        for (; *p && (quote || !strchr(" \t\r\n\v\f", *p)); p++) {
            if (*p == '\\' && p[1] && quote != '\'')
                word[n++] = *++p;
            else if (quote ? *p == quote : (*p == '"' || *p == '\''))
                quote = quote ? 0 : *p;
            else
                word[n++] = *p;
        }
        ah_strings_push(list, word);
    }
}

const char *ah_text_quote(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "-_=+,./:@%^";
    if (*text && strspn(text, safe) == strlen(text))
        return text;
    char *out = ah_text_alloc(strlen(text) * 4 + 3), *q = out;
    *q++ = '\'';
    for (const char *p = text; *p; p++) {
        if (*p == '\'') {
            memcpy(q, "'\\''", 4);
            q += 4;
        } else {
            *q++ = *p;
        }
    }
    *q++ = '\'';
    return out;
}

bool ah_text_starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

bool ah_text_ends(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && !strcmp(text + n - m, suffix);
}

const char *ah_text_after(const char *text, const char *prefix)
{
    return ah_text_starts(text, prefix) ? text + strlen(prefix) : NULL;
}

const char *ah_text_replace(const char *text, const char *from, const char *to)
{
    if (!*from || !strstr(text, from))
        return text;
    size_t count = 0;
    for (const char *p = text; (p = strstr(p, from)); p += strlen(from))
        count++;
    char *out = ah_text_alloc(strlen(text) + count * strlen(to) + 1), *q = out;
    for (const char *hit; (hit = strstr(text, from)); text = hit + strlen(from))
        q += sprintf(q, "%.*s%s", (int)(hit - text), text, to);
    strcpy(q, text);
    return out;
}

const char *ah_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *ah_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return slash == path ? "/" : ah_text_copy(path, (size_t)(slash - path));
}

/* Length of path without its extension; a leading dot of the base name starts none. */
static size_t stem_end(const char *path)
{
    const char *base = ah_path_base(path), *dot = strrchr(base, '.');
    return dot && dot != base ? (size_t)(dot - path) : strlen(path);
}

const char *ah_path_stem(const char *path)
{
    const char *base = ah_path_base(path);
    return ah_text_copy(base, stem_end(path) - (size_t)(base - path));
}

const char *ah_path_with(const char *path, const char *extension)
{
    return ah_text_print("%.*s%s", (int)stem_end(path), path, extension);
}

const char *ah_path_absolute(const char *path)
{
    char folder[4096];
    if (*path == '/' || !getcwd(folder, sizeof(folder)))
        return path;
    return ah_text_print("%s/%s", folder, path);
}

bool ah_path_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool ah_path_is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool ah_path_is_program(const char *path)
{
    return ah_path_is_file(path) && access(path, X_OK) == 0;
}

static char *read_all(int fd, size_t *out_size)
{
    size_t size = 0, capacity = 65536;
    struct stat info;
    if (fstat(fd, &info) == 0 && info.st_size > 0)
        capacity = (size_t)info.st_size + 1;
    char *data = ah_text_alloc(capacity);
    for (;;) {
        ssize_t n = read(fd, data + size, capacity - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return NULL;
        if (n == 0)
            break;
        size += (size_t)n;
        if (size == capacity) {
            char *bigger = ah_text_alloc(capacity * 2);
            memcpy(bigger, data, size);
            data = bigger;
            capacity *= 2;
        }
    }
    data[size] = '\0';
    *out_size = size;
    return data;
}

char *ah_file_read(const char *path, size_t *out_size)
{
    bool standard = !strcmp(path, "-");
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    char *data = read_all(fd, out_size);
    int error = errno;
    if (!standard)
        close(fd);
    errno = error;
    return data;
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_through(const char *path, const void *data, size_t size)
{
    int fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                               : dup(STDOUT_FILENO);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, data, size);
    return close(fd) == 0 && ok;
}

bool ah_file_write(const char *path, const void *data, size_t size)
{
    if (!strcmp(path, "-") || (ah_path_exists(path) && !ah_path_is_file(path)))
        return write_through(path, data, size);
    const char *beside = ah_text_print("%s.tmp%ld", path, (long)getpid());
    if (write_through(beside, data, size) && rename(beside, path) == 0)
        return true;
    int error = errno;
    unlink(beside);
    errno = error;
    return false;
}
