/* Loads the library named by its argument and prints how long that took, in
 * microseconds. A process of its own, in which nothing of it is loaded yet. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    double start = now_us();
    if (!dlopen(argv[1], RTLD_NOW)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    printf("%.1f\n", now_us() - start);
    return 0;
}
