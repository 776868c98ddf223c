#!/bin/sh
# A task of a picture that is rendered in parts, for any batch system. Written by `kiln farm`.
#
#   sh task.sh render KILN FOLDER SCENE PARTS SAMPLES TASKS FRAME TASK [OPTION…]
#   sh task.sh render-frame (the same: SCENE is a pattern, such as scene.####.kiln)
#   sh task.sh render-time (the same: FRAME is a frame of the scene)
#     renders the range TASK, of 1 to TASKS, of the samples, and goes on with it where an earlier run was ended
#   sh task.sh merge KILN FOLDER PARTS TASKS FRAME EXPOSURE OUTPUT…
#     joins all ranges
#
# FOLDER is where relative paths of options begin; PARTS is the folder of the parts. FRAME is a number that takes the place of
# the last #### in patterns, or empty; outputs of frames are patterns. A second run does again what is missing, and no more.
set -eu

# The path $1 with the number $2 in place of its last run of #, with as many digits.
numbered() {
    rest=${1##*#}
    head=${1%"$rest"}
    digits=0
    while [ "${head%#}" != "$head" ]; do
        head=${head%#}
        digits=$((digits + 1))
    done
    printf "%s%0${digits}d%s" "$head" "$2" "$rest"
}

work=$1 kiln=$2 folder=$3
shift 3
cd -- "$folder"

case $work in
render | render-frame | render-time)
    scene=$1 parts=$2 samples=$3 tasks=$4 frame=$5 task=$6
    shift 6
    if [ "$work" = render-frame ]; then
        scene=$(numbered "$scene" "$frame")
    elif [ "$work" = render-time ]; then
        set -- --at "$frame" "$@"
    fi
    # One task takes them all, and as many of them as --noise wants.
    if [ "$tasks" -gt 1 ]; then
        first=$(((task - 1) * samples / tasks))
        end=$((task * samples / tasks))
        set -- --samples "$first..$end" "$@"
    fi
    part=$parts/${frame:+$frame.}$task.part
    checkpoint=$parts/${frame:+$frame.}$task.checkpoint
    # What is done already is not done again; Kiln finds out whether it belongs to the same picture.
    if [ -e "$part" ] && [ ! -e "$checkpoint" ]; then
        cp -- "$part" "$checkpoint.new"
        mv -- "$checkpoint.new" "$checkpoint"
    fi
    # Signals go to Kiln itself, which keeps its work and ends.
    exec "$kiln" render "$scene" --spp "$samples" -o "$part" --checkpoint "$checkpoint" --resume "$@"
    ;;
merge)
    parts=$1 tasks=$2 frame=$3 exposure=$4
    shift 4
    for output; do
        shift
        if [ -n "$frame" ]; then
            output=$(numbered "$output" "$frame")
        fi
        set -- "$@" -o "$output"
    done
    task=$tasks
    while [ "$task" -gt 0 ]; do
        set -- "$parts/${frame:+$frame.}$task.part" "$@"
        task=$((task - 1))
    done
    "$kiln" merge "$@" --exposure "$exposure"
    while [ "$task" -lt "$tasks" ]; do
        task=$((task + 1))
        rm -f -- "$parts/${frame:+$frame.}$task.checkpoint"
    done
    ;;
*)
    echo "task.sh: unknown work '$work'" >&2
    exit 2
    ;;
esac
