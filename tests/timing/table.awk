# SPDX-License-Identifier: MIT
# row use board unit least most model -> the table of bench/timing.sh, and sums. In: inside the span, widened by 10 % (GB/s), 30 %
# (us), 20 % (ratio); of ms, tasks of a DLA: within a factor of 1.5. The error is against the nearer end of the span.
function wide(unit) { return unit == "GB/s" ? 0.1 : unit == "us" ? 0.3 : 0.2 }
function low_of(unit, v) { return unit == "ms" ? v / 1.5 : v * (1 - wide(unit)) }
function high_of(unit, v) { return unit == "ms" ? v * 1.5 : v * (1 + wide(unit)) }
function text(v) { return sprintf(v >= 100 ? "%.0f" : v < 1 ? "%.3f" : "%.1f", v) }
# Spearman: of the ranks; ties have the middle of theirs
function ranks(list, n, rank,   i, j, less, same) {
    for (i = 1; i <= n; i++) {
        less = same = 0
        for (j = 1; j <= n; j++) {
            less += list[j] < list[i]
            same += list[j] == list[i]
        }
        rank[i] = less + (same + 1) / 2
    }
}
function spearman(a, b, n,   ra, rb, i, m, x, y, xy) {
    ranks(a, n, ra); ranks(b, n, rb)
    m = (n + 1) / 2
    for (i = 1; i <= n; i++) {
        xy += (ra[i] - m) * (rb[i] - m); x += (ra[i] - m) ^ 2; y += (rb[i] - m) ^ 2
    }
    return x && y ? xy / sqrt(x * y) : 0
}
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
    in_ = $7 >= low_of($4, low) && $7 <= high_of($4, high)
    if ($4 == "ms") { dla[$2]++; board_ms[$2, dla[$2]] = (low + high) / 2; model_ms[$2, dla[$2]] = $7 }
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
        for (i = 1; i <= dla[k]; i++) { a[i] = board_ms[k, i]; b[i] = model_ms[k, i] }
        printf "%s: %d of %d in, median error %.0f %%, worst %.1fx\n", k, in_of[k], n[k], (median(list, n[k]) - 1) * 100, worst[k]
        if (dla[k] > 2) printf "%s: order of %d tasks of the DLA: Spearman %.2f\n", k, dla[k], spearman(a, b, dla[k])
    }
}
