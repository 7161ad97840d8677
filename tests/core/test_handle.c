/* Tests whether any value is recognised as a live handle of a type or not, in many threads. */
#include "handle.h"
#include "support.h"

#include <pthread.h>
#include <string.h>

struct object {
    struct ah_handle handle;
    char content[AH_HANDLE_SLOT - sizeof(struct ah_handle)];
};

static struct ah_device *const device = (struct ah_device *)0x1000;

static bool is_any(const void *value)
{
    for (int type = AH_HANDLE_STREAM; type <= AH_HANDLE_RTC_LINK; type++)
        if (ah_handle_is(value, (enum ah_handle_type)type))
            return true;
    return false;
}

/* ---- before there is any handle: this test runs first -------------------- */

static _Atomic(bool) stop;

static void *ask_always(void *data)
{
    bool *wrong = data;
    while (!atomic_load(&stop))
        for (uintptr_t value = 0; value < 4 * AH_HANDLE_SLOT; value += AH_HANDLE_SLOT)
            *wrong = *wrong || is_any((const void *)value);
    return NULL;
}

static void asking_while_the_first_handle_is_made_is_safe(void **state)
{
    (void)state;
    pthread_t threads[2];
    bool wrong[2] = {false, false};
    assert_false(is_any(NULL));
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, ask_always, &wrong[i]);
    void *first = ah_handle_create(AH_HANDLE_EVENT, device);
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_false(wrong[i]);
    }
    assert_true(ah_handle_is(first, AH_HANDLE_EVENT));
    ah_handle_destroy(first);
}

/* ---- one handle --------------------------------------------------------- */

static void a_handle_is_live_between_creation_and_destruction(void **state)
{
    (void)state;
    struct object *object = ah_handle_create(AH_HANDLE_STREAM, device);
    assert_non_null(object);
    assert_ptr_equal(object->handle.device, device);
    assert_true(ah_handle_is(object, AH_HANDLE_STREAM));
    ah_handle_destroy(object);
    assert_false(is_any(object));
}

static void a_handle_is_of_its_type_alone(void **state)
{
    (void)state;
    for (int type = AH_HANDLE_STREAM; type <= AH_HANDLE_RTC_LINK; type++) {
        void *handle = ah_handle_create((enum ah_handle_type)type, device);
        for (int other = AH_HANDLE_STREAM; other <= AH_HANDLE_RTC_LINK; other++)
            assert_int_equal(ah_handle_is(handle, (enum ah_handle_type)other), other == type);
        ah_handle_destroy(handle);
    }
}

static void addresses_inside_of_a_handle_are_no_handles(void **state)
{
    (void)state;
    char *handle = ah_handle_create(AH_HANDLE_STREAM, device);
    for (int offset = 1; offset < AH_HANDLE_SLOT; offset++)
        assert_false(is_any(handle + offset));
    ah_handle_destroy(handle);
}

static void foreign_values_are_no_handles(void **state)
{
    (void)state;
    struct object local = {.handle = {.type = AH_HANDLE_STREAM, .device = device}};
    char *handle = ah_handle_create(AH_HANDLE_STREAM, device);
    struct object *heap = ah_test_alloc(sizeof *heap);
    *heap = local;
    assert_false(is_any(&local));
    assert_false(is_any(heap));
    for (uintptr_t value = 0; value < 4096; value++)
        assert_false(is_any((const void *)value));
    for (uintptr_t value = UINTPTR_MAX; value > UINTPTR_MAX - 4096; value--)
        assert_false(is_any((const void *)value));
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++)
        assert_false(is_any((const void *)(uintptr_t)(ah_test_random(&seed) >> i % 32)));
    ah_handle_destroy(handle);
}

/* Addresses in the range of handles that no handle ever had cannot even be read. */
static void slots_never_handed_out_are_no_handles(void **state)
{
    (void)state;
    char *handle = ah_handle_create(AH_HANDLE_STREAM, device);
    size_t used = ah_handle_used;
    char *base = ah_handle_base;
    assert_true(handle >= base && handle < base + used);
    for (size_t offset = used; offset < (size_t)1 << 30; offset += 4096)
        assert_false(is_any(base + offset));
    assert_false(is_any(base - AH_HANDLE_SLOT));
    ah_handle_destroy(handle);
}

static void destroying_null_does_nothing(void **state)
{
    (void)state;
    ah_handle_destroy(NULL);
}

static void only_the_first_to_retire_a_handle_wins(void **state)
{
    (void)state;
    void *handle = ah_handle_create(AH_HANDLE_EVENT, device);
    assert_false(ah_handle_retire(handle, AH_HANDLE_STREAM));
    assert_true(ah_handle_is(handle, AH_HANDLE_EVENT));
    assert_true(ah_handle_retire(handle, AH_HANDLE_EVENT));
    assert_false(ah_handle_is(handle, AH_HANDLE_EVENT));
    assert_false(ah_handle_retire(handle, AH_HANDLE_EVENT));
    ah_handle_destroy(handle);
    assert_false(ah_handle_retire(NULL, AH_HANDLE_EVENT));
    assert_false(ah_handle_retire(&handle, AH_HANDLE_EVENT));
}

/* ---- many handles ------------------------------------------------------- */

static void a_destroyed_slot_is_used_again_only_after_many_others(void **state)
{
    (void)state;
    enum { QUARANTINE = 256, ENOUGH = 2000 };
    struct object *first = ah_handle_create(AH_HANDLE_STREAM, device);
    memset(first->content, 0xff, sizeof first->content);
    ah_handle_destroy(first);
    int age = 0;
    for (; age < ENOUGH; age++) {
        struct object *next = ah_handle_create(AH_HANDLE_STREAM, device);
        bool again = next == first;
        for (size_t i = 0; again && i < sizeof first->content; i++)
            assert_int_equal(next->content[i], 0);
        assert_int_equal(is_any(first), again);
        ah_handle_destroy(next);
        if (again)
            break;
    }
    assert_in_range(age, QUARANTINE, ENOUGH - 1);
}

static void handles_made_and_destroyed_for_ever_need_no_more_room(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++)
        ah_handle_destroy(ah_handle_create(AH_HANDLE_EVENT, device));
    size_t used = ah_handle_used;
    for (int i = 0; i < 100000; i++)
        ah_handle_destroy(ah_handle_create(AH_HANDLE_EVENT, device));
    assert_int_equal(ah_handle_used, used);
}

static size_t visited;

static void count_visit(void *handle, void *data)
{
    assert_true(ah_handle_is(handle, AH_HANDLE_POOL));
    assert_ptr_equal(data, &visited);
    visited++;
}

static void every_live_handle_of_a_type_is_visited_once(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    static void *handles[MANY];
    for (int i = 0; i < MANY; i++) {
        handles[i] = ah_handle_create(i % 3 ? AH_HANDLE_POOL : AH_HANDLE_ARRAY, device);
        assert_non_null(handles[i]);
        for (int k = 0; k < i && i < 300; k++)
            assert_ptr_not_equal(handles[i], handles[k]);
    }
    visited = 0;
    ah_handle_each(AH_HANDLE_POOL, count_visit, &visited);
    assert_int_equal(visited, MANY - MANY / 3);
    for (int i = 0; i < MANY; i++)
        ah_handle_destroy(handles[i]);
    visited = 0;
    ah_handle_each(AH_HANDLE_POOL, count_visit, &visited);
    assert_int_equal(visited, 0);
}

/* ---- many threads ------------------------------------------------------- */

enum { THREADS = 6, ROUNDS = 20000, SHARED = 64 };

static _Atomic(void *) shared_handles[SHARED];

struct worker {
    pthread_t thread;
    uint64_t seed;
    size_t made, retired, wrong;
};

/* Makes handles, passes them on through a few shared places, retires what it finds there. */
static void *work(void *data)
{
    struct worker *worker = data;
    for (int i = 0; i < ROUNDS; i++) {
        size_t place = ah_test_random(&worker->seed) % SHARED;
        struct object *mine = ah_handle_create(AH_HANDLE_STREAM, device);
        worker->made++;
        worker->wrong += !ah_handle_is(mine, AH_HANDLE_STREAM) || mine->content[0] != 0;
        mine->content[0] = 1;
        void *other = atomic_exchange(&shared_handles[place], mine);
        void *seen = atomic_load(&shared_handles[(place + 1) % SHARED]);
        worker->wrong += ah_handle_is(seen, AH_HANDLE_MODULE);
        if (other && ah_handle_retire(other, AH_HANDLE_STREAM)) {
            worker->retired++;
            ah_handle_destroy(other);
        }
    }
    return NULL;
}

static void many_threads_make_and_retire_handles(void **state)
{
    (void)state;
    struct worker workers[THREADS] = {{0}};
    size_t made = 0, retired = 0, left = 0;
    for (int i = 0; i < THREADS; i++) {
        workers[i].seed = (uint64_t)i;
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].wrong, 0);
        made += workers[i].made;
        retired += workers[i].retired;
    }
    for (int i = 0; i < SHARED; i++) {
        void *handle = atomic_load(&shared_handles[i]);
        if (handle && ah_handle_retire(handle, AH_HANDLE_STREAM)) {
            ah_handle_destroy(handle);
            left++;
        }
    }
    assert_int_equal(made, retired + left);
}

enum { RACES = 50000, RACERS = 2, LOOKS = 10000 };

/* Two threads go through the same handles side by side. One that is ahead waits only for some time,
 * since the other may have no processor, and would get one only after other programs. */
static struct {
    void *handles[RACES];
    _Atomic(int) at[RACERS]; /* how far each is */
    unsigned char won[RACERS][RACES];
} races;

static void *race_to_retire(void *data)
{
    const int me = data ? 1 : 0, other = 1 - me;
    for (int i = 0; i < RACES; i++) {
        atomic_store(&races.at[me], i);
        for (int looks = 0; looks < LOOKS && atomic_load(&races.at[other]) < i; looks++)
            ;
        for (volatile int wait = me * (i % 256); wait > 0; wait--) /* they see each other late */
            ;
        races.won[me][i] = ah_handle_retire(races.handles[i], AH_HANDLE_EVENT);
    }
    return NULL;
}

static void race(void)
{
    pthread_t thread;
    atomic_store(&races.at[0], 0);
    atomic_store(&races.at[1], 0);
    for (int i = 0; i < RACES; i++)
        assert_non_null(races.handles[i] = ah_handle_create(AH_HANDLE_EVENT, device));
    pthread_create(&thread, NULL, race_to_retire, &races);
    race_to_retire(NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < RACES; i++) {
        assert_int_equal(races.won[0][i] + races.won[1][i], 1);
        ah_handle_destroy(races.handles[i]);
    }
}

static void of_two_threads_that_destroy_a_handle_one_wins(void **state)
{
    (void)state;
    for (int round = 0; round < 4; round++)
        race();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(asking_while_the_first_handle_is_made_is_safe),
        AH_TEST(a_handle_is_live_between_creation_and_destruction),
        AH_TEST(a_handle_is_of_its_type_alone),
        AH_TEST(addresses_inside_of_a_handle_are_no_handles),
        AH_TEST(foreign_values_are_no_handles),
        AH_TEST(slots_never_handed_out_are_no_handles),
        AH_TEST(destroying_null_does_nothing),
        AH_TEST(only_the_first_to_retire_a_handle_wins),
        AH_TEST(a_destroyed_slot_is_used_again_only_after_many_others),
        AH_TEST(handles_made_and_destroyed_for_ever_need_no_more_room),
        AH_TEST(every_live_handle_of_a_type_is_visited_once),
        AH_TEST(many_threads_make_and_retire_handles),
        AH_TEST(of_two_threads_that_destroy_a_handle_one_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
