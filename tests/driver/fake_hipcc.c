/* The compile driver that tests of failing run-time compilation name in ANYHIP_HIPCC: it writes
 * what -o names, PTX or LLVM's text, and says a word. */
#include <stdio.h>
#include <string.h>

static int make(const char *path)
{
    size_t length = strlen(path);
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    if (length > 3 && strcmp(path + length - 3, ".ll") == 0)
        fputs("\n@__hiprtc_name_0 = addrspace(1) constant ptr @_Z6kernelv\n", file);
    else
        fputs(".version 7.0\n.target sm_70\n.address_size 64\n", file);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    puts("warning: nothing is compiled");
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "-o") == 0)
            return make(argv[i + 1]);
    return 1;
}
