#!/usr/bin/env bash
# Offers datagrams to spate gateway at several rates and prints what became of them, with the CPU of each program. The
# table in docs/gateway/gateway.md was made with it. Everything stays on the loopback.
set -u

usage() {
    cat <<'HELP'
Usage: rates.sh [--to-null] AMQP-PORT BROKER-PROCESS [RATE:SIZE[:one]...]

  AMQP-PORT       the port of a broker on 127.0.0.1; a stream named rates is made there anew for each row
  BROKER-PROCESS  its process (beam.smp), whose CPU time is printed; 0 for none
  RATE:SIZE[:one] datagrams a second of SIZE bytes, in GSO messages, with :one one by one; the default is the rows of
                  docs/gateway/gateway.md
  --to-null       nothing is published: what receiving and packing take

Needs: spate in PATH, python3-pika. Environment: SECONDS_EACH (30), ROUNDS (1), GATEWAY (more options of the gateway).
HELP
}

target=amqp
case ${1:-} in
    -h | --help) usage; exit 0 ;;
    --to-null) target=null; shift ;;
esac
[ $# -ge 2 ] || { usage >&2; exit 2; }
port=$1 broker=$2
shift 2
rows=("$@")
[ ${#rows[@]} -gt 0 ] || rows=(27k:1000:one 50k:1000:one 150k:1000:one 250k:1000 800k:200)
each=${SECONDS_EACH:-30} rounds=${ROUNDS:-1}
read -ra more <<<"${GATEWAY:---threads 1 --receive-buffer 64M}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/cpu.sh"
work=$(mktemp -d) || exit 3
gateway=
trap '[ -n "$gateway" ] && kill "$gateway"; rm -rf "$work"' EXIT

# RATE SIZE WAY
run() {
    local to=(--to null:) offer=(--size "$2" --rate "$1" --seconds "$each" --interval 0 --json "$work/sent.json")
    if [ $target = amqp ]; then
        /usr/bin/python3 "$here/queue.py" "$port" delete rates || return 1
        to=(--to "amqp://127.0.0.1:$port" --stream rates --declare --max-length 2G)
    fi
    [ "$3" = one ] && offer+=(--no-gso)
    spate gateway 127.0.0.1:5140 "${to[@]}" "${more[@]}" --drain 20 --interval 0 --json "$work/gateway.json" \
        >/dev/null 2>"$work/log" &
    gateway=$!
    timeout 30 sh -c "until grep -q 'receiving at' '$work/log'; do sleep 0.1; done" || { cat "$work/log" >&2; return 1; }
    local before
    before=$(cpu_of "$broker")
    spate send 127.0.0.1:5140 "${offer[@]}" >/dev/null 2>"$work/sender" || { cat "$work/sender" >&2; return 1; }
    kill -TERM "$gateway"
    wait "$gateway"
    gateway=
    /usr/bin/python3 "$here/row.py" "$1 x $2 B${3:+, one by one}" "$work" "$before" "$(cpu_of "$broker")"
}

for ((round = 1; round <= rounds; round++)); do
    for row in "${rows[@]}"; do
        IFS=: read -r rate size way <<<"$row"
        run "$rate" "$size" "$way" || { echo "rates.sh: $row did not run" >&2; exit 3; }
    done
done
