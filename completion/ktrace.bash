# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Completion of ktrace for bash.  Needs neither root nor the modules: events come
# from the index that lies beside them on disk.

_ktrace_index()
{
	local file
	for file in "${KTRACE_MODULES-}/events.index" \
	    "/lib/modules/$(uname -r)/ktrace/events.index"; do
		if [ -r "$file" ]; then
			cut -d' ' -f1 "$file"
			return
		fi
	done
	# What root can see, when the modules are loaded.
	cd /sys/kernel/ktrace/events 2>/dev/null && printf '%s\n' */*/ |
		sed 's|/$||; s|/|:|; /\*/d'
}

# Systems first; events of a system when its colon is there.
_ktrace_events()
{
	local word=$cur before=
	case $word in
	*,*)	before=${word%,*},
		word=${word##*,} ;;
	esac
	case $word in
	'!'*)	before+='!'
		word=${word#!} ;;
	esac
	case $word in
	*:*)	COMPREPLY=($(compgen -P "$before" -W "$(_ktrace_index)" -- "$word")) ;;
	*)	COMPREPLY=($(compgen -P "$before" -S : \
			-W "$(_ktrace_index | cut -d: -f1 | sort -u)" -- "$word"))
		compopt -o nospace ;;
	esac
	# A colon is a word's end to readline.
	! declare -F __ltrim_colon_completions >/dev/null ||
		__ltrim_colon_completions "$cur"
}

_ktrace_sets()
{
	ls "${XDG_CONFIG_HOME:-$HOME/.config}/ktrace/sets" 2>/dev/null
}

_ktrace_options()
{
	case $1 in
	list)	echo -e --event -j --json -l --loaded -p --pid -S --session -q --quiet -v --verbose ;;
	markers) echo -j --json --no-print --off --on -p --pid --print -q --quiet ;;
	record)	echo -a --all -d --duration -e --event -f --filter -k --keep -M --markers -m --mode \
			--only -o --output -p --pid -q --quiet -S --session --set -s --size \
			-v --verbose ;;
	report)	echo -e --event -F --format -c --cpu -p --pid -C --comm --from --until -n --head \
			-q --quiet ;;
	set)	echo -c --call -e --event -f --filter -F --force -k --known -M --markers -n --note \
			-q --quiet -S --session -v --verbose ;;
	stat)	echo -e --event -c --cpu --from --until -j --json -n --head -t --tasks -q --quiet ;;
	export)	echo -e --event -c --cpu --from --until -o --output -t --to -q --quiet ;;
	syscalls) echo -e --call -p --pid -d --duration -s --string -T --took -t --times \
			-y --paths -z --successful -Z --failed -c --summary --json -o --output --trace -q --quiet \
			-v --verbose ;;
	tui)	echo -l --loaded -S --session -v --verbose ;;
	load | unload) echo -q --quiet -v --verbose ;;
	esac
	echo -h --help
}

_ktrace()
{
	local cur prev words cword commands command i
	commands='list markers record report stat syscalls export tui set doctor load unload help version'
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n : cur prev words cword
	else
		cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
		words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
	fi
	COMPREPLY=()
	if [ "$cword" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
		return
	fi
	command=${words[1]}
	if [ "$command" = record ] || [ "$command" = syscalls ]; then
		for ((i = 2; i < cword; i++)); do
			[ "${words[i]}" != -- ] || break
		done
		if ((i == cword - 1)); then
			COMPREPLY=($(compgen -c -- "$cur"))
			return
		elif ((i < cword)); then
			compopt -o default
			return
		fi
	fi
	case $command:$prev in
	syscalls:-e | syscalls:--call | set:-c | set:--call)
		COMPREPLY=($(compgen -W '%file %desc %net %process %signal %memory %ipc' \
			-- "$cur"))
		return ;;
	syscalls:-o | syscalls:--output)
		compopt -o default
		return ;;
	*:-e | *:--event)
		_ktrace_events
		return ;;
	*:-o | *:--output)
		compopt -o dirnames
		return ;;
	*:--set)
		COMPREPLY=($(compgen -W "$(_ktrace_sets)" -- "$cur"))
		return ;;
	record:-m | record:--mode)
		COMPREPLY=($(compgen -W 'discard overwrite' -- "$cur"))
		return ;;
	report:-F | report:--format)
		COMPREPLY=($(compgen -W 'text kernel json strace' -- "$cur"))
		return ;;
	export:-t | export:--to)
		COMPREPLY=($(compgen -W 'ctf json' -- "$cur"))
		return ;;
	*:-p | *:--pid)
		COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur"))
		return ;;
	record:-s | record:--size)
		COMPREPLY=($(compgen -W '1M 4M 16M 64M 256M' -- "$cur"))
		return ;;
	*:-[dfnScM] | syscalls:-s | *:--string | *:--duration | *:--filter | *:--head | *:--session | *:--cpu | *:--from | *:--until | *:--comm | *:--note | *:--markers)
		return ;;
	esac
	case $command:$cur in
	*:-*)	COMPREPLY=($(compgen -W "$(_ktrace_options "$command")" -- "$cur")) ;;
	set:*)	if [ "$cword" -eq 2 ]; then
			COMPREPLY=($(compgen -W 'save load list show remove' -- "$cur"))
		else
			COMPREPLY=($(compgen -W "$(_ktrace_sets)" -- "$cur"))
			compopt -o default
		fi ;;
	list:* | load:*)
		_ktrace_events ;;
	report:* | stat:* | export:*)
		compopt -o dirnames ;;
	help:*)	COMPREPLY=($(compgen -W "$commands" -- "$cur")) ;;
	esac
}

complete -F _ktrace ktrace
