#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/nvmedia.sh, the comparison of NVIDIA's article on NvSci, at a small size: what it prints is in order, and frames take the time that follows
# from the profile by hand. Usage: nvmedia_article.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
table=$("$source/../../bench/nvmedia.sh" "${vtegra%/bin/vtegra}" 256) || {
    echo "$table"
    exit 1
}
# xavier.profile: a pixel a cycle of the VIC at 1024 MHz; a line of 64 bytes to the CPU's cache 10 ns, an uncached access 47.9 ns, of 16 bytes
# each (runtime/track). Beside these stand the copies, the kernel and its launch: 0.1 ms at most.
echo "$table" | awk '
    function ms(name, least) {
        if (!(row[name] >= least && row[name] <= least + 0.1)) { print name ": " row[name] " ms, not " least " and up to 0.1 more"; bad = 1 }
    }
    NR > 1 { row[$2] = $3; ratio[$2] = $5; if ($6 != "yes") { print "not steady: " $0; bad = 1 } }
    END {
        n = 256 * 256
        ms("shared", n / 1024e3)
        ms("cached", n / 1024e3 + n * 1.5 / 64 * 10e-6)
        ms("uncached", n / 1024e3 + n * 1.5 / 16 * 47.9e-6)
        if (!(ratio["shared"] == 1 && ratio["cached"] > 1 && ratio["uncached"] > ratio["cached"])) { print "ratios"; bad = 1 }
        exit bad
    }' || {
    echo "$table"
    exit 1
}
