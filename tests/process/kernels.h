// What process_kernels (kernels.hip) exports, and how a program opens it.
#ifndef AH_TESTS_PROCESS_KERNELS_H
#define AH_TESTS_PROCESS_KERNELS_H

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

extern "C" {
typedef hipError_t kernels_set_fn(int *p, int value, hipStream_t stream);
typedef hipError_t kernels_add_fn(int *p, int value, hipStream_t stream);
typedef hipError_t kernels_fill_fn(int *p, int n, int value, hipStream_t stream);
/// Adds to *wrong how many of the n words are not value.
typedef hipError_t kernels_count_other_fn(const int *p, int n, int value, int *wrong,
                                          hipStream_t stream);
/// Sets *started and runs until *flag is not 0; both lie in memory that the host can write.
typedef hipError_t kernels_hold_fn(int *started, int *flag, hipStream_t stream);
/// One step of a schedule: where one of the listed done[] is not 1, its index and 1 become *missed;
/// spends some time, and sets *mirror and done[self].
typedef hipError_t kernels_step_fn(int *done, const int *list, int count, int rounds, int self,
                                   int *missed, int *mirror, hipStream_t stream);

kernels_set_fn kernels_set;
kernels_add_fn kernels_add;
kernels_fill_fn kernels_fill;
kernels_count_other_fn kernels_count_other;
kernels_hold_fn kernels_hold;
kernels_step_fn kernels_step;
}

struct kernel_library {
    void *handle;
    kernels_set_fn *set;
    kernels_add_fn *add;
    kernels_fill_fn *fill;
    kernels_count_other_fn *count_other;
    kernels_hold_fn *hold;
    kernels_step_fn *step;
};

/// The library lies beside the program.
inline std::string kernel_library_path()
{
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    std::string path(self, length > 0 ? static_cast<size_t>(length) : 0);
    return path.replace(path.rfind('/') + 1, std::string::npos, "process_kernels");
}

/// Opens the library. Ends the program when that fails.
inline kernel_library open_kernels()
{
    void *handle = dlopen(kernel_library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        std::printf("FAILED: %s\n", dlerror());
        std::exit(1);
    }
    auto find = [handle](const char *name) { return dlsym(handle, name); };
    return {
        handle,
        reinterpret_cast<kernels_set_fn *>(find("kernels_set")),
        reinterpret_cast<kernels_add_fn *>(find("kernels_add")),
        reinterpret_cast<kernels_fill_fn *>(find("kernels_fill")),
        reinterpret_cast<kernels_count_other_fn *>(find("kernels_count_other")),
        reinterpret_cast<kernels_hold_fn *>(find("kernels_hold")),
        reinterpret_cast<kernels_step_fn *>(find("kernels_step")),
    };
}

#endif
