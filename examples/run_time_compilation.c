// A kernel that is compiled while the program runs, from text that depends on what the user asks
// for, by hiprtc; from plain C.
//   usage: run_time_compilation [FORMULA of x, such as "x * x + 1"]
#include "check.h"

#include <hip/hiprtc.h>

#include <math.h>
#include <string.h>

enum { COUNT = 10000, BLOCK = 256 };

#define RTC_CHECK(call)                                                                            \
    do {                                                                                           \
        hiprtcResult rtc_check_result = (call);                                                    \
        if (rtc_check_result != HIPRTC_SUCCESS) {                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    hiprtcGetErrorString(rtc_check_result));                                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// The kernel, compiled for the current device. The compiler reports mistakes in the formula.
static char *compile(const char *formula)
{
    char source[1024], architecture[512];
    hiprtcProgram program;
    hipDeviceProp_t properties;
    int device;
    size_t size;

    snprintf(source, sizeof source,
             "extern \"C\" __global__ void apply(float *values, int count)\n"
             "{\n"
             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    if (i < count) {\n"
             "        float x = values[i];\n"
             "        values[i] = %s;\n"
             "    }\n"
             "}\n",
             formula);
    HIP_CHECK(hipGetDevice(&device));
    HIP_CHECK(hipGetDeviceProperties(&properties, device));
    snprintf(architecture, sizeof architecture, "--offload-arch=%s", properties.gcnArchName);
    const char *options[] = {architecture, "-ffp-contract=off"};

    RTC_CHECK(hiprtcCreateProgram(&program, source, "formula.hip", 0, NULL, NULL));
    if (hiprtcCompileProgram(program, 2, options) != HIPRTC_SUCCESS) {
        RTC_CHECK(hiprtcGetProgramLogSize(program, &size));
        char *log = malloc(size);
        RTC_CHECK(hiprtcGetProgramLog(program, log));
        fprintf(stderr, "the formula does not compile:\n%s", log);
        exit(1);
    }
    RTC_CHECK(hiprtcGetCodeSize(program, &size));
    char *code = malloc(size);
    RTC_CHECK(hiprtcGetCode(program, code));
    RTC_CHECK(hiprtcDestroyProgram(&program));
    return code;
}

int main(int argc, char **argv)
{
    const char *formula = argc > 1 ? argv[1] : "x * x + 1";
    static float values[COUNT];
    int count = COUNT;
    hipModule_t module;
    hipFunction_t apply;
    hipDeviceptr_t memory;

    HIP_CHECK(hipInit(0));
    print_device();
    char *code = compile(formula);
    HIP_CHECK(hipModuleLoadData(&module, code));
    free(code);
    HIP_CHECK(hipModuleGetFunction(&apply, module, "apply"));

    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i / 16;
    HIP_CHECK(hipMalloc(&memory, sizeof values));
    HIP_CHECK(hipMemcpyHtoD(memory, values, sizeof values));
    void *arguments[] = {&memory, &count};
    HIP_CHECK(hipModuleLaunchKernel(apply, (COUNT + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL,
                                    arguments, NULL));
    HIP_CHECK(hipMemcpyDtoH(values, memory, sizeof values));
    HIP_CHECK(hipFree(memory));
    HIP_CHECK(hipModuleUnload(module));

    printf("  %s: %g for 0, %g for 1, %g for 2\n", formula, values[0], values[16], values[32]);
    for (int i = 0; argc == 1 && i < COUNT; i++) {
        float x = (float)i / 16, expected = x * x + 1;
        if (!(fabsf(values[i] - expected) <= 1e-6f * expected)) {
            printf("FAILED: %g for %g, not %g\n", values[i], x, expected);
            return 1;
        }
    }
    printf("PASSED: a kernel compiled from text\n");
    return 0;
}
