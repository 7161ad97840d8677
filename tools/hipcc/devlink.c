/* Owns the choice of what takes part in a device link, and its steps.
 *
 * Objects named on the command line always take part. A member of an archive does when
 * the host linker takes it in, or when device code that takes part needs a symbol of it;
 * the former is asked of the linker itself by a trial link. */
#include "devlink.h"

#include <stdio.h>

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "temp.h"

struct link {
    struct ah_plan *plan;
    const struct ah_objects *objects;
    const struct ah_host_link *host;
    const struct ah_jobs_options *options;
    bool *used;  /* by object */
    bool *named; /* by object: its host part is linked by name, not from an archive */
    struct ah_strings **bitcode; /* [object][target]: the files, once written */
};

static const char *describe(const struct ah_object *object)
{
    return object->member ? ah_text_print("%s(%s)", object->path, object->member) : object->path;
}

/* Architectures.  */

static bool has_image(const struct ah_object *object, const struct ah_target *target)
{
    for (size_t i = 0; i < object->images.count; i++)
        if (!strcmp(object->images.at[i].arch, target->arch))
            return true;
    return false;
}

/* Where the command line names no architectures, the objects do. */
static bool choose_targets(struct link *link)
{
    struct ah_strings archs = {0};
    struct ah_plan *plan = link->plan;
    if (plan->targets.count)
        return true;
    if (plan->request->archs.count)
        return ah_targets_choose(plan->request, plan->toolchain, &plan->targets);
    for (size_t i = 0; i < link->objects->count; i++)
        for (size_t k = 0; k < link->objects->at[i].images.count; k++)
            if (!ah_strings_contain(&archs, link->objects->at[i].images.at[k].arch))
                ah_strings_push(&archs, link->objects->at[i].images.at[k].arch);
    struct ah_request named = *plan->request;
    named.archs = archs;
    return ah_targets_choose(&named, plan->toolchain, &plan->targets);
}

static bool check_images(const struct link *link)
{
    bool ok = true;
    for (size_t i = 0; i < link->objects->count; i++) {
        const struct ah_object *object = &link->objects->at[i];
        for (size_t k = 0; k < link->plan->targets.count && link->used[i]; k++) {
            const struct ah_target *target = &link->plan->targets.at[k];
            if (has_image(object, target))
                continue;
            const char *has = object->images.at[0].arch;
            for (size_t n = 1; n < object->images.count; n++)
                has = ah_text_print("%s, %s", has, object->images.at[n].arch);
            ah_report_error("%s has no device code for %s, only for %s", describe(object),
                            target->arch, has);
            ok = false;
        }
    }
    return ok;
}

static void write_scratch(struct link *link, const char *path, const void *data, size_t size)
{
    if (link->options->dry_run || ah_file_write(path, data, size))
        return;
    ah_report_error("cannot write %s", path);
    link->plan->failed = true;
}

/* The bitcode of an object as files: one, or several when it is the result of a partial link. */
static const struct ah_strings *bitcode_files(struct link *link, size_t object, size_t target)
{
    const struct ah_target *t = &link->plan->targets.at[target];
    const struct ah_offload_images *images = &link->objects->at[object].images;
    struct ah_strings *files = &link->bitcode[object][target];
    for (size_t i = 0; i < images->count && !(i == 0 && files->count); i++) {
        const struct ah_offload_image *image = &images->at[i];
        if (strcmp(image->arch, t->arch))
            continue;
        const char *name = ah_text_print("part-%zu-%zu-%s.bc", object, files->count, t->file);
        ah_strings_push(files, ah_plan_scratch(link->plan, name));
        write_scratch(link, files->at[files->count - 1], image->data, image->size);
    }
    return files;
}

/* Symbols: what each object's device code defines and needs. */

struct symbol {
    const char *name;
    size_t object;
};

struct symbols {
    struct symbol *at;
    size_t count, capacity;
};

static void push_symbol(struct symbols *symbols, const char *name, size_t object)
{
    if (symbols->count == symbols->capacity) {
        size_t capacity = symbols->capacity ? symbols->capacity * 2 : 256;
        struct symbol *at = ah_text_alloc(capacity * sizeof(*at));
        if (symbols->count)
            memcpy(at, symbols->at, symbols->count * sizeof(*at));
        symbols->at = at;
        symbols->capacity = capacity;
    }
    symbols->at[symbols->count++] = (struct symbol){name, object};
}

static int compare(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->object > y->object) - (x->object < y->object);
}

/* Reads one line "name T value size" of llvm-nm. */
static void read_symbol(char *line, size_t object, struct symbols *defined, struct symbols *needed)
{
    char *type = strchr(line, ' ');
    if (!type || !type[1])
        return;
    *type++ = '\0';
    if (*type == 'U')
        push_symbol(needed, line, object);
    else if (strchr("TDBRCWVG", *type))
        push_symbol(defined, line, object);
}

static void read_symbols(const char *text, const char *file, size_t object, struct symbols *defined,
                         struct symbols *needed)
{
    struct ah_strings lines = {0};
    ah_strings_split(&lines, text, "\n");
    size_t prefix = strlen(file) + 2;
    for (size_t i = 0; i < lines.count; i++)
        if (ah_text_starts(lines.at[i], file) && ah_text_starts(lines.at[i] + prefix - 2, ": "))
            read_symbol(ah_text_copy(lines.at[i] + prefix, strlen(lines.at[i] + prefix)), object,
                        defined, needed);
}

static bool ask_symbols(struct link *link, struct symbols *defined, struct symbols *needed)
{
    struct ah_strings argv = {0};
    const char *nm = ah_toolchain_tool(link->plan->toolchain, "llvm-nm", "llvm-22");
    if (!nm)
        return false;
    ah_strings_push(&argv, nm);
    ah_strings_push(&argv, "--format=posix");
    ah_strings_push(&argv, "-A");
    for (size_t i = 0; i < link->objects->count; i++)
        ah_strings_append(&argv, bitcode_files(link, i, 0));
    const char *text = ah_jobs_output_of(&argv);
    for (size_t i = 0; text && i < link->objects->count; i++) {
        const struct ah_strings *files = bitcode_files(link, i, 0);
        for (size_t k = 0; k < files->count; k++)
            read_symbols(text, files->at[k], i, defined, needed);
    }
    if (defined->count)
        qsort(defined->at, defined->count, sizeof(*defined->at), compare);
    return text != NULL;
}

/* The first object that defines name, or -1 when one that takes part already does or none does. */
static long provider(const struct link *link, const struct symbols *defined, const char *name)
{
    size_t low = 0, high = defined->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(defined->at[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    size_t first = low;
    for (; low < defined->count && !strcmp(defined->at[low].name, name); low++)
        if (link->used[defined->at[low].object])
            return -1;
    return low > first ? (long)defined->at[first].object : -1;
}

/* Takes in what the device code in use needs. Whether that was anything. */
static bool close_over_symbols(struct link *link, const struct symbols *defined,
                               const struct symbols *needed)
{
    bool any = false;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < needed->count; i++) {
            if (!link->used[needed->at[i].object])
                continue;
            long object = provider(link, defined, needed->at[i].name);
            if (object < 0)
                continue;
            link->used[object] = link->named[object] = again = any = true;
        }
    }
    return any;
}

/* The trial link. */

enum { PAGE_BITS = 12 };

static const char *asm_string(const char *text)
{
    return ah_text_replace(ah_text_replace(text, "\\", "\\\\"), "\"", "\\\"");
}

/* Assembler text for the symbols of the units: those of each unit in a section of its own that
 * bears its name (bundle is NULL), or all of them at the one bundle. */
static const char *symbols_text(const struct ah_strings *units, const char *bundle)
{
    size_t capacity = 4096 + (bundle ? 2 * strlen(bundle) : 0);
    for (size_t i = 0; i < units->count; i++)
        capacity += 512 + 8 * strlen(units->at[i]);
    char *text = ah_text_alloc(capacity), *p = text;
    if (bundle)
        p += sprintf(p, "\t.section .hip_fatbin,\"a\",@progbits\n\t.p2align %d\n", PAGE_BITS);
    for (size_t i = 0; i < units->count; i++) {
        const char *u = units->at[i];
        if (!bundle)
            p += sprintf(p, "\t.section \".ah_unit.%s\",\"a\",@progbits\n", u);
        p += sprintf(p, "\t.globl \"__hip_fatbin_%s\"\n\t.hidden \"__hip_fatbin_%s\"\n", u, u);
        p += sprintf(p, "\"__hip_fatbin_%s\":\n%s", u, bundle ? "" : "\t.byte 0\n");
    }
    if (bundle)
        p += sprintf(p, "\t.incbin \"%s\"\n", asm_string(bundle));
    /* One handle for all units: the first module constructor registers the bundle, the others find
     * it registered, so that all code shares one set of device variables. */
    p += sprintf(p, "\t.bss\n\t.p2align 3\n");
    for (size_t i = 0; i < units->count; i++) {
        const char *u = units->at[i];
        p += sprintf(
            p, "\t.globl \"__hip_gpubin_handle_%s\"\n\t.hidden \"__hip_gpubin_handle_%s\"\n", u, u);
        p += sprintf(p, "\"__hip_gpubin_handle_%s\":\n", u);
    }
    sprintf(p, "\t.zero 8\n\t.section .note.GNU-stack,\"\",@progbits\n");
    return text;
}

/* Adds the step that assembles the symbols into object. */
static struct ah_job *add_assembly(struct link *link, struct ah_jobs *jobs,
                                   const struct ah_strings *units, const char *bundle,
                                   const char *name, const char *object)
{
    struct ah_plan *plan = link->plan;
    const char *source = ah_plan_scratch(plan, name), *text = symbols_text(units, bundle);
    write_scratch(link, source, text, strlen(text));
    struct ah_job *job = ah_jobs_add(jobs);
    ah_toolchain_push_clang(plan->toolchain, false, &job->argv);
    ah_request_args(plan->request, AH_ROUTE_CXX, NULL, &job->argv);
    ah_strings_push(&job->argv, "-Wno-unused-command-line-argument");
    ah_strings_push(&job->argv, "-c");
    ah_strings_push(&job->argv, "-o");
    ah_strings_push(&job->argv, object);
    ah_strings_push(&job->argv, "-x");
    ah_strings_push(&job->argv, "assembler");
    ah_strings_push(&job->argv, source);
    return job;
}

static void all_units(const struct link *link, bool only_used, struct ah_strings *units)
{
    for (size_t i = 0; i < link->objects->count; i++)
        for (size_t k = 0; k < link->objects->at[i].units.count; k++)
            if ((!only_used || link->used[i]) &&
                !ah_strings_contain(units, link->objects->at[i].units.at[k]))
                ah_strings_push(units, link->objects->at[i].units.at[k]);
}

/* Objects taken out of archives because device code needs them, as files. */
static void extracted(struct link *link, struct ah_strings *files)
{
    for (size_t i = 0; i < link->objects->count; i++) {
        const struct ah_object *object = &link->objects->at[i];
        if (!link->named[i] || !object->member)
            continue;
        const char *file = ah_plan_scratch(link->plan, ah_text_print("member-%zu.o", i));
        write_scratch(link, file, object->data, object->size);
        ah_strings_push(files, file);
    }
}

/* Links for trial, with every unit's symbols in a section of its own and unused sections left out:
 * the sections that are there afterwards tell which units the linker took in. Fails as the real
 * link would. */
static int trial(struct link *link, const struct ah_strings *units, struct ah_strings *used)
{
    struct ah_jobs jobs = {0};
    struct ah_strings extra = {0}, sections = {0};
    const char *stub = ah_plan_scratch(link->plan, "trial-stub.o");
    const char *output = ah_plan_scratch(link->plan, "trial");
    struct ah_job *assembly = add_assembly(link, &jobs, units, NULL, "trial-stub.s", stub);
    ah_strings_push(&extra, "-Wl,--gc-sections");
    ah_strings_push(&extra, stub);
    extracted(link, &extra);
    struct ah_job *job = ah_jobs_add(&jobs);
    job->argv = link->host->command(link->host->context, &extra, output);
    job->standard_output = ah_plan_scratch(link->plan, "trial-output");
    ah_job_needs(&jobs, job, assembly);
    int status = link->plan->failed ? 1 : ah_jobs_run(&jobs, link->options);
    if (status)
        return status;
    ah_objfile_sections(output, ".ah_unit.", &sections);
    for (size_t i = 0; i < sections.count; i++)
        ah_strings_push(used, ah_text_after(sections.at[i], ".ah_unit."));
    return 0;
}

static bool needs_any(const struct ah_object *object, const struct ah_strings *units)
{
    for (size_t i = 0; i < object->units.count; i++)
        if (ah_strings_contain(units, object->units.at[i]))
            return true;
    return false;
}

/* Marks what takes part. */
static int choose_objects(struct link *link)
{
    struct symbols defined = {0}, needed = {0};
    struct ah_strings units = {0};
    bool members = false;
    for (size_t i = 0; i < link->objects->count; i++) {
        link->used[i] = link->named[i] = !link->objects->at[i].member;
        members = members || link->objects->at[i].member;
    }
    if (!members || link->options->dry_run) {
        for (size_t i = 0; i < link->objects->count; i++)
            link->used[i] = true;
        return 0;
    }
    all_units(link, false, &units);
    if (!ask_symbols(link, &defined, &needed))
        return 1;
    do {
        struct ah_strings pulled = {0};
        int status = trial(link, &units, &pulled);
        if (status)
            return status;
        for (size_t i = 0; i < link->objects->count; i++)
            link->used[i] = link->used[i] || needs_any(&link->objects->at[i], &pulled);
    } while (close_over_symbols(link, &defined, &needed));
    return 0;
}

/* Adds the device link of every target, the bundle, and the object that holds it. */
static void add_steps(struct link *link, struct ah_device_result *result)
{
    struct ah_plan *plan = link->plan;
    struct ah_strings units = {0};
    const char **images = ah_text_alloc(plan->targets.count * sizeof(*images));
    struct ah_job **jobs = ah_text_alloc(plan->targets.count * sizeof(*jobs));
    for (size_t t = 0; t < plan->targets.count; t++) {
        const struct ah_target *target = &plan->targets.at[t];
        struct ah_strings parts = {0};
        for (size_t i = 0; i < link->objects->count; i++)
            if (link->used[i])
                ah_strings_append(&parts, bitcode_files(link, i, t));
        images[t] = ah_plan_scratch(
            plan, ah_text_print("program-%s%s", target->file, target->nvidia ? ".ptx" : ".co"));
        jobs[t] = ah_pass_device_link(plan, target, &parts, images[t]);
    }
    const char *bundle = ah_plan_scratch(plan, "program.hipfb");
    struct ah_job *bundling = ah_pass_bundle(plan, "o", NULL, images, bundle);
    for (size_t t = 0; t < plan->targets.count; t++)
        ah_job_needs(&plan->jobs, bundling, jobs[t]);
    all_units(link, true, &units);
    const char *object = ah_plan_scratch(plan, "program-hipfb.o");
    struct ah_job *assembly =
        add_assembly(link, &plan->jobs, &units, bundle, "program-hipfb.s", object);
    ah_job_needs(&plan->jobs, assembly, bundling);
    ah_strings_push(&result->objects, object);
}

int ah_devlink_run(struct ah_plan *plan, const struct ah_objects *objects,
                   const struct ah_host_link *host, const struct ah_jobs_options *options,
                   struct ah_device_result *out_result)
{
    struct link link = {.plan = plan, .objects = objects, .host = host, .options = options};
    link.used = ah_text_alloc(objects->count * sizeof(bool));
    link.named = ah_text_alloc(objects->count * sizeof(bool));
    link.bitcode = ah_text_alloc(objects->count * sizeof(*link.bitcode));
    *out_result = (struct ah_device_result){0};
    if (!choose_targets(&link))
        return 1;
    for (size_t i = 0; i < objects->count; i++)
        link.bitcode[i] = ah_text_alloc(plan->targets.count * sizeof(**link.bitcode));
    int status = choose_objects(&link);
    if (status || !check_images(&link))
        return status ? status : 1;
    plan->jobs = (struct ah_jobs){0};
    extracted(&link, &out_result->objects);
    add_steps(&link, out_result);
    return plan->failed ? 1 : ah_jobs_run(&plan->jobs, options);
}
