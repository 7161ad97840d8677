# What simulated devices compute with, which is compiled once for each instruction set of the host.

# In the order of enum sim_isa (sim_isa.h), which is told how many there are. All are compiled from
# one source: trees with sanitizers, where vectors take long to compile, have the first alone.
set(isas base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT ANYHIP_SANITIZE)
    list(APPEND isas avx2 avx512)
endif()
list(LENGTH isas AH_SIM_ISA_COUNT)
set(AH_SIM_ISAS ${isas} CACHE INTERNAL "instruction sets of the host for simulated devices")

# ah_isa_module(<name> MACRO <macro> SOURCES <file>... USES <module>... [OPTIONS <flag>...])
# A module <name>_<isa> for each of AH_SIM_ISAS, in which <macro> is the name of the set. Lanes
# are written as macros: who debugs them is served by lines, and the compiler by less to keep. Each
# handler is a few loops over registers, which a guard of the stack would cost more than they do.
function(ah_isa_module name)
    cmake_parse_arguments(M "" "MACRO" "SOURCES;USES;OPTIONS" ${ARGN})
    set(base "")
    set(avx2 -mavx2 -mfma -mf16c -mbmi2)
    set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
    set(optimise -O3)
    if(ANYHIP_SANITIZE)
        set(optimise -O1)
    endif()
    foreach(isa ${AH_SIM_ISAS})
        ah_module(${name}_${isa} SOURCES ${M_SOURCES} USES ${M_USES})
        target_compile_definitions(ah_${name}_${isa} PRIVATE ${M_MACRO}=${isa})
        target_compile_options(ah_${name}_${isa} PRIVATE ${optimise} -fno-stack-protector
            $<$<CONFIG:Debug,RelWithDebInfo>:-g1> ${M_OPTIONS} ${${isa}})
    endforeach()
endfunction()
