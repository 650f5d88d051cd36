#!/bin/sh
# SPDX-License-Identifier: MIT
# trace/, checker/, litmus/ and model/rules/ are to become WebAssembly: their object files may need each other, memory, strings,
# and of GLib strings, arrays, hash tables and errors. Files are opened by two files of trace/ alone. No loop goes over a hash table but those
# named below, whose order cannot be seen. Usage: pure_imports.sh BUILD
set -u
build=$1
source=$(cd "$(dirname "$0")/.." && pwd)
objects=
# An object without its source is left from before.
for object in $(find "$build/trace" "$build/checker" "$build/litmus" "$build/model/rules" -name '*.c.o' | sort); do
    file=${object#"$build"/}
    [ ! -f "$source/${file%%/CMakeFiles/*}/$(echo "$file" | sed 's/^.*\.dir\///; s/\.o$//')" ] || objects="$objects $object"
done
[ -n "$objects" ] || {
    echo "no object files in $build/trace, $build/checker, $build/litmus and $build/model/rules"
    exit 1
}
# shellcheck disable=SC2086
nm -A -g -P $objects | awk '
{ # FILE: SYMBOL TYPE
    file = $1
    sub(/:$/, "", file)
    sub(/^.*\.dir\//, "", file)
    sub(/\.o$/, "", file)
    lines++
    if ($3 != "U") {
        defined[$2] = 1
    } else {
        needs[file " " $2] = 1
    }
}
function pure(symbol) {
    return symbol ~ /^_GLOBAL_OFFSET_TABLE_$|^__popcount[sdt]i2$|^__(stack_chk_fail|asan|ubsan|sanitizer|sancov|gcov)/ ||
        symbol ~ /^(mem(cmp|cpy|move|set|chr)|bcmp|str[a-z]*|v?snprintf|qsort|abort)$/ && symbol != "strerror" ||
        symbol ~ /^g_(array|byte_array|ptr_array|string|str|strv|ascii|utf8|queue|error)_[a-z0-9_]+$/ ||
        symbol ~ /^g_(path_get_basename|pattern_match_simple|str[a-z0-9_]+|free|malloc0?(_n)?|realloc(_n)?|memdup2|snprintf|int64_(hash|equal))$/ ||
        symbol ~ /^g_(set|clear|propagate)_error$|^g_quark_from_static_string$|^g_assertion_message_expr$/ ||
        symbol ~ /^g_(markup_escape_text|compute_checksum_for_string)$/ || # text to text: HTML, SARIF
        symbol ~ /^g_hash_table_(add|contains|destroy|insert|lookup|new|new_full|ref|remove|remove_all|replace|size|unref)$/
}
function allowed(file, symbol) {
    if (file == "tracefile.c" || file == "reader.c" || file == "packed.c") { # what is read and written
        return 1
    }
    # hb_clock.c removes what lies in freed memory; hb_labels.c marks what is in use; run.c takes the one that is there; timeline_note.c sorts them
    return symbol ~ /^g_hash_table_iter_/ && (file == "hb/hb_clock.c" || file == "hb/hb_labels.c" || file == "run/run.c" || file == "timeline/timeline_note.c")
}
END {
    for (need in needs) {
        split(need, part, " ")
        if (!(part[2] in defined) && !pure(part[2]) && !allowed(part[1], part[2])) {
            print part[1] " needs " part[2] | "sort"
            bad = 1
        }
    }
    exit bad || lines < 100 # as few were not read
}'
