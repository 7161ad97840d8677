/* Code that is kept for the next process: its keys, its files, and that it is loaded. */
#include "jit.h"
#include "jit_regions.h"
#include "jit_store.h"
#include "log.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

const struct wave_bitcode *test_jit_bitcode(void);
static struct wave_machine machine;
static char folder[] = "/tmp/anyhip-test-store-XXXXXX";

/* ---- keys -------------------------------------------------------------------------------- */

static struct jit_key key_of(const struct program *program, uint64_t salt)
{
    struct wave_flow flow;
    struct jit_addresses addresses;
    struct jit_key key;
    assert_true(wave_flow_init(&flow, &program->region, false));
    assert_true(jit_key_make(&program->region, &flow, salt, &addresses, &key));
    jit_addresses_fini(&addresses);
    wave_flow_fini(&flow);
    return key;
}

static bool same(struct jit_key a, struct jit_key b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static struct program *random_program(uint64_t seed)
{
    struct program *program = malloc(sizeof *program);
    assert_non_null(program);
    program_random(program, &machine, seed);
    return program;
}

static void keys_do_not_depend_on_where_ops_are(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct program *a = random_program(seed), *b = random_program(seed);
        struct program *other = random_program(seed + 1000);
        assert_true(same(key_of(a, 1), key_of(b, 1)));
        assert_false(same(key_of(a, 1), key_of(a, 2)));
        assert_false(same(key_of(a, 1), key_of(other, 1)));
        free(a);
        free(b);
        free(other);
    }
}

static void keys_differ_where_a_constant_does(void **state)
{
    (void)state;
    struct program *program = random_program(1);
    program_init(program, &machine, 1);
    program_add(program, 0, WAVE_EFFECT, "scalar_add", (const uint64_t[]){0, 1, 5});
    program_leave(program, 0);
    struct jit_key before = key_of(program, 1);
    program->arguments[0][0][2] = 6;
    assert_false(same(before, key_of(program, 1)));
    /* What is said to be an address is none of its digits. */
    program->insts[0][0].addresses = 4;
    before = key_of(program, 1);
    program->arguments[0][0][2] = 7;
    assert_true(same(before, key_of(program, 1)));
    free(program);
}

/* ---- files ------------------------------------------------------------------------------- */

static const char bytes[] = "an object file";

static void path_of(const struct jit_key *key, char out_path[200])
{
    snprintf(out_path, 200, "%s/%016llx%016llx.region", folder, (unsigned long long)key->words[0],
             (unsigned long long)key->words[1]);
}

static struct jit_store store_of(uint64_t limit)
{
    struct jit_store store = {.limit = limit};
    snprintf(store.folder, sizeof store.folder, "%s", folder);
    return store;
}

static bool is_read(const struct jit_store *store, const struct jit_key *key)
{
    size_t size = 0;
    char *read = jit_store_read_in(store, key, &size);
    bool right = read && size == sizeof bytes && memcmp(read, bytes, size) == 0;
    assert_true(right || !read);
    free(read);
    return right;
}

static void what_is_written_is_read_by_its_key(void **state)
{
    (void)state;
    struct jit_store store = store_of(1 << 20);
    const struct jit_key key = {{1, 2}}, other = {{1, 3}};
    strcat(store.folder, "/new/folder");
    assert_false(jit_store_has_in(&store, &key));
    jit_store_write_in(&store, &key, bytes, sizeof bytes);
    assert_true(jit_store_has_in(&store, &key));
    assert_true(is_read(&store, &key));
    assert_false(is_read(&store, &other));
}

static void a_key_is_marked_until_its_object_is_there(void **state)
{
    (void)state;
    const struct jit_store store = store_of(1 << 20);
    const struct jit_key key = {{8, 9}};
    assert_false(jit_store_mark_in(&store, &key));
    assert_true(jit_store_has_in(&store, &key));
    assert_false(is_read(&store, &key));
    assert_true(jit_store_mark_in(&store, &key));
    jit_store_write_in(&store, &key, bytes, sizeof bytes);
    assert_true(is_read(&store, &key));
    assert_true(jit_store_mark_in(&store, &key));
    assert_true(is_read(&store, &key));
}

/* Any byte of the file, and its length. */
static void a_file_that_was_damaged_is_not_read(void **state)
{
    (void)state;
    const struct jit_store store = store_of(1 << 20);
    const struct jit_key key = {{3, 4}};
    struct stat status;
    char path[200];
    path_of(&key, path);
    for (off_t at = 0;; at++) {
        jit_store_write_in(&store, &key, bytes, sizeof bytes);
        int file = open(path, O_RDWR);
        assert_true(file >= 0 && fstat(file, &status) == 0);
        char byte = 0;
        ssize_t got = pread(file, &byte, 1, at);
        byte ^= 1;
        assert_true(pwrite(file, &byte, 1, at) == 1); /* at the end: one more */
        close(file);
        assert_false(is_read(&store, &key));
        assert_int_equal(access(path, F_OK), -1);
        if (got == 0)
            break;
    }
}

static void a_file_that_others_may_write_is_not_read(void **state)
{
    (void)state;
    const struct jit_store store = store_of(1 << 20);
    const struct jit_key key = {{5, 6}};
    char path[200];
    path_of(&key, path);
    jit_store_write_in(&store, &key, bytes, sizeof bytes);
    assert_int_equal(chmod(path, 0622), 0);
    assert_false(is_read(&store, &key));
}

static void what_was_used_last_is_kept_in_a_full_folder(void **state)
{
    (void)state;
    const struct jit_store store = store_of(1000);
    for (uint64_t i = 0; i < 20; i++) {
        const struct jit_key key = {{7, i}};
        const struct timespec times[2] = {{.tv_sec = (time_t)(1000 + i)},
                                          {.tv_sec = (time_t)(1000 + i)}};
        char path[200];
        path_of(&key, path);
        jit_store_write_in(&store, &key, bytes, sizeof bytes);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    assert_true(is_read(&store, &(struct jit_key){{7, 0}})); /* used now */
    jit_store_prune(&store);
    assert_true(jit_store_has_in(&store, &(struct jit_key){{7, 0}}));
    assert_true(jit_store_has_in(&store, &(struct jit_key){{7, 19}}));
    assert_false(jit_store_has_in(&store, &(struct jit_key){{7, 1}}));
    unsigned left = 0;
    for (uint64_t i = 0; i < 20; i++)
        left += jit_store_has_in(&store, &(struct jit_key){{7, i}});
    assert_true(left >= 9 && left <= 13); /* of files of 55 bytes, at most 750 */
}

/* ---- regions ----------------------------------------------------------------------------- */

static void take_code(void *data, jit_code code)
{
    *(jit_code *)data = code;
}

static void keep(void *data)
{
    (void)data;
}

/* Requests a region, and executes it. Returns how many were loaded. */
static uint64_t run(const struct program *program)
{
    struct jit_statistics before, after;
    jit_code code = NULL;
    jit_statistics_get(&before);
    struct jit_region *region = jit_request(&program->region, take_code, keep, &code);
    assert_non_null(region);
    jit_finish();
    jit_statistics_get(&after);
    assert_non_null(code);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world compiled, executed;
        world_init(&compiled, seed);
        world_init(&executed, seed);
        executed.state.frame = executed.frame;
        executed.state.memory = executed.memory;
        const struct op *left = code(&compiled.state), *first = &program->ops[0][0];
        left = left ? left : (const struct op *)compiled.state.last + 1;
        left = program_run(program, &compiled.state, left, false);
        assert_ptr_equal(left, program_run(program, &executed.state, first, false));
        assert_null(world_difference(&compiled, &executed));
    }
    jit_free(region);
    return after.loaded - before.loaded;
}

static void a_region_is_compiled_once_and_loaded_after_that(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct program *first = random_program(seed), *second = random_program(seed);
        assert_false(jit_is_kept(&first->region));
        assert_int_equal(run(first), 0);
        assert_true(jit_is_kept(&second->region));
        assert_int_equal(run(second), 1);
        free(first);
        free(second);
    }
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    char kept[100];
    if (!mkdtemp(folder))
        return 1;
    snprintf(kept, sizeof kept, "%s/kept", folder);
    setenv("ANYHIP_SIM_JIT", "on", 1);
    setenv("ANYHIP_SIM_JIT_CACHE", kept, 1);
    machine = machine_without_bitcode;
    machine.bitcode = test_jit_bitcode();
    ah_log_threshold = 2;
    const struct CMUnitTest tests[] = {
        AH_TEST(keys_do_not_depend_on_where_ops_are),
        AH_TEST(keys_differ_where_a_constant_does),
        AH_TEST(what_is_written_is_read_by_its_key),
        AH_TEST(a_key_is_marked_until_its_object_is_there),
        AH_TEST(a_file_that_was_damaged_is_not_read),
        AH_TEST(a_file_that_others_may_write_is_not_read),
        AH_TEST(what_was_used_last_is_kept_in_a_full_folder),
        AH_TEST(a_region_is_compiled_once_and_loaded_after_that),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
