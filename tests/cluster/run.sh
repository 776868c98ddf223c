#!/bin/sh
# Runs jobs of `kiln farm` with a real Slurm and with openjd-cli, and compares their pictures with those of single runs.
#
#   tests/cluster/run.sh [KILN]
#
# For Debian, as root: it installs `slurm-wlm` and `munge`, starts their daemons on the loopback without systemd, with a
# configuration and keys in a temporary folder, and leaves no daemon behind. openjd-cli comes from PyPI into a virtual
# environment there. The run lasts about two minutes. One task is killed,
# another requeued, a third exceeds its time limit, and all resume.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
kiln=${1:-$here/../../target/release/kiln}
[ -x "$kiln" ] || { echo "there is no $kiln: cargo build --release" >&2; exit 2; }
kiln=$(CDPATH='' cd -- "$(dirname -- "$kiln")" && pwd)/$(basename -- "$kiln")

# Slurm's users must be able to enter it.
work=$(mktemp -d "${TMPDIR:-/tmp}/kiln-cluster.XXXXXX")
chmod 755 "$work"
daemons=

finish() {
    status=$?
    trap - EXIT
    if [ -n "$daemons" ]; then
        scancel --user="$(id -un)" 2>/dev/null && await 20 is_empty 2>/dev/null || true
    fi
    # The newest first: slurmd, slurmctld, munged.
    for daemon in $daemons; do
        kill "$daemon" 2>/dev/null || continue
        wait "$daemon" 2>/dev/null || true
    done
    if [ "$status" -eq 0 ]; then
        rm -rf -- "$work"
    else
        echo "failed; logs are in $work" >&2
    fi
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '\n== %s\n' "$*"; }

# Waits until a command succeeds, for at most $1 seconds.
await() {
    seconds=$1
    shift
    until "$@"; do
        seconds=$((seconds - 1))
        [ "$seconds" -gt 0 ] || { echo "waited too long for: $*" >&2; return 1; }
        sleep 1
    done
}

same() { cmp -- "$1" "$2" && echo "$(basename -- "$1"): the bytes of the straight run"; }

install() {
    command -v sbatch >/dev/null && command -v slurmctld >/dev/null && command -v slurmd >/dev/null &&
        command -v munged >/dev/null && return
    apt-get update -qq
    # Packages start no daemons: the script does.
    DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -qq -y --no-install-recommends slurm-wlm munge >/dev/null
}

start_slurm() {
    node=$(hostname -s)
    mkdir -p "$work/state" "$work/spool"
    dd if=/dev/urandom of="$work/munge.key" bs=1024 count=1 2>/dev/null
    chmod 400 "$work/munge.key"
    cat >"$work/slurm.conf" <<END
ClusterName=kiln
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket,cred_expire=10
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
MailProg=/bin/true
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=1,requeue_delay=1
KillWait=10
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
    export SLURM_CONF="$work/slurm.conf"
    munged --foreground --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
        --log-file="$work/munged.log" --seed-file="$work/munged.seed" --num-threads=2 >"$work/munged.out" 2>&1 &
    daemons="$! $daemons"
    await 20 test -S "$work/munge.socket"
    slurmctld -D >"$work/slurmctld.out" 2>&1 &
    daemons="$! $daemons"
    await 20 scontrol ping >/dev/null
    slurmd -D >"$work/slurmd.out" 2>&1 &
    daemons="$! $daemons"
    await 30 is_idle
    sinfo
}

is_idle() { sinfo -h -o %T | grep -q idle; }

is_running() { [ "$(squeue -h -t RUNNING -o %i -j "$1" 2>/dev/null | wc -l)" -gt 0 ]; }

is_empty() { [ "$(squeue -h -o %i | wc -l)" -eq 0 ]; }

# The process of Kiln that renders the task $1 of the job in the folder $2.
process() { pgrep -f -- " render .* -o $2/$1\.part " | head -n 1; }

has_checkpoint() { [ -s "$1" ]; }

scene() {
    cat <<'END'
film { size = (160, 120); }
sampler { spp = 64; }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
camera side : perspective { from = (4, 1, 0); to = (0, 0.5, 0); }
light sky : environment { color = (0.3, 0.4, 0.6); }
material white = matte(albedo = 0.7);
material gold = metal(alpha = 0.2);
shape floor : plane { size = 6; material = white; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = gold; }
END
}

run_slurm() {
    cd "$work"
    spp=$1
    say "Slurm: four tasks; one is killed, one requeued, one out of time"
    "$kiln" farm s.kiln -o slurm.exr --tasks 4 --engine slurm --dir "$work/job" --cpus 1 --time 20m -- --spp "$spp" \
        --checkpoint-every 0.2s
    sh job/submit.sh | tee submitted
    id=$(sed -n 's/^array \([0-9]*\),.*/\1/p' submitted)
    await 60 has_checkpoint job/1.checkpoint
    await 60 has_checkpoint job/2.checkpoint
    victim=$(process 1 "$work/job")
    kill -9 "$victim"
    echo "killed the process $victim of task 1"
    scontrol requeue "${id}_2"
    echo "requeued task 2"
    await 100 has_checkpoint job/3.checkpoint
    scancel --batch --signal=USR1 "${id}_3"
    echo "told task 3 that its time is up"
    await 400 is_empty
    grep -h . job/render.*.log
    for task in 1 2 3; do
        scontrol show job "${id}_$task" | grep -o 'Restarts=[1-9]'
    done
    same slurm.exr straight.exr

    say "Slurm: two cameras, two tasks each"
    "$kiln" farm s.kiln -o 'camera.##.exr' --frames cameras --tasks 2 --engine slurm --cpus 1
    sh camera.farm/submit.sh
    await 200 is_empty
    "$kiln" render s.kiln -q --camera side -o side.exr
    same camera.02.exr side.exr
}

run_openjd() {
    cd "$work"
    say "Open Job Description"
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install -q openjd-cli
    openjd=$work/venv/bin/openjd
    "$kiln" farm s.kiln -o openjd.exr --tasks 4 --engine openjd --dir "$work/ojd" -- --spp "$1"
    "$openjd" check ojd/template.json
    "$openjd" summary ojd/template.json -p "file://$work/ojd/parameters.json"
    "$openjd" run ojd/template.json -p "file://$work/ojd/parameters.json" --step Render >openjd.log
    "$openjd" run ojd/template.json -p "file://$work/ojd/parameters.json" --step Merge >>openjd.log
    grep -E 'progress|status' openjd.log | tail -n 3
    # A scheduler knows scenes by absolute paths, which stand in the picture's header.
    "$kiln" render "$work/s.kiln" -q --spp "$1" -o absolute.exr
    same openjd.exr absolute.exr

    "$kiln" farm s.kiln -o 'ojd.#.exr' --frames side --tasks 2 --engine openjd --dir "$work/ojd-cameras" --cpus 1
    "$openjd" check ojd-cameras/template.json
    "$openjd" run ojd-cameras/template.json -p "file://$work/ojd-cameras/parameters.json" --step Merge --run-dependencies \
        >>openjd.log
    "$kiln" render "$work/s.kiln" -q --camera side -o side.exr
    same ojd.1.exr side.exr
}

install
scene >"$work/s.kiln"
cd "$work"
samples=2048
say "a straight run"
"$kiln" render s.kiln -q --spp "$samples" -o straight.exr
start_slurm
run_slurm "$samples"
run_openjd "$samples"
say "all is as it should be"
