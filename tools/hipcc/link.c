/* Owns the host link's command line and the making of archives. */
#include "link.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devlink.h"
#include "objfile.h"
#include "report.h"

struct host_link {
    struct ah_plan *plan;
    const char *const *objects;
};

static bool is_c_program(const struct ah_request *r)
{
    size_t c = 0;
    for (size_t i = 0; i < r->input_count; i++) {
        const struct ah_input *input = &r->inputs[i];
        c += input->language == AH_LANGUAGE_C;
        if (input->is_file && input->language != AH_LANGUAGE_C)
            return false;
    }
    return c > 0;
}

static void push_inputs(const struct host_link *h, struct ah_strings *argv)
{
    const struct ah_request *r = h->plan->request;
    for (size_t i = 0; i < r->input_count; i++) {
        const struct ah_input *input = &r->inputs[i];
        if (h->objects[i])
            ah_strings_push(argv, h->objects[i]);
        if (ah_input_is_source(input))
            continue;
        ah_strings_push(argv, input->path);
        if (input->value)
            ah_strings_push(argv, input->value);
    }
}

/* compiler-rt has the conversions of half-precision numbers that an older libgcc lacks. */
static const char *builtins(const struct ah_toolchain *t)
{
    const char *llvm = ah_path_folder(t->bin);
    for (int version = 40; version >= 22; version--) {
        const char *path = ah_text_print("%s/lib/clang/%d/lib/linux/libclang_rt.builtins-%s.a",
                                         llvm, version, ANYHIP_HOST_ARCH);
        if (ah_path_is_file(path))
            return path;
    }
    return NULL;
}

static void push_runtime(const struct ah_plan *plan, struct ah_strings *argv)
{
    const struct ah_request *r = plan->request;
    const struct ah_toolchain *t = plan->toolchain;
    const char *compiler_rt = builtins(t);
    if (r->relocatable)
        return;
    if (!r->no_runtime) {
        if (!t->library_is_system)
            ah_strings_push(argv, ah_text_print("-L%s", t->library));
        if (!t->library_is_system && !r->no_rpath) {
            ah_strings_push(argv, "-Xlinker"); /* -Wl, would split the folder's name at a comma */
            ah_strings_push(argv, ah_text_print("-rpath=%s", t->library));
        }
        ah_strings_push(argv, "-lanyhip");
    }
    if (is_c_program(r))
        ah_strings_push(argv, "-lm");
    if (compiler_rt)
        ah_strings_push(argv, compiler_rt);
}

static struct ah_strings link_command(void *context, const struct ah_strings *extra,
                                      const char *output)
{
    const struct host_link *h = context;
    const struct ah_request *r = h->plan->request;
    struct ah_strings argv = {0};
    ah_toolchain_push_clang(h->plan->toolchain, is_c_program(r), &argv);
    ah_request_args(r, AH_ROUTE_LINK, NULL, &argv);
    ah_strings_push(&argv, "-Wno-unused-command-line-argument");
    ah_strings_push(&argv, "-o");
    ah_strings_push(&argv, output);
    ah_strings_append(&argv, extra);
    push_inputs(h, &argv);
    push_runtime(h->plan, &argv);
    return argv;
}

/* The archive that -lname finds first, or NULL when that is a shared library or nothing. */
static const char *find_library(const struct ah_request *r, const char *name)
{
    const char *exact = ah_text_after(name, ":");
    for (size_t i = 0; i < r->folders.count; i++) {
        const char *folder = r->folders.at[i];
        if (exact && ah_path_is_file(ah_text_print("%s/%s", folder, exact)))
            return ah_text_print("%s/%s", folder, exact);
        if (exact)
            continue;
        if (!r->is_static && ah_path_exists(ah_text_print("%s/lib%s.so", folder, name)))
            return NULL;
        if (ah_path_is_file(ah_text_print("%s/lib%s.a", folder, name)))
            return ah_text_print("%s/lib%s.a", folder, name);
    }
    return NULL;
}

/* Until a source is compiled, its object is known only by name: stands for it in a dry run. */
static void push_future_object(struct ah_plan *plan, const char *path, struct ah_objects *objects)
{
    struct ah_objects grown = {.count = objects->count + 1, .capacity = objects->count + 1};
    grown.at = ah_text_alloc(grown.count * sizeof(*grown.at));
    if (objects->count)
        memcpy(grown.at, objects->at, objects->count * sizeof(*grown.at));
    struct ah_object *object = &grown.at[objects->count];
    object->path = path;
    for (size_t i = 0; i < plan->targets.count; i++)
        ah_offload_push(
            &object->images,
            (struct ah_offload_image){plan->targets.at[i].triple, plan->targets.at[i].arch, "", 0});
    ah_strings_push(&object->units, "X");
    *objects = grown;
}

static bool scan_input(struct ah_plan *plan, const struct ah_input *input, const char *object,
                       struct ah_objects *objects)
{
    const struct ah_request *r = plan->request;
    if (object && r->dry_run) {
        if (r->rdc && input->language == AH_LANGUAGE_HIP)
            push_future_object(plan, object, objects);
        return true;
    }
    const char *path = object, *library = ah_text_after(input->path, "-l");
    if (!path && input->is_file)
        path = input->path;
    else if (!path && library)
        path = find_library(r, library);
    return !path || ah_objfile_scan(path, objects);
}

static bool scan_inputs(struct ah_plan *plan, const char *const *objects, struct ah_objects *out)
{
    const struct ah_request *r = plan->request;
    for (size_t i = 0; i < r->input_count; i++)
        if (!scan_input(plan, &r->inputs[i], objects[i], out))
            return false;
    return true;
}

int ah_link_program(struct ah_plan *plan, const char *const *objects,
                    const struct ah_jobs_options *options)
{
    const struct ah_request *r = plan->request;
    struct host_link host = {plan, objects};
    struct ah_host_link host_link = {link_command, &host};
    struct ah_device_result device = {0};
    struct ah_objects carriers = {0};
    if (!r->relocatable && !scan_inputs(plan, objects, &carriers))
        return 1;
    if (carriers.count) {
        int status = ah_devlink_run(plan, &carriers, &host_link, options, &device);
        if (status)
            return status;
    }
    struct ah_jobs jobs = {0};
    struct ah_job *job = ah_jobs_add(&jobs);
    job->argv = link_command(&host, &device.objects, r->output ? r->output : "a.out");
    return ah_jobs_run(&jobs, options);
}

int ah_link_archive(struct ah_plan *plan, const char *const *objects,
                    const struct ah_jobs_options *options)
{
    const struct ah_request *r = plan->request;
    const char *output = r->output ? r->output : "a.out";
    const char *ar = ah_toolchain_tool(plan->toolchain, "llvm-ar", "llvm-22");
    struct ah_jobs jobs = {0};
    if (!ar)
        return 1;
    struct ah_job *job = ah_jobs_add(&jobs);
    ah_strings_push(&job->argv, ar);
    ah_strings_push(&job->argv, "rcsD");
    ah_strings_push(&job->argv, output);
    for (size_t i = 0; i < r->input_count; i++) {
        if (objects[i])
            ah_strings_push(&job->argv, objects[i]);
        else if (r->inputs[i].is_file)
            ah_strings_push(&job->argv, r->inputs[i].path);
    }
    if (!r->dry_run && ah_path_is_file(output))
        unlink(output); /* ar would add to what is there */
    return ah_jobs_run(&jobs, options);
}
