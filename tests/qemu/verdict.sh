# SPDX-License-Identifier: GPL-2.0-or-later
# For programs.sh and guest.sh: which programs run ($thorough: "long" or nothing), and what of their output is a verdict.

plain_scenarios="managed_read_running prefetch attach_other_stream sci_skip_wait"
checked_scenarios="read_before_sync write_before_done"
uncached_scenarios="cpu_atomics_pinned nvbuf_not_waited" # of tx2: memory that the CPU does not cache, the VIC
vic_scenarios="nvbuf_not_waited" # of xavier
if [ "$thorough" = long ]; then
    plain_scenarios="$plain_scenarios host_register attach_host_memset device_memory_on_cpu"
    checked_scenarios="$checked_scenarios streams_unordered attach_other_stream copy_target_early"
fi

# guest_lines GROUP: command lines, one a line: a program as it is and corrected
guest_lines() {
    case $1 in
    plain) lines_of=$plain_scenarios ;;
    checked) lines_of=$checked_scenarios ;;
    uncached) lines_of=$uncached_scenarios ;;
    vic) lines_of=$vic_scenarios ;;
    few) lines_of="managed_read_running prefetch attach_host_memset" ;;
    esac
    [ "$1" != plain ] || printf '%s\n' vadd "hybrid network.loadable" cuda_only
    for lines_name in $lines_of; do
        printf '%s\n' "$lines_name" "$lines_name fixed"
    done
}

# verdict_name GROUP SOC LINE: its file
verdict_name() {
    echo "$1.$2.$3.verdict" | tr ' ' _
}

# verdict: of what a program and its report printed: the rules and errors that are named, and the program's own lines
verdict() {
    grep -o 'cudaError[A-Za-z]*\|CUDA_ERROR_[A-Z_]*' "$1" | sort -u
    sed -n 's/^ *rule *\([a-z0-9-]*\) (.*/rule \1/p' "$1" | sort -u
    grep '^sum \|^-\{0,1\}[0-9][0-9]*$' "$1"
}
