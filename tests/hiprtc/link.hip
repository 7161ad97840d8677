// hipLink*: LLVM code in all its containers, together with PTX on NVIDIA's devices, and bad input.
// tests/driver has the links of NVIDIA's driver alone.
#include "../support/hip_test.h"

#include <hip/hiprtc.h>

#include <elf.h>
#include <unistd.h>

#include <cstdio>
#include <string>

typedef std::string bytes;

static const char *const caller =
    "__device__ int helper(int);\n"
    "extern \"C\" __global__ void call(int *x) { *x = helper(*x); }\n";
static const char *const callee = "__device__ int factor = 3;\n"
                                  "__device__ int helper(int x) { return x * factor; }\n";

// Relocatable device code, as bitcode for an architecture; empty: the current device's.
static bytes bitcode_of(const char *source, const std::string &arch = "")
{
    hiprtcProgram p = nullptr;
    size_t size = 0;
    std::string option = "--offload-arch=" + arch;
    const char *options[] = {"-fgpu-rdc", option.c_str()};
    bool made = hiprtcCreateProgram(&p, source, "link", 0, nullptr, nullptr) == HIPRTC_SUCCESS &&
                hiprtcCompileProgram(p, arch.empty() ? 1 : 2, options) == HIPRTC_SUCCESS &&
                hiprtcGetBitcodeSize(p, &size) == HIPRTC_SUCCESS;
    CHECK(made);
    bytes code(size, '\0');
    CHECK_EQ(hiprtcGetBitcode(p, &code[0]), HIPRTC_SUCCESS);
    (void)hiprtcDestroyProgram(&p);
    return code;
}

static std::string architecture()
{
    hipDeviceProp_t properties;
    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    return properties.gcnArchName;
}

static bool of_nvidia()
{
    return architecture().compare(0, 3, "sm_") == 0;
}

template <typename T> static void put(bytes &out, T value)
{
    out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

// LLVM's offload binary with one image.
static bytes offload_binary(const bytes &image, const std::string &arch)
{
    const uint64_t strings = 32 + 40, names = strings + 16, at = 128;
    bytes out("\x10\xff\x10\xad", 4), name = bytes("arch\0", 5) + arch + '\0';
    put<uint32_t>(out, 1);
    put<uint64_t>(out, at + image.size());
    put<uint64_t>(out, 32);
    put<uint64_t>(out, 40);
    put<uint16_t>(out, 2); // bitcode
    put<uint16_t>(out, 4); // HIP
    put<uint32_t>(out, 0);
    put<uint64_t>(out, strings);
    put<uint64_t>(out, 1);
    put<uint64_t>(out, at);
    put<uint64_t>(out, image.size());
    put<uint64_t>(out, names);
    put<uint64_t>(out, names + 5);
    out += name;
    out.resize(at);
    return out + image;
}

// A host object with one section besides its names.
static bytes host_object(const std::string &section, const bytes &contents)
{
    bytes names = bytes(1, '\0') + ".shstrtab" + '\0' + section + '\0';
    Elf64_Ehdr header = {};
    Elf64_Shdr sections[3] = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_shoff = sizeof header;
    header.e_shentsize = sizeof *sections;
    header.e_shnum = 3;
    header.e_shstrndx = 1;
    sections[1].sh_name = 1;
    sections[1].sh_type = SHT_STRTAB;
    sections[1].sh_offset = sizeof header + sizeof sections;
    sections[1].sh_size = names.size();
    sections[2].sh_name = 11;
    sections[2].sh_type = SHT_PROGBITS;
    sections[2].sh_offset = sections[1].sh_offset + names.size();
    sections[2].sh_size = contents.size();
    bytes out(reinterpret_cast<char *>(&header), sizeof header);
    out.append(reinterpret_cast<char *>(sections), sizeof sections);
    return out + names + contents;
}

static bytes archive(const bytes &member)
{
    char header[61];
    std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "member.o/", 0, 0, 0,
                  0644, member.size());
    return "!<arch>\n" + bytes(header) + member;
}

// A link that ends with its scope.
struct a_link {
    hipLinkState_t state = nullptr;
    a_link() { CHECK_HIP(hipLinkCreate(0, nullptr, nullptr, &state)); }
    ~a_link() { (void)hipLinkDestroy(state); }
    hipError_t add(hipJitInputType type, bytes input)
    {
        return hipLinkAddData(state, type, &input[0], input.size(), "input", 0, nullptr, nullptr);
    }
    hipError_t complete(void **out_image)
    {
        size_t size = 0;
        return hipLinkComplete(state, out_image, &size);
    }
    // What the linked kernel makes of x.
    int run(int x)
    {
        void *image = nullptr;
        hipModule_t m = nullptr;
        hipFunction_t f = nullptr;
        CHECK_HIP(complete(&image));
        CHECK_HIP(hipModuleLoadData(&m, image));
        CHECK_HIP(hipModuleGetFunction(&f, m, "call"));
        ah_test::buffer<int> value({x});
        int *p = value.device();
        void *arguments[] = {&p};
        CHECK_HIP(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
        int result = value.read()[0];
        CHECK_HIP(hipModuleUnload(m));
        return result;
    }
};

TEST("bitcode, objects and archives of them become one image")
{
    bytes first = bitcode_of(caller), second = bitcode_of(callee);
    a_link l, m;
    CHECK_HIP(l.add(hipJitInputLLVMBitcode, first));
    CHECK_HIP(l.add(hipJitInputObject,
                    host_object(".llvm.offloading", offload_binary(second, architecture()))));
    CHECK_EQ(l.run(14), 42);
    void *image = nullptr, *again = nullptr;
    CHECK_HIP(l.complete(&image));
    CHECK_HIP(l.complete(&again));
    CHECK(image == again);
    CHECK_EQ(l.add(hipJitInputLLVMBitcode, first), hipErrorInvalidValue); // it is complete

    std::string path = "link_test." + std::to_string(getpid());
    bytes library = archive(
        host_object("__CLANG_OFFLOAD_BUNDLE__hip-" +
                        std::string(of_nvidia() ? "nvptx64-nvidia-cuda" : "amdgcn-amd-amdhsa") +
                        "--" + architecture(),
                    second));
    FILE *out = std::fopen(path.c_str(), "wb");
    CHECK(out && std::fwrite(library.data(), 1, library.size(), out) == library.size());
    if (out)
        std::fclose(out);
    CHECK_HIP(hipLinkAddFile(m.state, hipJitInputLibrary, path.c_str(), 0, nullptr, nullptr));
    std::remove(path.c_str());
    CHECK_HIP(m.add(hipJitInputLLVMBitcode, first));
    CHECK_EQ(m.run(5), 15);
}

TEST("PTX is linked with what the compiler makes of LLVM code")
{
    const bytes helper = ".version 7.0\n.target sm_70\n.address_size 64\n"
                         ".visible .func (.param .b32 out) _Z6helperi(.param .b32 x)\n{\n"
                         ".reg .b32 %r<2>;\nld.param.b32 %r1, [x];\nadd.s32 %r1, %r1, 1000;\n"
                         "st.param.b32 [out], %r1;\nret;\n}\n";
    if (!of_nvidia())
        SKIP("PTX is for NVIDIA's devices");
    a_link l;
    CHECK_HIP(l.add(hipJitInputLLVMBitcode, bitcode_of(caller)));
    CHECK_HIP(l.add(hipJitInputPtx, helper));
    CHECK_EQ(l.run(7), 1007);
}

TEST("what another vendor's devices run is refused, and what is truncated")
{
    bytes good = bitcode_of(callee), foreign = bitcode_of(callee, of_nvidia() ? "gfx90a" : "sm_70");
    a_link l;
    void *image = nullptr;
    CHECK_EQ(l.add(hipJitInputLLVMBitcode, foreign), hipErrorInvalidConfiguration);
    CHECK_EQ(l.add(hipJitInputObject,
                   host_object(".llvm.offloading", offload_binary(foreign, "gfx000"))),
             hipErrorInvalidConfiguration);
    bytes object = host_object(".llvm.offloading", offload_binary(good, architecture()));
    hipError_t error = l.add(hipJitInputObject, object.substr(0, object.size() - 100));
    CHECK(error == hipErrorInvalidConfiguration || (of_nvidia() && error != hipSuccess));
    error = l.add(hipJitInputLibrary, archive(object).substr(0, 100));
    CHECK(error == hipErrorInvalidConfiguration || (of_nvidia() && error != hipSuccess));
    CHECK_EQ(l.complete(&image), hipErrorInvalidConfiguration); // nothing was added
    CHECK_HIP(l.add(hipJitInputLLVMBitcode, good.substr(0, good.size() / 2)));
    CHECK_EQ(l.complete(&image), hipErrorInvalidConfiguration);
    (void)hipGetLastError();
}

TEST("a symbol that no input defines is an error of the link")
{
    a_link l;
    void *image = nullptr;
    CHECK_HIP(l.add(hipJitInputLLVMBitcode, bitcode_of(caller)));
    CHECK(l.complete(&image) != hipSuccess && image == nullptr);
    (void)hipGetLastError();
}

HIP_TEST_MAIN
