#!/usr/bin/env bash
# Runs README's commands where nothing is installed: makes a root of Debian 12 with
# its essential packages and a clone of the last commit, and runs `./dev demo` and
# `./dev test` in it. `./dev bare` is this, with debootstrap and git installed.
#
#   bare.sh [--keep | --shell | --wheel=FILE] FOLDER
#
# With --wheel the root has Python besides, no clone, and no compiler: it installs that
# wheel, as `./dev wheel --try` has it, and runs scripts/try_wheel.sh.
#
# FOLDER is made, or is empty. It is removed in the end, unless --keep says otherwise;
# --shell opens a shell in it in place of the two commands, and keeps it, too.
#
# What a machine needs to reach its package mirrors is taken from this one: APT's
# sources, keys and Acquire options, certificates, pip's configuration, resolv.conf and
# hosts, and of the environment the proxies and pip's indices. TC_MIRROR names another
# Debian mirror than that of APT's sources.
set -euo pipefail
source_dir=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
suite=bookworm
passed_on=(http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY TC_MIRROR TC_BARE_LOGS
  PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_CERT PIP_DEFAULT_TIMEOUT
  SSL_CERT_FILE SSL_CERT_DIR)
# Of this machine, where it has them.
copied=(/etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs
  /usr/local/share/ca-certificates /etc/apt/keyrings /etc/apt/trusted.gpg
  /etc/apt/trusted.gpg.d /etc/apt/auth.conf /etc/apt/auth.conf.d /usr/share/keyrings)
sources=(/etc/apt/sources.list /etc/apt/sources.list.d)

say() { printf 'bare: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# The mirror of the suite in APT's sources.
find_mirror() {
  # shellcheck disable=SC2016 # $(REPO_URI) is APT's.
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite="$suite" '$1 == suite && !found++ { print $2 }'
}

copy_in() { # root, paths
  local root=$1 path
  shift
  for path in "$@"; do
    [ -e "$path" ] || continue
    rm -rf "${root:?}$path"
    mkdir -p "$(dirname "$root$path")"
    cp -aL "$path" "$root$path" 2>/dev/null || say "could not copy all of $path"
  done
}

# APT's own sources, or those of TC_MIRROR.
write_sources() { # root, mirror
  if [ -z "${TC_MIRROR:-}" ]; then
    copy_in "$1" "${sources[@]}"
    return
  fi
  rm -rf "${1:?}"/etc/apt/sources.list*
  printf 'deb %s %s main\n' "$2" "$suite" "$2" "$suite-updates" \
    "${2%/}-security" "$suite-security" >"$1/etc/apt/sources.list"
}

make_root() { # root
  local mirror=${TC_MIRROR:-$(find_mirror)}
  [ -n "$mirror" ] || die "expected APT's sources to have $suite, or TC_MIRROR"
  say "debootstrap --variant=minbase $suite from $mirror"
  debootstrap --variant=minbase --include="$included" "$suite" "$1" "$mirror" \
    >"$logs/debootstrap.log" 2>&1 || {
    tail -n 20 "$logs/debootstrap.log" >&2
    die "debootstrap failed (whole log: $logs/debootstrap.log)"
  }
  copy_in "$1" "${copied[@]}"
  write_sources "$1" "$mirror"
  apt-config dump | sed -n '/^Acquire::/p' >"$1/etc/apt/apt.conf.d/90host"
}

clone() { # root
  [ -z "$(git -C "$source_dir" status --porcelain)" ] ||
    say "what is not committed is left out"
  GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' \
    git clone -q --no-hardlinks "file://$source_dir" "$1/root/tc"
  say "commit $(git -C "$1/root/tc" log -1 --format='%h %s')"
}

# Runs a command in the root. Its mounts and processes are gone when it ends.
in_root() { # root, command...
  local name variables=(HOME=/root USER=root PATH=/usr/sbin:/usr/bin:/sbin:/bin)
  for name in "${passed_on[@]}"; do
    [ -z "${!name:-}" ] || variables+=("$name=${!name}")
  done
  # shellcheck disable=SC2016 # The other shell expands it.
  unshare --mount --pid --fork --kill-child --propagation=slave bash -euc '
    root=$1; shift
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" env -i "$@"' - "$1" "${variables[@]}" "${@:2}"
}

run_dev() { # root, command of dev
  local log=$logs/$2.log start=$SECONDS status=0
  # shellcheck disable=SC2016
  in_root "$1" bash -c 'cd ~/tc && exec ./dev "$1"' - "$2" </dev/null >"$log" 2>&1 ||
    status=$?
  if [ "$status" = 0 ]; then
    say "./dev $2: passed, $((SECONDS - start)) s"
  else
    tail -n 40 "$log" >&2
    say "./dev $2: FAILED with exit status $status, $((SECONDS - start)) s"
  fi
  grep '^left out, ' "$log" >&2 || true
  say "./dev $2: $(tail -n 1 "$log") (whole log: $log)"
  return "$status"
}

try_wheel() { # root
  mkdir -p "$1/root/wheel"
  cp "$wheel" "$source_dir/scripts/try_wheel.sh" "$1/root/wheel"
  in_root "$1" bash /root/wheel/try_wheel.sh
}

keep='' shell='' root='' wheel='' included=ca-certificates
for argument in "$@"; do
  case "$argument" in
  --keep) keep=1 ;;
  --shell) shell=1 keep=1 ;;
  --wheel=*)
    wheel=$(realpath "${argument#*=}")
    included=ca-certificates,python3-venv
    ;;
  -*) die "expected --keep, --shell or --wheel, got '$argument'" ;;
  *)
    [ -z "$root" ] || die "expected one folder, got '$argument', too"
    root=$(realpath -m "$argument")
    ;;
  esac
done
[ -n "$root" ] || die "expected a folder"

again=''
[ -z "$shell" ] || [ ! -d "$root/root/tc" ] || again=1
[ -n "$again" ] || [ ! -e "$root" ] || [ -z "$(ls -A "$root")" ] || die "'$root' is not empty"
if [ "$(id -u)" != 0 ]; then
  exec sudo --preserve-env="$(IFS=,; echo "${passed_on[*]}")" "$0" "$@"
fi
logs=${TC_BARE_LOGS:-$root.logs}

if [ -n "$again" ]; then
  in_root "$root" bash -l
  exit
fi
mkdir -p "$root" "$logs"
# The mounts are those of in_root only: this cannot reach what is not the root's own.
[ -n "$keep" ] || trap 'rm -rf --one-file-system "$root"' EXIT
make_root "$root"
if [ -n "$wheel" ]; then
  try_wheel "$root"
  exit
fi
clone "$root"
if [ -n "$shell" ]; then
  in_root "$root" bash -l
  exit
fi
status=0
run_dev "$root" demo || status=1
run_dev "$root" test || status=1
exit "$status"
