/* Owns finding, opening and initialising libLLVM. */
#include "jit_llvm.h"

#include "log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Versions newer than the bitcode's are tried up to this many. */
enum { NEWER = 6, NAMES = 4, NAME_SIZE = 64 };

static const struct ah_dynlib_symbol symbols[] = {
#define REQUIRED                                    AH_REQUIRED
#define LLVM_SYMBOL(need, result, name, parameters) {#name, offsetof(struct jit_llvm, name), need},
#include "jit_llvm.def"
#undef LLVM_SYMBOL
#undef REQUIRED
};

/* Names of versions from first on, as distributions and LLVM's own build call them. */
static bool open_newest(struct jit_llvm *llvm, const char *folder, unsigned first)
{
    static const char *const formats[NAMES] = {
        "libLLVM.so.%u.1", "libLLVM-%u.so", "libLLVM-%u.so.1", "/usr/lib/llvm-%u/lib/libLLVM.so"};
    char names[NEWER * NAMES][NAME_SIZE + 256];
    const char *candidates[NEWER * NAMES + 1];
    size_t count = 0;
    for (unsigned version = first; version < first + NEWER; version++)
        for (unsigned i = 0; i < NAMES && !(folder && *formats[i] == '/'); i++) {
            int at = folder ? snprintf(names[count], sizeof *names, "%s/", folder) : 0;
            if (at < 0 || (size_t)at >= sizeof *names - NAME_SIZE)
                return false;
            snprintf(names[count] + at, NAME_SIZE, formats[i], version);
            candidates[count] = names[count];
            count++;
        }
    candidates[count] = NULL;
    return ah_dynlib_open(&llvm->library, candidates);
}

/* A file, or a folder, or an installation that has it in lib/. */
static bool open_path(struct jit_llvm *llvm, const char *path, unsigned first)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return ah_dynlib_open(&llvm->library, (const char *const[]){path, NULL});
    char folder[256];
    snprintf(folder, sizeof folder, "%s/lib", path);
    return open_newest(llvm, path, first) || open_newest(llvm, folder, first);
}

static void log_attempts(const struct jit_llvm *llvm, const char *path, unsigned version)
{
    const struct ah_dynlib *library = &llvm->library;
    const char *error = library->attempt_count ? library->attempts[0].error : NULL;
    AH_LOG_WARN("Simulated devices do not compile kernels, which is slower: no libLLVM of version "
                "%u or later%s%s (%s); Debian's package is libllvm%u",
                version, path ? " at " : "", path ? path : "", error ? error : "no file", version);
}

/* Two simulated drivers may come here at once, and LLVM's list of targets has no lock. A lock of
 * the library's file is one for both, since each opens the file for itself. */
static void initialise(const struct jit_llvm *llvm)
{
    int file = open(llvm->library.path, O_RDONLY | O_CLOEXEC);
    if (file >= 0)
        (void)flock(file, LOCK_EX);
    llvm->LLVMInitializeX86TargetInfo();
    llvm->LLVMInitializeX86Target();
    llvm->LLVMInitializeX86TargetMC();
    llvm->LLVMInitializeX86AsmPrinter();
    llvm->LLVMInitializeX86AsmParser();
    if (file >= 0)
        close(file);
}

static bool bind(struct jit_llvm *llvm, unsigned version)
{
    unsigned minor = 0, patch = 0;
    bool bound = ah_dynlib_bind(&llvm->library, symbols, sizeof symbols / sizeof *symbols, llvm);
    if (llvm->LLVMGetVersion)
        llvm->LLVMGetVersion(&llvm->version, &minor, &patch);
    if (llvm->version < version) {
        AH_LOG_WARN(
            "Simulated devices do not compile kernels, which is slower: %s is LLVM %u, older "
            "than the bitcode, which needs %u (Debian's package is libllvm%u)",
            llvm->library.path, llvm->version, version, version);
        return false;
    }
    if (!bound)
        AH_LOG_WARN(
            "Simulated devices do not compile kernels, which is slower: %s, LLVM %u, has no "
            "%s",
            llvm->library.path, llvm->version, llvm->library.missing);
    return bound;
}

bool jit_llvm_open(struct jit_llvm *out_llvm, const char *path, unsigned version)
{
    *out_llvm = (struct jit_llvm){0};
    if (path && !*path)
        path = NULL;
    bool opened = path ? open_path(out_llvm, path, version) : open_newest(out_llvm, NULL, version);
    if (!opened)
        log_attempts(out_llvm, path, version);
    if (!opened || !bind(out_llvm, version)) {
        ah_dynlib_close(&out_llvm->library);
        return false;
    }
    initialise(out_llvm);
    return true;
}
