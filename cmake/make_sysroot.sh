#!/bin/sh
# make_sysroot.sh FOLDER [PACKAGE...]: the libraries that the preset aarch64 links, from Debian's packages of that architecture, in
# FOLDER. Takes nothing from the machine's own packages and changes none of them; needs apt and no root. More packages can be named:
# python3.11 to try the agent in one, for example.
set -eu
folder=$1
shift
mkdir -p "$folder" "$folder.apt/state/lists/partial" "$folder.apt/cache/archives/partial"
folder=$(cd "$folder" && pwd)
: >"$folder.apt/state/status"
cat >"$folder.apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Debug::NoLocking "true";
Dir::State "$folder.apt/state";
Dir::State::status "$folder.apt/state/status";
Dir::Cache "$folder.apt/cache";
END
export APT_CONFIG="$folder.apt/apt.conf"
apt-get update
apt-get install -y --download-only libc6-dev libstdc++-12-dev libdw-dev libelf-dev liblzma-dev libbz2-dev zlib1g-dev libzstd-dev libiberty-dev \
  libsqlite3-dev libncurses-dev libboost-program-options-dev libboost-math-dev nlohmann-json3-dev catch2 "$@"
for package in "$folder.apt/cache/archives"/*.deb; do
  dpkg -x "$package" "$folder"
done
# Packages for a machine's root have some links from there, which here would lead to libraries of the machine that builds.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfnr "$folder$(readlink "$link")" "$link"
done
