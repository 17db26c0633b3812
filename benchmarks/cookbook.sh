#!/usr/bin/env bash
# The figures of docs/cookbook.md, over loopback: runs the benches of that page, and replaces its tables.
# benchmarks/cookbook.sh SPATE [--quick]: SPATE is the path of the tool. It takes about four minutes; --quick takes one
# minute, and its figures vary more. Run nothing else meanwhile. Needs jq.
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $# = 2 ] && [ "$2" != --quick ]; }; then
    echo "usage: cookbook.sh SPATE [--quick]: the path of the tool" >&2
    exit 2
fi
command -v jq >/dev/null || {
    echo "jq is needed: apt-get install jq" >&2
    exit 2
}
spate=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
page=docs/cookbook.md sizes="64 512 1400 8972" list=64,512,1400,8972
drain=40 sessions=40 sockets=20 designs=20 pings=15 pinged=10000 count=5m
if [ $# = 2 ]; then
    drain=14 sessions=12 sockets=6 designs=5 pings=5 pinged=1000 count=200k
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME BENCH OPTION...: the report goes to a file, and the text of the tool with its warnings to stderr.
measure() {
    local name=$1
    shift
    "$spate" bench "$@" --json "$work/$name.json" >&2
}

# table NAME HEADER FILTER FILE...: replaces the lines between the two marks of a table in the page.
table() {
    local name=$1 header=$2 filter=$3
    shift 3
    {
        echo "| $header |"
        echo "|${header//[^|]/}|" | sed 's/|/|--:/g; s/--:$//'
        jq -r -s "$functions $filter | map(number) | \"| \" + join(\" | \") + \" |\"" "$@"
    } >"$work/table"
    replace "$name"
}

# replace NAME: puts the file table between the two marks.
replace() {
    awk -v name="$1" -v file="$work/table" '
        $0 == "<!-- end: " name " -->" { skips = 0 }
        !skips { print }
        $0 == "<!-- begin: " name " -->" {
            skips = 1
            while ((getline line < file) > 0) print line
        }' $page >"$work/page"
    cp "$work/page" $page
}

functions='def digits: if length > 3 then (.[:-3] | digits) + "," + .[-3:] else . end;
    def number: if type != "number" then . // "-" | tostring
        elif . > -100 and . < 100 then . * 10 | round / 10 | tostring
        elif . < 0 then round | tostring
        else round | tostring | if length > 4 then digits else . end end;
    def drained($row): .[0].rows | map(select(.name == $row)) | INDEX(.sizeBytes | tostring);
    def looked($pattern): .[1].rows | map(select(.pattern == $pattern)) | INDEX("\(.sizeBytes) \(.peers)");
    def waited($mode): .[0].rows | map(select(.mode == $mode)) | INDEX("\(.sockets) \(.queued)");'

measure drain drain --size $list --seconds $drain
measure sessions sessions --peers 100,100k --size $list --seconds $sessions
measure sockets sockets --count 1,100,10000 --queued 1,10 --seconds $sockets
for size in $sizes; do
    measure "designs-$size" designs --rows sharded,sharded-gro --work 0 --threads 2 --flows 100 --size "$size" \
        --count $count --seconds $designs
done
for size in 64 1400; do
    measure "pings-$size" pingpong --size $size --count $pinged --seconds $pings
done

table one-peer "bytes | \`Socket\`: receive | send | batches: receive | send | GSO, GRO: receive | send" '
    drained("socket-blocking") as $s | drained("spate-mmsg") as $b | drained("spate-mmsg-gso-gro") as $g
    | $s | keys_unsorted[] | [tonumber] + (. as $k | [$s, $b, $g]
        | map(.[$k] | .receiveNanosecondsPerDatagram, .sendNanosecondsPerDatagram))' "$work/drain.json"

table one-by-one "bytes | \`socket-blocking\` | \`spate-portable\` | \`spate-await\` | \`spate-mmsg\` | \`spate-uring\`" '
    [drained("socket-blocking", "spate-portable", "spate-await", "spate-mmsg", "spate-uring")] as $rows
    | $rows[0] | keys_unsorted[] | [tonumber] + (. as $k | $rows | map(.[$k].receiveNanosecondsPerDatagram))' \
    "$work/drain.json"

table hundred-peers "bytes | one by one | per call | GSO messages | per call" '
    .[] | [.sizeBytes] + (.rows | map(.nanosecondsPerDatagram,
        ([.threads[].datagrams] | add) / ([.threads[].calls] | add)))' $(printf "$work/designs-%s.json " $sizes)

table many-peers "bytes | 100: runs | scattered | 100,000: runs | scattered | with receive: runs | scattered" '
    drained("spate-mmsg") as $b | looked("runs") as $r | looked("scattered") as $s
    | $b | keys_unsorted[] | . as $k | [tonumber] + (["100", "100000"]
        | map($r["\($k) \(.)"], $s["\($k) \(.)"] | .tableNanosecondsPerDatagram))
        + [$r["\($k) 100000"].nanosecondsPerDatagram,
            $b[$k].receiveNanosecondsPerDatagram + $s["\($k) 100000"].tableNanosecondsPerDatagram]' \
    "$work/drain.json" "$work/sessions.json"

table many-sockets "sockets | queued in each | \`UdpPoller\` | \`WaitReadableAsync\` | \`TryReceive\` in turn" '
    waited("poller") as $p | waited("awaitable") as $a | waited("in-turn") as $t
    | $p | keys_unsorted[] | [$p[.].sockets, $p[.].queued] + (. as $k | [$p, $a, $t]
        | map(.[$k].receiveNanosecondsPerDatagram))' "$work/sockets.json"

table latency "bytes | \`Blocking\`: p50 us | p99 us | \`Adaptive\`: p50 us | p99 us | \`Spinning\`: p50 us | p99 us" '
    .[0].rows as $small | .[1].rows as $large | [64, $small], [1400, $large]
    | [.[0]] + (.[1] | INDEX(.mode) | [.blocking, .adaptive, .spinning] | map(.p50Microseconds, .p99Microseconds))' \
    "$work/pings-64.json" "$work/pings-1400.json"

build="native code" run=whole
[ $# = 1 ] || run=quick
[ ! -e "${spate%/*}/Spate.Cli.dll" ] || build=JIT
jq -r --arg build "$build" --arg run $run '"| CPU | CPUs | kernel | runtime | build of the tool | run |
|---|--:|---|---|---|---|
| \(.cpuModel) | \(.cpus) | \(.kernel | sub("-.*"; "")) | \(.runtime) | \($build) | \($run) |"' \
    "$work/drain.json" >"$work/table"
replace machine
