#!/bin/sh
# SPDX-License-Identifier: MIT
# Do the rules of the scheduler hold? rules.sh SOURCE_DIR BUILD_DIR WORK_DIR [N]      every rule of rules.txt, or every Nth
# The programs are those that programs.sh has built in WORK_DIR. A line of rules.txt is one of
#   pass PROGRAM...           under 6 seeds: status 0, and no word of vtegra's
#   ends PROGRAM...           the same, whatever is said
#   finds STATUS PROGRAM...   one of 25 seeds ends so
#   tells TEXT PROGRAM...     one of 25 seeds says so (blanks in TEXT are underscores)
#   once TEXT PROGRAM...      under 6 seeds: status 0, and one line says so
#   silent TEXT PROGRAM...    one run: status 0, and it does not say so
# PROGRAM may be the command vtegra, which has one run. Behind the word lazy or eager it is two runs under that policy, with all
# that it says. There is also
#   stands TEXT PROGRAM...    it hangs, and has said so
set -eu
source=$1 build=$2 work=$3 every=${4:-1}
export VTEGRA_PROFILES="$build/share/vtegra/profiles"
cd "$work" && [ -e openmp ] || {
    echo "no programs in $work: programs.sh builds them"
    exit 1
}
unset VTEGRA_STRATEGY VTEGRA_DEPTH VTEGRA_LENGTH VTEGRA_SCHEDULE VTEGRA_RECORD VTEGRA_REPORT VTEGRA_JSON VTEGRA_TRACE \
    VTEGRA_SOC VTEGRA_OS VTEGRA_EVICT VTEGRA_CHECK 2>/dev/null || true

# with SEED PROGRAM...: its status; the output is in $dir/out
with() {
    seed=$1
    shift
    status=0
    quiet=1
    case " $* " in
    *" vtegra "*)
        PATH=$build/bin:$PATH timeout $limit "$@" >"$dir/out" 2>&1 <"$source/LICENSE" || status=$?
        return
        ;;
    esac
    [ "$policy" = seeded ] || quiet=0
    LD_PRELOAD=$build/lib/libvtegra-preload.so LD_LIBRARY_PATH=$build/lib VTEGRA_SOC=orin VTEGRA_POLICY=$policy \
        VTEGRA_SEED=$seed VTEGRA_QUIET=$quiet VTEGRA_LENGTH=40 GOMP_SPINCOUNT=0 \
        timeout $limit "$@" >"$dir/out" 2>&1 </dev/null || status=$?
}

# says TEXT: across the ends of lines
says() {
    tr -s ' \n' '  ' <"$dir/out" | grep -qF -- "$1"
}

# stands TEXT PROGRAM...: says so, within 10 s, and has not ended
stands() {
    text=$1 status=0 n=0
    shift
    LD_PRELOAD=$build/lib/libvtegra-preload.so LD_LIBRARY_PATH=$build/lib VTEGRA_SOC=orin VTEGRA_POLICY=$policy "$@" >"$dir/out" 2>&1 </dev/null &
    pid=$!
    while [ $n -lt 100 ] && ! says "$text" && kill -0 $pid 2>/dev/null; do
        sleep 0.1
        n=$((n + 1))
    done
    sleep 0.2
    says "$text" && kill -0 $pid 2>/dev/null || status=1
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null || true
    return $status
}

# holds RULE...: is it so?
holds() {
    policy=seeded seeds=25 limit=60
    if [ "$1" = lazy ] || [ "$1" = eager ]; then
        policy=$1 seeds=2
        shift
    fi
    kind=$1
    shift
    wanted=
    if [ "$kind" = finds ] || [ "$kind" = tells ] || [ "$kind" = stands ] || [ "$kind" = once ] || [ "$kind" = silent ]; then
        wanted=$(echo "$1" | tr _ ' ')
        shift
    fi
    if [ "$kind" = stands ]; then
        stands "$wanted" "$@"
        return
    fi
    case " $* " in
    *" vtegra "*) seeds=1 ;;
    esac
    seed=0
    while [ $((seed += 1)) -le $seeds ]; do
        with $seed "$@"
        [ $status != 124 ] || return 1 # hangs, whatever was asked
        case $kind in
        pass)
            [ $status = 0 ] && ! grep '^vtegra:' "$dir/out" | grep -qvF "$unchecked" || return 1
            [ $seed -lt 6 ] && [ $seed -lt $seeds ] || return 0
            ;;
        ends)
            [ $status = 0 ] || return 1
            [ $seed -lt 6 ] && [ $seed -lt $seeds ] || return 0
            ;;
        once)
            [ $status = 0 ] && [ "$(grep -cF -- "$wanted" "$dir/out")" = 1 ] || return 1
            [ $seed -lt 6 ] && [ $seed -lt $seeds ] || return 0
            ;;
        silent)
            [ $status = 0 ] && ! says "$wanted"
            return
            ;;
        finds) [ $status != "$wanted" ] || return 0 ;;
        tells) ! says "$wanted" || return 0 ;;
        esac
    done
    return 1
}

unchecked='vtegra: this run was not checked for races' # so, without --check, under lazy and eager
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
awk "NR % $every == 0" "$source/tests/sched/rules.txt" >"$dir/rules"
while read -r rule; do
    # shellcheck disable=SC2086
    holds $rule || {
        echo "FAIL: $rule: status $status"
        head -5 "$dir/out"
        failed=1
    }
done <"$dir/rules"
echo "$(wc -l <"$dir/rules") rules"
exit $failed
