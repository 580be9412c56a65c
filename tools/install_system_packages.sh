#!/usr/bin/env bash
# Installs missing Debian packages that tests and pictures need, or the packages given as arguments
# (those whose command exists are skipped).
set -eu
command -v dpkg >/dev/null 2>&1 || exit 0
missing=()
[ $# -gt 0 ] || set -- libegl1 libgl1 chromium
for package in "$@"; do
  command -v "$package" >/dev/null 2>&1 && continue
  dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
sudo=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "please install: ${missing[*]}" >&2; exit 0; }
  sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q >/dev/null
$sudo apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null
