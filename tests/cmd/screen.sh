# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# screen.sh - a terminal in which tests use ktrace tui; sourced after check.sh
#
# The terminal is tmux, whose screen can be read. No step waits for a fixed time: each waits
# until the screen shows the expected text, for at most $patience seconds. $out has the last
# screen, for a check that fails.

patience=${patience:-60}
socket=ktrace-test-$$-0

# Without the user's settings, and outside of the user's tmux.
tmux_do()	# COMMAND...
{
	env -u TMUX tmux -L "$socket" -f /dev/null "$@"
}

# The terminal runs a shell, so that the final screen can be read. Each terminal has its own
# server: a server that is ending still accepts new sessions, and ends them too.
screen_start()	# COLUMNS LINES [VARIABLE=VALUE...]
{
	local columns=$1 lines=$2 word
	shift 2
	screen_term=screen
	for word; do
		[ "${word#TERM=}" = "$word" ] || screen_term=${word#TERM=}
	done
	tmux_do kill-server 2>/dev/null
	socket=ktrace-test-$$-$((${socket##*-} + 1))
	env -u TMUX "$@" LC_ALL=C.UTF-8 tmux -u -L "$socket" -f /dev/null \
		new-session -d -x "$columns" -y "$lines" \
		"exec env PS1='prompt> ' $* bash --norc --noprofile"
	tmux_do set-option -g status off
	tmux_do resize-window -x "$columns" -y "$lines" 2>/dev/null
	wait_for '^prompt>'
}

screen_end()
{
	tmux_do kill-server 2>/dev/null
}

screen()	# [OPTION of capture-pane...]
{
	tmux_do capture-pane -p "$@" 2>&1
}

keys()	# KEY...
{
	tmux_do send-keys "$@"
}

text()	# TEXT
{
	tmux_do send-keys -l "$1"
}

# Waits until a line of the screen matches; with `!', until none does.
wait_for()	# [!] PATTERN
{
	local no= end=$((SECONDS + patience))
	if [ "$1" = '!' ]; then
		no=1
		shift
	fi
	while :; do
		out=$(screen)
		if grep -qE -- "$1" <<<"$out"; then
			[ -n "$no" ] || return 0
		else
			[ -z "$no" ] || return 0
		fi
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# Waits until the command succeeds.
wait_until()	# COMMAND...
{
	local end=$((SECONDS + patience))
	until "$@"; do
		out=$(screen)
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

shows()	# WHAT [!] PATTERN
{
	local what=$1
	shift
	err='' status=0
	check "$what" wait_for "$@"
}

# A mouse click, in the encoding of the terminal's description.
click()	# COLUMN LINE, from 1 on
{
	local x=$1 y=$2
	case $(infocmp -1 "$screen_term" | sed -n 's/^\tkmous=\(.*\),$/\1/p') in
	*'[<')	text $'\033'"[<0;$x;${y}M"$'\033'"[<0;$x;${y}m" ;;
	*)	x=$(printf '\\x%x\\x%x' $((x + 32)) $((y + 32)))
		text "$(printf '\033[M %b\033[M#%b' "$x" "$x")" ;;
	esac
}

wheel_down()	# COLUMN LINE
{
	local x=$1 y=$2
	case $(infocmp -1 "$screen_term" | sed -n 's/^\tkmous=\(.*\),$/\1/p') in
	*'[<')	text $'\033'"[<65;$x;${y}M" ;;
	*)	text $'\033[Ma'"$(printf "\\x$(printf %x $((x + 32)))\\x$(printf %x $((y + 32)))")" ;;
	esac
}

# Lines of a report as a terminal of 80 columns shows them, without the time.
lines_end()
{
	cut -c1-80 | sed 's/\] [0-9.]* /] /; s/ *$//'
}

# The line and column, from 1, of a text on the screen.
line_of()	# TEXT
{
	screen | grep -nF -m 1 -- "$1" | cut -d: -f1
}

column_of()	# TEXT
{
	screen | grep -F -m 1 -- "$1" |
		awk -v t="$1" '{ print index($0, t) }'
}

# The settings of the terminal's driver, which must not change.
terminal_settings()
{
	stty -a -F "$(tmux_do display-message -p '#{pane_tty}')" |
		sed 's/^speed.*rows.*//'
}
