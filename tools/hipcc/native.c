/* Owns the question what GPUs this machine has: the AMD kernel driver's topology files,
 * and libcuda asked in a process of its own, so that no fault of it can reach us. */
#include "targets.h"

#include <dirent.h>
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CUDA_SECONDS = 20 };

static void push_new(struct ah_strings *archs, const char *arch)
{
    if (!ah_strings_contain(archs, arch))
        ah_strings_push(archs, arch);
}

/* 90010 is gfx90a: major, minor and stepping, the latter two in hexadecimal. */
static void push_amd(struct ah_strings *archs, unsigned long version)
{
    unsigned long major = version / 10000, minor = version / 100 % 100, step = version % 100;
    if (major)
        push_new(archs, ah_text_print("gfx%lu%lx%lx", major, minor, step));
}

static void find_amd(const char *kfd, struct ah_strings *archs)
{
    DIR *dir = opendir(kfd);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t size;
        char *text =
            *entry->d_name == '.'
                ? NULL
                : ah_file_read(ah_text_print("%s/%s/properties", kfd, entry->d_name), &size);
        const char *at = text ? strstr(text, "gfx_target_version ") : NULL;
        if (at)
            push_amd(archs, strtoul(at + strlen("gfx_target_version "), NULL, 10));
    }
    closedir(dir);
}

/* In the child: writes one "sm_NN" line per device. */
static void ask_cuda(int fd)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : NULL;
    int (*count_devices)(int *) =
        library ? (int (*)(int *))dlsym(library, "cuDeviceGetCount") : NULL;
    int (*get_attribute)(int *, int, int) =
        library ? (int (*)(int *, int, int))dlsym(library, "cuDeviceGetAttribute") : NULL;
    int count = 0, major, minor;
    if (!init || !count_devices || !get_attribute || init(0) || count_devices(&count))
        return;
    for (int i = 0; i < count; i++) /* 75 and 76: compute capability, major and minor */
        if (!get_attribute(&major, 75, i) && !get_attribute(&minor, 76, i))
            dprintf(fd, "sm_%d%d\n", major, minor);
}

static void read_lines(int fd, struct ah_strings *archs)
{
    char text[4096];
    size_t n = 0;
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, CUDA_SECONDS * 1000) <= 0)
            break;
        ssize_t got = read(fd, text + n, sizeof(text) - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    text[n] = '\0';
    struct ah_strings lines = {0};
    ah_strings_split(&lines, text, "\n");
    struct ah_target known;
    for (size_t i = 0; i < lines.count; i++)
        if (ah_target_named(lines.at[i], &known))
            push_new(archs, lines.at[i]);
}

static void find_nvidia(struct ah_strings *archs)
{
    int ends[2];
    if (access("/dev/nvidiactl", F_OK) && access("/dev/dxg", F_OK))
        return;
    if (pipe(ends))
        return;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        ask_cuda(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    if (pid > 0) {
        read_lines(ends[0], archs);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    close(ends[0]);
}

void ah_targets_of_machine(const char *kfd, struct ah_strings *out_archs)
{
    find_amd(kfd ? kfd : "/sys/class/kfd/kfd/topology/nodes", out_archs);
    if (!kfd)
        find_nvidia(out_archs);
}
