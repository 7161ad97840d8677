/* The queue for cooperative kernels, of which AMD's runtime has one per device: other users of the
 * runtime in the process (another HIP, OpenMP) write packets to it too. */
#include "support.h"
#include "thread.h"

#include "hsa_abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define HSA_FUNCTION(result, name, parameters) result name parameters;
#include "hsa_functions.def"
#undef HSA_FUNCTION

enum { PACKET_SIZE = 64 };

static const dim3 one = {1, 1, 1};

/* ---- another client --------------------------------------------------------------------- */

struct client {
    hsa_queue_t *queue;
    hsa_signal_t left; /* how many of its packets the device has not processed */
};

static struct client open_client(void)
{
    struct client client;
    hsa_agent_t agent;
    ok(anyhipDeviceGetNative(0, &agent.handle, NULL));
    check(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_COOPERATIVE, NULL, NULL, UINT32_MAX,
                           UINT32_MAX, &client.queue) == HSA_STATUS_SUCCESS);
    check(hsa_signal_create(0, 0, NULL, &client.left) == HSA_STATUS_SUCCESS);
    return client;
}

static void wait_for_its_packets(const struct client *client)
{
    check(hsa_signal_wait_scacquire(client->left, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                    HSA_WAIT_STATE_BLOCKED) == 0);
}

static void close_client(const struct client *client)
{
    wait_for_its_packets(client);
    check(hsa_queue_destroy(client->queue) == HSA_STATUS_SUCCESS);
    check(hsa_signal_destroy(client->left) == HSA_STATUS_SUCCESS);
}

static void *packet_at(const struct client *client, uint64_t index)
{
    char *packets = client->queue->base_address;
    return packets + index % client->queue->size * PACKET_SIZE;
}

/* Each as any number of producers may: it takes an index and waits until there is room. */
static void put_packets(const struct client *client, unsigned count)
{
    uint16_t header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE;
    while (count-- > 0) {
        uint64_t index = hsa_queue_add_write_index_relaxed(client->queue, 1);
        while (index - hsa_queue_load_read_index_scacquire(client->queue) >= client->queue->size)
            usleep(10);
        hsa_barrier_and_packet_t *packet = packet_at(client, index);
        hsa_signal_add_relaxed(client->left, 1);
        memset((char *)packet + sizeof header, 0, PACKET_SIZE - sizeof header);
        packet->completion_signal = client->left;
        __atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
        hsa_signal_store_screlease(client->queue->doorbell_signal, (hsa_signal_value_t)index);
    }
}

/* Whether the device processes all packets: it stops at one that has not been written. */
static bool all_are_written(const struct client *client)
{
    uint64_t end = hsa_queue_load_write_index_scacquire(client->queue);
    for (uint64_t i = hsa_queue_load_read_index_scacquire(client->queue); i < end; i++)
        if ((*(const uint16_t *)packet_at(client, i) & 0xff) == HSA_PACKET_TYPE_INVALID)
            return false;
    return true;
}

/* ---- launches --------------------------------------------------------------------------- */

static hipError_t launch_fill_together(uint32_t *memory, uint32_t value, hipStream_t stream)
{
    uint32_t count = 1;
    void *args[] = {&memory, &value, &count};
    return hipLaunchCooperativeKernel(&fill_kernel, one, one, args, 0, stream);
}

static uint32_t *new_word(void)
{
    void *word;
    ok(hipHostMalloc(&word, 4, 0));
    *(uint32_t *)word = 0;
    return word;
}

static void launches_go_behind_the_packets_of_another_client(void **state)
{
    uint32_t *word = new_word();
    (void)state;
    ok(launch_fill_together(word, 1, NULL)); /* has opened the queue */
    ok(hipDeviceSynchronize());
    struct client client = open_client();
    put_packets(&client, 3);
    wait_for_its_packets(&client);
    fakehsa_hold(true);
    put_packets(&client, 1);
    ok(launch_fill_together(word, 2, NULL));
    put_packets(&client, 1);
    check(all_are_written(&client));
    fakehsa_hold(false);
    ok(hipDeviceSynchronize());
    check(*word == 2);
    close_client(&client);
    ok(hipHostFree(word));
}

static void the_queue_is_in_use_when_it_is_opened(void **state)
{
    struct client client = open_client();
    (void)state;
    put_packets(&client, 5);
    wait_for_its_packets(&client);
    ok(hipDeviceReset());
    uint32_t *word = new_word();
    fakehsa_hold(true);
    ok(launch_fill_together(word, 3, NULL));
    check(all_are_written(&client));
    fakehsa_hold(false);
    ok(hipDeviceSynchronize());
    check(*word == 3);
    close_client(&client);
    ok(hipHostFree(word));
}

/* ---- room ------------------------------------------------------------------------------- */

struct launcher {
    uint32_t *word;
    unsigned count;
    _Atomic pid_t thread;
    hipError_t error;
};

static void *launch_many(void *data)
{
    struct launcher *launcher = data;
    atomic_store(&launcher->thread, gettid());
    for (unsigned i = 1; i <= launcher->count && launcher->error == hipSuccess; i++)
        launcher->error = launch_fill_together(launcher->word, i, NULL);
    return NULL;
}

static void wait_until_it_sleeps(const struct launcher *launcher)
{
    for (int quiet = 0; quiet < 20; usleep(1000)) {
        pid_t thread = atomic_load(&launcher->thread);
        quiet = thread && ah_test_sleeps(thread) ? quiet + 1 : 0;
    }
}

static void a_launch_waits_for_room_that_another_client_has_taken(void **state)
{
    struct launcher launcher = {.word = new_word(), .count = 1};
    pthread_t thread;
    (void)state;
    ok(launch_fill_together(launcher.word, 5, NULL));
    ok(hipDeviceSynchronize());
    struct client client = open_client();
    put_packets(&client, 2);
    wait_for_its_packets(&client);
    fakehsa_hold(true);
    put_packets(&client, client.queue->size);
    check(pthread_create(&thread, NULL, launch_many, &launcher) == 0);
    wait_until_it_sleeps(&launcher);
    fakehsa_hold(false);
    pthread_join(thread, NULL);
    ok(launcher.error);
    ok(hipDeviceSynchronize());
    check(*launcher.word == 1);
    close_client(&client);
    ok(hipHostFree(launcher.word));
}

static void two_clients_fill_the_queue_at_once(void **state)
{
    enum { PACKETS = 500 };
    struct launcher launcher = {.word = new_word(), .count = PACKETS};
    struct client client = open_client();
    pthread_t thread;
    (void)state;
    check(pthread_create(&thread, NULL, launch_many, &launcher) == 0);
    put_packets(&client, PACKETS);
    pthread_join(thread, NULL);
    ok(launcher.error);
    ok(hipDeviceSynchronize());
    check(*launcher.word == PACKETS);
    close_client(&client);
    ok(hipHostFree(launcher.word));
}

/* A packet whose slot has been reserved has to be written in any case. */
static void a_launch_that_fails_does_not_stop_the_queue(void **state)
{
    hipStream_t stream;
    (void)state;
    ok(hipDeviceReset()); /* no memory for arguments is left over */
    uint32_t *word = new_word();
    ok(launch_fill_together(word, 1, NULL));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    struct client client = open_client();
    fakehsa_fail("hsa_amd_memory_pool_allocate", 0, HSA_OUT_OF_RESOURCES);
    expect(launch_fill_together(word, 2, stream), hipErrorOutOfMemory); /* no place for arguments */
    fakehsa_clear_faults();
    put_packets(&client, 1);
    ok(launch_fill_together(word, 3, stream));
    ok(hipStreamSynchronize(stream));
    check(*word == 3);
    ok(hipStreamDestroy(stream));
    close_client(&client);
    ok(hipHostFree(word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(launches_go_behind_the_packets_of_another_client),
        TEST(the_queue_is_in_use_when_it_is_opened),
        TEST(a_launch_waits_for_room_that_another_client_has_taken),
        TEST(two_clients_fill_the_queue_at_once),
        TEST(a_launch_that_fails_does_not_stop_the_queue),
    };
    use_fake("80,90");
    return run_group("driver.shared_queue", tests);
}
