/* Functions that clang's constructors and destructors call. A library that the child of a fork
 * opens has no kernels there, and one that it closes leaves them registered: the lock may be held
 * by a thread that the child does not have. */
#include "api.h"
#include "api_arguments.h"
#include "api_ids.h"
#include "runtime.h"

#include <hip/api/registration.h>

enum { WRAPPER_MAGIC = 0x48495046, WRAPPER_VERSION = 1 }; /* "HIPF" */

struct wrapper {
    uint32_t magic, version;
    const void *binary;
    void *unused;
};

void **__hipRegisterFatBinary(const void *data)
{
    AH_CALL_INSTEAD(__hipRegisterFatBinary);
    const struct wrapper *wrapper = data;
    if (!wrapper || wrapper->magic != WRAPPER_MAGIC || wrapper->version != WRAPPER_VERSION) {
        AH_LOG_NOTICE(AH_LOG_ERROR, "a fat binary was registered that is not HIP's: its kernels "
                                    "cannot be launched");
        return NULL;
    }
    return ah_api_forked() ? NULL : (void **)(void *)ah_fatbin_register(wrapper->binary);
}

static void add(void **modules, enum ah_symbol_kind kind, const void *host, const char *name,
                size_t size)
{
    if (!ah_api_forked())
        ah_fatbin_add((struct ah_fatbin *)(void *)modules, kind, host, name, size);
}

void __hipRegisterFunction(void **modules, const void *hostFunction, char *deviceFunction,
                           const char *deviceName, unsigned int threadLimit, uint3 *tid, uint3 *bid,
                           dim3 *blockDim, dim3 *gridDim, int *wSize)
{
    AH_CALL_INSTEAD_VOID(__hipRegisterFunction);
    (void)deviceFunction, (void)threadLimit, (void)tid, (void)bid, (void)blockDim, (void)gridDim;
    (void)wSize;
    add(modules, AH_SYMBOL_KERNEL, hostFunction, deviceName, 0);
}

void __hipRegisterVar(void **modules, void *var, char *hostVar, char *deviceVar, int ext,
                      size_t size, int constant, int global)
{
    AH_CALL_INSTEAD_VOID(__hipRegisterVar);
    (void)hostVar, (void)ext, (void)global;
    add(modules, constant ? AH_SYMBOL_CONSTANT : AH_SYMBOL_VARIABLE, var, deviceVar, size);
}

void __hipRegisterSurface(void **modules, void *var, char *hostVar, char *deviceVar, int type,
                          int ext)
{
    AH_CALL_INSTEAD_VOID(__hipRegisterSurface);
    (void)hostVar, (void)type, (void)ext;
    add(modules, AH_SYMBOL_SURFACE, var, deviceVar, 0);
}

void __hipRegisterTexture(void **modules, void *var, char *hostVar, char *deviceVar, int type,
                          int norm, int ext)
{
    AH_CALL_INSTEAD_VOID(__hipRegisterTexture);
    (void)hostVar, (void)type, (void)norm, (void)ext;
    add(modules, AH_SYMBOL_TEXTURE, var, deviceVar, 0);
}

/* Host code may use the variable before the first HIP call, so the library starts here: only
 * programs with managed variables pay for it. */
void __hipRegisterManagedVar(void *hipModule, void **pointer, void *init_value, const char *name,
                             size_t size, unsigned align)
{
    AH_CALL_INSTEAD_VOID(__hipRegisterManagedVar);
    if (ah_api_forked() || !hipModule || !pointer || !name)
        return;
    ah_api_init();
    ah_fatbin_add_managed(hipModule, name,
                          &(struct ah_managed_variable){pointer, init_value, size, align});
}

void __hipUnregisterFatBinary(void **modules)
{
    AH_CALL_INSTEAD_VOID(__hipUnregisterFatBinary);
    if (!ah_api_forked())
        ah_fatbin_unregister((struct ah_fatbin *)(void *)modules);
}
