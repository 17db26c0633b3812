#!/usr/bin/env bash
# Offers the same datagrams to spate gateway and to syslog-ng, both committing to the same broker, and prints what each
# received and lost. This is how the table in docs/gateway/gateway.md was made. Everything stays on the loopback.
set -u

usage() {
    cat <<'HELP'
Usage: compare.sh AMQP-PORT [RATE...]

  AMQP-PORT  the port of a broker on 127.0.0.1 whose data may go; queues named compare-* are declared there
  RATE       datagrams per second of 1000 bytes, sent one by one; default 27000 50000 150000

Needs: spate in PATH, syslog-ng with its AMQP module (Debian: syslog-ng-core, syslog-ng-mod-amqp), python3-pika.
Environment: SECONDS_EACH (30), ROUNDS (3): the rounds of both programs alternate, and the median is to be taken.
HELP
}

[ $# -ge 1 ] || { usage >&2; exit 2; }
case $1 in -h | --help) usage; exit 0 ;; esac
port=$1
shift
rates=("$@")
[ ${#rates[@]} -gt 0 ] || rates=(27000 50000 150000)
each=${SECONDS_EACH:-30} rounds=${ROUNDS:-3}
for program in spate syslog-ng python3; do
    command -v "$program" >/dev/null || { echo "compare.sh: $program is missing" >&2; exit 3; }
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/cpu.sh"
work=$(mktemp -d) || exit 3
trap 'end; rm -rf "$work"' EXIT
receiver=

# By its id alone: another syslog-ng of the machine is not ours.
end() {
    [ -n "$receiver" ] || return 0
    kill -TERM "$receiver" 2>/dev/null
    wait "$receiver" 2>/dev/null
    receiver=
}

offer() {
    spate send 127.0.0.1:5140 --size 1000 --rate "$1" --seconds "$each" --no-gso --interval 0 --json "$work/sent.json" \
        >/dev/null 2>&1
}

field() {
    python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"
}

# PROGRAM RATE RECEIVED CPU: what was read back from the stream, of what was sent.
row() {
    local sent
    sent=$(field "$work/sent.json" datagrams)
    awk -v name="$1" -v rate="$2" -v sent="$sent" -v got="$3" -v cpu="$4" 'BEGIN {
        lost = sent > got ? sent - got : 0
        printf "| %s | %d/s | %d | %d | %d (%.2f %%) | %s s |\n", name, rate, sent, got, lost, 100 * lost / sent, cpu
    }'
}

run_spate() {
    /usr/bin/python3 "$here/queue.py" "$port" delete compare-spate || return 1
    spate gateway 127.0.0.1:5140 --to "amqp://127.0.0.1:$port" --stream compare-spate --declare --max-length 20G --drain 20 \
        --threads 1 --interval 0 --json "$work/gateway.json" >/dev/null 2>"$work/gateway.log" &
    receiver=$!
    timeout 30 sh -c "until grep -q 'receiving at' '$work/gateway.log'; do sleep 0.1; done" || return 1
    offer "$1"
    local cpu
    cpu=$(cpu_of "$receiver")
    end
    spate gateway read --from "amqp://127.0.0.1:$port" --stream compare-spate --json "$work/read.json" >/dev/null 2>&1
    row spate "$1" "$(field "$work/read.json" datagrams)" "$cpu"
}

run_syslog_ng() {
    sed "s/@PORT@/$port/" "$here/syslog-ng.conf" >"$work/syslog-ng.conf"
    /usr/bin/python3 "$here/queue.py" "$port" make || return 1
    syslog-ng --foreground --no-caps --cfgfile="$work/syslog-ng.conf" --persist-file="$work/persist" \
        --pidfile="$work/pid" --control="$work/control" >"$work/syslog-ng.log" 2>&1 &
    receiver=$!
    timeout 30 sh -c "until ss -ulnH 'sport = :5140' | grep -q .; do sleep 0.1; done" || return 1
    offer "$1"
    local cpu
    cpu=$(cpu_of "$receiver")
    end
    row syslog-ng "$1" "$(/usr/bin/python3 "$here/queue.py" "$port" count)" "$cpu"
}

for ((round = 1; round <= rounds; round++)); do
    for rate in "${rates[@]}"; do
        run_spate "$rate" || { echo "compare.sh: spate did not start" >&2; cat "$work/gateway.log" >&2; exit 3; }
        run_syslog_ng "$rate" || { echo "compare.sh: syslog-ng did not start" >&2; cat "$work/syslog-ng.log" >&2; exit 3; }
    done
done
