#!/usr/bin/env bash
# kernel.sh STATE NAME: runs the tests that depend on the kernel in a machine with the kernel NAME of kernels.txt, unless
# results without a failure are there for this STATE of the tree. artifacts/kernels/NAME has the kernel, and in results/
# the report of each suite, counts and a table.
set -u -o pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

state=$1 name=$2 folder=$PWD/artifacts/kernels/$2 root=/
runner="tools/Spate.Build/bin/Release/net10.0/Spate.Build.dll tests --max-seconds 1400"

# Under an emulated CPU, measuring hot methods costs the runtime more than it brings, and W^X doubles each page that is
# compiled.
machine_script() {
    cat <<SCRIPT
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DOTNET_NOLOGO=1
export DOTNET_TieredPGO=0 DOTNET_EnableWriteXorExecute=0 SPATE_TEST_PROCESSES=/tmp
${SPATE_SEED:+export SPATE_SEED=$SPATE_SEED}
echo 100000 >/proc/sys/net/core/netdev_max_backlog
cd '$PWD' || exit 1
uname -r >/run/machine/release
dotnet src/Spate.Cli/bin/Release/net10.0/Spate.Cli.dll info >/run/machine/info.txt || exit 1
dotnet $runner --kernel $name --output /run/machine
SCRIPT
}

# Structs need no machine: the compiler for arm64 has that system's headers.
check_arm64_headers() {
    SPATE_C_COMPILER=aarch64-linux-gnu-gcc dotnet $runner --kernel arm64-headers --output "$folder/results/headers"
}

if [ "$(cat "$folder/results/state" 2>/dev/null)" = "$state" ] && grep -qE '^[0-9]+ 0 ' "$folder/results/counts"; then
    echo "$name: results of this state of the tree are there"
    exit 0
fi
rm -rf "$folder/results"
mkdir -p "$folder/results"
if [ "$name" = arm64 ]; then
    check_arm64_headers && tests/Kernels/arm64-root.sh "$folder" || exit 1
    root=$folder/root
fi
machine_script >"$folder/results/run.sh"
tests/Kernels/machine.sh "$name" "$folder" "$root" | sed -u "s/^/$name: /" && [ -s "$folder/results/counts" ] || exit 1
date +%F >"$folder/results/date"
echo "$state" >"$folder/results/state"
