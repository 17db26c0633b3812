#!/usr/bin/env bash
# arm64-root.sh FOLDER: makes the root of the machine for arm64, which cannot run this host's programs: a shell and
# libraries of Debian (the tests' report wants libssl), and the tests and the tool published with .NET's runtime for it.
# They lie at the paths of a build, so that the machine runs them as any other. Without ReadyToRun, whose code for arm64
# would be a build of its own.
set -u
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1
. tests/Kernels/packages.sh

root=$1/root top=$1/root$PWD
rm -rf "$root" && mkdir -p "$root" || exit 1
for project in tests/Spate.Tests tests/Spate.HostTests tests/Spate.CliTests src/Spate.Cli tools/Spate.Build; do
    dotnet publish $project -c Release -r linux-arm64 --self-contained -p:ForOtherSystem=true \
        -p:UseAppHost=true -p:PublishReadyToRun=false -p:RunAnalyzers=false -nodeReuse:false -v:quiet \
        -o "$top/$project/bin/Release/net10.0" &&
        cp $project/*.csproj "$top/$project/" || exit 1
done
cp Spate.slnx "$top/" && cp -r tests/Kernels "$top/tests/" || exit 1

use_suite bookworm arm64 "$1/apt" && unpack "$root" busybox-static libc6 libstdc++6 libgcc-s1 libssl3 || exit 1
mkdir -p "$root"/{proc,sys,dev,run,tmp,root} "$root"/usr/{bin,lib/modules}
ln -s bin "$root/sbin" && ln -s ../usr/lib/modules "$root/lib/modules" || exit 1
for name in $(busybox --list); do [ -e "$root/bin/$name" ] || ln -s busybox "$root/bin/$name"; done

# A published program starts itself: this stands for the dotnet that starts programs elsewhere.
cat >"$root/usr/bin/dotnet" <<'SCRIPT'
#!/bin/sh
program=${1%.dll}
shift
exec "$program" "$@"
SCRIPT
chmod +x "$root/usr/bin/dotnet"
