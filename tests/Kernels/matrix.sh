# What ./test.sh --kernels does after the build; sourced by it. Each kernel has a folder in artifacts/kernels with the
# kernel, and in results/ what its machine wrote: counts, table, a report of each suite.
kernels_folder=$PWD/artifacts/kernels

# machine_script NAME: what runs in the machine. Under an emulated processor the runtime's own measuring of hot methods
# costs more than it brings, and W^X doubles each page that is compiled.
machine_script() {
    cat <<SCRIPT
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DOTNET_NOLOGO=1
export DOTNET_TieredPGO=0 DOTNET_EnableWriteXorExecute=0 SPATE_TEST_PROCESSES=/tmp
echo 100000 >/proc/sys/net/core/netdev_max_backlog
cd '$PWD' || exit 1
uname -r >/run/machine/release
dotnet src/Spate.Cli/bin/Release/net10.0/Spate.Cli.dll info >/run/machine/info.txt || exit 1
dotnet tools/Spate.Build/bin/Release/net10.0/Spate.Build.dll tests --kernel $1 --output /run/machine --max-seconds 1200
SCRIPT
}

# run_kernel NAME: one machine, unless this commit has its results already.
run_kernel() {
    local folder=$kernels_folder/$1 commit
    commit=$(git rev-parse HEAD)
    if [ "$(cat "$folder/results/commit" 2>/dev/null)" = "$commit" ] && git diff --quiet HEAD -- src tests tools; then
        echo "$1: results of this commit are there"
        return 0
    fi
    rm -rf "$folder/results"
    mkdir -p "$folder/results"
    machine_script "$1" >"$folder/results/run.sh"
    tests/Kernels/machine.sh "$1" "$folder" / || return 1
    [ -s "$folder/results/counts" ] || return 1
    date +%F >"$folder/results/date"
    echo "$commit" >"$folder/results/commit"
}

run_kernels() {
    local name ok bad left all=
    if [ $# -eq 0 ]; then
        all=yes
        mapfile -t names < <(grep -o '^[^# ]*' tests/Kernels/kernels.txt)
        set -- "${names[@]}"
    fi
    for name in "$@"; do
        step "kernel $name" run_kernel "$name" || { fail "kernel $name"; continue; }
        read -r ok bad left <"$kernels_folder/$name/results/counts"
        passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
    done
    [ -z "$all" ] || [ "$failed" -gt 0 ] || write_kernel_table "$@"
}

# The page has one table of suites and one of reasons, each between marks.
write_kernel_table() {
    local page=docs/platforms.md name part
    for part in suites reasons; do
        for name in "$@"; do
            sed "s/^| $name |/| $(cat "$kernels_folder/$name/results/release") |/" "$kernels_folder/$name/results/table" |
                awk -v part=$part -v date="$(cat "$kernels_folder/$name/results/date")" '
                    $0 == "" { second = 1; next }
                    part == "suites" && !second { print $0 " " date " |" }
                    part == "reasons" && second { print }'
        done >"$work/$part"
        awk -v part=$part -v rows="$work/$part" '
            $0 == "<!-- end of " part " -->" { inside = 0 }
            !inside { print }
            $0 == "<!-- " part " -->" { inside = 1; getline; print; getline; print; while ((getline row < rows) > 0) print row }
            ' $page >"$work/page" && cp "$work/page" $page
    done
}
