/* What the tests that run against the fake drivers share: choosing drivers, checks
 * that name errors, other processes, kernels, bundles.
 *
 * A process reads its configuration once, so that each test program, or each
 * child process of one, has one set of drivers. Most programs run once over each
 * vendor's: DRIVER_TESTS_VENDOR is cuda, which is the default, or hsa. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "fakecuda.h"
#include "fakehsa.h"

#include <hip/anyhip.h>
#include <hip/api/registration.h>
#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <setjmp.h>
#include <stdarg.h>
/* cmocka wants the four above */
#include <cmocka.h>

enum { HSA_OUT_OF_RESOURCES = 0x1008 }; /* the status that most tests inject */

/* ---- drivers, before the first HIP call ---------------------------------------------- */

/* The one that this process runs over. */
const struct fake *the_fake(void);
bool over_hsa(void);

/* Removes every variable that this library or the fake reads. */
void clean_environment(void);
/* Uses this JSON as the configuration file, in children too. */
void use_configuration(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One fake driver with devices of these compute capabilities ("80,90"). Over HSA, 90 means
 * gfx1100, whose waves have 32 lanes, and any other gfx90a. */
void use_fake(const char *devices);
/* One, whatever DRIVER_TESTS_VENDOR says. */
void use_fake_cuda(const char *devices);
/* Two, as "cuda" and "simcuda". */
void use_two_fakes(const char *cuda_devices, const char *simcuda_devices);
/* One of each vendor, for tests of which DRIVER_TESTS_VENDOR=cuda+hsa asks for that. */
void use_both_fakes(const char *cuda_devices, const char *hsa_devices);
bool over_both(void);

/* ---- checks ---------------------------------------------------------------------------- */

/* The call returns the code. In a child the check ends the process. */
#define expect(call, code) expect_at((int)(call), (int)(code), #call, __FILE__, __LINE__)
#define ok(call)           expect(call, hipSuccess)
#define check(condition)   check_at((condition), #condition, __FILE__, __LINE__)
void expect_at(int got, int wanted, const char *call, const char *file, int line);
void check_at(bool good, const char *condition, const char *file, int line);
/* Every 32-bit word of count is value. */
void check_words(const uint32_t *words, size_t count, uint32_t value);

/* ---- groups of tests -------------------------------------------------------------------- */

/* A test after which everything it made is gone and no rule of CUDA was broken. */
#define TEST(function) cmocka_unit_test_setup_teardown(function, before_each, after_each)
/* The same without that check. */
#define TEST_UNCHECKED(function) cmocka_unit_test(function)
/* A test of one vendor alone ("cuda" or "hsa"), and why. */
struct only {
    const char *vendor, *why;
};
#define TEST_OVER(vendor_, why_, function)                                                         \
    {                                                                                              \
#function, function, before_each, after_each, &(struct only)                               \
        {                                                                                          \
            vendor_, why_                                                                          \
        }                                                                                          \
    }
int before_each(void **state);
int after_each(void **state);
/* For violations that a test means to cause. */
void forget_violations(void);

/* Registers the kernels below and loads them on each device; and the reverse, after
 * which the driver has nothing left. */
void register_kernels(void);
int unregister_kernels(void); /* and resets every device */
int start_kernels(void **state);
int load_kernels(void); /* on every device, if they are registered */
int end_kernels(void **state);
/* What a backend makes once and uses again, so that counts of it say little. */
bool is_kept(const char *what);
/* Called after every device was reset. Reports objects that are left. */
bool nothing_is_left(void);
#define run_group(name, tests)                                                                     \
    run_tests_of(name, tests, sizeof(tests) / sizeof *(tests), start_kernels, end_kernels)
/* Leaves out the tests of the other vendor, and names them. */
int run_tests_of(const char *name, const struct CMUnitTest *tests, size_t count,
                 CMFixtureFunction start, CMFixtureFunction end);

/* ---- other processes ----------------------------------------------------------------------- */

/* Runs function in a child, which must end well within 30 seconds. Only for
 * programs that have not called HIP themselves. */
void in_child(void (*function)(void));
/* This process is a child that was made otherwise. */
void is_in_child(void);
/* The same; the child ends without exit handlers and leak checks. */
void in_child_quickly(void (*function)(void));
/* Its exit status, -signal when it was killed. out_text gets what it wrote to
 * stderr, to be freed; may be NULL. */
int child_status(void (*function)(void), char **out_text);

/* A child that shares something with this process: share sends what opens it to the end of a
 * socket, and the child stays until this process closes the other one. Started by a program that
 * has not called HIP itself. */
struct sharer {
    pid_t process;
    int end;
};
struct sharer start_sharer(void (*share)(int end));
/* Whether it ended well. */
bool end_sharer(const struct sharer *sharer);
/* Makes an event that other processes may open, and sends its handle. */
void share_event(int end);

/* ---- kernels of this program --------------------------------------------------------------------
 */

/* PTX with the kernels below; the bodies do the same on a real device. */
extern const char kernels_ptx[];
/* An image with them for the devices of the fake: the PTX, or a bundle of code objects for gfx90a
 * and gfx1100 made of amdgpu_kernels.c. */
const void *kernels_image(void);
size_t kernels_image_size(void);

/* Their host addresses. */
extern const char fill_kernel, add_kernel, wait_kernel, spin_kernel, fault_kernel, count_kernel,
    bounded_kernel, shared_kernel, struct_kernel, empty_kernel;
/* Variables of the program: a counter that starts at 7, 16 words 1 to 16, constant. */
extern char counter_variable, table_variable, constant_variable;

/* A fat binary around an image, as clang's constructor registers it. */
struct wrapper {
    uint32_t magic, version;
    const void *binary;
    void *unused;
};
struct wrapper wrap_image(const void *image);

hipError_t launch_fill(uint32_t *out, uint32_t value, uint32_t count, hipStream_t stream);
/* Blocks the stream until *flag, in host memory, is not 0. */
hipError_t launch_wait(const uint32_t *flag, hipStream_t stream);
hipError_t launch_fault(hipStream_t stream);

/* A gate: a stream is blocked from close_gate to open_gate. */
struct gate {
    uint32_t *flag;
};
struct gate close_gate(hipStream_t stream);
void open_gate(struct gate *gate);
void free_gate(struct gate *gate); /* when the stream has passed it */

/* ---- images
 * --------------------------------------------------------------------------------------- */

struct entry {
    const char *label;
    const void *data;
    size_t size;
};
/* clang's offload bundle with a host entry before the given ones; to be freed. */
void *make_bundle(const struct entry *entries, size_t count, size_t *out_size);
enum compression { ZLIB, ZSTD };
/* The same compressed, version 2 of the format; to be freed. */
void *compress_bundle(const void *bundle, size_t size, enum compression method, size_t *out_size);
/* An ELF header of a machine and flags, followed by text. */
void *make_elf(unsigned machine, unsigned flags, const char *text, size_t *out_size);
enum { MACHINE_CUDA = 190, MACHINE_AMDGPU = 224 };

/* ---- the log
 * ------------------------------------------------------------------------------------------ */

/* Captures what is written to stderr from begin_log to end_log; the text is to be freed. */
void begin_log(void);
char *end_log(void);
size_t count_text(const char *text, const char *part);

/* The call returns the code, and the log says the text once in an error or a warning. */
#define expect_says(call, code, text)                                                              \
    (begin_says(), expect_said((int)(call), (int)(code), (text), #call, __FILE__, __LINE__))
void begin_says(void);
void expect_said(int got, int wanted, const char *said, const char *call, const char *file,
                 int line);

#endif
