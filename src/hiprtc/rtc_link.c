/* Owns links: their options, what inputs hold, and the run that links them. */
#include "rtc_link.h"

#include "archive.h"
#include "bitcode.h"
#include "image.h"
#include "log.h"
#include "object.h"
#include "rtc_options.h"
#include "rtc_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct ah_rtc_link *ah_rtc_link_create(struct ah_device *device)
{
    struct ah_rtc_link *link = ah_handle_create(AH_HANDLE_RTC_LINK, device);
    if (!link)
        return NULL;
    link->arguments = calloc(1, sizeof *link->arguments);
    if (link->arguments)
        return link;
    ah_handle_destroy(link);
    return NULL;
}

void ah_rtc_link_destroy(struct ah_rtc_link *link)
{
    for (size_t i = 0; i < link->input_count; i++)
        free(link->inputs[i].data);
    free(link->inputs);
    free(link->image.data);
    ah_rtc_arguments_fini(link->arguments);
    free(link->arguments);
    ah_handle_destroy(link);
}

/* ---- options --------------------------------------------------------------------- */

/* The compiler's own options; their number is an option of its own. */
static bool push_compiler_options(struct ah_rtc_link *link, unsigned count,
                                  const hiprtcJIT_option *options, void *const *values,
                                  const char *const *words)
{
    size_t number = 0;
    for (unsigned i = 0; i < count; i++)
        if (options[i] == HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT)
            number = (size_t)(uintptr_t)values[i];
    for (size_t i = 0; i < number; i++) {
        if (!words || !words[i])
            return false;
        ah_rtc_push(link->arguments, "%s", words[i]);
    }
    return words != NULL;
}

static bool set_option(struct ah_rtc_link *link, hiprtcJIT_option option, void *value)
{
    switch ((int)option) {
    case HIPRTC_JIT_INFO_LOG_BUFFER:
        link->info.at = value;
        return value != NULL;
    case HIPRTC_JIT_ERROR_LOG_BUFFER:
        link->error.at = value;
        return value != NULL;
    case HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        link->info.size = (unsigned)(uintptr_t)value;
        return true;
    case HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        link->error.size = (unsigned)(uintptr_t)value;
        return true;
    case HIPRTC_JIT_OPTIMIZATION_LEVEL:
        ah_rtc_push(link->arguments, "-O%u",
                    (unsigned)(uintptr_t)value < 3 ? (unsigned)(uintptr_t)value : 3);
        return true;
    case HIPRTC_JIT_GENERATE_DEBUG_INFO:
        if ((int)(uintptr_t)value)
            ah_rtc_push(link->arguments, "-g");
        return true;
    case HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT: /* read with the options that it counts */
        return true;
    default:
        /* The others advise NVIDIA's linker; HIP takes and ignores them, and so do we. */
        return (int)option >= 0 && option < HIPRTC_JIT_NUM_OPTIONS;
    }
}

hiprtcResult ah_rtc_link_set(struct ah_rtc_link *link, unsigned count,
                             const hiprtcJIT_option *options, void *const *values)
{
    for (unsigned i = 0; i < count; i++) {
        bool good = options[i] == HIPRTC_JIT_IR_TO_ISA_OPT_EXT
                        ? push_compiler_options(link, count, options, values, values[i])
                        : set_option(link, options[i], values[i]);
        if (!good) {
            AH_LOG_ERR("option %d of a link is unknown, or its value is a NULL pointer",
                       (int)options[i]);
            return HIPRTC_ERROR_INVALID_OPTION;
        }
    }
    return link->arguments->failed ? HIPRTC_ERROR_OUT_OF_MEMORY : HIPRTC_SUCCESS;
}

/* ---- inputs ---------------------------------------------------------------------- */

bool ah_rtc_link_takes(hiprtcJITInputType type)
{
    return type == HIPRTC_JIT_INPUT_LLVM_BITCODE || type == HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE ||
           type == HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE;
}

/* LLVM checks whether it is bitcode or its text. */
static hiprtcResult add_bitcode(struct ah_rtc_link *link, const void *data, size_t size,
                                const char *name)
{
    const char *others = ah_rtc_is_nvidia(link->handle.device) ? "amdgcn-" : "nvptx64-";
    if (ah_bitcode_names_target(data, size, others)) { /* LLVM would compile nonsense */
        AH_LOG_ERR("%s is LLVM code for another vendor's devices", name);
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    struct ah_rtc_bytes *inputs = reallocarray(link->inputs, link->input_count + 1, sizeof *inputs);
    if (!inputs)
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    link->inputs = inputs;
    char *copy = malloc(size);
    if (!copy)
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    memcpy(copy, data, size);
    inputs[link->input_count++] = (struct ah_rtc_bytes){copy, size};
    return HIPRTC_SUCCESS;
}

/* The architecture in a bundle's label: "gfx90a:xnack-" of
 * "hip-amdgcn-amd-amdhsa--gfx90a:xnack-", "sm_70" of "hip-nvptx64-nvidia-cuda-unknown-sm_70". */
static const char *label_architecture(const char *label)
{
    const char *amd = strstr(label, "-gfx"), *nvidia = strstr(label, "-sm_");
    return amd ? amd + 1 : nvidia ? nvidia + 1 : "";
}

/* That in an object's label, which is the architecture itself where LLVM wrote it. */
static const char *object_architecture(const char *label)
{
    bool itself = strncmp(label, "gfx", 3) == 0 || strncmp(label, "sm_", 3) == 0;
    return itself ? label : label_architecture(label);
}

/* How well code for `label` suits the device `arch`; 0: not at all. The same processor with no
 * feature that the device has otherwise, or the nearest older one of NVIDIA's. */
static int fitness(const char *label, const char *arch)
{
    size_t length = strcspn(label, ":");
    if (strncmp(label, "sm_", 3) == 0 && strncmp(arch, "sm_", 3) == 0) {
        int has = atoi(label + 3), runs = atoi(arch + 3);
        return has <= runs && strspn(label + 3, "0123456789") == strlen(label + 3) ? has : 0;
    }
    if (length == 0 || length != strcspn(arch, ":") || strncmp(label, arch, length) != 0)
        return 0;
    int good = 1;
    for (const char *feature = label + length; *feature; good++) {
        char text[32];
        size_t end = strcspn(feature + 1, ":") + 1;
        snprintf(text, sizeof text, "%.*s", (int)end, feature);
        if (!strstr(arch, text))
            return 0;
        feature += end;
    }
    return good;
}

static hiprtcResult add_bundle(struct ah_rtc_link *link, const void *data, size_t size,
                               const char *name)
{
    char reason[AH_IMAGE_ERROR_SIZE];
    struct ah_images images = {0};
    const struct ah_image *best = NULL;
    int best_fitness = 0;
    char *arch = ah_rtc_architecture(link->handle.device);
    hiprtcResult result = HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    if (!arch)
        AH_LOG_ERR("%s is not linked: there is no device to link for", name);
    else if (!ah_images_open(&images, data, size, reason))
        AH_LOG_ERR("%s is not linked: %s", name, reason);
    for (size_t i = 0; i < images.count; i++) {
        int now = fitness(label_architecture(images.items[i].label), arch);
        if (now > best_fitness) {
            best = &images.items[i];
            best_fitness = now;
        }
    }
    if (best) {
        result = add_bitcode(link, best->data, best->size, name);
    } else if (images.count) {
        char *held = ah_images_describe(&images);
        AH_LOG_ERR("%s has nothing for %s; it holds %s", name, arch, held ? held : "");
        free(held);
    }
    ah_images_close(&images);
    free(arch);
    return result;
}

typedef hiprtcResult add_function(struct ah_rtc_link *link, const void *data, size_t size,
                                  const char *name);

/* Adds all members by the function. */
static hiprtcResult add_archive(struct ah_rtc_link *link, add_function *add, const void *data,
                                size_t size, const char *name)
{
    struct ah_archive archive;
    struct ah_member member;
    enum ah_archive_step step = AH_ARCHIVE_DAMAGED;
    hiprtcResult result = HIPRTC_SUCCESS;
    if (ah_archive_open(&archive, data, size) && !archive.thin)
        while (result == HIPRTC_SUCCESS &&
               (step = ah_archive_next(&archive, &member)) == AH_ARCHIVE_MEMBER)
            result = add(link, member.data, member.size, member.name);
    if (step == AH_ARCHIVE_DAMAGED) {
        AH_LOG_ERR("%s is not an archive, or it is damaged, or thin", name);
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    return result;
}

/* All units of the object, of which there are several after a partial link, for the architecture
 * that suits best. */
static hiprtcResult add_object(struct ah_rtc_link *link, const void *data, size_t size,
                               const char *name)
{
    struct ah_object object;
    struct ah_object_part part;
    char *arch = ah_rtc_architecture(link->handle.device);
    hiprtcResult result = arch ? HIPRTC_SUCCESS : HIPRTC_ERROR_OUT_OF_MEMORY;
    int best = 0, now;
    ah_object_open(&object, data, size);
    while (arch && ah_object_next(&object, &part)) {
        now = fitness(object_architecture(part.label), arch);
        best = now > best ? now : best;
    }
    if (arch && (best == 0 || object.damaged)) {
        AH_LOG_ERR("%s has no LLVM code for %s, or it is damaged: compile with -fgpu-rdc", name,
                   arch);
        result = HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    ah_object_open(&object, data, size);
    while (result == HIPRTC_SUCCESS && ah_object_next(&object, &part))
        if (fitness(object_architecture(part.label), arch) == best)
            result = add_bitcode(link, part.data, part.size, name);
    free(arch);
    return result;
}

hiprtcResult ah_rtc_link_add_any(struct ah_rtc_link *link, const void *data, size_t size,
                                 const char *name)
{
    struct ah_object object;
    if (!name || !*name)
        name = "an input of the link";
    switch (ah_bitcode_container(data, size)) {
    case AH_CONTAINER_BITCODE:
        return add_bitcode(link, data, size, name);
    case AH_CONTAINER_BUNDLE:
        return add_bundle(link, data, size, name);
    case AH_CONTAINER_ARCHIVE:
        return add_archive(link, ah_rtc_link_add_any, data, size, name);
    case AH_CONTAINER_NONE:
        break;
    }
    if (ah_object_open(&object, data, size))
        return add_object(link, data, size, name);
    AH_LOG_ERR("%s is no LLVM bitcode, bundle, archive or host object; the compiler links no "
               "machine code",
               name);
    return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
}

static bool archive_holds(const void *data, size_t size)
{
    struct ah_archive archive;
    struct ah_member member;
    bool holds = false;
    if (ah_archive_open(&archive, data, size) && !archive.thin)
        while (!holds && ah_archive_next(&archive, &member) == AH_ARCHIVE_MEMBER)
            holds = ah_rtc_link_holds(member.data, member.size);
    return holds;
}

static bool bundle_holds(const void *data, size_t size)
{
    char reason[AH_IMAGE_ERROR_SIZE];
    struct ah_images images;
    bool holds = false;
    if (!ah_images_open(&images, data, size, reason))
        return true; /* it is opened again, and the reason logged, when it is added */
    for (size_t i = 0; i < images.count; i++)
        holds |= ah_bitcode_container(images.items[i].data, images.items[i].size) ==
                 AH_CONTAINER_BITCODE;
    ah_images_close(&images);
    return holds;
}

bool ah_rtc_link_holds(const void *data, size_t size)
{
    struct ah_object object;
    struct ah_object_part part;
    switch (ah_bitcode_container(data, size)) {
    case AH_CONTAINER_BITCODE:
        return true;
    case AH_CONTAINER_BUNDLE:
        return bundle_holds(data, size);
    case AH_CONTAINER_ARCHIVE:
        return archive_holds(data, size);
    case AH_CONTAINER_NONE:
        break;
    }
    return ah_object_open(&object, data, size) && ah_object_next(&object, &part);
}

hiprtcResult ah_rtc_link_add(struct ah_rtc_link *link, hiprtcJITInputType type, const void *data,
                             size_t size, const char *name)
{
    if (!name || !*name)
        name = "an input of the link";
    switch ((int)type) {
    case HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE:
        return add_bundle(link, data, size, name);
    case HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE:
        return add_archive(link, add_bundle, data, size, name);
    default:
        return add_bitcode(link, data, size, name);
    }
}

hiprtcResult ah_rtc_link_add_file(struct ah_rtc_link *link, hiprtcJITInputType type,
                                  const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool usable = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    size_t size = usable ? (size_t)status.st_size : 0;
    void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (data == MAP_FAILED)
        AH_LOG_ERR("cannot read %s: %s", path, usable && !size ? "it is empty" : strerror(errno));
    if (file >= 0)
        close(file);
    if (data == MAP_FAILED)
        return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    hiprtcResult result = ah_rtc_link_add(link, type, data, size, path);
    munmap(data, size);
    return result;
}

/* ---- completion ------------------------------------------------------------------- */

static bool write_inputs(const struct ah_rtc_link *link, const struct ah_rtc_work *work,
                         struct ah_rtc_arguments *arguments)
{
    for (size_t i = 0; i < link->input_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu.bc", i);
        if (!ah_rtc_work_write(work, name, link->inputs[i].data, link->inputs[i].size))
            return false;
        ah_rtc_push(arguments, "%s/%s", work->sources, name);
    }
    return true;
}

static void copy_log(const struct ah_rtc_log_buffer *buffer, const char *text)
{
    if (buffer->at && buffer->size)
        snprintf(buffer->at, buffer->size, "%s", text);
}

/* Copies the linker's messages to the caller's buffers and, for a failure, to the log. False: they
 * could not be read. */
static bool report(const struct ah_rtc_link *link, const struct ah_rtc_work *work, bool done)
{
    struct ah_rtc_bytes said;
    bool any = ah_rtc_work_read(work, "said", &said);
    copy_log(&link->info, done && any ? said.data : "");
    copy_log(&link->error, !done && any ? said.data : "");
    if (!done)
        AH_LOG_ERR("hiprtc: the link failed: %s", any ? said.data : "");
    free(said.data);
    return any;
}

static hiprtcResult run_link(struct ah_rtc_link *link, const struct ah_rtc_work *work,
                             const char *arch)
{
    struct ah_rtc_run run = {0};
    struct ah_rtc_arguments arguments = {0};
    hiprtcResult result = HIPRTC_ERROR_INTERNAL_ERROR;
    ah_rtc_push(&arguments, "--genco");
    ah_rtc_push(&arguments, "--no-gpu-bundle-output");
    ah_rtc_push(&arguments, "-fno-color-diagnostics");
    ah_rtc_push(&arguments, "--offload-arch=%s", arch);
    if (link->partial)
        ah_rtc_push(&arguments, "--allow-undefined-device-functions");
    ah_rtc_push_all(&arguments, link->arguments);
    ah_rtc_push_variable(&arguments, "HIPRTC_LINK_OPTIONS_APPEND");
    ah_rtc_push(&arguments, "-o");
    ah_rtc_push(&arguments, "%s/image", work->folder);
    if (write_inputs(link, work, &arguments) && !arguments.failed) {
        ah_rtc_run_start(&run, work, &arguments, "said");
        enum ah_rtc_outcome outcome = ah_rtc_run_finish(&run, work, "image");
        bool reported = report(link, work, outcome == AH_RTC_DONE);
        result = outcome == AH_RTC_NO_COMPILER ? HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE
                 : outcome == AH_RTC_FAILED    ? HIPRTC_ERROR_LINKING
                 : reported && ah_rtc_work_read(work, "image", &link->image)
                     ? HIPRTC_SUCCESS
                     : HIPRTC_ERROR_OUT_OF_MEMORY;
    }
    ah_rtc_arguments_fini(&arguments);
    return result;
}

hiprtcResult ah_rtc_link_complete(struct ah_rtc_link *link)
{
    struct ah_rtc_work work;
    free(link->image.data);
    link->image = (struct ah_rtc_bytes){0};
    if (!link->input_count) {
        AH_LOG_ERR("the link has no inputs");
        return HIPRTC_ERROR_LINKING;
    }
    char *arch = ah_rtc_architecture(link->handle.device);
    if (!arch) {
        AH_LOG_ERR("there is no device to link for");
        return HIPRTC_ERROR_LINKING;
    }
    hiprtcResult result = HIPRTC_ERROR_INTERNAL_ERROR;
    if (ah_rtc_work_open(&work)) {
        result = run_link(link, &work, arch);
        ah_rtc_work_close(&work);
    }
    if (result == HIPRTC_SUCCESS)
        ah_rtc_end_ptx(&link->image);
    free(arch);
    return result;
}
