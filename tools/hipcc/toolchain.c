/* Owns the search for programs and files. */
#include "toolchain.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hip/hip_version.h"
#include "jobs.h"
#include "report.h"

enum { OLDEST_CLANG = 22 };

#ifndef ANYHIP_LIBDIR /* the library folder below the prefix */
#define ANYHIP_LIBDIR "lib"
#endif

static bool incomplete;

bool ah_toolchain_incomplete(void)
{
    return incomplete;
}

static bool is_one_of(const char *path, const char *const *folders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(path, folders[i]))
            return true;
    return false;
}

/* The value of a line "name=value" in text, or NULL. */
static const char *setting(const char *text, const char *name)
{
    struct ah_strings lines = {0};
    ah_strings_split(&lines, text, "\n");
    for (size_t i = 0; i < lines.count; i++) {
        const char *value = ah_text_after(lines.at[i], name);
        if (value && *value == '=')
            return value + 1;
    }
    return NULL;
}

static const char *first_folder(const char *prefix, const char *const *names, const char *file)
{
    for (size_t i = 0; names[i]; i++)
        if (ah_path_exists(ah_text_print("%s/%s/%s", prefix, names[i], file)))
            return ah_text_print("%s/%s", prefix, names[i]);
    return ah_text_print("%s/%s", prefix, names[0]);
}

void ah_toolchain_find_self(struct ah_toolchain *t)
{
    static const char *const libraries[] = {ANYHIP_LIBDIR, "lib", "lib64", NULL};
    static const char *const system_libraries[] = {"/lib",
                                                   "/usr/lib",
                                                   "/lib64",
                                                   "/usr/lib64",
                                                   "/lib/" ANYHIP_MULTIARCH,
                                                   "/usr/lib/" ANYHIP_MULTIARCH,
                                                   "/usr/local/lib"};
    static const char *const system_includes[] = {"/usr/include", "/usr/local/include"};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    const char *bin = n > 0 ? ah_path_folder(self) : "/usr/bin";
    *t = (struct ah_toolchain){.prefix = ah_path_folder(bin)};
    /* In a build tree the headers are not beside the programs; a file there says where. */
    size_t size;
    const char *places = ah_file_read(ah_text_print("%s/anyhip-paths.conf", bin), &size);
    t->include = places ? setting(places, "include") : NULL;
    t->library = places ? setting(places, "library") : NULL;
    if (!t->include)
        t->include = ah_text_print("%s/include", t->prefix);
    if (!t->library)
        t->library = first_folder(t->prefix, libraries, "libanyhip.so");
    t->has_prelude = ah_path_is_file(ah_text_print("%s/hip/device/prelude.h", t->include));
    t->include_is_system = is_one_of(t->include, system_includes, 2);
    t->library_is_system = is_one_of(t->library, system_libraries,
                                     sizeof(system_libraries) / sizeof(*system_libraries));
}

/* The first program of that name in PATH, or NULL. */
static const char *in_path(const char *name)
{
    struct ah_strings folders = {0};
    const char *path = getenv("PATH");
    ah_strings_split(&folders, path ? path : "/usr/local/bin:/usr/bin:/bin", ":");
    for (size_t i = 0; i < folders.count; i++) {
        const char *candidate = ah_text_print("%s/%s", folders.at[i], name);
        if (ah_path_is_program(candidate))
            return candidate;
    }
    return NULL;
}

static int version_in_name(const char *path)
{
    const char *base = ah_path_base(path), *dash = strrchr(base, '-');
    return dash && isdigit((unsigned char)dash[1]) ? atoi(dash + 1) : 0;
}

/* Asks clang itself: "... clang version 22.1.8 ...". 0 if its output is not that of clang. */
static int version_told(const char *path)
{
    struct ah_strings argv = {0};
    ah_strings_push(&argv, path);
    ah_strings_push(&argv, "--version");
    const char *answer = ah_jobs_output_of(&argv);
    const char *at = answer ? strstr(answer, "clang version ") : NULL;
    return at ? atoi(at + strlen("clang version ")) : 0;
}

struct search {
    struct ah_strings tried; /* what was looked at, with the reason it was not taken */
    const char *found;
};

static void consider(struct search *search, const char *path)
{
    if (search->found)
        return;
    if (!ah_path_is_program(path)) {
        ah_strings_push(&search->tried, ah_text_print("%s: not there", path));
        return;
    }
    int version = version_in_name(path);
    if (version < OLDEST_CLANG)
        version = version_told(path);
    if (version >= OLDEST_CLANG)
        search->found = path;
    else if (version)
        ah_strings_push(&search->tried, ah_text_print("%s: is version %d, too old", path, version));
    else
        ah_strings_push(&search->tried, ah_text_print("%s: does not run as clang", path));
}

static void consider_in_path(struct search *search, const char *name)
{
    const char *path = search->found ? NULL : in_path(name);
    if (path)
        consider(search, path);
    else if (!search->found)
        ah_strings_push(&search->tried, ah_text_print("%s: not in PATH", name));
}

static void consider_folder(struct search *search, const char *folder)
{
    static const char *const names[] = {"clang++", "clang", "clang++-22", "clang-22"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        consider(search, ah_text_print("%s/%s", folder, names[i]));
}

static void search_clang(struct search *search)
{
    const char *program = getenv("ANYHIP_CLANG"), *folder = getenv("HIP_CLANG_PATH");
    if (program && *program) { /* named outright: no other will do */
        const char *path = strchr(program, '/') ? program : in_path(program);
        consider(search, path ? path : program);
        return;
    }
    if (folder && *folder) {
        consider_folder(search, folder);
        return;
    }
    consider_in_path(search, "clang++-22");
    consider(search, "/usr/lib/llvm-22/bin/clang++");
    for (int version = OLDEST_CLANG + 1; version < OLDEST_CLANG + 8 && !search->found; version++) {
        const char *path = in_path(ah_text_print("clang++-%d", version));
        if (path)
            consider(search, path);
    }
    consider_in_path(search, "clang++");
}

bool ah_toolchain_find_clang(struct ah_toolchain *t)
{
    struct search search = {0};
    search_clang(&search);
    if (!search.found) {
        incomplete = true;
        ah_report_error("no clang of version %d or newer was found; tried:", OLDEST_CLANG);
        for (size_t i = 0; i < search.tried.count; i++)
            ah_report_note("  %s", search.tried.at[i]);
        ah_report_note("install the Debian packages clang-22, lld-22, llvm-22 and libclc-22 (from "
                       "https://apt.llvm.org), or name a clang in ANYHIP_CLANG");
        return false;
    }
    char real[4096];
    t->clang = search.found;
    t->bin = ah_path_folder(realpath(t->clang, real) ? ah_text_print("%s", real) : t->clang);
    return true;
}

const char *ah_toolchain_tool(const struct ah_toolchain *t, const char *name, const char *package)
{
    const char *beside = ah_text_print("%s/%s", t->bin, name);
    if (ah_path_is_program(beside))
        return beside;
    const char *versioned = ah_text_print("%s-%d", name, OLDEST_CLANG);
    const char *path = in_path(versioned);
    if (!path)
        path = in_path(name);
    if (path)
        return path;
    incomplete = true;
    ah_report_error("%s was not found (looked for %s, and for %s and %s in PATH)", name, beside,
                    versioned, name);
    ah_report_note("install the Debian package %s", package);
    return NULL;
}

/* What pkg-config says of libclc, as the last resort. */
static const char *libclc_of_pkg_config(void)
{
    struct ah_strings argv = {0};
    const char *program = in_path("pkg-config");
    if (!program)
        return NULL;
    ah_strings_push(&argv, program);
    ah_strings_push(&argv, "--variable=libexecdir");
    ah_strings_push(&argv, "libclc");
    char *answer = ah_jobs_output_of(&argv);
    if (answer)
        answer[strcspn(answer, "\r\n")] = '\0';
    return answer && *answer ? answer : NULL;
}

/* One of the names in folder; notes what was not there. */
static const char *libclc_in(const char *folder, const char *const *names, struct ah_strings *tried)
{
    for (size_t i = 0; names[i]; i++) {
        const char *path = ah_text_print("%s/%s", folder, names[i]);
        if (ah_path_is_file(path))
            return path;
    }
    ah_strings_push(tried, ah_text_print("%s/%s", folder, names[0]));
    return NULL;
}

const char *ah_toolchain_libclc(const struct ah_toolchain *t, bool nvidia)
{
    /* nvptx64--nvidiacl.bc would not do: it calls CUDA's libdevice. */
    static const char *const amd_names[] = {"amdgcn-amd-amdhsa.bc", "amdgcn--amdhsa.bc", NULL};
    static const char *const nvidia_names[] = {"nvptx64--.bc", NULL};
    const char *const *names = nvidia ? nvidia_names : amd_names;
    struct ah_strings tried = {0};
    const char *own = getenv("ANYHIP_LIBCLC");
    const char *llvm = ah_path_folder(t->bin), *path = NULL;
    const char *folders[] = {
        own && *own ? own : NULL,
        "/usr/lib/clc",
        ah_text_print("%s/lib/clc", llvm),
        ah_text_print("%s/share/clc", llvm),
        "/usr/share/clc",
        "/usr/local/lib/clc",
        "/usr/local/share/clc",
    };
    size_t count = folders[0] ? 1 : sizeof(folders) / sizeof(*folders);
    for (size_t i = 0; i < count && !path; i++)
        if (folders[i])
            path = libclc_in(folders[i], names, &tried);
    if (!path && !folders[0]) {
        const char *folder = libclc_of_pkg_config();
        path = folder ? libclc_in(folder, names, &tried) : NULL;
    }
    if (path)
        return path;
    incomplete = true;
    ah_report_error("libclc's %s functions were not found; tried:", nvidia ? "NVIDIA" : "AMD");
    for (size_t i = 0; i < tried.count; i++)
        ah_report_note("  %s", tried.at[i]);
    ah_report_note("install the Debian package libclc-22, name its folder in ANYHIP_LIBCLC, or "
                   "compile with -nogpulib");
    return NULL;
}

void ah_toolchain_push_clang(const struct ah_toolchain *t, bool c, struct ah_strings *argv)
{
    ah_strings_push(argv, t->clang);
    ah_strings_push(argv, c ? "--driver-mode=gcc" : "--driver-mode=g++");
}

const char *ah_toolchain_hip_version(void)
{
    return ah_text_print("%d.%d.%d", HIP_VERSION_MAJOR, HIP_VERSION_MINOR, HIP_VERSION_PATCH);
}

const char *ah_toolchain_version(void)
{
    return ANYHIP_VERSION;
}
