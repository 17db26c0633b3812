# To be sourced: what the scripts beside it know about processes.

# The CPU seconds that a process has used so far (proc_pid_stat(5)); 0 stands for no process.
cpu_of() {
    [ "$1" = 0 ] && { echo 0; return; }
    awk -v clock="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); printf "%.2f", ($12 + $13) / clock }' "/proc/$1/stat"
}
