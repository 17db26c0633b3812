#!/usr/bin/env bash
# machine.sh NAME FOLDER ROOT: boots the kernel NAME of kernels.txt in a virtual machine without disk, network card or
# graphics, whose root is the folder ROOT, shared to be read and overlaid in memory. There FOLDER/results/run.sh runs as
# root; what it writes to /run/machine lies in FOLDER/results afterwards. Nothing of the host is changed or installed.
# FOLDER/kernel holds the kernel; a second call takes the one that is there.
set -u
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" || exit 1
. ./packages.sh

max_seconds=1500 memory_mib=4096 processors=2
name=$1 folder=$2 root=$3
read -r _ suite architecture image modules < <(awk -v name="$name" '$1 == name' kernels.txt)
[ -n "${image:-}" ] || { echo "no kernel '$name': expected a name of tests/Kernels/kernels.txt" >&2; exit 2; }
mkdir -p "$folder/results" && folder=$(readlink -f "$folder")
work=$(mktemp -d) || exit 1
servers=()
trap 'end_all' EXIT
trap 'exit 130' HUP INT TERM

end_all() {
    [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null
    rm -rf "$work"
}

# From 6.12 on, modules lie in usr/lib, which is lib on a merged system but not in an unpacked folder.
get_kernel() {
    local package from=$work/kernel
    [ ! -e "$folder/kernel/vmlinuz" ] || return 0
    use_suite "$suite" "$architecture" "$folder/apt" || return 1
    package=$(newest_package "^$image\$")
    [ -n "$package" ] || { echo "$suite has no package $image" >&2; return 1; }
    unpack "$from" "$package" ${modules:+"${package/binary/modules}"} || return 1
    rm -rf "$folder/kernel" "$folder/apt"
    mkdir -p "$folder/kernel/lib" && mv "$(find "$from" -type d -path '*/lib/modules')" "$folder/kernel/lib/modules" &&
        cp "$(find "$from" "$folder/kernel/lib" -name 'vmlinuz*')" "$folder/kernel/vmlinuz"
}

# make_initramfs BUSYBOX: the modules that the shared root needs, in the order of their dependencies, and the first program.
make_initramfs() {
    local tree=$work/initramfs release kind path file
    release=$(ls "$folder/kernel/lib/modules")
    depmod -b "$folder/kernel" "$release" 2>/dev/null
    mkdir -p "$tree/bin" "$tree/modules"
    cp "$1" "$tree/bin/busybox" && cp init "$tree/init" && chmod +x "$tree/init" || return 1
    : >"$tree/modules.list"
    while read -r kind path; do
        file=$(basename "${path%.xz}")
        [ "$kind" = insmod ] && ! grep -qx "$file" "$tree/modules.list" || continue
        case $path in
            *.xz) xz -dc "$path" >"$tree/modules/$file" ;;
            *) cp "$path" "$tree/modules/$file" ;;
        esac
        echo "$file" >>"$tree/modules.list"
    done < <(modprobe -d "$folder/kernel" -S "$release" -a --show-depends virtio_pci virtiofs overlay 2>/dev/null)
    (cd "$tree" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initramfs.gz"
}

# share TAG FOLDER: serves a folder to the machine, and adds its device to the machine's options.
share() {
    /usr/lib/qemu/virtiofsd --socket-path="$work/$1.socket" -o "source=$2" -o sandbox=chroot -o cache="$3" >"$work/$1.log" 2>&1 &
    servers+=($!)
    machine+=(-chardev "socket,id=$1,path=$work/$1.socket" -device "vhost-user-fs-pci,chardev=$1,tag=$1,queue-size=1024")
    timeout 20 bash -c "until [ -S '$work/$1.socket' ]; do sleep 0.05; done" ||
        { echo "virtiofsd does not serve $2:" >&2; cat "$work/$1.log" >&2; return 1; }
}

# Always emulated: a host may have /dev/kvm and yet boot no guest with it.
boot() {
    local emulator console
    case $architecture in
        amd64) emulator=x86_64 console=ttyS0 machine=(-M q35,memory-backend=memory -cpu max) ;;
        arm64) emulator=aarch64 console=ttyAMA0 machine=(-M virt,memory-backend=memory -cpu cortex-a72) ;;
    esac
    # One thread for both CPUs: with a thread each, QEMU 7.2 can run a breakpoint of the kernel's code patching after it
    # is gone (seen on 6.12: "Oops: int3" in udp_destroy_sock, whose static branch had just been switched).
    machine+=(
        -accel tcg,thread=single -smp $processors -m $memory_mib -nodefaults -no-reboot -display none -serial stdio
        -object "memory-backend-memfd,id=memory,size=${memory_mib}M,share=on"
    )
    share host "$root" always && share kernel "$folder/kernel" always && share results "$folder/results" none || return 1
    timeout --foreground -k 10 "$max_seconds" qemu-system-$emulator "${machine[@]}" -kernel "$folder/kernel/vmlinuz" \
        -initrd "$work/initramfs.gz" -append "console=$console quiet panic=-1" </dev/null |
        tee "$folder/console.log" | tr -d '\r'
    [ "${PIPESTATUS[0]}" -eq 0 ] && grep -aq '^machine: done' "$folder/console.log"
}

get_kernel || { echo "no kernel $name" >&2; exit 1; }
if [ "$architecture" = amd64 ]; then busybox=$(command -v busybox); else busybox=$root/bin/busybox; fi
make_initramfs "$busybox" && boot
