/* Owns user objects and the lists of references to them that graphs hold. A count that is larger
 * than the number of references is not an error in HIP: it stands for all of them. */
#include "api.h"
#include "api_arguments.h"
#include "graph.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

/* hipUserObject_t */
struct ah_user_object {
    struct ah_handle handle;
    void *pointer;
    hipHostFn_t destroy;
    unsigned long long references; /* of the application and of graphs */
    unsigned long long held;       /* of them, the application's */
};

_Static_assert(sizeof(struct ah_user_object) <= AH_HANDLE_SLOT, "struct ah_user_object");

struct reference {
    struct ah_user_object *object;
    unsigned long long count;
};

struct ah_graph_objects {
    struct ah_graph_objects *next; /* a further list, after ah_graph_objects_join */
    size_t count, capacity;
    struct reference references[];
};

/* The counts of all objects, below the lock of graphs. */
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- references ------------------------------------------------------------------------- */

/* The counts are locked. Returns whether these were the last references. */
static bool drop_locked(struct ah_user_object *object, unsigned long long count)
{
    object->references -= count;
    return object->references == 0 && ah_handle_retire(object, AH_HANDLE_USER_OBJECT);
}

static void destroy_object(struct ah_user_object *object)
{
    hipHostFn_t destroy = object->destroy;
    void *pointer = object->pointer;
    ah_handle_destroy(object);
    destroy(pointer);
}

/* No lock is held. */
static void drop(struct ah_user_object *object, unsigned long long count)
{
    pthread_mutex_lock(&count_lock);
    bool last = drop_locked(object, count);
    pthread_mutex_unlock(&count_lock);
    if (last)
        destroy_object(object);
}

static void add_references(struct ah_user_object *object, unsigned long long count)
{
    pthread_mutex_lock(&count_lock);
    object->references += count;
    pthread_mutex_unlock(&count_lock);
}

/* ---- lists of references ------------------------------------------------------------- */

hipError_t ah_graph_objects_copy(const struct ah_graph_objects *objects,
                                 struct ah_graph_objects **out_copy)
{
    *out_copy = NULL;
    if (!objects)
        return hipSuccess;
    struct ah_graph_objects *copy =
        malloc(sizeof *copy + objects->count * sizeof(struct reference));
    if (!copy)
        return hipErrorOutOfMemory;
    *copy = (struct ah_graph_objects){.count = objects->count, .capacity = objects->count};
    for (size_t i = 0; i < objects->count; i++) {
        copy->references[i] = objects->references[i];
        add_references(copy->references[i].object, copy->references[i].count);
    }
    *out_copy = copy;
    return hipSuccess;
}

struct ah_graph_objects *ah_graph_objects_join(struct ah_graph_objects *objects,
                                               struct ah_graph_objects *more)
{
    struct ah_graph_objects **end = &more;
    while (*end)
        end = &(*end)->next;
    *end = objects;
    return more;
}

void ah_graph_objects_release(struct ah_graph_objects *objects)
{
    while (objects) {
        struct ah_graph_objects *next = objects->next;
        for (size_t i = 0; i < objects->count; i++)
            drop(objects->references[i].object, objects->references[i].count);
        free(objects);
        objects = next;
    }
}

/* A place for one more reference at the end of the list. */
static bool make_room(struct ah_graph_objects **objects)
{
    struct ah_graph_objects *old = *objects;
    size_t count = old ? old->count : 0;
    if (old && count < old->capacity)
        return true;
    size_t capacity = count ? 2 * count : 4;
    struct ah_graph_objects *list =
        realloc(old, sizeof *list + capacity * sizeof(struct reference));
    if (!list)
        return false;
    list->next = NULL;
    list->count = count;
    list->capacity = capacity;
    *objects = list;
    return true;
}

/* Takes up to count references to object out of the list. */
static unsigned long long take_out(struct ah_graph_objects *objects,
                                   const struct ah_user_object *object, unsigned long long count)
{
    unsigned long long taken = 0;
    for (size_t i = objects ? objects->count : 0; i-- > 0 && taken < count;) {
        struct reference *reference = &objects->references[i];
        if (reference->object != object)
            continue;
        unsigned long long part =
            reference->count < count - taken ? reference->count : count - taken;
        reference->count -= part;
        taken += part;
        if (reference->count == 0)
            *reference = objects->references[--objects->count];
    }
    return taken;
}

/* ---- the application's references ------------------------------------------------------ */

static hipError_t check_count(unsigned count, const char *call)
{
    if (count > 0 && count <= INT_MAX)
        return hipSuccess;
    AH_LOG_ERR("%s: %u references; a count is from 1 to %d", call, count, INT_MAX);
    return hipErrorInvalidValue;
}

static hipError_t check(hipUserObject_t handle, unsigned count, const char *call)
{
    if (handle)
        return check_count(count, call);
    AH_LOG_ERR("%s: the user object is NULL", call);
    return hipErrorInvalidValue;
}

static hipError_t create(hipUserObject_t *out_object, void *pointer, hipHostFn_t destroy,
                         unsigned count, unsigned flags)
{
    if (!out_object || !destroy || flags != hipUserObjectNoDestructorSync) {
        AH_LOG_ERR("hipUserObjectCreate needs a place for the object, a destructor, and the flag "
                   "hipUserObjectNoDestructorSync alone");
        return hipErrorInvalidValue;
    }
    hipError_t error = check_count(count, "hipUserObjectCreate");
    if (error != hipSuccess)
        return error;
    struct ah_user_object *object = ah_handle_create(AH_HANDLE_USER_OBJECT, NULL);
    if (!object)
        return hipErrorOutOfMemory;
    object->pointer = pointer;
    object->destroy = destroy;
    object->references = object->held = count;
    *out_object = (hipUserObject_t)(void *)object;
    return hipSuccess;
}

hipError_t hipUserObjectCreate(hipUserObject_t *object_out, void *ptr, hipHostFn_t destroy,
                               unsigned int initialRefcount, unsigned int flags)
{
    AH_ENTER(hipUserObjectCreate);
    return AH_LEAVE(create(object_out, ptr, destroy, initialRefcount, flags));
}

/* The counts are locked. HIP accepts objects that are gone, so that this is a warning. */
static struct ah_user_object *find_object(hipUserObject_t handle, const char *call)
{
    if (ah_handle_is(handle, AH_HANDLE_USER_OBJECT))
        return (struct ah_user_object *)(void *)handle;
    AH_LOG_WARN("%s does nothing: user object %p does not exist (any more)", call, (void *)handle);
    return NULL;
}

/* The counts are locked. */
static unsigned long long give_up_held(struct ah_user_object *object, unsigned count,
                                       const char *call)
{
    unsigned long long taken = count < object->held ? count : object->held;
    if (taken < count)
        AH_LOG_WARN("%s of %u references to a user object of which the application has %llu", call,
                    count, taken);
    object->held -= taken;
    return taken;
}

static hipError_t release(hipUserObject_t handle, unsigned count)
{
    hipError_t error = check(handle, count, "hipUserObjectRelease");
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&count_lock);
    struct ah_user_object *object = find_object(handle, "hipUserObjectRelease");
    bool last = object && drop_locked(object, give_up_held(object, count, "hipUserObjectRelease"));
    pthread_mutex_unlock(&count_lock);
    if (last)
        destroy_object(object);
    return hipSuccess;
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count)
{
    AH_ENTER(hipUserObjectRelease);
    return AH_LEAVE(release(object, count));
}

static hipError_t retain(hipUserObject_t handle, unsigned count)
{
    hipError_t error = check(handle, count, "hipUserObjectRetain");
    if (error != hipSuccess)
        return error;
    pthread_mutex_lock(&count_lock);
    struct ah_user_object *object = find_object(handle, "hipUserObjectRetain");
    if (object) {
        object->references += count;
        object->held += count;
    }
    pthread_mutex_unlock(&count_lock);
    return hipSuccess;
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count)
{
    AH_ENTER(hipUserObjectRetain);
    return AH_LEAVE(retain(object, count));
}

/* ---- references of graphs -------------------------------------------------------------- */

/* The references that a graph gets: new ones, or the application's. */
static unsigned long long references_for_graph(struct ah_user_object *object, unsigned count,
                                               unsigned flags)
{
    if (flags == hipGraphUserObjectMove)
        return give_up_held(object, count, "hipGraphRetainUserObject");
    object->references += count;
    return count;
}

/* The lock of graphs is held. */
static hipError_t give_to_graph(struct ah_graph *graph, hipUserObject_t handle, unsigned count,
                                unsigned flags)
{
    if (!make_room(&graph->objects))
        return hipErrorOutOfMemory;
    pthread_mutex_lock(&count_lock);
    struct ah_user_object *object = find_object(handle, "hipGraphRetainUserObject");
    unsigned long long given = object ? references_for_graph(object, count, flags) : 0;
    pthread_mutex_unlock(&count_lock);
    if (given > 0)
        graph->objects->references[graph->objects->count++] =
            (struct reference){.object = object, .count = given};
    return hipSuccess;
}

static hipError_t graph_retain(hipGraph_t handle, hipUserObject_t object, unsigned count,
                               unsigned flags)
{
    struct ah_graph *graph;
    hipError_t error = check(object, count, "hipGraphRetainUserObject");
    if (error != hipSuccess)
        return error;
    if (flags != 0 && flags != hipGraphUserObjectMove) {
        AH_LOG_ERR("hipGraphRetainUserObject: unknown flags 0x%x", flags);
        return hipErrorInvalidValue;
    }
    ah_graph_lock();
    error = ah_graph_of(handle, "hipGraphRetainUserObject", &graph);
    if (error == hipSuccess)
        error = give_to_graph(graph, object, count, flags);
    ah_graph_unlock();
    return error;
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count,
                                    unsigned int flags)
{
    AH_ENTER(hipGraphRetainUserObject);
    return AH_LEAVE(graph_retain(graph, object, count, flags));
}

static hipError_t graph_release(hipGraph_t handle, hipUserObject_t object, unsigned count)
{
    struct ah_graph *graph;
    unsigned long long taken = 0;
    hipError_t error = check(object, count, "hipGraphReleaseUserObject");
    if (error != hipSuccess)
        return error;
    ah_graph_lock();
    error = ah_graph_of(handle, "hipGraphReleaseUserObject", &graph);
    if (error == hipSuccess)
        taken = take_out(graph->objects, (struct ah_user_object *)(void *)object, count);
    ah_graph_unlock();
    if (error == hipSuccess && taken < count)
        AH_LOG_WARN("hipGraphReleaseUserObject of %u references to user object %p, of which the "
                    "graph has %llu",
                    count, (void *)object, taken);
    if (taken > 0)
        drop((struct ah_user_object *)(void *)object, taken);
    return error;
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count)
{
    AH_ENTER(hipGraphReleaseUserObject);
    return AH_LEAVE(graph_release(graph, object, count));
}
