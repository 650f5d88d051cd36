#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/cluster.md on a Slurm of one node: 64 shards, one of them killed, the incomplete ones submitted again, merged, and compared with the
# result of one process. As root: installs slurm-wlm and munge with apt where they are missing. Starts munged, slurmctld and slurmd of its
# own on ports of their own, and ends them. Usage: scripts/slurm-test.sh [BUILD_DIR]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
vtegra=$(cd "${1:-$root/build/release}" && pwd)/bin/vtegra
runs=6400
shards=64

die() {
    echo "slurm-test: $*" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || die "run this as root: Slurm's daemons start the tasks of users"
[ -x "$vtegra" ] || die "there is no $vtegra; build first"
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v munged >/dev/null; then
    # No services: this container may have no init, and only the daemons below are wanted.
    DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -q --no-install-recommends slurm-wlm munge >/dev/null 2>&1 ||
        die "apt-get install slurm-wlm munge failed"
fi

work=$(mktemp -d)
chmod 755 "$work"
cd "$work"
pids=
finish() {
    status=$?
    for pid in $pids; do
        kill "$pid" 2>/dev/null || true
    done
    if [ $status != 0 ]; then
        tail -n 20 "$work"/*.log >&2 || true
    fi
    rm -rf "$work"
    exit $status
}
trap finish EXIT

# --- a munge and a Slurm of one node, in this folder
mkdir munge state spool out
chown munge munge
chmod 755 munge
dd if=/dev/urandom of=munge/key bs=1024 count=1 2>/dev/null
chown munge munge/key
chmod 400 munge/key
setpriv --reuid munge --regid munge --clear-groups munged --foreground --key-file="$work/munge/key" --socket="$work/munge/socket" \
    --pid-file="$work/munge/pid" --log-file="$work/munge/munged.log" --seed-file="$work/munge/seed" --force >munged.log 2>&1 &
pids="$pids $!"

host=$(hostname -s)
cpus=$(nproc)
ctld_port=$((20000 + $$ % 20000))
cat >slurm.conf <<CONF
ClusterName=vtegratest
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$ctld_port
SlurmdPort=$((ctld_port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MaxArraySize=1001
SchedulerParameters=sched_interval=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"
for i in $(seq 50); do
    [ -S munge/socket ] && break
    [ "$i" != 50 ] || die "munged has not started"
    sleep 0.2
done
slurmctld -D -f "$SLURM_CONF" >slurmctld.log 2>&1 &
pids="$pids $!"
slurmd -D -f "$SLURM_CONF" -N "$host" >slurmd.log 2>&1 &
pids="$pids $!"
for i in $(seq 150); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    [ "$i" != 150 ] || die "the node is not idle after 30 s: $(sinfo 2>&1)"
    sleep 0.2
done
echo "slurm-test: $(sinfo --version), a node of $cpus CPUs"

# --- the unsharded result
"$vtegra" cc -g "$root/scenarios/lost_wakeup/lost_wakeup.cu" -o app
"$vtegra" explore --runs $runs --out one.jsonl -- ./app 2>one.err || [ $? = 1 ] || die "explore: $(cat one.err)"
"$vtegra" explore merge --out one.sorted one.jsonl 2>one.bugs

# --- the array of docs/cluster.md
cat >job.sh <<JOB
#!/bin/sh
#SBATCH --array=1-$shards
#SBATCH --cpus-per-task=1
#SBATCH --output=$work/out/%a.log
#SBATCH --chdir=$work
"$vtegra" explore --runs $runs --shards $shards --budget 600 --out out/\$SLURM_ARRAY_TASK_ID.jsonl -- ./app
test \$? -le 1
JOB
job=$(sbatch --parsable job.sh)
echo "slurm-test: job $job, $shards shards"
# One is killed in the middle: as soon as its file has a line, and before it can have all.
victim=
for i in $(seq 3000); do
    for file in out/*.jsonl; do
        if [ -s "$file" ] && [ "$(wc -l <"$file")" -lt $((runs / shards / 2)) ]; then
            victim=$(basename "$file" .jsonl)
            break 2
        fi
    done
    sleep 0.02
done
[ -n "$victim" ] || die "no task was seen in the middle of its runs"
scancel --signal=KILL --full "${job}_$victim"
for i in $(seq 3000); do
    [ -n "$(squeue -h -j "$job" 2>/dev/null)" ] || break
    [ "$i" != 3000 ] || die "the array has not ended after 10 minutes"
    sleep 0.2
done
missing=$("$vtegra" explore missing --runs $runs --shards $shards out/*.jsonl) && die "nothing is missing; the kill came too late"
echo "slurm-test: task $victim was killed with $(wc -l <"out/$victim.jsonl") of $((runs / shards)) runs; missing: $missing"
[ "$missing" = "$victim" ] || die "only $victim should be missing"

# --- the incomplete ones again, merged
before=$(stat -c '%n %Y %s' out/*.jsonl | grep -v "^out/$victim.jsonl")
sbatch --wait --array="$missing" job.sh >again.log
[ "$before" = "$(stat -c '%n %Y %s' out/*.jsonl | grep -v "^out/$victim.jsonl")" ] || die "complete shards were run again"
"$vtegra" explore missing --runs $runs --shards $shards out/*.jsonl || die "still missing"
"$vtegra" explore merge --out all.jsonl out/*.jsonl 2>all.bugs
cmp all.jsonl one.sorted || die "the merged shards are not the result of one process"
cmp all.bugs one.bugs || die "the merged shards have other bugs: $(cat all.bugs one.bugs)"
cat all.bugs
echo "slurm-test: $shards shards, one killed and resumed: the same $(wc -l <all.jsonl) lines as one process"
