# Functions of ./test.sh --kernels, sourced after the build.

# A machine is one thread of this host, so two run at a time.
run_kernels() {
    local name ok bad left counts all=
    if [ $# -eq 0 ]; then
        all=yes
        mapfile -t names < <(grep -o '^[^# ]*' tests/Kernels/kernels.txt)
        set -- "${names[@]}"
    fi
    printf '%s\n' "$@" >"$work/kernels"
    step "kernels" xargs -a "$work/kernels" -P 2 -n 1 tests/Kernels/kernel.sh
    for name in "$@"; do
        [ -s "artifacts/kernels/$name/results/commit" ] || { fail "kernel $name"; continue; }
        for counts in "artifacts/kernels/$name/results"/{,headers/}counts; do
            [ -e "$counts" ] || continue
            read -r ok bad left <"$counts"
            passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
        done
    done
    [ -z "$all" ] || [ "$failed" -gt 0 ] || write_kernel_tables "$@"
}

# The page has a table of suites and one of reasons, each between marks. The first column gets the kernel's release.
write_kernel_tables() {
    local page=docs/support/platforms.md name part results
    for part in suites reasons; do
        for name in "$@"; do
            results=artifacts/kernels/$name/results
            cat "$results"/{headers/,}table 2>/dev/null |
                awk -v part=$part -v release="$(cat "$results/release")" -v date="$(cat "$results/date")" '
                    { isSuite = ($0 ~ /^suite/); sub(/^[a-z]+ /, "") }
                    part == "suites" && isSuite { print "| " release " " $0 " " date " |" }
                    part == "reasons" && !isSuite { print "| " release " " $0 }'
        done >"$work/$part"
        awk -v part=$part -v rows="$work/$part" '
            $0 == "<!-- end of " part " -->" { inside = 0 }
            !inside { print }
            $0 == "<!-- " part " -->" { inside = 1; getline; print; getline; print; while ((getline row < rows) > 0) print row }
            ' $page >"$work/page" && cp "$work/page" $page
    done
}
