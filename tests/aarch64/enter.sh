#!/bin/sh
# enter.sh SYSROOT COMMAND...: runs a command as on a machine with Debian for aarch64: SYSROOT, which cmake/make_sysroot.sh made, is its
# root, programs of that architecture are run by qemu-user wherever they are started, and this tree lies where it lies outside.
#
# Who runs what is told to the kernel for the user namespace of this command alone (Linux 6.7), or was told by whoever set the machine up.
# Variables of the environment that begin with GPROFX stay as they are, no other does. Needs no root.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
root=$(cd "$1" && pwd)
shift
qemu=$(command -v "${GPROFX_QEMU_STATIC:-qemu-aarch64-static}") || {
  echo "enter.sh: no qemu-aarch64-static (Debian: qemu-user-static); GPROFX_QEMU_STATIC names another" >&2
  exit 77
}
# Emulated signatures of pointer authentication take half of all time by the algorithm of real processors.
exec unshare --user --map-root-user --mount sh -c '
set -eu
root=$1 tree=$2 qemu=$3
shift 3
if ! [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || { echo "enter.sh: neither Linux 6.7 nor qemu-user-static in binfmt_misc" >&2; exit 77; }
  magic="\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00"
  mask="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
  echo ":qemu-aarch64:M::$magic:$mask:$qemu:PF" >/proc/sys/fs/binfmt_misc/register
fi
for folder in /proc /dev /sys "$tree"; do
  mkdir -p "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
# The emulator knows no filters of system calls, without which no names are looked up.
export GPROFX_UNCONFINED_SYMBOLS=1
kept=$(env -0 | tr "\n\0" " \n" | grep "^GPROFX" | tr "\n" " ")
exec env -i $kept PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=/tmp LANG=C.UTF-8 TERM=dumb QEMU_CPU=max,pauth-impdef=on chroot "$root" "$@"
' sh "$root" "$tree" "$qemu" "$@"
