#!/usr/bin/env bash
# build.sh FOLDER: compiles the stand-in, FOLDER/standin.dll, and the program that checks it, FOLDER/check.exe.
set -eu
folder=$(realpath -m "$1")
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
mkdir -p "$folder"
compile=(x86_64-w64-mingw32-gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror)
shopt -s extglob
"${compile[@]}" -shared -o "$folder/standin.dll" !(check*).c standin.def -lws2_32 -lntdll
"${compile[@]}" -o "$folder/check.exe" check*.c -lws2_32
