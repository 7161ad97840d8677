/* For programs under MemorySanitizer: tells it what libraries have written that were compiled
 * without it. Linked with --wrap for each function here. */
#include <cjson/cJSON.h>
#include <msgpack.h>
#include <sanitizer/msan_interface.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

int __real_inflateInit_(z_streamp stream, const char *version, int size);
int __wrap_inflateInit_(z_streamp stream, const char *version, int size)
{
    int status = __real_inflateInit_(stream, version, size);
    __msan_unpoison(stream, sizeof *stream);
    return status;
}

int __real_inflate(z_streamp stream, int flush);
int __wrap_inflate(z_streamp stream, int flush)
{
    unsigned char *out = stream->next_out;
    int status = __real_inflate(stream, flush);
    __msan_unpoison(stream, sizeof *stream);
    __msan_unpoison(out, (size_t)(stream->next_out - out));
    return status;
}

size_t __real_ZSTD_decompress(void *out, size_t room, const void *data, size_t size);
size_t __wrap_ZSTD_decompress(void *out, size_t room, const void *data, size_t size)
{
    size_t written = __real_ZSTD_decompress(out, room, data, size);
    if (!ZSTD_isError(written))
        __msan_unpoison(out, written);
    return written;
}

/* What cJSON makes lies in memory that counts as written from the beginning. */
static void *zeroed(size_t size)
{
    return calloc(1, size);
}

__attribute__((constructor)) static void give_memory(void)
{
    cJSON_Hooks hooks = {.malloc_fn = zeroed, .free_fn = free};
    cJSON_InitHooks(&hooks);
}

/* Its own stack counts as what was there before. */
cJSON *__real_cJSON_ParseWithLengthOpts(const char *text, size_t size, const char **out_end,
                                        cJSON_bool whole);
cJSON *__wrap_cJSON_ParseWithLengthOpts(const char *text, size_t size, const char **out_end,
                                        cJSON_bool whole)
{
    __msan_scoped_disable_interceptor_checks();
    cJSON *json = __real_cJSON_ParseWithLengthOpts(text, size, out_end, whole);
    __msan_scoped_enable_interceptor_checks();
    if (out_end)
        __msan_unpoison(out_end, sizeof *out_end);
    return json;
}

char *__real_cJSON_Print(const cJSON *json);
char *__wrap_cJSON_Print(const cJSON *json)
{
    __msan_scoped_disable_interceptor_checks();
    char *text = __real_cJSON_Print(json);
    __msan_scoped_enable_interceptor_checks();
    return text;
}

/* Objects lie in memory of msgpack's own, which poison_in_malloc=0 makes count as written. */
msgpack_unpack_return __real_msgpack_unpack_next(msgpack_unpacked *out, const char *data,
                                                 size_t size, size_t *at);
msgpack_unpack_return __wrap_msgpack_unpack_next(msgpack_unpacked *out, const char *data,
                                                 size_t size, size_t *at)
{
    msgpack_unpack_return status = __real_msgpack_unpack_next(out, data, size, at);
    __msan_unpoison(out, sizeof *out);
    return status;
}
