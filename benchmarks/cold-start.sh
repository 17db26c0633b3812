#!/usr/bin/env bash
# The loss of a new receiver, by the way it was built: docs/tune/startup.md has the figures.
# benchmarks/cold-start.sh SPATE [ROUNDS]: SPATE is the native tool (pack.sh leaves spate-linux-x64), which sends. Each
# round starts every build once. Medians: the start, lost in the first and in the third second, the first second's rate.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
spate=$(realpath "$1") rounds=${2:-9} port=9917 work=artifacts/cold-start
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
mkdir -p $work

# publish NAME PROPERTY...
publish() {
    local name=$1
    shift
    # Native and precompiled code are restored with packages of their own.
    dotnet publish benchmarks/ColdStart -c Release -r linux-x64 -o $work/"$name" -v:quiet \
        -p:RestoreLockedMode=false -p:NuGetLockFilePath=obj/cold-start.lock.json "$@"
}

publish jit --no-self-contained
publish jit-without-pgo --no-self-contained -p:TieredPGO=false
publish jit-optimized --no-self-contained -p:TieredCompilation=false
publish r2r --no-self-contained -p:PublishReadyToRun=true
publish r2r-without-pgo --no-self-contained -p:PublishReadyToRun=true -p:TieredPGO=false
publish native -p:PublishAot=true
builds="jit jit-without-pgo jit-optimized r2r r2r-without-pgo native"

receiver=
trap '[ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true' EXIT
for round in $(seq "$rounds"); do
    for build in $builds; do
        $work/"$build"/ColdStart $port 3 >$work/receiver &
        receiver=$!
        until grep -q ready $work/receiver; do
            kill -0 $receiver # ends the script where the receiver has ended
            sleep 0.01
        done
        "$spate" send 127.0.0.1:$port --seconds 3.5 --interval 0 >$work/sender 2>&1
        wait $receiver
        receiver=
        awk -v build="$build" '
            /^ready/ { start = $3 }
            $1 == 1 { first = 100 * $3 / ($2 + $3); rate = $2 }
            $1 == 3 { third = 100 * $3 / ($2 + $3) }
            END { print build, start, first, third, rate }' $work/receiver
    done
    echo "round $round of $rounds" >&2
done >$work/rows

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
echo "build | ms to the ready line | % lost in second 1 | % lost in second 3 | received in second 1"
for build in $builds; do
    printf '%s' "$build"
    for column in 2 3 4 5; do
        printf ' | %s' "$(awk -v b="$build" -v c=$column '$1 == b { print $c }' $work/rows | median)"
    done
    echo
done
