# SPDX-License-Identifier: MIT
# row use board unit least most model words... -> the table of bench/timing.sh, and sums. In: inside the span, widened by 10 % (GB/s), 30 %
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
# Kinds of memory in the words of a row, in order of their names, in @kinds; the words with * for each are returned.
function without_kinds(words, list,   i, n, part, key, found, t) {
    n = split(words, part, " ")
    list[0] = ""
    for (i = 1; i <= n; i++) {
        t = part[i]; sub(/^sync-/, "", t)
        if (t ~ /^(dev|pin|man|page|zc)$/) {
            found = found (found ? " " : "") t
            t = part[i] == t ? "*" : "sync-*"
        } else t = part[i]
        key = key " " t
    }
    n = split(found, part, " ")
    if (n == 2 && part[2] < part[1]) found = part[2] " " part[1]
    list[0] = found
    return key
}
# Two that differ by less than 20 % in the source are a tie. @model_sign: of the difference in the model
function pair(use, low_a, high_a, low_b, high_b, model_sign, names,   sign) {
    sign = low_a > 1.2 * high_b ? 1 : low_b > 1.2 * high_a ? -1 : 0
    if (!sign) { ties[use]++; return }
    pairs[use]++
    if (sign * model_sign > 0) right[use]++
    else wrong[use] = wrong[use] " " names
}
function pairs_find(   i, j, a, b, half, ka, kb) {
    for (i = 1; i <= rows; i++) {
        if (words[i] ~ / \/ /) { # a ratio of two kinds
            split(words[i], half, " / ")
            a = without_kinds(half[1], ka); b = without_kinds(half[2], kb)
            if (a == b && ka[0] != kb[0]) pair(use_of[i], low_row[i], high_row[i], 1, 1, model_row[i] - 1, name[i])
            continue
        }
        a = without_kinds(words[i], ka)
        for (j = i + 1; j <= rows && ka[0] != ""; j++) {
            b = words[j] ~ / \/ / ? "" : without_kinds(words[j], kb)
            if (a == b && ka[0] != kb[0] && use_of[i] == use_of[j] && board[i] == board[j] && unit_of[i] == unit_of[j])
                pair(use_of[i], low_row[i], high_row[i], low_row[j], high_row[j], model_row[i] - model_row[j], name[i] "/" name[j])
        }
    }
}
# What the rows of one sort show: how many are in, their median error, the worst.
function sort_of(unit, w) { return unit == "GB/s" ? (w ~ /^stream/ ? "streaming" : "copies") : unit == "us" ? "calls" : unit == "ms" ? "tasks of the DLA" : "ratios" }
function sorts_print(use,   s, i, k, m, in_s, list, most, names) {
    split("streaming copies calls ratios/tasks of the DLA", names, "/"); k = split(names[1], list, " ")
    for (i = 1; i <= k; i++) names[i] = list[i]
    names[++k] = "tasks of the DLA"
    for (s = 1; s <= k; s++) {
        m = in_s = most = 0
        for (i = 1; i <= rows; i++) {
            if (use_of[i] != use || sort_of(unit_of[i], words[i]) != names[s]) continue
            list[++m] = err_of[i]; in_s += in_row[i]; most = err_of[i] > most ? err_of[i] : most
        }
        if (m) printf "%s: %s: %d of %d in, median error %.0f %%, worst %.1fx\n", use, names[s], in_s, m, (median(list, m) - 1) * 100, most
    }
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
    rows++
    name[rows] = $1; use_of[rows] = $2; board[rows] = $3; unit_of[rows] = $4; low_row[rows] = low; high_row[rows] = high; model_row[rows] = $7
    err_of[rows] = e; in_row[rows] = in_
    for (i = 8; i <= NF; i++) words[rows] = words[rows] (i > 8 ? " " : "") $i
}
END {
    split("fit test apart", uses, " ")
    pairs_find()
    for (u = 1; u <= 3; u++) {
        k = uses[u]
        if (!n[k]) continue
        for (i = 1; i <= n[k]; i++) list[i] = error[k, i]
        for (i = 1; i <= dla[k]; i++) { a[i] = board_ms[k, i]; b[i] = model_ms[k, i] }
        printf "%s: %d of %d in, median error %.0f %%, worst %.1fx\n", k, in_of[k], n[k], (median(list, n[k]) - 1) * 100, worst[k]
        if (dla[k] > 2) printf "%s: order of %d tasks of the DLA: Spearman %.2f\n", k, dla[k], spearman(a, b, dla[k])
        sorts_print(k)
        if (pairs[k] + ties[k])
            printf "%s: order of two kinds of memory: %d of %d pairs right (%.0f %%)%s%s; %d ties\n", k, right[k], pairs[k],
                pairs[k] ? 100 * right[k] / pairs[k] : 100, wrong[k] ? "; wrong:" : "", wrong[k], ties[k]
    }
}
