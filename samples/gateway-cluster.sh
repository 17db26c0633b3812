#!/usr/bin/env bash
# Starts a RabbitMQ cluster of its own on the loopback, to try spate gateway with, and removes it at the end (Ctrl-C).
# Nothing of a broker that runs on this machine is touched: names, ports, data and epmd are the cluster's own.
set -u

usage() {
    cat <<'HELP'
Usage: gateway-cluster.sh [NODES [PORT]]

  NODES  how many nodes; default 3
  PORT   the first node listens at it, the others at the next ones; default 5700. Fifty ports behind it are used too.

Needs: rabbitmq-server (Debian). Writes what to give to --to, and each node's process, so that one can be killed:
kill -9 PROCESS. Ctrl-C or SIGTERM ends all of it and removes the data.
Environment: CLUSTER_DATA, a folder for the data; default a temporary one.
HELP
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
nodes=${1:-3} port=${2:-5700}
case $nodes$port in *[!0-9]*) usage >&2; exit 2 ;; esac
programs=$(ls -d /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin 2>/dev/null | tail -1)
[ -n "$programs" ] && command -v epmd >/dev/null || { echo "gateway-cluster.sh: rabbitmq-server is missing" >&2; exit 3; }

work=$(mktemp -d "${CLUSTER_DATA:-/tmp}/spate-cluster-XXXXXX") || exit 3
started=()
end() {
    trap - EXIT
    for file in "$work"/*/pid; do
        [ -f "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null
    done
    # epmd outlives its nodes, and is the first of these.
    for process in "${started[@]}"; do kill -KILL "$process" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap end EXIT
trap 'exit 0' INT TERM

head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$work/.erlang.cookie"
chmod 400 "$work/.erlang.cookie"
epmd -port $((port + 50)) -address 127.0.0.1 >/dev/null 2>&1 &
started+=($!)

# One node: NAME PORT DISTRIBUTION-PORT.
start() {
    local folder=$work/$1
    mkdir "$folder"
    {
        echo "listeners.tcp.1 = 127.0.0.1:$2"
        printf '%s\n' "log.file = false" "log.console = true" "log.console.level = warning"
        printf '%s\n' "vm_memory_high_watermark.absolute = 1GB" "disk_free_limit.absolute = 50MB"
        echo "cluster_formation.peer_discovery_backend = classic_config"
        for ((i = 1; i <= nodes; i++)); do echo "cluster_formation.classic_config.nodes.$i = spate$i@localhost"; done
    } >"$folder/rabbitmq.conf"
    echo "[]." >"$folder/plugins"
    : >"$folder/env.conf"
    env HOME="$work" ERL_EPMD_PORT=$((port + 50)) ERL_EPMD_ADDRESS=127.0.0.1 RABBITMQ_NODENAME="$1@localhost" \
        RABBITMQ_DIST_PORT="$3" RABBITMQ_MNESIA_BASE="$folder/data" RABBITMQ_LOG_BASE="$folder/log" \
        RABBITMQ_PID_FILE="$folder/pid" RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf" \
        RABBITMQ_CONF_ENV_FILE="$folder/env.conf" RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins" \
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1} -kernel net_ticktime 8 +sbwt none +sbwtdcpu none +sbwtdio none" \
        "$programs/rabbitmq-server" >"$folder/out" 2>&1 &
    started+=($!)
}

hosts=
for ((n = 1; n <= nodes; n++)); do
    start "spate$n" $((port + n - 1)) $((port + 20 + n))
    hosts=$hosts${hosts:+,}127.0.0.1:$((port + n - 1))
done
for ((n = 1; n <= nodes; n++)); do
    # "completed with 0 plugins." Before that, the port may be open and refuse.
    for ((second = 0; second < 120; second++)); do
        grep -q "completed with" "$work/spate$n/out" && break
        kill -0 "${started[n]}" 2>/dev/null || break
        sleep 1
    done
    grep -q "completed with" "$work/spate$n/out" || { echo "gateway-cluster.sh: node $n did not start:" >&2; tail -20 "$work/spate$n/out" >&2; exit 3; }
done

echo "--to amqp://$hosts"
for ((n = 1; n <= nodes; n++)); do echo "node $n: port $((port + n - 1)), process $(cat "$work/spate$n/pid")"; done
echo "Ctrl-C ends it."
wait
