/* Device code that uses a variable which another code object defines. */
#define SEEN __attribute__((visibility("default")))
extern SEEN unsigned elsewhere;

SEEN __attribute__((amdgpu_kernel)) void read(__attribute__((address_space(1))) unsigned *out)
{
    *out = elsewhere;
}
