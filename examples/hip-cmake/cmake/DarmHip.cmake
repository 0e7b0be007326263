# darm_hip_sources(TARGET ARCHITECTURES ARCH... SOURCES FILE...)
#
# Adds HIP sources to a target, with device code melded and compiled by darm. Per source:
#
#   clang --offload-device-only -emit-llvm    bitcode, once per architecture
#   darm bundle --create                      one bundle of them
#   darm compile --emit fatbin                melded code objects in a fat binary
#   clang --offload-host-only                 the host object, with the fat binary in it
#
# Set beforehand, or on the command line with -D:
#   DARM_CLANG        a clang++ with support for HIP, version 22 or older (darm reads bitcode of older versions)
#   DARM              the command darm; a list for an interpreter and a script (/usr/bin/node;/…/dist/command/main.js)
#   DARM_HIP_OPTIONS  further options for clang, for host and device (include folders, definitions, -O level)
#   DARM_DEVICE_OPTIONS, DARM_OPTIONS   further options for clang (device only), and for darm compile
find_program(DARM_CLANG NAMES clang++-22 clang++ REQUIRED)
find_program(DARM NAMES darm HINTS ${CMAKE_SOURCE_DIR}/node_modules/.bin REQUIRED)
set(DARM_HIP_OPTIONS -O3 CACHE STRING "options for clang, host and device")
set(DARM_DEVICE_OPTIONS "" CACHE STRING "options for clang, device only")
set(DARM_OPTIONS "" CACHE STRING "options for darm compile")

function(darm_hip_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARCHITECTURES;SOURCES")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(source ${source} ABSOLUTE)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name})

    set(modules)
    set(images)
    foreach(arch IN LISTS arg_ARCHITECTURES)
      string(REPLACE ":" "_" file ${arch})
      set(module ${out}.${file}.bc)
      # With --offload-device-only clang's driver ignores -MF.
      set(dependencies -Xclang -dependency-file -Xclang ${module}.d -Xclang -MT -Xclang ${module} -Xclang -sys-header-deps)
      add_custom_command(
        OUTPUT ${module}
        COMMAND ${DARM_CLANG} -x hip --offload-device-only --offload-arch=${arch} -emit-llvm ${DARM_HIP_OPTIONS}
                ${DARM_DEVICE_OPTIONS} ${dependencies} -c ${source} -o ${module}
        DEPENDS ${source}
        DEPFILE ${module}.d
        VERBATIM)
      list(APPEND modules ${module})
      list(APPEND images ${arch}=${module})
    endforeach()

    add_custom_command(
      OUTPUT ${out}.hipfb
      COMMAND ${DARM} bundle --create -o ${out}.bundle ${images}
      COMMAND ${DARM} compile ${out}.bundle --emit fatbin ${DARM_OPTIONS} -o ${out}.hipfb
      BYPRODUCTS ${out}.bundle
      DEPENDS ${modules}
      VERBATIM)

    set(object ${out}.hip.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${DARM_CLANG} -x hip --offload-host-only -Xclang -fcuda-include-gpubinary -Xclang ${out}.hipfb
              ${DARM_HIP_OPTIONS} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source} ${out}.hipfb
      DEPFILE ${object}.d
      VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE ${object})
  endforeach()
endfunction()
