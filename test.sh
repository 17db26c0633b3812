#!/usr/bin/env bash
# Builds Spate, which checks its formatting, runs every test program and a dry run of the benchmarks.
# The last line of a run to its end is "N passed, N failed, N skipped"; the exit code is 0 only if nothing failed.
set -u
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" || exit 1

usage() {
    cat <<'HELP'
Usage: ./test.sh [--long] [--coverage | --mutants | --native | --windows | --kernels [NAME...]] [--help]

  --long      sets SPATE_LONG=1: ten times the random cases and the close races, and the slow tests that a short run
              skips (can take an hour). Then runs the tests of the library once more, as often as a short run does, in a
              build with the library's assertions
  --coverage  prints how many lines and branches of each project under src the tests run, in place of the rules, the
              tests of packages and the benchmarks (builds bin/Debug with optimized code, and allows twice the time). A
              few tests can fail under it that pass without it; the table is printed all the same
  --mutants   changes the code at the places that tests/mutants.json lists, one at a time in a copy of the last commit,
              and runs the tests nearest to each change, at most two minutes and two to confirm (an hour or more).
              Passed are the changes that a test notices; skipped are the others; failed are those that a test noticed
              when the list was recorded. Results are kept in artifacts/, and a second run of the same commit goes on
              there
  --native    makes the tool as native code (Native AOT), where each warning of trimming is an error, and runs the tests
              of commands with it in place of the tool that is compiled at run time: each command is then a process of
              its own. Passed are tests that ran it. Tests that look into the command's process are skipped; those that
              start no command are run, but not counted
  --windows   publishes the tests of the library, the tool and a service for Windows (x64), and runs them under Wine;
              the tool also against the tool of Linux and iperf3. A test is skipped for Wine's sake only where a small
              C program, compiled for Windows, has shown that Wine lacks what the test needs
  --kernels   boots other kernels of Debian in virtual machines without KVM, and runs there what asks something of the
              kernel: those of tests/Kernels/kernels.txt, or the names that follow, such as 5.10 arm64 (up to 25 minutes
              each). Results are kept in artifacts/kernels; a second run of the same tree repeats only failed and
              missing ones. When all have passed, their table is written into docs/support/platforms.md
  --help      this text

Installs what is missing where it may (Debian, root); elsewhere it names what to install, and the tests that
need it are counted as skipped. SPATE_SEED=N repeats the random tests of an earlier run. While the tests run, as root,
net.core.netdev_max_backlog is at least 100000; afterwards it is what it was.
Exit codes: 0 all passed, 1 something failed, 2 wrong use, 130 interrupted.
HELP
}

test_seconds_max=900 configuration=Release coverage= mutants= native= windows= kernels=
for argument in "$@"; do
    case $argument in
        [!-]*)
            [ -n "$kernels" ] && awk -v name="$argument" '$1 == name { found = 1 } END { exit !found }' tests/Kernels/kernels.txt ||
                { echo "test.sh: '$argument' is not known: expected an option, or after --kernels a name of" \
                    "tests/Kernels/kernels.txt" >&2; exit 2; }
            kernels+=" $argument"
            ;;
        --kernels)
            [ -z "$kernels" ] || { echo "test.sh: --kernels is given twice: expected it once, before all names" >&2; exit 2; }
            kernels=yes
            ;;
        --long) export SPATE_LONG=1 ;;
        --coverage) coverage=yes configuration=Debug ;;
        --mutants) mutants=yes ;;
        --native) native=yes ;;
        --windows) windows=yes ;;
        --help | -h) usage; exit 0 ;;
        *) echo "test.sh: unknown option '$argument'; see ./test.sh --help" >&2; exit 2 ;;
    esac
done
[ "${SPATE_LONG:-}" != 1 ] || test_seconds_max=3600
[ -z "$coverage" ] || test_seconds_max=$((2 * test_seconds_max))
[ -z "$native" ] || [ "$(uname -s)" = Linux ] || { echo "test.sh: --native is for Linux" >&2; exit 2; }
[ -z "$windows" ] || [ "$(uname -sm)" = "Linux x86_64" ] || { echo "test.sh: --windows is for Linux on x64" >&2; exit 2; }
[ -z "$kernels" ] || [ "$(uname -sm)" = "Linux x86_64" ] || { echo "test.sh: --kernels is for Linux on x64" >&2; exit 2; }
if [ -n "$mutants$native$windows" ] && { [ $# -gt 1 ] || [ "${SPATE_LONG:-}" = 1 ]; } ||
    [ -n "$kernels" ] && { [ "${1:-}" != --kernels ] || [ -n "$coverage" ] || [ "${SPATE_LONG:-}" = 1 ]; }; then
    echo "test.sh: --mutants, --native, --windows and --kernels are each given alone, and without SPATE_LONG=1" >&2
    exit 2
fi
if ! [[ ${SPATE_SEED:-0} =~ ^-?[0-9]{1,10}$ ]]; then
    echo "test.sh: SPATE_SEED is '$SPATE_SEED': expected a number, as a failed test prints it" >&2
    exit 2
fi

# No build server, compiler server or MSBuild node may outlive this script, and nothing may ask or report home. One
# compiler serves all projects, since each would else warm up its own (125 s instead of 214 s); by its name it is ours.
compiler=spate-test-$$
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_USE_MSBUILD_SERVER=0
export MSBUILDDISABLENODEREUSE=1 TESTINGPLATFORM_TELEMETRY_OPTOUT=1
export UseSharedCompilation=true SharedCompilationId=$compiler
export PATH="$PATH:/usr/sbin:/sbin"

passed=0 failed=0 skipped=0 forbids_daemons= runner= network=spate-test-$$ inside=()
work=$(mktemp -d) || exit 1
trap 'end_compiler; end_wine; allow_daemons; narrow_backlog; rm -rf "$work"' EXIT
trap interrupt HUP INT TERM
export SPATE_TEST_PROCESSES=$work/processes
mkdir "$work/processes" && touch "$work/steps"

# A signal during a wait ends the step that runs, and all that it has started.
interrupt() {
    trap '' HUP INT TERM
    [ -z "$runner" ] || { kill -- "-$runner" && wait "$runner"; } 2>/dev/null
    exit 130
}

# follow COMMAND...: runs a command in a process group of its own. The shell lets other background programs, and all that
# they start, ignore SIGINT; and it would see a signal to itself only after a command in the foreground.
follow() {
    local status
    set -m
    "$@" </dev/null 8>&- 9>&- &
    runner=$!
    set +m
    wait "$runner"
    status=$? runner=
    return $status
}

# It would end by itself after ten minutes without work, and take memory from the tests until then.
end_compiler() {
    command -v pkill >/dev/null && pkill -f -- "-pipename:$compiler\$"
}

# The prefix is this run's alone, and so are its server, the server's folder and its network. Without the program that
# waits, the server ends by itself.
end_wine() {
    local folder
    { exec 8>&-; } 2>/dev/null
    if [ "${WINEPREFIX:-}" = "$work/wine" ] && command -v wineserver >/dev/null; then
        timeout 10 wineserver -w || wineserver -k
        folder=/tmp/$(cat "$WINEPREFIX/wineserver" 2>/dev/null)
        [[ $folder != /tmp/wine-* ]] || rm -rf "$folder"
    fi
    [ ${#inside[@]} -eq 0 ] || ip netns delete "$network"
}

finish() {
    echo
    echo "  seconds  step"
    while read -r seconds title; do printf '%9d  %s\n' "$seconds" "$title"; done <"$work/steps"
    printf '%9d  all\n' $SECONDS
    echo "$(find "$work/processes" -type f -exec cat {} + | wc -l) processes of spate and of samples were started by tests"
    echo
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] && exit 0
    exit 1
}

fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
}

# step TITLE COMMAND...: runs a command, and says what ran and how long it took.
step() {
    local title=$1 start=$SECONDS status
    shift
    echo "== $title"
    follow "$@"
    status=$?
    echo "$((SECONDS - start)) $title" >>"$work/steps"
    echo "== $title: $([ $status -eq 0 ] && echo done || echo "exit code $status") after $((SECONDS - start)) s"
    return $status
}

quietly() {
    local log=$1
    shift
    "$@" >"$log" 2>&1
}

# Debian package, and the command or header that shows whether it is there.
tools=(
    "gcc gcc" "libc6-dev /usr/include/stdio.h" "liburing-dev /usr/include/liburing.h" "iproute2 ip"
    "ethtool ethtool" "nftables nft" "iperf3 iperf3" "iperf iperf" "nuttcp nuttcp" "sockperf sockperf" "procps ps"
    "zsh zsh" "fish fish" "man-db lexgrog" "rabbitmq-server rabbitmq-server"
    "python3-pika /usr/lib/python3/dist-packages/pika"
)
# The linker of native code wants the library that compresses.
[ -z "$native" ] || tools+=("zlib1g-dev /usr/include/zlib.h")
# It compiles for Windows, which gcc cannot. The browser looks at the site.
[ "${SPATE_LONG:-}" != 1 ] || tools+=("clang clang" "chromium chromium")

[ -z "$windows" ] || tools+=("wine wine" "wine64 /usr/lib/wine/wine64" "gcc-mingw-w64-x86-64 x86_64-w64-mingw32-gcc")

[ -z "$kernels" ] || tools+=(
    "qemu-system-x86 qemu-system-x86_64" "qemu-system-arm qemu-system-aarch64" "qemu-system-common /usr/lib/qemu/virtiofsd"
    "busybox-static busybox" "cpio cpio" "kmod depmod" "xz-utils xz"
    "gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc" "libc6-dev-arm64-cross /usr/aarch64-linux-gnu/include/stdio.h"
)

missing_tools() {
    local entry package probe
    for entry in "${tools[@]}"; do
        read -r package probe <<<"$entry"
        [ -e "$probe" ] || command -v "$probe" >/dev/null || echo "$package"
    done
}

# Packages with daemons start them when they are installed, unless this file forbids it (Debian Policy 9.3.3.1). The
# tests start what they need, with ports of their own.
forbid_daemons() {
    local policy=/usr/sbin/policy-rc.d
    [ -e $policy ] && return 0
    printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy && forbids_daemons=yes
}

allow_daemons() {
    [ -n "$forbids_daemons" ] && rm -f /usr/sbin/policy-rc.d
    forbids_daemons=
}

# One package that cannot be had must not keep the others away, so a failed joint install is tried one by one.
apt_install() {
    local apt=(timeout --foreground 300 apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 install) package
    export DEBIAN_FRONTEND=noninteractive
    timeout --foreground 300 apt-get -qq update || true
    "${apt[@]}" "$@" && return 0
    for package in "$@"; do
        "${apt[@]}" "$package" || true
    done
}

install_tools() {
    local missing package
    mapfile -t missing < <(missing_tools)
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        echo "installing: ${missing[*]}"
        forbid_daemons
        follow quietly "$work/apt.log" apt_install "${missing[@]}"
        allow_daemons
        mapfile -t missing < <(missing_tools)
        [ ${#missing[@]} -eq 0 ] || tail -n 5 "$work/apt.log"
    fi
    for package in "${missing[@]}"; do
        echo "missing: install $package (Debian's name); the tests that need it are skipped"
    done
}

# All loopback traffic of a CPU waits in one queue, of 1,000 packets (netdev_max_backlog, also in other network
# namespaces). A test that sends as fast as it can fills it, and datagrams of the others would be dropped.
# The value before is kept in a file, and every run on this host holds a lock on it: the last one puts the value back, or
# the next one, if this is killed.
backlog=/proc/sys/net/core/netdev_max_backlog backlog_before=/run/spate-test-backlog

widen_backlog() {
    [ -w $backlog ] && [ -w /run ] && command -v flock >/dev/null || return 0
    exec 9>>$backlog_before
    if flock -n 9; then
        [ -s $backlog_before ] || cat $backlog >$backlog_before
        [ "$(cat $backlog)" -ge 100000 ] || echo 100000 2>/dev/null >$backlog
    fi
    flock -s 9
}

narrow_backlog() {
    { : >&9; } 2>/dev/null || return 0
    if flock -n 9; then
        cat $backlog_before >$backlog
        : >$backlog_before
    fi
    exec 9>&-
}

# run_tests OPTION...: runs the test programs, and adds up their counts.
run_tests() {
    local status ok bad left
    rm -f "$work/counts"
    widen_backlog
    follow "${inside[@]}" dotnet "tools/Spate.Build/bin/$configuration/net10.0/Spate.Build.dll" tests --output "$work" \
        --configuration "$configuration" --max-seconds "$test_seconds_max" "$@"
    status=$?
    narrow_backlog
    if ! read -r ok bad left 2>/dev/null <"$work/counts"; then
        fail "the test programs ended with exit code $status and without counts"
        return
    fi
    [ $status -eq 0 ] || [ "$bad" -gt 0 ] || fail "the test programs ended with exit code $status"
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
}

# A Release build leaves out the library's assertions (Debug.Assert). This build has them; it is optimized as well, so
# that tests that count allocations see the same code.
run_with_assertions() {
    local test_seconds_max=900
    step "build with assertions" dotnet build tests/Spate.Tests -c Debug -p:Optimize=true --no-restore \
        -nodeReuse:false -v:minimal || { fail "build with assertions"; return; }
    end_compiler
    SPATE_LONG=0 run_tests --assertions
}

# A dry run executes every benchmark once: it shows that they work, and its times mean nothing.
run_benchmarks() {
    local project=benchmarks/Spate.Benchmarks
    [ -e "$project/Spate.Benchmarks.csproj" ] || return 0
    step "benchmarks (dry run)" quietly "$work/benchmarks.log" timeout --foreground -k 10 180 \
        dotnet $project/bin/Release/net10.0/Spate.Benchmarks.dll \
        --job Dry --inProcess --filter '*' --artifacts "$work/benchmarks"
    local status=$?
    if [ $status -ne 0 ] || grep -aqE 'ERROR\(S\)|Benchmarks with issues' "$work/benchmarks.log"; then
        tail -n 30 "$work/benchmarks.log"
        fail "benchmarks (dry run)"
    fi
}

# publish_for_windows PROJECT FOLDER: with its runtime, as Wine has none.
publish_for_windows() {
    dotnet publish "$1" -c Release -r win-x64 --self-contained -p:ForOtherSystem=true -o "$2" \
        -nodeReuse:false -v:minimal
}

# The tests that run over the stand-in have a folder of their own, which has the stand-in too.
build_stand_in() {
    cp -al "$programs/tests" "$programs/standin" && tests/WindowsStandIn/build.sh "$programs/standin"
}

# Groups are reached by the loopback interface there, which is the only one.
make_network() {
    ip netns add "$network" && inside=(ip netns exec "$network") &&
        ip -n "$network" link set lo up && ip -n "$network" route add 224.0.0.0/4 dev lo src 127.0.0.1
}

# A prefix of its own, in which Wine calls itself Windows 10. Wine's mscoree stays: its loader wants it for assemblies.
# The runtime dies with W^X, and stalls where a background collection stops a thread that computes.
make_prefix() {
    "${inside[@]}" wine winecfg -v win10 && wineserver -w
}

# The program that waits for input keeps Wine's server and services until this script ends: each would else belong to
# the first test that needs it, and end with it.
keep_wine() {
    mkfifo "$work/wine-waits" || return 1
    "${inside[@]}" wine cmd <"$work/wine-waits" >/dev/null 2>&1 &
    exec 8>"$work/wine-waits"
}

run_mutants() {
    local commit
    commit=$(git rev-parse --short HEAD) || return 1
    git diff --quiet HEAD -- src tests || echo "changes that are not committed are not in the copy that is tried"
    mkdir -p artifacts
    dotnet tools/Spate.Build/bin/Release/net10.0/Spate.Build.dll mutants run \
        --results "artifacts/mutants-$commit.json" | tee "$work/mutants.log"
    return "${PIPESTATUS[0]}"
}

# The tool's last line has the three numbers; without it, the tool itself failed.
count_mutants() {
    local line='^killed \([0-9]*\), no longer killed \([0-9]*\), others \([0-9]*\)$' numbers
    numbers=$(sed -n "s/$line/\1 \2 \3/p" "$work/mutants.log" 2>/dev/null)
    [ -n "$numbers" ] && read -r passed failed skipped <<<"$numbers"
}

if ! command -v dotnet >/dev/null; then
    echo "missing: install the .NET 10 SDK (https://dot.net), see global.json for the version"
    fail "no dotnet"
    finish
fi
install_tools

if [ -n "$mutants" ]; then
    step "restore" dotnet restore tools/Spate.Build --locked-mode -nodeReuse:false -v:minimal ||
        { fail "restore"; finish; }
    step "build" dotnet build tools/Spate.Build -c Release --no-restore -nodeReuse:false -v:minimal ||
        { fail "build"; finish; }
    end_compiler
    step "mutants" run_mutants
    count_mutants || fail "mutants"
    finish
fi

if [ -n "$coverage" ]; then
    # A Release build holds precompiled code, which coverlet is not expected to change. This one is optimized as well,
    # so that tests that count allocations see the same code.
    step "restore" dotnet restore Spate.slnx --locked-mode -nodeReuse:false -v:minimal || { fail "restore"; finish; }
    step "restore coverlet" dotnet restore tests/Coverage/coverage.proj --locked-mode -nodeReuse:false -v:minimal ||
        { fail "coverlet"; finish; }
    step "build" dotnet build Spate.slnx -c Debug -p:Optimize=true --no-restore -nodeReuse:false -v:minimal ||
        { fail "build"; finish; }
    end_compiler
    run_tests --coverage "$work/coverage.json"
    finish
fi

step "restore" dotnet restore Spate.slnx --locked-mode -nodeReuse:false -v:minimal || { fail "restore"; finish; }
step "build" dotnet build Spate.slnx -c Release --no-restore -nodeReuse:false -v:minimal || { fail "build"; finish; }
end_compiler

if [ -n "$native" ]; then
    # The compiler of native code is no part of the lock files: an ordinary build needs none of its packages.
    system=linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
    step "native code" dotnet publish src/Spate.Cli -c Release "-p:NativeSystem=$system" -o artifacts/native \
        -nodeReuse:false -v:minimal ||
        { fail "native code"; finish; }
    end_compiler
    export SPATE_NATIVE_TOOL=$PWD/artifacts/native/Spate.Cli
    run_tests --native
    finish
fi

if [ -n "$windows" ]; then
    for program in wine x86_64-w64-mingw32-gcc; do
        command -v $program >/dev/null || { fail "--windows needs the program $program"; finish; }
    done
    programs=$PWD/artifacts/windows
    rm -rf "$programs"
    for part in tests/Spate.Tests:tests src/Spate.Cli:tool samples/HostedEcho:service; do
        step "publish ${part%:*}" publish_for_windows "${part%:*}" "$programs/${part#*:}" ||
            { fail "publish ${part%:*}"; finish; }
    done
    end_compiler
    step "stand-in" build_stand_in || { fail "stand-in"; finish; }
    export WINEPREFIX=$work/wine WINEDEBUG=-all SPATE_WINDOWS=$programs
    export DOTNET_EnableWriteXorExecute=0 DOTNET_gcConcurrent=0
    unset DISPLAY WAYLAND_DISPLAY
    [ "$(id -u)" -ne 0 ] || make_network || fail "no network namespace can be made"
    step "Wine" make_prefix && keep_wine || { fail "Wine"; finish; }
    test_seconds_max=300
    run_tests --windows "$programs" --parallel 2
    finish
fi

if [ -n "$kernels" ]; then
    . tests/Kernels/matrix.sh
    # shellcheck disable=SC2086 # names have no spaces
    run_kernels ${kernels#yes}
    finish
fi

# In a long run its tests look at it.
step "site" ./docs.sh --no-build || fail "site"
run_tests
[ "${SPATE_LONG:-}" != 1 ] || run_with_assertions
run_benchmarks
finish
