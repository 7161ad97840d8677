/* Owns links (CUlinkState): PTX of several inputs becomes one text, which is what simulated devices
 * load. */
#include "archive.h"
#include "image.h"
#include "object.h"
#include "simcuda_driver.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum input_type { INPUT_CUBIN, INPUT_PTX, INPUT_FATBINARY, INPUT_OBJECT, INPUT_LIBRARY };

struct simcuda_link {
    struct simcuda_object object;
    struct simcuda_jit jit;
    char **texts;
    size_t count;
    char *linked; /* the result; NULL: not yet */
};

static void fini_link(struct simcuda_object *object)
{
    struct simcuda_link *link = (struct simcuda_link *)(void *)object;
    for (size_t i = 0; i < link->count; i++)
        free(link->texts[i]);
    free(link->texts);
    free(link->linked);
}

/* The log of the caller, which begins anew with each call, or one that is written to our own log.
 */
static struct ptx_log *log_of(struct simcuda_jit *jit, struct ptx_log *own)
{
    jit->error.length = 0;
    return jit->error.text && jit->error.capacity > 0 ? &jit->error : own;
}

CUresult simcuda_cuLinkCreate(unsigned count, int *options, void **values, CUlinkState *out)
{
    struct simcuda_context *context;
    struct simcuda_jit jit;
    SIMCUDA_ENTER(cuLinkCreate);
    CUresult result = simcuda_current(&context);
    if (result == CUDA_SUCCESS && !out)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = simcuda_jit_read(&jit, count, options, values);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    struct simcuda_link *link = simcuda_object_new(SIMCUDA_LINK, sizeof *link, context);
    if (!link)
        return simcuda_leave(CUDA_ERROR_OUT_OF_MEMORY);
    link->object.fini = fini_link;
    link->jit = jit;
    *out = (CUlinkState)(uintptr_t)link->object.handle;
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- inputs -------------------------------------------------------------------------- */

static bool is_whole_fatbin(const void *data, size_t size)
{
    uint64_t whole;
    return ah_read_fatbin_size(data, size, &whole) && whole <= size;
}

static CUresult refuse_machine_code(const void *data, size_t size, struct ptx_log *log)
{
    bool elf = size >= sizeof(Elf64_Ehdr) && memcmp(data, ELFMAG, SELFMAG) == 0;
    simcuda_log_line(log, elf ? "error: simulated devices link PTX only, no machine code"
                              : "error: neither an ELF file nor an archive");
    return elf ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE;
}

/* Without the lock. Symbols that other inputs define may be missing. */
static CUresult check_text(const struct simcuda_text *text, unsigned sm, struct ptx_log *log)
{
    struct ptx_module *module = NULL;
    CUresult result = simcuda_check_header(text, sm, log);
    if (result != CUDA_SUCCESS)
        return result;
    struct ptx_log before = *log;
    enum ptx_result loaded = ptx_module_load(text->text, text->size, sm, log, &module);
    ptx_module_destroy(module);
    if (loaded == PTX_OK || loaded == PTX_UNRESOLVED)
        *log = before;
    if (log->text && log->length < log->capacity)
        log->text[log->length] = '\0';
    return loaded == PTX_OK || loaded == PTX_UNRESOLVED ? CUDA_SUCCESS
           : loaded == PTX_NO_MEMORY                    ? CUDA_ERROR_OUT_OF_MEMORY
                                                        : CUDA_ERROR_INVALID_PTX;
}

/* What an input gives: texts, to be freed. */
struct texts {
    char **at;
    size_t count;
    unsigned sm;
    struct ptx_log *log;
};

static void free_texts(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->at[i]);
    free(texts->at);
}

static CUresult add_text(struct texts *texts, const struct simcuda_text *text)
{
    CUresult result = check_text(text, texts->sm, texts->log);
    if (result != CUDA_SUCCESS)
        return result;
    char **at = reallocarray(texts->at, texts->count + 1, sizeof *at);
    if (!at)
        return CUDA_ERROR_OUT_OF_MEMORY;
    texts->at = at;
    at[texts->count] = strndup(text->text, text->size);
    return at[texts->count] ? (texts->count++, CUDA_SUCCESS) : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult add_fatbin(struct texts *texts, const void *data, size_t size)
{
    struct simcuda_text text = {.text = NULL};
    if (!is_whole_fatbin(data, size)) {
        simcuda_log_line(texts->log, "error: no fatbin, or a truncated one");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    CUresult result = simcuda_image_text(data, texts->sm, &text, texts->log);
    if (result == CUDA_SUCCESS)
        result = add_text(texts, &text);
    free(text.owned);
    return result;
}

/* nvcc puts a fatbin of each unit into a section of the object, one after the other. */
static CUresult add_object(struct texts *texts, const void *data, size_t size)
{
    enum { HEADER = 16 };
    struct ah_object object;
    const void *section;
    size_t left;
    CUresult result = CUDA_SUCCESS;
    if (!ah_object_open(&object, data, size) ||
        (!ah_object_section(&object, "__nv_relfatbin", &section, &left) &&
         !ah_object_section(&object, ".nv_fatbin", &section, &left)))
        return refuse_machine_code(data, size, texts->log);
    for (const unsigned char *at = section; left > 0 && result == CUDA_SUCCESS;) {
        uint64_t payload = 0;
        result = add_fatbin(texts, at, left);
        if (result == CUDA_SUCCESS) { /* it was whole */
            memcpy(&payload, at + 8, sizeof payload);
            at += HEADER + payload;
            left -= HEADER + payload;
        }
    }
    return result;
}

static CUresult add_library(struct texts *texts, const void *data, size_t size)
{
    struct ah_archive archive;
    struct ah_member member;
    enum ah_archive_step step = AH_ARCHIVE_DAMAGED;
    CUresult result = CUDA_SUCCESS;
    if (!ah_archive_open(&archive, data, size))
        return refuse_machine_code(data, size, texts->log);
    while (!archive.thin && result == CUDA_SUCCESS &&
           (step = ah_archive_next(&archive, &member)) == AH_ARCHIVE_MEMBER)
        result = add_object(texts, member.data, member.size);
    if (step != AH_ARCHIVE_DAMAGED)
        return result;
    simcuda_log_line(texts->log, "error: the archive is damaged, or thin");
    return CUDA_ERROR_INVALID_IMAGE;
}

/* Without the lock. data has zeros after it. */
static CUresult read_input(struct texts *texts, enum input_type type, const void *data, size_t size)
{
    switch (type) {
    case INPUT_PTX: {
        const struct simcuda_text text = {.text = data, .size = strlen(data)};
        return add_text(texts, &text);
    }
    case INPUT_FATBINARY:
        return add_fatbin(texts, data, size);
    case INPUT_OBJECT:
        return add_object(texts, data, size);
    case INPUT_LIBRARY:
        return add_library(texts, data, size);
    default:
        return refuse_machine_code(data, size, texts->log);
    }
}

/* Takes the texts over, if there is memory. */
static CUresult append(struct simcuda_link *link, struct texts *texts)
{
    char **all = reallocarray(link->texts, link->count + texts->count, sizeof *all);
    if (!all)
        return CUDA_ERROR_OUT_OF_MEMORY;
    link->texts = all;
    memcpy(all + link->count, texts->at, texts->count * sizeof *all);
    link->count += texts->count;
    texts->count = 0;
    return CUDA_SUCCESS;
}

/* data has zeros after it. */
static CUresult add(CUlinkState handle, int type, const void *data, size_t size)
{
    char text[1024] = "";
    struct ptx_log own = {.text = text, .capacity = sizeof text};
    struct simcuda_link *link = simcuda_object_get(handle, SIMCUDA_LINK, "cuLinkAddData");
    if (!link)
        return CUDA_ERROR_INVALID_HANDLE;
    if (type < INPUT_CUBIN || type > INPUT_LIBRARY || link->linked)
        return CUDA_ERROR_INVALID_VALUE;
    struct ptx_log *log = log_of(&link->jit, &own);
    struct texts texts = {.sm = link->object.context->device->model.sm, .log = log};
    simcuda_object_retain(&link->object);
    pthread_mutex_unlock(&simcuda.lock);
    CUresult result = read_input(&texts, (enum input_type)type, data, size);
    pthread_mutex_lock(&simcuda.lock);
    if (result == CUDA_SUCCESS && texts.count > 0)
        result = append(link, &texts);
    free_texts(&texts);
    if (result != CUDA_SUCCESS)
        AH_LOG_WARN("simulated CUDA driver: an input of a link is refused (%d): %s", result,
                    log->text ? log->text : "");
    simcuda_jit_return(&link->jit);
    simcuda_object_release(&link->object);
    return result;
}

CUresult simcuda_cuLinkAddData(CUlinkState handle, int type, void *data, size_t size,
                               const char *name, unsigned count, int *options, void **values)
{
    enum { ROOM = 128 }; /* so that no parser has to check for very short data */
    struct simcuda_jit jit;
    (void)name;
    SIMCUDA_ENTER(cuLinkAddData);
    CUresult result = simcuda_jit_read(&jit, count, options, values);
    if (result == CUDA_SUCCESS && (!data || size == 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    char *copy = calloc(1, size + ROOM);
    if (!copy)
        return simcuda_leave(CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(copy, data, size);
    result = add(handle, type, copy, size);
    free(copy);
    return simcuda_leave(result);
}

CUresult simcuda_cuLinkAddFile(CUlinkState handle, int type, const char *path, unsigned count,
                               int *options, void **values)
{
    size_t size;
    struct simcuda_jit jit;
    SIMCUDA_ENTER(cuLinkAddFile);
    CUresult result = simcuda_jit_read(&jit, count, options, values);
    if (result == CUDA_SUCCESS && !path)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    char *data = simcuda_read_file(path, &size);
    result = data ? add(handle, type, data, size) : CUDA_ERROR_FILE_NOT_FOUND;
    free(data);
    return simcuda_leave(result);
}

/* ---- the result ---------------------------------------------------------------------- */

/* Without the lock. */
static CUresult link_texts(const struct simcuda_link *link, unsigned sm, struct ptx_log *log,
                           char **out_text)
{
    struct ptx_module *module = NULL;
    enum ptx_result result = ptx_link((const char *const *)link->texts, link->count, log, out_text);
    if (result == PTX_OK) {
        result = ptx_module_load(*out_text, strlen(*out_text), sm, log, &module);
        ptx_module_destroy(module);
    }
    if (result == PTX_OK)
        return CUDA_SUCCESS;
    free(*out_text);
    *out_text = NULL;
    return result == PTX_NO_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult complete(struct simcuda_link *link)
{
    char text[1024] = "", *linked = NULL;
    struct ptx_log own = {.text = text, .capacity = sizeof text};
    struct ptx_log *log = log_of(&link->jit, &own);
    unsigned sm = link->object.context->device->model.sm;
    simcuda_object_retain(&link->object);
    pthread_mutex_unlock(&simcuda.lock);
    CUresult result = link_texts(link, sm, log, &linked);
    pthread_mutex_lock(&simcuda.lock);
    link->linked = linked;
    if (result != CUDA_SUCCESS)
        AH_LOG_WARN("simulated CUDA driver: a link fails (%d): %s", result,
                    log->text ? log->text : "");
    simcuda_jit_return(&link->jit);
    simcuda_object_release(&link->object);
    return result;
}

CUresult simcuda_cuLinkComplete(CUlinkState handle, void **out_image, size_t *out_size)
{
    SIMCUDA_ENTER(cuLinkComplete);
    struct simcuda_link *link = simcuda_object_get(handle, SIMCUDA_LINK, "cuLinkComplete");
    CUresult result = link ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    if (link && (!out_image || link->count == 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && !link->linked)
        result = complete(link);
    if (result != CUDA_SUCCESS)
        return simcuda_leave(result);
    *out_image = link->linked;
    if (out_size)
        *out_size = strlen(link->linked) + 1;
    return simcuda_leave(CUDA_SUCCESS);
}

CUresult simcuda_cuLinkDestroy(CUlinkState handle)
{
    SIMCUDA_ENTER(cuLinkDestroy);
    struct simcuda_link *link = simcuda_object_get(handle, SIMCUDA_LINK, "cuLinkDestroy");
    if (link)
        simcuda_object_close(&link->object);
    return simcuda_leave(link ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}
