/* A program for test_profile.c: launches kernels by the simulated driver of CUDA, whose file is its
 * first argument, and does what the others say:
 *   N         launches a kernel for N blocks
 *   abort     is killed by a signal when its profile has been written
 *   child     runs itself once more, for 7 blocks, and waits for that
 *   exit N    ends with that status
 *   print     prints a line */
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const text = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".visible .entry _Z4walkPf(.param .u64 p)\n{\n"
                                ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
                                "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
                                "mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
                                "ld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd1], %r2;\n"
                                "ret;\n}\n";

static void *driver;

/* Calls a function of the driver. */
static void call(const char *name, void *a, void *b, void *c)
{
    int (*function)(void *, void *, void *) =
        (int (*)(void *, void *, void *))(uintptr_t)dlsym(driver, name);
    int result = function ? function(a, b, c) : -1;
    if (result != 0) {
        fprintf(stderr, "%s: %d\n", name, result);
        exit(99);
    }
}

static void *kernel, *memory;

static void load(const char *file)
{
    void *context, *module;
    if (!(driver = dlopen(file, RTLD_NOW))) {
        fprintf(stderr, "%s\n", dlerror());
        exit(98);
    }
    call("cuInit", NULL, NULL, NULL);
    call("cuDevicePrimaryCtxRetain", &context, NULL, NULL);
    call("cuCtxSetCurrent", context, NULL, NULL);
    call("cuModuleLoadData", &module, (void *)(uintptr_t)text, NULL);
    call("cuModuleGetFunction", &kernel, module, (void *)(uintptr_t) "_Z4walkPf");
    call("cuMemAlloc_v2", &memory, (void *)(uintptr_t)4096, NULL);
}

static void launch(unsigned blocks)
{
    int (*function)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    void *, void **, void **);
    void *arguments[] = {&memory};
    *(void **)&function = dlsym(driver, "cuLaunchKernel");
    if (function(kernel, blocks, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL) != 0)
        exit(97);
    call("cuCtxSynchronize", NULL, NULL, NULL);
}

/* Whether a file of the profile has something in it. */
static int is_written(void)
{
    const char *folder = getenv("ANYHIP_SIM_PROFILE");
    DIR *files = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    int written = 0;
    while (files && (entry = readdir(files))) {
        struct stat about;
        if (strstr(entry->d_name, ".json") && !strstr(entry->d_name, ".new") &&
            fstatat(dirfd(files), entry->d_name, &about, 0) == 0)
            written |= about.st_size > 0;
    }
    if (files)
        closedir(files);
    return written;
}

static void run_child(const char *self, const char *file)
{
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, file, "7", NULL);
        _exit(96);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "abort") == 0) {
            while (!is_written())
                usleep(1000);
            kill(getpid(), SIGKILL);
        } else if (strcmp(argv[i], "child") == 0) {
            run_child(argv[0], argv[1]);
        } else if (strcmp(argv[i], "exit") == 0 && i + 1 < argc) {
            return atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "print") == 0) {
            puts("the program's own line");
        } else {
            if (!driver)
                load(argv[1]);
            launch((unsigned)atoi(argv[i]));
        }
    }
    return 0;
}
