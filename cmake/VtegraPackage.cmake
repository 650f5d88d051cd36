# SPDX-License-Identifier: MIT
# cpack -G DEB: four packages of the components libraries, tools, dev and doc.
#
# All lies in /usr/lib/vtegra, because a libcuda.so.1 where the loader looks would displace NVIDIA's for every program.
# Only the command, its manual pages and completions have their usual places (deb-layout.cmake).
set(CPACK_PACKAGE_NAME vtegra)
set(CPACK_PACKAGE_VENDOR vtegra)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
# Who builds packages for others gives an address that is read.
set(VTEGRA_MAINTAINER "vtegra contributors <vtegra@example.org>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_CONTACT "${VTEGRA_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/vtegra)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL libraries tools dev doc)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/deb-layout.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${VTEGRA_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)

set(same "(= ${PROJECT_VERSION}-1)")
# package COMPONENT NAME SECTION SUMMARY DESCRIPTION
function(package component name section summary description)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
endfunction()
set(about "vtegra runs CUDA programs on an x86-64 machine with the memory rules, limits
and error codes of an NVIDIA Tegra SoC, and reports what each buffer went
through. It needs no GPU and no NVIDIA driver.")
package(libraries libvtegra libs "virtual NVIDIA Tegra - runtime libraries" "${about}
.
This package has the CUDA driver and runtime API, cuDLA and NvSci on a model of
the SoC, in a folder of their own: they do not displace NVIDIA's.")
package(tools vtegra devel "virtual NVIDIA Tegra - the command" "${about}
.
This package has the command that runs programs, its profiles of SoCs, its
lessons and its scenarios.")
package(dev vtegra-dev libdevel "virtual NVIDIA Tegra - development files" "${about}
.
This package has the headers and archives for building programs, and what CMake
and pkg-config need to find them.")
package(doc vtegra-doc doc "virtual NVIDIA Tegra - documentation" "${about}
.
This package has the documents.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libvtegra ${same}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "vtegra-dev ${same}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "vtegra-doc, gdb")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libvtegra ${same}, vtegra ${same}")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "clang-19")
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
include(CPack)
