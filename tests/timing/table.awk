# SPDX-License-Identifier: MIT
# row use board unit least most model -> the table of bench/timing.sh, and sums. In: inside the span, widened by 10 % (GB/s), 30 %
# (us), 20 % (ratio). The error is against the nearer end of the span.
function wide(unit) { return unit == "GB/s" ? 0.1 : unit == "us" ? 0.3 : 0.2 }
function text(v) { return sprintf(v >= 100 ? "%.0f" : "%.1f", v) }
function median(list, n,   i, j, t) {
    for (i = 2; i <= n; i++) {
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
            t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
        }
    }
    return n ? list[int((n + 1) / 2)] : 0
}
BEGIN { printf "%-6s %-5s %-20s %-6s %13s %9s %7s  %s\n", "row", "use", "board", "unit", "measured", "model", "ratio", "" }
{
    low = $5; high = $6; near = $7 < low ? low : $7 > high ? high : $7
    in_ = $7 >= low * (1 - wide($4)) && $7 <= high * (1 + wide($4))
    printf "%-6s %-5s %-20s %-6s %13s %9s %7.2f  %s\n", $1, $2, $3, $4, low == high ? text(low) : text(low) " to " text(high), text($7),
        $7 / near, in_ ? "in" : "out"
    n[$2]++; in_of[$2] += in_
    e = $7 / near; e = e > 0 && e < 1 ? 1 / e : e > 0 ? e : 99
    error[$2, n[$2]] = e
    worst[$2] = e > worst[$2] ? e : worst[$2]
}
END {
    split("fit test apart", uses, " ")
    for (u = 1; u <= 3; u++) {
        k = uses[u]
        if (!n[k]) continue
        for (i = 1; i <= n[k]; i++) list[i] = error[k, i]
        printf "%s: %d of %d in, median error %.0f %%, worst %.1fx\n", k, in_of[k], n[k], (median(list, n[k]) - 1) * 100, worst[k]
    }
}
