# What simulated devices compute with, which is compiled once for each instruction set of the host.

option(ANYHIP_SIM_FAST
    "Simulated devices use the host's vector instructions, and can compile kernels for it" ON)

# In the order of enum sim_isa (sim_isa.h), which is told how many there are. All are compiled from
# one source: trees with sanitizers, where vectors take long to compile, have the first alone.
set(isas base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND ANYHIP_SIM_FAST AND NOT ANYHIP_SANITIZE)
    list(APPEND isas avx2 avx512)
endif()
list(LENGTH isas AH_SIM_ISA_COUNT)
set(AH_SIM_ISAS ${isas} CACHE INTERNAL "instruction sets of the host for simulated devices")

# ah_isa_module(<name> MACRO <macro> SOURCES <file>... USES <module>... [OPTIONS <flag>...])
# A module <name>_<isa> for each of AH_SIM_ISAS, in which <macro> is the name of the set. Lanes
# are written as macros: who debugs them is served by lines, and the compiler by less to keep. Each
# handler is a few loops over registers, which a guard of the stack would cost more than they do.
set(AH_SIM_FLAGS_base "")
set(AH_SIM_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
set(AH_SIM_FLAGS_avx512 ${AH_SIM_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl
    -mprefer-vector-width=512)

function(ah_isa_module name)
    cmake_parse_arguments(M "" "MACRO" "SOURCES;USES;OPTIONS" ${ARGN})
    set(optimise -O3)
    if(ANYHIP_SANITIZE)
        set(optimise -O1)
    endif()
    # Flags of sources come behind those that all modules have (ah_flags), which guard the stack.
    set_property(SOURCE ${M_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -fno-stack-protector)
    foreach(isa ${AH_SIM_ISAS})
        ah_module(${name}_${isa} SOURCES ${M_SOURCES} USES ${M_USES})
        target_compile_definitions(ah_${name}_${isa} PRIVATE ${M_MACRO}=${isa})
        target_compile_options(ah_${name}_${isa} PRIVATE ${optimise}
            $<$<CONFIG:Debug,RelWithDebInfo>:-g1> ${M_OPTIONS} ${AH_SIM_FLAGS_${isa}})
    endforeach()
endfunction()

# The clang that hipcc uses, and the tools for bitcode beside it, where they are installed. What they
# write is read at run time by an LLVM that is not older (src/sim/jit).
set(AH_BITCODE_VERSION 22)
find_program(ANYHIP_BITCODE_CLANG clang-${AH_BITCODE_VERSION})
find_program(ANYHIP_BITCODE_LINK llvm-link-${AH_BITCODE_VERSION})
find_program(ANYHIP_BITCODE_OPT opt-${AH_BITCODE_VERSION})
set(made OFF)
if(ANYHIP_SIM_FAST AND ANYHIP_BITCODE_CLANG AND ANYHIP_BITCODE_LINK AND ANYHIP_BITCODE_OPT
   AND NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(made ON)
endif()
set(AH_BITCODE_MADE ${made} CACHE INTERNAL "whether sources are compiled to bitcode")

# The compiler's flags for what clang compiles: the folders of headers, and the definitions, of the
# modules that a source uses.
function(ah_clang_flags out)
    set(includes ${CMAKE_CURRENT_SOURCE_DIR})
    set(definitions _GNU_SOURCE)
    foreach(used ${ARGN})
        list(APPEND includes $<TARGET_PROPERTY:ah_${used}_headers,INTERFACE_INCLUDE_DIRECTORIES>)
        list(APPEND definitions $<TARGET_PROPERTY:ah_${used}_headers,INTERFACE_COMPILE_DEFINITIONS>)
    endforeach()
    # Headers without definitions leave empty elements.
    set(${out} "-I$<JOIN:$<FILTER:${includes},EXCLUDE,^$>,;-I>"
        "-D$<JOIN:$<FILTER:${definitions},EXCLUDE,^$>,;-D>" PARENT_SCOPE)
endfunction()

# ah_clang_module(<name> SOURCE <file> MACRO <macro> USES <module>...)
# Modules <name>_<isa>, as ah_isa_module makes them, of a source that shares what it has with bitcode,
# and is written for the same clang. Where there is none the C compiler compiles it, which sees that
# from __clang__.
function(ah_clang_module name)
    cmake_parse_arguments(M "" "SOURCE;MACRO" "USES" ${ARGN})
    if(NOT AH_BITCODE_MADE)
        ah_isa_module(${name} MACRO ${M_MACRO} SOURCES ${M_SOURCE} USES ${M_USES})
        return()
    endif()
    ah_clang_flags(flags ${M_USES})
    get_filename_component(path ${M_SOURCE} ABSOLUTE)
    set(launcher "")
    if(ANYHIP_CCACHE)
        set(launcher ${ANYHIP_CCACHE})
    endif()
    foreach(isa ${AH_SIM_ISAS})
        set(text ${CMAKE_CURRENT_BINARY_DIR}/${name}_${isa}.s)
        add_custom_command(OUTPUT ${text}
            COMMAND ${launcher} ${ANYHIP_BITCODE_CLANG} -std=gnu11 -O3 -S -fPIC -fno-addrsig
                -fvisibility=hidden -fno-strict-aliasing -fno-stack-protector -fno-ident
                -fcf-protection=full ${AH_SIM_FLAGS_${isa}} -D${M_MACRO}=${isa} "${flags}"
                -MD -MF ${text}.d -MT ${text} -o ${text} ${path}
            DEPENDS ${path}
            DEPFILE ${text}.d
            COMMENT "Compiling ${M_SOURCE} for ${isa}"
            COMMAND_EXPAND_LISTS VERBATIM)
        ah_module(${name}_${isa} SOURCES ${text} USES ${M_USES})
    endforeach()
endfunction()

# ah_wave_bitcode(<name> SOURCES <file>... USES <module>... [MACRO <macro>] [OPTIONS <flag>...])
# A module <name> with the sources as bitcode, once for each of AH_SIM_ISAS (<macro> is the name of
# the set, as in ah_isa_module), and a function, to be declared by its users,
#     const struct wave_bitcode *<name>(void);
# for the instruction set in use; NULL where there is no clang. Sources see the headers of their own
# folder and of USES. Functions that are not static are in the bitcode. Objects of different types
# may share memory in it: registers do, and inlining brings their accesses together.
function(ah_wave_bitcode name)
    cmake_parse_arguments(B "" "MACRO" "SOURCES;USES;OPTIONS" ${ARGN})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
    ah_clang_flags(flags ${B_USES})
    string(CONCAT unroll "function(loop-unroll<O3$<SEMICOLON>no-runtime$<SEMICOLON>no-partial"
        "$<SEMICOLON>no-peeling$<SEMICOLON>full-unroll-max=64>,sroa,early-cse,"
        "instcombine<no-verify-fixpoint>,simplifycfg)")
    set(launcher "")
    if(ANYHIP_CCACHE)
        set(launcher ${ANYHIP_CCACHE})
    endif()
    set(rows "") # in the order of enum sim_isa
    set(files "")
    set(vector_base 16)
    set(vector_avx2 32)
    set(vector_avx512 64)
    foreach(isa ${AH_SIM_ISAS})
        if(NOT AH_BITCODE_MADE)
            break()
        endif()
        # An interpreter with a sanitizer has the same structures as the one without.
        set(linked ${CMAKE_CURRENT_BINARY_DIR}/${name}_${isa}.bc)
        list(APPEND files ${linked})
        string(APPEND rows "BITCODE(${isa}, \"${linked}\", ${vector_${isa}})\n")
        ah_made_before(${linked} made)
        if(made)
            ah_made_once(${linked})
            continue()
        endif()
        set(parts "")
        foreach(source ${B_SOURCES})
            get_filename_component(path ${source} ABSOLUTE)
            get_filename_component(stem ${source} NAME_WE)
            set(part ${CMAKE_CURRENT_BINARY_DIR}/${name}_${stem}_${isa}.bc)
            set(macro "")
            if(B_MACRO)
                set(macro -D${B_MACRO}=${isa})
            endif()
            add_custom_command(OUTPUT ${part}
                COMMAND ${launcher} ${ANYHIP_BITCODE_CLANG} -std=gnu11 -O3 -emit-llvm -c -fPIC
                    -mllvm -unroll-full-max-count=0
                    -fvisibility=hidden -fno-strict-aliasing -fno-stack-protector
                    -fcf-protection=none -fno-asynchronous-unwind-tables -fno-ident
                    ${AH_SIM_FLAGS_${isa}} ${macro} "${flags}" ${B_OPTIONS}
                    -MD -MF ${part}.d -MT ${part} -o ${part} ${path}
                DEPENDS ${path}
                DEPFILE ${part}.d
                COMMENT "Compiling ${source} to bitcode for ${isa}"
                COMMAND_EXPAND_LISTS VERBATIM)
            list(APPEND parts ${part})
        endforeach()
        # clang would unroll loops over lanes before it makes vectors of them, which it then no longer
        # can. What has become a loop of a few vectors is unrolled here: a slot that is accessed at an
        # offset that varies stays in memory.
        add_custom_command(OUTPUT ${linked}
            COMMAND ${ANYHIP_BITCODE_LINK} ${parts} -o ${linked}.linked
            COMMAND ${ANYHIP_BITCODE_OPT} -passes=${unroll} -unroll-threshold=1500
                ${linked}.linked -o ${linked}
            BYPRODUCTS ${linked}.linked
            DEPENDS ${parts}
            COMMENT "Linking ${name} for ${isa}"
            VERBATIM)
    endforeach()
    set(AH_BITCODE_NAME ${name})
    set(AH_BITCODE_ROWS ${rows})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/Bitcode.c.in ${file} @ONLY)
    ah_module(${name} SOURCES ${file} USES common sim_machine sim_wave)
    set_source_files_properties(${file} PROPERTIES OBJECT_DEPENDS "${files}")
endfunction()
