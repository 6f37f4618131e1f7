# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# tui.sh - the browser on a live kernel, driven in tmux: what it shows is compared with
# the control tree, what it records with what ktrace report says
# One kernel is enough: the screen is drawn by the command.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
. "$(dirname "$0")/../screen.sh"
mkdir -p /mnt/tui && cd /mnt/tui || exit 1
export TMUX_TMPDIR=/mnt/tui XDG_CONFIG_HOME=/mnt/tui/config
tree=/sys/kernel/ktrace
patience=40
trap screen_end EXIT

enabled()	# SYSTEM/EVENT
{
	cat "$tree/events/$1/enabled"
}

all_enabled()
{
	(cd $tree/events && grep -lx 1 */*/enabled | tr '\n' ' ')
}

is()	# FILE TEXT
{
	[ "$(cat "$1" 2>/dev/null)" = "$2" ]
}

ktrace load -q '*' 'syscalls:*'
# Remove it: earlier scripts may have defined it (ktrace syscalls does).
echo '!signal/signal_delivered' >$tree/define 2>/dev/null
insmod "$KTRACE_MODULES/ktrace-marked.ko"

# ---- looking -------------------------------------------------------------------

check 'a terminal' screen_start 80 24
before=$(terminal_settings)
text 'ktrace tui'
keys Enter
shows 'the tree shows' '^v \[ \] Kernel events  0/'
shows 'systems' '^  > \[ \] block  0/[0-9]'
check 'how many of them are on' grep -qE '^ ktrace   0 of [0-9]+ on' <<<"$out"
events=$(ls -d $tree/events/*/*/ | grep -vcE '/((compat_)?syscalls|ktrace_marked)/')
check 'all events are there' grep -qE "^v \[ \] Kernel events  0/$events " <<<"$out"
check 'and the keys' grep -q 'Space on/off' <<<"$out"
keys '?'
shows 'help' 'Right Left   open and close'
keys x
shows 'help ends' ! 'Right Left   open and close'
keys End
shows 'the other end of the tree' 'Markers of programs'
check 'without any, it says so' wait_for 'no program of yours'
keys Up
shows 'a module with markers' '^  > \[ \] ktrace_marked  0/'
keys Enter
shows 'by file' '^    > \[ \] marked\.c  0/'
keys Up Up Enter
shows 'system calls open' '^    \[ \] accept '

# ---- searching, fields -----------------------------------------------------------

text '/sched_switch'
shows 'search finds sched_switch' '^      \[ \] sched_switch '
shows 'its fields are shown' 'short prev_state  S D T t X Z P I R'
check 'of the event that was found' grep -q '│ sched:sched_switch' <<<"$out"
check 'and nothing else' [ "$(grep -c '\[ \] [a-z_]* *│' <<<"$out")" -eq 1 ]
keys Enter

# ---- switching ---------------------------------------------------------------------

check 'nothing is enabled' [ -z "$(all_enabled)" ]
keys Space
shows 'space switches it on' '\[x\] sched_switch'
check 'the control tree says so' [ "$(all_enabled)" = 'sched/sched_switch/enabled ' ]
keys Space
shows 'and off' '\[ \] sched_switch'
check 'the control tree says that, too' [ -z "$(all_enabled)" ]
echo 1 >$tree/events/sched/sched_switch/enabled
shows 'what others switch is shown' '\[x\] sched_switch'
echo 0 >$tree/events/sched/sched_switch/enabled
shows 'each time' '\[ \] sched_switch'
keys Escape
shows 'all is shown again' '\[ \] sched_wakeup'
check 'around what was found' grep -q '\[ \] sched_switch' <<<"$out"
text '/signal:'
shows 'a system' '^  v \[ \] signal  0/2'
keys Enter Up
shows 'is chosen' '^ *│ signal|│ signal'
keys Space
shows 'a whole folder' '\[x\] signal  2/2'
check 'is on' [ "$(all_enabled)" = 'signal/signal_deliver/enabled signal/signal_generate/enabled ' ]
keys Space
shows 'and off again' '\[ \] signal  0/2'
keys Escape
text '/syscalls:sys_enter_openat2'
shows 'a system call' '\[ \] openat2'
keys Enter Space
shows 'is switched' '\[x\] openat2'
check 'with both its events' [ "$(enabled syscalls/sys_enter_openat2)$(enabled syscalls/sys_exit_openat2)" = 11 ]
keys Space
shows 'and off' '\[ \] openat2'
check 'both' [ -z "$(all_enabled)" ]

# ---- a filter --------------------------------------------------------------------------

keys Escape
text '/sched:sched_switch'
shows 'searched once more' '\[ \] sched_switch'
keys Enter
keys f
shows 'a filter is asked for' '^Only if:'
text 'no_such_field == 1'
keys Enter
shows 'a bad one is refused, and why' '^no filter: at character 1, .no_such_field'
keys f
text 'next_pid >= 0'
keys Enter
shows 'a good one is shown' '│ if next_pid >= 0'
check 'and set' is $tree/events/sched/sched_switch/filter 'next_pid >= 0'
keys f C-u Enter
shows 'and taken away' ! '│ if next_pid'
check 'all of it' is $tree/events/sched/sched_switch/filter none

# ---- recording ---------------------------------------------------------------------------

keys Space
shows 'on' '\[x\] sched_switch'
keys r
shows 'it asks where to' '^Record to: ktrace.data'
keys C-u
text 'trace'
keys Enter
shows 'it records' 'recording trace  00:'
shows 'the newest lines are shown' '^[^ ].* \[00[01]\] [0-9]+\.[0-9]{9} sched:sched_switch: prev_comm='
shows 'events are counted' '│ on   [0-9,]+ events'
shows 'their rate is shown' '\[x\] sched_switch .* [0-9.]+( k)?/s'
keys Escape
text '/sched:sched_waking'
shows 'another event' '\[ \] sched_waking'
keys Enter Space
shows 'is switched on meanwhile' '\[x\] sched_waking'
shows 'and its lines are shown, too' '\] [0-9.]+ sched:sched_waking: comm='
keys Space
keys Escape
text '/sched:sched_switch'
shows 'the first one again' '\[.\] sched_switch'
keys Enter

tmux_do resize-window -x 40 -y 10
shows 'a terminal of 40x10' '^ Space on/off  / search  r stop  s save$|^ Space on/off.{0,27}$'
shows 'has the tree' '\[.\] sched_switch'
tmux_do resize-window -x 7 -y 2
shows 'a tiny one' '^too sma$|too s'
tmux_do resize-window -x 20 -y 3
shows 'one of three lines' 'Space on/off'
tmux_do resize-window -x 80 -y 24
shows 'and back' 'next_prio'
check 'with all that was there' wait_for 'Space on/off  / search  r stop  s save  l load  . help  q quit'
shows 'it still reads' '\] [0-9.]+ sched:sched_switch: prev_comm='
keys r
shows 'it stops' 'recorded [0-9,]+ events, 0 lost'
count=$(sed -n 's/.*recorded \([0-9,]*\) events.*/\1/p' <<<"$out" | tr -d ,)
# The lines do not scroll any more. At the end times are known more exactly.
shown=$(sed -n '/^── newest/,${/^── newest/d;$d;p;}' <<<"$out" | lines_end)
run ktrace report trace
ends 0 'ktrace report reads it'
check 'all that was counted is there' [ "$(grep -c ' \[00[01]\] [0-9.]* ' <<<"$out")" = "$count" ]
check 'only what was on' [ -z "$(grep -vE ' sched:sched_(switch|waking): ' <<<"$out")" ]
check 'the newest lines are the last ones of the report' \
	[ "$(tail -n "$(wc -l <<<"$shown")" <<<"$out" | lines_end)" = "$shown" ]
check 'nobody records' [ "$(cat $tree/enabled)$(cat $tree/owner)" = 00 ]

# Once more, with one event from begin to end.
keys r
shows 'it asks again' '^Record to: ktrace.data'
keys C-u
text 'only'
keys Enter
shows 'another recording' 'recording only  00:0[2-9]'
run ktrace record -q -o busy -- true
ends 1 'the session is its own meanwhile' 'records already'
keys r
shows 'is ended' 'recorded [0-9,]+ events, 0 lost'
count=$(sed -n 's/.*recorded \([0-9,]*\) events.*/\1/p' <<<"$out" | tr -d ,)
run ktrace report -q only
check 'exactly sched_switch' \
	[ "$(grep -c ' sched:sched_switch: ' <<<"$out")" = "$count" -a \
	  "$(wc -l <<<"$out")" = "$count" ]
run ktrace record -q -S other -e sched_switch -o other -- true
ends 0 'others can record'

# ---- sets ----------------------------------------------------------------------------------

keys s
shows 'a set is asked for' '^Save what is on as:'
text 'mine'
keys Enter
shows 'it is saved' 'saved to /mnt/tui/config/ktrace/sets/mine'
run ktrace set show mine
check 'with what is on' [ "$(grep -v '^#' <<<"$out")" = 'event sched:sched_switch' ]
keys s
text 'mine'
keys Enter
shows 'an older one is not replaced unasked' 'Replace it \(y/n\)'
keys n
keys Space
shows 'off' '\[ \] sched_switch'
check 'nothing is on' [ -z "$(all_enabled)" ]
ktrace set save -q other -e 'sched:sched_process_*'
keys l
shows 'sets are shown' '│ other'
keys Up Up Enter
shows 'one is loaded' 'the set .mine. is loaded'
shows 'it is on' '\[x\] sched_switch'
check 'the control tree has it' [ "$(all_enabled)" = 'sched/sched_switch/enabled ' ]
keys Space Escape

# ---- the mouse -------------------------------------------------------------------------------

text '/sched_wak'
shows 'three events' '\[ \] sched_wakeup_new'
keys Enter
line=$(line_of '[ ] sched_waking') column=$(column_of '[ ] sched_waking')
click $((column + 8)) "$line"
shows 'a click chooses' '│ sched:sched_waking'
check 'and switches nothing' [ -z "$(all_enabled)" ]
click $((column + 1)) "$line"
shows 'a click on the box switches' '\[x\] sched_waking'
check 'in the control tree' [ "$(all_enabled)" = 'sched/sched_waking/enabled ' ]
click $((column + 1)) "$line"
shows 'and off' '\[ \] sched_waking'
click 3 "$(line_of 'v [ ] sched ')"
wheel_down 10 5
shows 'the wheel moves' '│ sched:sched_wak'
keys Escape

# ---- the end ------------------------------------------------------------------------------------

keys q
shows 'q ends it' '^prompt>$'
check 'the screen is the one before' grep -q '^prompt> ktrace tui' <<<"$out"
check 'the terminal is as it was' [ "$(terminal_settings)" = "$before" ]
text 'echo "status $?"'
keys Enter
shows 'well' '^status 0$'

text 'ktrace tui'
keys Enter
shows 'once more' 'Kernel events'
text '/sched:sched_switch'
shows 'found' 'next_prio'
keys Enter Space r C-u
text 'terminated'
keys Enter
shows 'recording' 'recording terminated  00:0[1-9]'
kill -TERM "$(pgrep -x ktrace)"
shows 'SIGTERM ends it' '^prompt>$'
check 'and says what was recorded' wait_for 'recorded [0-9,]+ events, 0 lost'
check 'the terminal is as it was' [ "$(terminal_settings)" = "$before" ]
text 'echo "status $?"'
keys Enter
shows 'with the signal'\''s status' '^status 143$'
run ktrace report -q terminated
ends 0 'the trace is whole'
check 'and has events' [ "$(grep -c sched_switch <<<"$out")" -gt 0 ]
check 'nobody records' [ "$(cat $tree/enabled)$(cat $tree/owner)" = 00 ]

text 'ktrace tui -S own'
keys Enter
shows 'a session of its own' '^ ktrace own   0 of'
keys C-c
shows 'Ctrl-C ends it' '^prompt>$'
check 'the session is gone' [ ! -e $tree/sessions/own ]

# ---- without colours ---------------------------------------------------------------------------------

for terminal in TERM=vt100 NO_COLOR=1; do
	check "a terminal, $terminal" screen_start 80 24 "$terminal"
	text 'ktrace tui --loaded'
	keys Enter
	shows "$terminal" 'Kernel events'
	keys Down Space
	shows "$terminal: switches" '^  > \[[x-]\]'
	out=$(screen -e)
	check "$terminal: no colours" [ -z "$(grep -E $'\033''\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]' <<<"$out")" ]
	check "$terminal: but it shows where one is" grep -q $'\033''\[[0-9;]*7m' <<<"$out"
	keys Space q
	shows "$terminal: ends" '^prompt>$'
done
check 'a terminal with colours' screen_start 80 24 TERM=screen-256color
text 'ktrace tui --loaded'
keys Enter
shows 'with colours' 'Kernel events'
check 'there are some' grep -qE $'\033''\[([0-9;]*;)?(3[0-8]|4[0-8])[;m]' <<<"$(screen -e)"
keys q
shows 'ends' '^prompt>$'
check 'nothing is enabled' [ -z "$(all_enabled | sed 's|sched/sched_switch/enabled ||')" ]
finish_vm tui.sh
