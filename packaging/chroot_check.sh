#!/usr/bin/env bash
# Runs `make run` and `make test` in a clean clone inside a minimal Debian 12 (debootstrap minbase with make, git and
# python3): the only check that finds a dependency which the build machine happens to have. Needs root, debootstrap and
# this machine's own apt, pip and CA settings, which are copied in.
#     packaging/chroot_check.sh [--only preflight|run|test] [--base DIR]
# The bare system is kept as DIR.tar (default /var/tmp/deepchat-bookworm.tar) and unpacked afresh each time.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
checkout=$PWD
base=/var/tmp/deepchat-bookworm
only=all
while [ $# -gt 0 ]; do
    case "$1" in
        --only) only=$2; shift 2 ;;
        --base) base=$2; shift 2 ;;
        *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
[ "$(id -u)" = 0 ] || { echo "chroot_check.sh needs root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "missing: apt-get install -y debootstrap" >&2; exit 2; }

if [ ! -f "$base.tar" ]; then
    fresh=$(mktemp -d "$base.XXXXXX")
    # The mirror of this machine's own apt settings; debootstrap's default is the public one.
    mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' \
             /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list /etc/apt/sources.list 2>/dev/null | head -1 || true)
    debootstrap --variant=minbase --include=make,git,python3,ca-certificates bookworm "$fresh" ${mirror:+"$mirror"}
    tar -C "$fresh" -cf "$base.tar.part" . && mv "$base.tar.part" "$base.tar"
    rm -rf -- "$fresh"
fi

root=$(mktemp -d "$base.run.XXXXXX")
mounts=()
cleanup() {
    for point in "${mounts[@]}"; do umount -l "$root/$point" || true; done
    # Never delete through a mount that could not be taken away.
    if ! grep -q " $root/" /proc/mounts; then rm -rf -- "$root"; fi
}
trap cleanup EXIT
tar -C "$root" -xf "$base.tar"
chmod 755 "$root"  # mktemp made it for root alone, and the tests give up root

rm -rf "$root/etc/apt" && cp -a /etc/apt "$root/etc/apt"
for path in /etc/pip.conf "$HOME/.config/pip" /usr/local/share/ca-certificates /etc/ssl/certs /etc/resolv.conf /etc/hosts; do
    [ -e "$path" ] || continue
    case "$path" in "$HOME"/*) target="$root/root/${path#"$HOME"/}" ;; *) target="$root$path" ;; esac
    mkdir -p "$(dirname "$target")"
    rm -rf "$target"
    cp -aL "$path" "$target" 2>/dev/null || cp -a "$path" "$target"
done
for point in proc dev sys; do
    mount --rbind "/$point" "$root/$point"
    mount --make-rslave "$root/$point"
    mounts+=("$point")
done

place="/root/a clean clone"
git clone -q --no-hardlinks "$checkout" "$root$place"
settings=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb)
while IFS= read -r -d '' pair; do
    case "${pair%%=*}" in
        PIP_* | *_proxy | *_PROXY | SSL_CERT_* | REQUESTS_CA_BUNDLE | CURL_CA_BUNDLE) settings+=("$pair") ;;
    esac
done < <(env -0)
inside() { env -i "${settings[@]}" chroot "$root" /bin/sh -c "cd '$place' && $1"; }

start=$SECONDS
if [ "$only" = preflight ]; then
    inside 'python3 packaging/preflight.py --need none && python3 packaging/preflight.py --need window'
fi
if [ "$only" = run ] || [ "$only" = all ]; then
    inside 'make run'
    echo "chroot: make run ended well after $((SECONDS - start)) s"
fi
if [ "$only" = test ] || [ "$only" = all ]; then
    inside 'make test'
    echo "chroot: make test ended well after $((SECONDS - start)) s"
fi
echo "chroot_check: passed ($only)"
