/* Owns the output of kernels, which is buffered until a kernel ends or the host waits. */
#include "simcuda_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A separate lock: kernels print while the driver's lock is held. */
struct simcuda_print {
    pthread_mutex_t lock;
    char *text;
    size_t length, capacity;
};

struct simcuda_print *simcuda_print_new(void)
{
    struct simcuda_print *print = calloc(1, sizeof *print);
    if (print)
        pthread_mutex_init(&print->lock, NULL);
    return print;
}

void simcuda_print_free(struct simcuda_print *print)
{
    if (!print)
        return;
    pthread_mutex_destroy(&print->lock);
    free(print->text);
    free(print);
}

static void write_out(struct simcuda_print *print)
{
    if (print->length == 0)
        return;
    fwrite(print->text, 1, print->length, stdout);
    fflush(stdout);
    print->length = 0;
}

/* Makes room for size more bytes; output that still does not fit is written at once. */
static bool make_room(struct simcuda_print *print, size_t size, size_t limit)
{
    if (print->length + size > limit)
        write_out(print);
    if (print->length + size <= print->capacity)
        return true;
    size_t capacity = 2 * (print->length + size);
    char *grown = realloc(print->text, capacity);
    if (!grown)
        return false;
    print->text = grown;
    print->capacity = capacity;
    return true;
}

/* The context's limit is the size of the buffer; no output is ever lost. */
void simcuda_print(struct ptx_context *ptx, const char *text, size_t size)
{
    const struct simcuda_context *context = ptx->data;
    struct simcuda_print *print = context->print;
    pthread_mutex_lock(&print->lock);
    if (make_room(print, size, context->limits[CU_LIMIT_PRINTF_FIFO_SIZE])) {
        memcpy(print->text + print->length, text, size);
        print->length += size;
    } else {
        write_out(print);
        fwrite(text, 1, size, stdout);
    }
    pthread_mutex_unlock(&print->lock);
}

void simcuda_print_flush(struct simcuda_context *context)
{
    struct simcuda_print *print = context->print;
    if (!print)
        return;
    pthread_mutex_lock(&print->lock);
    write_out(print);
    pthread_mutex_unlock(&print->lock);
}
