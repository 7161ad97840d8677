/* Owns the plan from sources to the requested outputs. */
#include "compile.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "depend.h"
#include "offload.h"
#include "report.h"
#include "temp.h"

/* One source and what its passes make. */
struct source {
    struct ah_unit unit;
    size_t index;
    const char *name;   /* stem for intermediate files, unique in this run */
    const char *output; /* what the user gets, or the temporary object for the link */
    struct ah_strings depend_files;
    struct ah_job *last;       /* the step that completes the output */
    struct ah_strings bitcode; /* of a module that is linked: one per target, or as given */
};

/* One rule file to write from what the passes noted. */
struct rule {
    const char *path;
    struct ah_strings targets, files;
    bool phony;
};

static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return (h ^ 0xff) * 0x100000001b3u;
}

/* text with the folders that -ffile-prefix-map and its kin replace, so that the same source built
 * elsewhere gets the same id. */
static const char *mapped(const struct ah_request *r, const char *text)
{
    for (size_t i = 0; i < r->prefix_maps.count; i++) {
        const char *map = r->prefix_maps.at[i], *equal = strchr(map, '=');
        text = ah_text_replace(text, ah_text_copy(map, (size_t)(equal - map)), equal + 1);
    }
    return text;
}

/* All passes of a source must agree on its id, and no other source of a program may have it:
 * clang makes the names of what is local to the source from it. */
static const char *unit_id(const struct ah_request *r, const struct ah_input *input)
{
    if (r->unit_id)
        return r->unit_id;
    uint64_t h = hash(0xcbf29ce484222325u, mapped(r, ah_path_absolute(input->path)));
    for (size_t i = 0; i < r->arg_count; i++)
        if (!strstr(r->args[i].text, "-prefix-map="))
            h = hash(h, mapped(r, r->args[i].text));
    for (size_t i = 0; i < r->archs.count; i++)
        h = hash(h, r->archs.at[i]);
    return ah_text_print("%016llx", (unsigned long long)(h ^ (h >> 31)));
}

static const char *stem_of(const struct ah_input *input)
{
    return strcmp(input->path, "-") ? ah_path_stem(input->path) : "-";
}

static const char *default_output(const struct ah_request *r, const struct ah_input *input)
{
    const char *stem = stem_of(input);
    if (ah_input_is_header(input))
        return ah_text_print("%s.gch", input->path);
    if (r->mode == AH_MODE_ASSEMBLY)
        return ah_text_print("%s%s", stem, r->emit_llvm ? ".ll" : ".s");
    return ah_text_print("%s%s", stem, r->emit_llvm ? ".bc" : ".o");
}

static const char *scratch(struct ah_plan *plan, const struct source *s, const char *what)
{
    return ah_plan_scratch(plan, ah_text_print("%s%s", s->name, what));
}

/* Intermediate files are called after the source; with several sources in the temporary folder a
 * number keeps equal names apart. */
static const char *scratch_name(const struct ah_request *r, const struct source *s)
{
    const char *stem = stem_of(s->unit.input);
    if (*stem == '-') /* no file name may look like an option */
        stem = ah_text_print("stdin%s", stem);
    return r->save_temps ? stem : ah_text_print("%zu-%s", s->index, stem);
}

static bool wants_depend(const struct ah_request *r)
{
    return r->depend || r->mode == AH_MODE_DEPEND;
}

/* The file a pass notes its dependencies in, or NULL when none are wanted. */
static const char *depend_file(struct ah_plan *plan, struct source *s)
{
    if (!wants_depend(plan->request))
        return NULL;
    const char *name = ah_text_print("%zu-%zu.d", s->index, s->depend_files.count);
    const char *path = ah_temp_path(name, plan->request->dry_run);
    if (!path) {
        plan->failed = true;
        return NULL;
    }
    ah_strings_push(&s->depend_files, path);
    return path;
}

/* The type of a bundle and the suffix of what is in it. */
static const char *device_suffix(const struct ah_target *target, enum ah_product product)
{
    switch (product) {
    case AH_PRODUCT_BITCODE:
    case AH_PRODUCT_LLVM:
        return ".bc";
    case AH_PRODUCT_LLVM_TEXT:
        return ".ll";
    case AH_PRODUCT_ASSEMBLY:
        return ".s";
    case AH_PRODUCT_TEXT:
        return ".hipi";
    default:
        return target->nvidia ? ".ptx" : ".co";
    }
}

/* Adds one pass per target; files[i] becomes what it makes, jobs[i] the step. */
static void add_device_passes(struct ah_plan *plan, struct source *s, enum ah_product product,
                              bool rdc, const char **files, struct ah_job **jobs)
{
    bool writes = product != AH_PRODUCT_NOTHING && product != AH_PRODUCT_DEPENDENCIES;
    for (size_t i = 0; i < plan->targets.count; i++) {
        const struct ah_target *target = &plan->targets.at[i];
        files[i] =
            writes ? scratch(plan, s,
                             ah_text_print("-%s%s", target->file, device_suffix(target, product)))
                   : NULL;
        jobs[i] =
            ah_pass_device(plan, &s->unit, target, product, rdc, depend_file(plan, s), files[i]);
    }
}

static void need_all(struct ah_plan *plan, struct ah_job *job, struct ah_job *const *earlier)
{
    for (size_t i = 0; i < plan->targets.count; i++)
        ah_job_needs(&plan->jobs, job, earlier[i]);
}

struct pack_step {
    const struct ah_plan *plan;
    const char *const *files;
    const char *output;
};

/* Puts the bitcode of all targets into the container that the object will carry. */
static bool finish_pack(struct ah_job *job)
{
    const struct pack_step *step = job->context;
    struct ah_offload_images images = {0};
    size_t size;
    for (size_t i = 0; i < step->plan->targets.count; i++) {
        const struct ah_target *target = &step->plan->targets.at[i];
        struct ah_offload_image image = {target->triple, target->arch, NULL, 0};
        image.data = ah_file_read(step->files[i], &image.size);
        if (!image.data) {
            ah_report_error("cannot read %s", step->files[i]);
            return false;
        }
        ah_offload_push(&images, image);
    }
    void *data = ah_offload_write(&images, &size);
    if (ah_file_write(step->output, data, size))
        return true;
    ah_report_error("cannot write %s", step->output);
    return false;
}

static struct ah_job *add_pack(struct ah_plan *plan, const char *const *files, const char *output)
{
    struct ah_job *job = ah_jobs_add(&plan->jobs);
    struct pack_step *step = ah_text_alloc(sizeof(*step));
    *step = (struct pack_step){plan, files, output};
    job->finish = finish_pack;
    job->context = step;
    job->shows = ah_text_print("pack the device bitcode into %s", output);
    return job;
}

static enum ah_product host_product(const struct ah_request *r)
{
    switch (r->mode) {
    case AH_MODE_ASSEMBLY:
        return r->emit_llvm ? AH_PRODUCT_LLVM_TEXT : AH_PRODUCT_ASSEMBLY;
    case AH_MODE_SYNTAX:
        return AH_PRODUCT_NOTHING;
    case AH_MODE_PREPROCESS:
        return AH_PRODUCT_TEXT;
    case AH_MODE_DEPEND:
        return AH_PRODUCT_DEPENDENCIES;
    default:
        return r->emit_llvm && r->mode == AH_MODE_OBJECT ? AH_PRODUCT_LLVM : AH_PRODUCT_IMAGE;
    }
}

/* Adds the steps that make one host object (or assembly, or host LLVM) with the device code in it;
 * the last of them is returned. */
static struct ah_job *add_fat(struct ah_plan *plan, struct source *s, const char *output)
{
    const struct ah_request *r = plan->request;
    const char **files = ah_text_alloc(plan->targets.count * sizeof(*files));
    struct ah_job **jobs = ah_text_alloc(plan->targets.count * sizeof(*jobs)), *carrier;
    const char *carried = scratch(plan, s, r->rdc ? ".offload" : ".hipfb");
    add_device_passes(plan, s, r->rdc ? AH_PRODUCT_BITCODE : AH_PRODUCT_IMAGE, r->rdc, files, jobs);
    carrier =
        r->rdc ? add_pack(plan, files, carried) : ah_pass_bundle(plan, "o", NULL, files, carried);
    need_all(plan, carrier, jobs);
    struct ah_job *host = ah_pass_host(plan, &s->unit, host_product(r), r->rdc, carried,
                                       depend_file(plan, s), output);
    ah_job_needs(&plan->jobs, host, carrier);
    return host;
}

/* Passes that leave nothing behind but messages or dependencies. */
static void plan_check(struct ah_plan *plan, struct source *s)
{
    const struct ah_request *r = plan->request;
    const char **files = ah_text_alloc(plan->targets.count * sizeof(*files));
    struct ah_job **jobs = ah_text_alloc(plan->targets.count * sizeof(*jobs));
    if (r->side != AH_SIDE_HOST)
        add_device_passes(plan, s, host_product(r), r->rdc, files, jobs);
    if (r->side != AH_SIDE_DEVICE)
        ah_pass_host(plan, &s->unit, host_product(r), r->rdc, NULL, depend_file(plan, s), NULL);
}

struct copy_step {
    const char *const *files;
    size_t count;
    const char *output;
};

/* Copies one or more files, one after the other, to the output. */
static bool finish_copy(struct ah_job *job)
{
    const struct copy_step *step = job->context;
    size_t size = 0, n;
    char *all = ah_text_alloc(1);
    for (size_t i = 0; i < step->count; i++) {
        const char *part = ah_file_read(step->files[i], &n);
        if (!part) {
            ah_report_error("cannot read %s", step->files[i]);
            return false;
        }
        char *longer = ah_text_alloc(size + n + 1);
        memcpy(longer, all, size);
        memcpy(longer + size, part, n);
        all = longer;
        size += n;
    }
    if (ah_file_write(step->output, all, size))
        return true;
    ah_report_error("cannot write %s", step->output);
    return false;
}

static struct ah_job *add_copy(struct ah_plan *plan, const char *const *files, size_t count,
                               const char *output)
{
    struct ah_job *job = ah_jobs_add(&plan->jobs);
    struct copy_step *step = ah_text_alloc(sizeof(*step));
    *step = (struct copy_step){files, count, output};
    job->finish = finish_copy;
    job->context = step;
    job->shows = ah_text_print("copy to %s", output);
    return job;
}

static enum ah_product device_product(const struct ah_request *r)
{
    enum ah_product product = host_product(r);
    if (product == AH_PRODUCT_IMAGE && r->emit_llvm)
        return AH_PRODUCT_LLVM;
    if (product == AH_PRODUCT_IMAGE && r->rdc && r->mode != AH_MODE_LINK)
        return AH_PRODUCT_BITCODE;
    return product;
}

/* Every image by itself, named after its target. */
static void plan_separate_images(struct ah_plan *plan, const struct source *s,
                                 const char *const *files, struct ah_job *const *jobs,
                                 enum ah_product product)
{
    for (size_t i = 0; i < plan->targets.count; i++) {
        const struct ah_target *target = &plan->targets.at[i];
        const char *output = ah_text_print(
            "%s-%s%s", stem_of(s->unit.input), target->file,
            product == AH_PRODUCT_IMAGE && !target->nvidia ? ".o" : device_suffix(target, product));
        ah_job_needs(&plan->jobs, add_copy(plan, &files[i], 1, output), jobs[i]);
    }
}

static const char *bundle_type(enum ah_product product)
{
    switch (product) {
    case AH_PRODUCT_BITCODE:
    case AH_PRODUCT_LLVM:
        return "bc";
    case AH_PRODUCT_LLVM_TEXT:
        return "ll";
    case AH_PRODUCT_ASSEMBLY:
        return "s";
    default:
        return "o";
    }
}

/* The assembly or LLVM text of every side, as a bundle. The host's carries the device code, so that
 * the host can be assembled from it. */
static void plan_texts(struct ah_plan *plan, struct source *s)
{
    const struct ah_request *r = plan->request;
    enum ah_product product = host_product(r);
    const char **files = ah_text_alloc(plan->targets.count * sizeof(*files));
    struct ah_job **jobs = ah_text_alloc(plan->targets.count * sizeof(*jobs));
    const char *host = scratch(plan, s, r->emit_llvm ? "-host.ll" : "-host.s");
    struct ah_job *host_job = add_fat(plan, s, host);
    add_device_passes(plan, s, product, r->rdc, files, jobs);
    s->last = ah_pass_bundle(plan, bundle_type(product), host, files, s->output);
    ah_job_needs(&plan->jobs, s->last, host_job);
    need_all(plan, s->last, jobs);
}

/* What a device-only compilation gives the user: one image as it is where it stands for itself,
 * otherwise a bundle of all. */
static void plan_module(struct ah_plan *plan, struct source *s, const char *const *files,
                        struct ah_job *const *jobs, enum ah_product product)
{
    const struct ah_request *r = plan->request;
    bool plain = product != AH_PRODUCT_IMAGE && product != AH_PRODUCT_BITCODE && !r->bundle;
    if (plan->targets.count > 1 && r->no_bundle && !r->output) {
        plan_separate_images(plan, s, files, jobs, product);
        return;
    }
    const char *output = r->output;
    if (product == AH_PRODUCT_TEXT) {
        s->last = add_copy(plan, files, plan->targets.count, output ? output : "-");
    } else if (plan->targets.count == 1 && (r->no_bundle || plain)) {
        const char *suffix = device_suffix(&plan->targets.at[0], product);
        if (!output)
            output = ah_text_print("%s-%s%s", stem_of(s->unit.input), plan->targets.at[0].file,
                                   !strcmp(suffix, ".co") ? ".o" : suffix);
        s->last = add_copy(plan, files, 1, output);
    } else {
        if (r->no_bundle) {
            ah_report_error("cannot put the images of %zu architectures into %s without a bundle",
                            plan->targets.count, output);
            plan->failed = true;
        }
        if (!output)
            output = ah_text_print(
                "%s%s", stem_of(s->unit.input),
                product == AH_PRODUCT_IMAGE ? ".hipfb" : device_suffix(plan->targets.at, product));
        s->last = ah_pass_bundle(plan, bundle_type(product), NULL, files, output);
    }
    s->last->product = output;
    need_all(plan, s->last, jobs);
}

static void plan_device_only(struct ah_plan *plan, struct source *s)
{
    const struct ah_request *r = plan->request;
    enum ah_product product = device_product(r);
    const char **files = ah_text_alloc(plan->targets.count * sizeof(*files));
    struct ah_job **jobs = ah_text_alloc(plan->targets.count * sizeof(*jobs));
    add_device_passes(plan, s, product, r->rdc, files, jobs);
    plan_module(plan, s, files, jobs, product);
}

/* LLVM bitcode on the command line, to be linked into a module: compiled before. */
static bool is_bitcode(const struct ah_request *r, const struct ah_input *input)
{
    return r->side == AH_SIDE_DEVICE && r->mode == AH_MODE_LINK &&
           input->language == AH_LANGUAGE_OTHER && ah_text_ends(input->path, ".bc");
}

/* A module of several sources: their bitcode is linked per target, then bundled. */
static void plan_linked_module(struct ah_plan *plan, struct source *sources, size_t count)
{
    const char **files = ah_text_alloc(plan->targets.count * sizeof(*files));
    struct ah_job **jobs = ah_text_alloc(plan->targets.count * sizeof(*jobs));
    struct ah_job **compiles = ah_text_alloc(count * plan->targets.count * sizeof(*compiles));
    for (size_t k = 0; k < count; k++) {
        const char **made = ah_text_alloc(plan->targets.count * sizeof(*made));
        if (is_bitcode(plan->request, sources[k].unit.input))
            continue;
        add_device_passes(plan, &sources[k], AH_PRODUCT_BITCODE, true, made,
                          &compiles[k * plan->targets.count]);
        for (size_t i = 0; i < plan->targets.count; i++)
            ah_strings_push(&sources[k].bitcode, made[i]);
    }
    for (size_t i = 0; i < plan->targets.count; i++) {
        const struct ah_target *target = &plan->targets.at[i];
        struct ah_strings parts = {0};
        for (size_t k = 0; k < count; k++)
            ah_strings_push(&parts, sources[k].bitcode.at[i]);
        files[i] = ah_plan_scratch(plan, ah_text_print("module-%s%s", target->file,
                                                       device_suffix(target, AH_PRODUCT_IMAGE)));
        size_t first = plan->jobs.count;
        jobs[i] = ah_pass_device_link(plan, target, &parts, files[i]);
        for (size_t k = 0; k < count; k++)
            if (compiles[k * plan->targets.count + i])
                ah_job_needs(&plan->jobs, plan->jobs.at[first],
                             compiles[k * plan->targets.count + i]);
    }
    plan_module(plan, &sources[0], files, jobs, AH_PRODUCT_IMAGE);
}

static void plan_hip(struct ah_plan *plan, struct source *s)
{
    const struct ah_request *r = plan->request;
    if (r->mode == AH_MODE_SYNTAX || r->mode == AH_MODE_DEPEND) {
        plan_check(plan, s);
    } else if (r->side == AH_SIDE_DEVICE) {
        plan_device_only(plan, s);
    } else if (r->side == AH_SIDE_HOST || r->mode == AH_MODE_PREPROCESS) {
        s->last = ah_pass_host(plan, &s->unit, host_product(r), r->rdc, NULL, depend_file(plan, s),
                               s->output);
    } else if (r->mode == AH_MODE_ASSEMBLY) {
        plan_texts(plan, s);
    } else {
        s->last = add_fat(plan, s, s->output);
    }
}

/* Replaces a source that is a bundle of texts, as -S makes it, by the host's part. */
static void take_host_text(struct ah_plan *plan, struct source *s)
{
    const struct ah_input *bundle = s->unit.input;
    size_t size;
    if (!ah_text_ends(bundle->path, ".s") && !ah_text_ends(bundle->path, ".ll"))
        return;
    const char *text = ah_file_read(bundle->path, &size);
    const char *host = text ? ah_offload_host_text(text) : NULL;
    if (!host)
        return;
    struct ah_input *input = ah_text_alloc(sizeof(*input));
    *input = *bundle;
    input->path = scratch(plan, s, ah_text_print("-host%s", strrchr(bundle->path, '.')));
    s->unit.input = input;
    if (!plan->request->dry_run && !ah_file_write(input->path, host, strlen(host))) {
        ah_report_error("cannot write %s", input->path);
        plan->failed = true;
    }
}

static void plan_plain(struct ah_plan *plan, struct source *s)
{
    const struct ah_request *r = plan->request;
    if (r->side == AH_SIDE_DEVICE) {
        ah_report_warning("%s is no HIP source and has no device code", s->unit.input->path);
        return;
    }
    take_host_text(plan, s);
    s->last = ah_pass_plain(plan, &s->unit, host_product(r), depend_file(plan, s), s->output);
}

static bool finish_rule(struct ah_job *job)
{
    const struct rule *rule = job->context;
    struct ah_strings prerequisites = {0};
    for (size_t i = 0; i < rule->files.count; i++) {
        size_t size;
        const char *text = ah_file_read(rule->files.at[i], &size);
        if (text)
            ah_depend_read(text, &prerequisites);
    }
    const char *text = ah_depend_rule(&rule->targets, &prerequisites, rule->phony);
    if (ah_file_write(rule->path, text, strlen(text)))
        return true;
    ah_report_error("cannot write %s", rule->path);
    return false;
}

static const char *rule_path(const struct ah_request *r, const struct source *s)
{
    if (r->depend_file)
        return r->depend_file;
    if (r->mode == AH_MODE_DEPEND)
        return r->output ? r->output : "-";
    if (r->output)
        return ah_path_with(r->output, ".d");
    return ah_text_print("%s.d", stem_of(s->unit.input));
}

/* Adds the step that writes the rule of sources[0..count) from what their passes noted. */
static void plan_rule(struct ah_plan *plan, const struct source *sources, size_t count)
{
    const struct ah_request *r = plan->request;
    struct rule *rule = ah_text_alloc(sizeof(*rule));
    rule->path = rule_path(r, sources);
    rule->phony = r->depend_phony;
    ah_strings_append(&rule->targets, &r->depend_targets);
    if (!rule->targets.count)
        ah_strings_push(&rule->targets, sources[0].unit.depend_target);
    for (size_t i = 0; i < count; i++)
        ah_strings_append(&rule->files, &sources[i].depend_files);
    struct ah_job *job = ah_jobs_add(&plan->jobs);
    job->finish = finish_rule;
    job->context = rule;
    job->shows = ah_text_print("write the dependencies to %s", rule->path);
    for (size_t i = 0; i + 1 < plan->jobs.count; i++)
        ah_job_needs(&plan->jobs, job, plan->jobs.at[i]);
}

static const char *depend_target(const struct ah_request *r, const struct source *s)
{
    if (!wants_depend(r))
        return NULL;
    if (r->output && r->mode != AH_MODE_DEPEND)
        return ah_depend_quote(r->output);
    return ah_depend_quote(ah_text_print("%s.o", stem_of(s->unit.input)));
}

/* What standard input held, as a file, because several passes read it. */
static const char *keep_standard_input(struct ah_plan *plan)
{
    const char *path = ah_plan_scratch(plan, "stdin");
    size_t size;
    if (plan->request->dry_run || plan->failed)
        return path;
    const char *text = ah_file_read("-", &size);
    if (!text || !ah_file_write(path, text, size)) {
        ah_report_error("cannot read standard input");
        plan->failed = true;
    }
    return path;
}

static void prepare(struct ah_plan *plan, struct source *s, const struct ah_input *input,
                    size_t index)
{
    const struct ah_request *r = plan->request;
    *s = (struct source){.unit.input = input, .index = index};
    s->unit.id = unit_id(r, input);
    s->name = scratch_name(r, s);
    if (!strcmp(input->path, "-"))
        s->unit.standard_input = keep_standard_input(plan);
    s->unit.depend_target = depend_target(r, s);
    for (size_t i = 0; is_bitcode(r, input) && i < plan->targets.count; i++)
        ah_strings_push(&s->bitcode, input->path);
    if (r->mode == AH_MODE_LINK || r->mode == AH_MODE_STATIC_LIBRARY)
        s->output = ah_input_is_header(input) ? default_output(r, input) : scratch(plan, s, ".o");
    else if (r->mode == AH_MODE_OBJECT || r->mode == AH_MODE_ASSEMBLY)
        s->output = r->output ? r->output : default_output(r, input);
    else if (r->mode == AH_MODE_PREPROCESS)
        s->output = r->output;
}

/* Device code of several sources becomes one module only by a device link. */
static bool links_module(const struct ah_request *r)
{
    bool any = r->side == AH_SIDE_DEVICE && r->rdc && r->mode == AH_MODE_LINK;
    for (size_t i = 0; i < r->input_count; i++)
        any = any || is_bitcode(r, &r->inputs[i]);
    return any;
}

static bool makes_one_output(const struct ah_request *r)
{
    if (r->mode == AH_MODE_LINK && r->side == AH_SIDE_DEVICE)
        return links_module(r);
    return r->mode == AH_MODE_LINK || r->mode == AH_MODE_STATIC_LIBRARY ||
           r->mode == AH_MODE_SYNTAX || r->mode == AH_MODE_DEPEND;
}

static void plan_source(struct ah_plan *plan, struct source *s)
{
    const struct ah_request *r = plan->request;
    if (s->unit.input->language == AH_LANGUAGE_HIP)
        plan_hip(plan, s);
    else
        plan_plain(plan, s);
    if (s->last && r->mode != AH_MODE_LINK && r->mode != AH_MODE_STATIC_LIBRARY &&
        !s->last->product)
        s->last->product = s->output;
}

static void plan_sources(struct ah_plan *plan, struct source *sources, size_t count)
{
    const struct ah_request *r = plan->request;
    if (links_module(r)) {
        plan_linked_module(plan, sources, count);
    } else {
        for (size_t i = 0; i < count; i++)
            plan_source(plan, &sources[i]);
    }
    if (!wants_depend(r) || !count)
        return;
    if (r->depend_file || links_module(r)) {
        plan_rule(plan, sources, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        plan_rule(plan, &sources[i], 1);
}

bool ah_compile_plan(struct ah_plan *plan, const char **out_objects)
{
    const struct ah_request *r = plan->request;
    size_t count = 0;
    bool any_device = links_module(r), any_bitcode = false;
    struct source *sources = ah_text_alloc((r->input_count + 1) * sizeof(*sources));
    for (size_t i = 0; i < r->input_count; i++)
        any_device = any_device || r->inputs[i].language == AH_LANGUAGE_HIP;
    for (size_t i = 0; i < r->input_count; i++)
        any_bitcode = any_bitcode || is_bitcode(r, &r->inputs[i]);
    if (r->output && !makes_one_output(r) && ah_request_source_count(r) > 1) {
        ah_report_error("cannot specify -o when generating multiple output files");
        return false;
    }
    if (any_device && !ah_targets_choose(r, plan->toolchain, &plan->targets))
        return false;
    if (any_bitcode && plan->targets.count > 1) {
        ah_report_error("bitcode is linked for one architecture: name it with --offload-arch");
        return false;
    }
    for (size_t i = 0; i < r->input_count; i++) {
        const struct ah_input *input = &r->inputs[i];
        out_objects[i] = NULL;
        if (!ah_input_is_source(input))
            continue;
        if (links_module(r) && input->language != AH_LANGUAGE_HIP && !is_bitcode(r, input)) {
            ah_report_warning("%s is no HIP source and has no device code", input->path);
            continue;
        }
        prepare(plan, &sources[count], input, count);
        out_objects[i] = sources[count++].output;
    }
    plan_sources(plan, sources, count);
    return !plan->failed;
}
