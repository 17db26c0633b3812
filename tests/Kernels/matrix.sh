# Functions of ./test.sh --kernels, sourced after the build.

# A machine is one thread of this host, so two run at a time.
run_kernels() {
    local name ok bad left counts state all=
    if [ $# -eq 0 ]; then
        all=yes
        grep -o '^[^# ]*' tests/Kernels/kernels.txt >"$work/kernels"
    else
        printf '%s\n' "$@" | awk '!seen[$0]++' >"$work/kernels"
    fi
    mapfile -t names <"$work/kernels"
    set -- "${names[@]}"
    state=$(tree_state)
    step "kernels" xargs -a "$work/kernels" -P 2 -n 1 tests/Kernels/kernel.sh "$state"
    for name in "$@"; do
        [ "$(cat "artifacts/kernels/$name/results/state" 2>/dev/null)" = "$state" ] || { fail "kernel $name"; continue; }
        for counts in "artifacts/kernels/$name/results"/{,headers/}counts; do
            [ -e "$counts" ] || continue
            read -r ok bad left <"$counts"
            passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left))
        done
    done
    [ -z "$all" ] || [ "$failed" -gt 0 ] || write_kernel_tables "$@"
}

# Of all that is built, so that an edit of a page repeats nothing.
tree_state() {
    { git ls-files -co --exclude-standard -z -- src tests tools; find . -maxdepth 1 -type f -print0; } | sort -z |
        xargs -0 sha1sum 2>/dev/null | sha1sum | cut -d' ' -f1
}

# The page has a table of suites and one of reasons, each between marks. The first column gets the kernel's release.
write_kernel_tables() {
    local page=docs/support/platforms.md name part results table where
    for part in suites reasons; do
        grep -q "^<!-- $part -->\$" $page && grep -q "^<!-- end of $part -->\$" $page ||
            { fail "$page has no marks of $part"; return; }
        for name in "$@"; do
            results=artifacts/kernels/$name/results
            for table in "$results"/{headers/,}table; do
                [ -e "$table" ] || continue
                where=$(cat "$results/release")
                [ "$table" = "$results/table" ] || where+=" (headers of its cross compiler, on the host)"
                awk -v part=$part -v where="$where" -v date="$(cat "$results/date")" '
                    { isSuite = ($0 ~ /^suite/); sub(/^[a-z]+ /, "") }
                    part == "suites" && isSuite { print "| " where " " $0 " " date " |" }
                    part == "reasons" && !isSuite { print "| " where " " $0 }' "$table"
            done
        done >"$work/$part"
        awk -v part=$part -v rows="$work/$part" '
            $0 == "<!-- end of " part " -->" { inside = 0 }
            !inside { print }
            $0 == "<!-- " part " -->" { inside = 1; getline; print; getline; print; while ((getline row < rows) > 0) print row }
            ' $page >"$work/page" && cp "$work/page" $page
    done
}
