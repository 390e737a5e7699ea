#!/bin/sh
# Makes the virtual environment and installs the suite into it, once for each state of setup.py.
# usage: setup.sh VENV [test]
set -eu

venv=$1
extra=${2:-}
python=${PYTHON:-python3}

say() { printf 'robohockey set-up: %s\n' "$*"; }
fail() { printf 'robohockey set-up: %s\n' "$*" >&2; exit 2; }

# A done-mark for each extra remembers what it was made from.
want=$(cat setup.py tools/setup.sh constraints.txt | cksum | tr ' ' '-')
mark="$venv/.robohockey-${extra:-run}"
[ -f "$mark" ] && [ "$(cat "$mark")" = "$want" ] && exit 0

command -v "$python" >/dev/null || fail "no $python; install Python 3.10 or newer"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$("$python" --version) is too old; needed is 3.10 or newer (make PYTHON=python3.12 ...)"

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    # Debian and Ubuntu keep these in a package of their own.
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    root=""
    [ "$(id -u)" = 0 ] || root="sudo"
    say "Debian's $package is missing; installing it"
    if command -v apt-get >/dev/null && { [ -z "$root" ] || command -v sudo >/dev/null; }; then
        { $root apt-get update -qq && $root apt-get install -y -qq "$package" >/dev/null; } ||
            fail "could not install $package; install it by hand"
    else
        fail "Python's venv module is missing; install $package by hand"
    fi
fi

# With ROS sourced, its rclpy and messages are used; otherwise they come from PyPI.
extras=$extra
if "$python" -c 'import rclpy' 2>/dev/null; then
    say "using the ROS 2 that is sourced (${ROS_DISTRO:-unnamed})"
    site="--system-site-packages"
else
    say "no ROS 2 is sourced; installing ROS 2 from PyPI"
    extras="ros${extra:+,$extra}"
    site=""
fi

say "1/3 virtual environment in $venv"
[ -x "$venv/bin/python" ] || "$python" -m venv $site "$venv"
say "2/3 packages (about a minute the first time; pip's words are in $venv/setup.log)"
log="$venv/setup.log"
"$venv/bin/python" -m pip install --disable-pip-version-check -c constraints.txt -e ".${extras:+[$extras]}" >"$log" 2>&1 &
pip=$!
trap 'kill $pip 2>/dev/null' INT TERM
while kill -0 $pip 2>/dev/null; do
    [ -t 1 ] && printf '\r  %s packages found, %s' "$(grep -cE '^(Collecting|Processing)' "$log")" \
        "$(grep -q '^Installing collected' "$log" && echo 'installing them' || echo 'still looking  ')"
    sleep 1
done
[ -t 1 ] && printf '\n'
wait $pip || { tail -n 20 "$log" >&2; fail "the packages could not be installed; see pip's message above"; }
trap - INT TERM
say "3/3 compiling, once"
"$venv/bin/python" -m robohockey_match.cli warm-up
printf '%s' "$want" > "$mark"
say "done"
