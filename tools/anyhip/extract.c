/* Owns the names of extracted files, and their writing. */
#include "extract.h"
#include "pieces.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *suffix_of(const struct ah_image *image)
{
    switch (image->kind) {
    case AH_IMAGE_AMDGPU:
        return "co";
    case AH_IMAGE_CUBIN:
        return "cubin";
    case AH_IMAGE_PTX:
        return "ptx";
    case AH_IMAGE_SPIRV:
        return "spv";
    case AH_IMAGE_UNKNOWN:
        return ah_is_bitcode(image->data, image->size) ? "bc" : NULL;
    case AH_IMAGE_CUDA_FATBIN: /* its entries are images */
    case AH_IMAGE_HOST:
        break;
    }
    return NULL;
}

/* A name from a file may hold anything; what is left of it needs no quotes in a shell. */
static void make_plain(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++)
        out[n++] = (char)(isalnum((unsigned char)*text) || strchr("._+-", *text) ? *text : '_');
    out[n] = '\0';
}

static char *path_of(const struct ah_extract *extract, const char *file,
                     const struct ah_image *image, const char *suffix)
{
    char base[128], target[64], *path = NULL;
    const char *member = strchr(file, '('), *name = file;
    for (const char *at = file; *at && at != member; at++)
        if (*at == '/')
            name = at + 1;
    make_plain(base, sizeof base, name);
    make_plain(target, sizeof target, *image->target ? image->target : "image");
    if (asprintf(&path, "%s/%s.%u.%s.%s", extract->folder, base, extract->count, target, suffix) <
        0)
        return NULL;
    return path;
}

static bool write_all(int file, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

static bool write_file(const char *path, bool force, const struct ah_image *image)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (force ? O_TRUNC : O_EXCL);
    int file = open(path, flags, 0666);
    if (file < 0)
        return false;
    bool good = write_all(file, image->data, image->size);
    int reason = errno;
    if (close(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (!good)
        unlink(path);
    errno = reason;
    return good;
}

bool ah_extract_image(struct ah_extract *extract, const char *file, const struct ah_image *image,
                      char **out_path)
{
    const char *suffix = extract->folder ? suffix_of(image) : NULL;
    *out_path = NULL;
    if (!suffix)
        return true;
    *out_path = path_of(extract, file, image, suffix);
    if (!*out_path)
        return false;
    extract->count++;
    if (mkdir(extract->folder, 0777) != 0 && errno != EEXIST)
        return false;
    return write_file(*out_path, extract->force, image);
}
