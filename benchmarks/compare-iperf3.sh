#!/usr/bin/env bash
# The tool beside iperf3 at full rate over loopback: docs/measure/figures.md has the figures.
# benchmarks/compare-iperf3.sh SPATE IPERF3 [ROUNDS [SECONDS]]: SPATE is the native tool (pack.sh leaves
# spate-linux-x64), IPERF3 is 3.21 or later, which has --gsro. Each round runs every row once, every second round in
# the opposite order. Medians: lost, sent per second, CPU time of the sender and of the receiver. Needs jq.
set -eu
if [ $# -lt 2 ] || [ $# -gt 4 ]; then
    echo "usage: compare-iperf3.sh SPATE IPERF3 [ROUNDS [SECONDS]]: the paths of the native tool and of iperf3 3.21" >&2
    exit 2
fi
command -v jq >/dev/null || {
    echo "jq is needed: apt-get install jq" >&2
    exit 2
}
spate=$(realpath "$1") iperf3=$(realpath "$2") rounds=${3:-9} seconds=${4:-4} port=9941 size=1380
rows=(spate-send spate-test spate-iperf3 spate-iperf3-spin iperf3)
work=$(mktemp -d) server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

# serve TEXT COMMAND...: starts a server, and waits for the line with the text.
serve() {
    local text=$1
    shift
    "$@" >"$work/server" 2>&1 &
    server=$!
    until grep -qs "$text" "$work/server"; do
        kill -0 $server # ends the script where the server has ended
        sleep 0.01
    done
}

# client COMMAND...: shows the output of a client that fails.
client() {
    "$@" >"$work/client" 2>&1 || {
        cat "$work/client" >&2
        exit 1
    }
}

# report FILTER: four figures of the reports of both ends, behind the row's name.
report() {
    wait $server
    server=
    jq -r -s "$1 | @tsv" "$work"/*.json | sed "s/^/$row\t/"
    rm "$work"/*.json
}

ends='[$r.lostPercent, $s.datagrams / $s.seconds, $s.threads[0].cpuNanoseconds / $s.datagrams,
    $r.threads[0].cpuNanoseconds / $r.datagrams]'

run() {
    case $row in
        spate-send)
            serve 'receiving at' "$spate" receive 127.0.0.1:$port --interval 0 --json "$work/1.json"
            client "$spate" send 127.0.0.1:$port --size $size --seconds "$seconds" --interval 0 \
                --json "$work/2.json"
            sleep 0.3
            kill $server
            report ".[0] as \$r | .[1] as \$s | $ends" ;;
        spate-test)
            serve 'waiting for tests' "$spate" test -s 127.0.0.1:$port --once
            client "$spate" test -c 127.0.0.1:$port --size $size --rate max --seconds "$seconds" --interval 0 \
                --json "$work/1.json"
            report ".[0].remote.received as \$r | .[0].local.sent as \$s | $ends" ;;
        *)
            local server_command=("$iperf3") client_command=("$iperf3" --gsro)
            [ "$row" = iperf3 ] || { server_command=("$spate" iperf3) client_command=("$spate" iperf3); }
            [ "$row" != spate-iperf3-spin ] || server_command+=(--spin)
            serve listening "${server_command[@]}" -s -1 -B 127.0.0.1 -p $port --forceflush
            "${client_command[@]}" -c 127.0.0.1 -p $port -u -b 0 -l $size -t "$seconds" -J >"$work/1.json"
            report '.[0].end | .streams[0].udp as $u | .cpu_utilization_percent as $c | ($u.seconds * 1e7) as $n |
                [$u.lost_percent, $u.packets / $u.seconds, $c.host_total * $n / $u.packets,
                    $c.remote_total * $n / ($u.packets - $u.lost_packets)]' ;;
    esac
}

for round in $(seq "$rounds"); do
    for i in $(seq ${#rows[@]}); do
        [ $((round % 2)) = 1 ] || i=$((${#rows[@]} + 1 - i))
        row=${rows[i - 1]}
        run >>"$work/rows"
    done
    echo "round $round of $rounds" >&2
done

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
echo "row | lost % | sent/s | send ns | receive ns | most lost %"
column() { awk -v row="$row" -v column="$1" '$1 == row { print $column }' "$work/rows"; }
for row in "${rows[@]}"; do
    printf '%s | %.2f | %.0f | %.0f | %.0f | %.2f\n' "$row" "$(column 2 | median)" "$(column 3 | median)" \
        "$(column 4 | median)" "$(column 5 | median)" "$(column 2 | sort -g | tail -1)"
done
