/* The API boundary: what every public function does first and last.
 *
 * The room src/core/api owns the public functions, their rows (api.def), and what
 * exists only for them: textures, pools of memory, contexts, the report. It owns no device, stream
 * or code; those are the runtime's. src/hiprtc includes this header for its own functions; nothing
 * else does. Any thread may call any function; the locks of this room are each private to one file,
 * and AH_ENTER takes none after the first call.
 *
 *   hipError_t hipStreamQuery(hipStream_t stream)
 *   {
 *       AH_ENTER(hipStreamQuery);
 *       return AH_LEAVE(query(stream));
 *   }
 *
 * AH_ENTER initialises the library on the first call and logs the arguments at
 * level 3; AH_LEAVE records the thread's last error and logs the result. Neither
 * costs more than one load and one branch when there is nothing to do. A public
 * function never calls another: it shares an internal one.
 *
 * In a child that fork() made of a process with an initialised library, AH_ENTER
 * returns hipErrorNotInitialized: threads that do not exist in the child may hold
 * any lock, so no code behind AH_ENTER runs there. */
#ifndef AH_API_H
#define AH_API_H

#include "log.h"
#include "runtime.h"

#include <stdint.h>

/* AH_API_QUIET: initialised, and no API call is logged or observed. AH_API_FORKED: this process is
 * the child of one that was initialised; the state never changes again. */
enum ah_api_state { AH_API_UNINITIALISED, AH_API_QUIET, AH_API_OBSERVED, AH_API_FORKED };
extern _Atomic(int) ah_api_state;

/* For the functions that clang's constructors call, which have no AH_ENTER. */
static inline bool ah_api_forked(void)
{
    return atomic_load_explicit(&ah_api_state, memory_order_relaxed) == AH_API_FORKED;
}

/* Brings ah_api_state and ah_unusual in step with the settings of the log and with the observers,
 * after they change. The initialisation does so by itself. */
void ah_api_update_state(void);

/* Initialises the library if that is not done yet. Not for a child that was forked. */
void ah_api_init(void);

/* function is called once, at the end of the initialisation. For rooms above that add observers,
 * of which there are few; before the first call, by a constructor. */
void ah_api_at_start(void (*function)(void));

/* redirect is asked, at every call, for the function that has to be called instead of the one with
 * that number; NULL: none. It stays for good. For a room above that gives others a table of
 * functions to change. */
void ah_api_redirect(void (*(*redirect)(int id))(void));

/* Asks it. NULL: none. */
void (*ah_api_instead(int id))(void);

/* The number of the function of that name, enum ah_api_id of the generated api_ids.h; -1: it has no
 * row in api.def. name lasts as long as the process. Fast. */
int ah_api_id(const char *name);
/* The name of such a number, and the names of the arguments that are logged and observed, as
 * "dst, src, sizeBytes"; NULL: there is no such function. */
const char *ah_api_name(int id);
const char *ah_api_argument_names(int id);
/* For each of these arguments a letter: what can be read through the pointer that it is after a
 * successful call. i: an int, u: an unsigned int, s: a size_t, f: a float, p: a pointer; t: it is a
 * buffer for text, which may not be one; '.': nothing is known. */
const char *ah_api_argument_types(int id);

/* The slow halves: initialise, log, tell observers. values has the arguments themselves, one after
 * the other as in a structure; NULL: there are none, or they are not passed on. False: the call has
 * to be refused (AH_API_FORKED). */
bool ah_api_enter(const char *function, const struct ah_api_arg *args, int count,
                  const void *values);

/* What becomes of a call: refused (AH_API_FORKED), or another function is called instead of it. */
struct ah_entry {
    bool refused;
    void (*instead)(void); /* of the same type; NULL: the call goes on */
};

/* ah_api_enter for functions that may have been replaced in a table of functions. */
struct ah_entry ah_api_enter_or_redirect(const char *function, const struct ah_api_arg *args,
                                         int count, const void *values);
void ah_api_leave(const char *function, hipError_t error);
/* For a function that does not return hipError_t, or does not log what it returns. */
void ah_api_leave_silently(const char *function);

static inline struct ah_api_arg ah_arg_signed(long long value)
{
    return (struct ah_api_arg){.kind = AH_ARG_SIGNED, .as_signed = value};
}
static inline struct ah_api_arg ah_arg_unsigned(unsigned long long value)
{
    return (struct ah_api_arg){.kind = AH_ARG_UNSIGNED, .as_unsigned = value};
}
static inline struct ah_api_arg ah_arg_float(double value)
{
    return (struct ah_api_arg){.kind = AH_ARG_FLOAT, .as_float = value};
}
static inline struct ah_api_arg ah_arg_pointer(const volatile void *value)
{
    return (struct ah_api_arg){.kind = AH_ARG_POINTER, .as_pointer = (const void *)value};
}
static inline struct ah_api_arg ah_arg_text(const char *value)
{
    return (struct ah_api_arg){.kind = AH_ARG_TEXT, .as_text = value};
}
static inline struct ah_api_arg ah_arg_dim3(dim3 value)
{
    return (struct ah_api_arg){.kind = AH_ARG_DIM3, .as_dim3 = value};
}

/* clang-format off */
#define AH_ARG(x) _Generic((x), \
    char: ah_arg_signed, signed char: ah_arg_signed, short: ah_arg_signed, int: ah_arg_signed, \
    long: ah_arg_signed, long long: ah_arg_signed, \
    unsigned char: ah_arg_unsigned, unsigned short: ah_arg_unsigned, unsigned: ah_arg_unsigned, \
    unsigned long: ah_arg_unsigned, unsigned long long: ah_arg_unsigned, \
    float: ah_arg_float, double: ah_arg_float, \
    char *: ah_arg_text, const char *: ah_arg_text, dim3: ah_arg_dim3, \
    default: ah_arg_pointer)(x)

#define AH_ARGS_0()
#define AH_ARGS_1(a) AH_ARG(a)
#define AH_ARGS_2(a, ...) AH_ARG(a), AH_ARGS_1(__VA_ARGS__)
#define AH_ARGS_3(a, ...) AH_ARG(a), AH_ARGS_2(__VA_ARGS__)
#define AH_ARGS_4(a, ...) AH_ARG(a), AH_ARGS_3(__VA_ARGS__)
#define AH_ARGS_5(a, ...) AH_ARG(a), AH_ARGS_4(__VA_ARGS__)
#define AH_ARGS_6(a, ...) AH_ARG(a), AH_ARGS_5(__VA_ARGS__)
#define AH_ARGS_7(a, ...) AH_ARG(a), AH_ARGS_6(__VA_ARGS__)
#define AH_ARGS_8(a, ...) AH_ARG(a), AH_ARGS_7(__VA_ARGS__)
#define AH_ARGS_9(a, ...) AH_ARG(a), AH_ARGS_8(__VA_ARGS__)
#define AH_ARGS_10(a, ...) AH_ARG(a), AH_ARGS_9(__VA_ARGS__)
#define AH_ARGS_11(a, ...) AH_ARG(a), AH_ARGS_10(__VA_ARGS__)
#define AH_ARGS_12(a, ...) AH_ARG(a), AH_ARGS_11(__VA_ARGS__)
#define AH_ARGS_13(a, ...) AH_ARG(a), AH_ARGS_12(__VA_ARGS__)
#define AH_ARGS_14(a, ...) AH_ARG(a), AH_ARGS_13(__VA_ARGS__)
#define AH_ARGS_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, picked, ...) picked
#define AH_ARGS(...) AH_ARGS_PICK(__VA_ARGS__, AH_ARGS_14, AH_ARGS_13, AH_ARGS_12, AH_ARGS_11, \
    AH_ARGS_10, AH_ARGS_9, AH_ARGS_8, AH_ARGS_7, AH_ARGS_6, AH_ARGS_5, AH_ARGS_4, AH_ARGS_3, \
    AH_ARGS_2, AH_ARGS_1)(__VA_ARGS__)
/* clang-format on */

/* Exports function under a second symbol, in the file that defines it. name_ is not used. */
#define AH_ALIAS(name_, function, symbol)                                                          \
    extern __typeof__(function) name_ __asm__(symbol)                                              \
        __attribute__((alias(#function), visibility("default")))

/* The arguments that are logged and passed on come from the function's row of api.def, by way of
 * the generated api_arguments.h. */
#define AH_ENTER(function)                                                                         \
    do {                                                                                           \
        if (__builtin_expect(                                                                      \
                atomic_load_explicit(&ah_api_state, memory_order_acquire) != AH_API_QUIET, 0)) {   \
            const struct ah_api_arg ah_args[] = {AH_ARGS(AH_ARGUMENTS_##function)};                \
            const struct {                                                                         \
                AH_FIELDS_##function                                                               \
            } ah_values = {AH_NAMES_##function};                                                   \
            struct ah_entry ah_entry = ah_api_enter_or_redirect(                                   \
                __func__, ah_args, (int)(sizeof ah_args / sizeof *ah_args), &ah_values);           \
            AH_END_AT_ENTRY(function, ah_entry, AH_NAMES_##function);                              \
        }                                                                                          \
    } while (0)

/* For functions without parameters. */
#define AH_ENTER_PLAIN(function)                                                                   \
    do {                                                                                           \
        if (__builtin_expect(                                                                      \
                atomic_load_explicit(&ah_api_state, memory_order_acquire) != AH_API_QUIET, 0)) {   \
            struct ah_entry ah_entry = ah_api_enter_or_redirect(__func__, NULL, 0, NULL);          \
            AH_END_AT_ENTRY(function, ah_entry, );                                                 \
        }                                                                                          \
    } while (0)

#define AH_END_AT_ENTRY(function, entry, ...)                                                      \
    do {                                                                                           \
        if ((entry).refused)                                                                       \
            return AH_LEAVE(hipErrorNotInitialized);                                               \
        if ((entry).instead)                                                                       \
            return ((__typeof__(&function))(entry).instead)(__VA_ARGS__);                          \
    } while (0)

/* For calls that the capture of a stream may forbid: they allocate or free memory, end modules, or
 * change settings (ah_capture_check_unsafe). */
#define AH_ENTER_UNSAFE(function)                                                                  \
    AH_ENTER(function);                                                                            \
    do {                                                                                           \
        hipError_t ah_refused = ah_capture_any() ? ah_capture_check_unsafe(__func__) : hipSuccess; \
        if (__builtin_expect(ah_refused != hipSuccess, 0))                                         \
            return AH_LEAVE(ah_refused);                                                           \
    } while (0)

/* For functions that touch nothing but the calling thread's state, and are never refused. */
#define AH_ENTER_THREAD_ONLY(function)                                                             \
    do {                                                                                           \
        if (__builtin_expect(                                                                      \
                atomic_load_explicit(&ah_api_state, memory_order_acquire) != AH_API_QUIET, 0)) {   \
            struct ah_entry ah_entry = ah_api_enter_or_redirect(__func__, NULL, 0, NULL);          \
            if (ah_entry.instead)                                                                  \
                return ((__typeof__(&function))ah_entry.instead)();                                \
        }                                                                                          \
    } while (0)

/* For functions that do not return hipError_t: refusal is the value that they return if the call
 * has to be refused, or empty for void. They pass no arguments on, and are not redirected here. */
#define AH_ENTER_ELSE(refusal, ...)                                                                \
    do {                                                                                           \
        if (__builtin_expect(                                                                      \
                atomic_load_explicit(&ah_api_state, memory_order_acquire) != AH_API_QUIET, 0)) {   \
            const struct ah_api_arg ah_args[] = {AH_ARGS(__VA_ARGS__)};                            \
            if (!ah_api_enter(__func__, ah_args, (int)(sizeof ah_args / sizeof *ah_args), NULL))   \
                return refusal;                                                                    \
        }                                                                                          \
    } while (0)

/* For functions without AH_ENTER that others may have replaced in their table of functions. They
 * need api_arguments.h and api_ids.h. */
#define AH_CALL_INSTEAD(function)                                                                  \
    do {                                                                                           \
        __typeof__(&function) ah_instead = AH_INSTEAD(function);                                   \
        if (ah_instead)                                                                            \
            return ah_instead(AH_NAMES_##function);                                                \
    } while (0)

/* The same for functions that return nothing. */
#define AH_CALL_INSTEAD_VOID(function)                                                             \
    do {                                                                                           \
        __typeof__(&function) ah_instead = AH_INSTEAD(function);                                   \
        if (ah_instead) {                                                                          \
            ah_instead(AH_NAMES_##function);                                                       \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#define AH_INSTEAD(function)                                                                       \
    ((__typeof__(&function))(__builtin_expect(                                                     \
                                 atomic_load_explicit(&ah_api_state, memory_order_acquire) ==      \
                                     AH_API_OBSERVED,                                              \
                                 0)                                                                \
                                 ? ah_api_instead(AH_API_ID_##function)                            \
                                 : NULL))

#define AH_LEAVE(result) ah_leave(__func__, result)

/* Ends a call that does not end with AH_LEAVE. */
#define AH_LEAVE_SILENTLY() AH_LEAVE_SILENTLY_AS(__func__)
#define AH_LEAVE_SILENTLY_AS(function)                                                             \
    do {                                                                                           \
        if (__builtin_expect(                                                                      \
                atomic_load_explicit(&ah_api_state, memory_order_relaxed) != AH_API_QUIET, 0))     \
            ah_api_leave_silently(function);                                                       \
    } while (0)

/* HIP 7: the last error stays until it is read, and "not ready" is not an error. */
static inline hipError_t ah_leave(const char *function, hipError_t error)
{
    ah_thread.last_result = error;
    if (__builtin_expect(error != hipSuccess && error != hipErrorNotReady, 0))
        ah_thread.last_error = error;
    if (__builtin_expect(atomic_load_explicit(&ah_api_state, memory_order_relaxed) != AH_API_QUIET,
                         0))
        ah_api_leave(function, error);
    return error;
}

#endif
