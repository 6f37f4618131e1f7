# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Completion of ktrace for bash.  Commands and options come from the command itself:
# `ktrace complete-table' prints them (cmd/common/option.h has the format).  Works
# without root and without loaded modules: events come from the index on disk.

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
	# Without an index: the loaded modules' events, which only root can see.
	cd /sys/kernel/ktrace/events 2>/dev/null && printf '%s\n' */*/ |
		sed 's|/$||; s|/|:|; /\*/d'
}

# For readline, a word that is not quoted begins behind its last colon or equals sign.
_ktrace_trim()
{
	local breaks=${COMP_WORDBREAKS//[!:=]/} before i
	[[ $breaks && $cur != [\'\"]* ]] && declare -F _get_comp_words_by_ref >/dev/null || return 0
	before=${cur%"${cur##*[$breaks]}"}
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"$before"}
	done
}

# Completes systems first; after the colon, events of the system.
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
	_ktrace_trim
}

# The command finds names that begin so; there are too many to choose from here.
_ktrace_functions()
{
	local word=$cur before=
	case $word in
	*,*)	before=${word%,*},
		word=${word##*,} ;;
	esac
	[ -z "$word" ] ||
		COMPREPLY=($(compgen -P "$before" \
			-W "$(ktrace complete-functions "$word" 2>/dev/null)" -- "$word"))
	_ktrace_trim
}

# What the user has typed of a word, without its quoting.
_ktrace_plain()	# WORD
{
	local word=$1
	case $word in
	\'*)	word=${word#\'} word=${word%\'} ;;
	'"'*)	word=${word#'"'} word=${word%'"'} word=${word//\\/} ;;
	'~/'*)	word=$HOME/${word#'~/'} word=${word//\\/} ;;
	*)	word=${word//\\/} ;;
	esac
	printf %s "$word"
}

# Of the file of a -x before it.  The command completes the whole text, which stands in quotes if it
# has blanks.  Names are of a foreign file: the shell must not run what stands in them.
_ktrace_probes()
{
	local file=- i text
	if [ "${words[1]}" = probe ] && [[ ${words[2]} = @(list|remove) ]]; then
		_ktrace_words "$(ktrace probe list 2>/dev/null | cut -d' ' -f1)"
		_ktrace_trim
		return
	fi
	for ((i = 2; i < cword; i++)); do
		case ${words[i]} in
		-x | --exec)
			file=$(_ktrace_plain "${words[i + 1]}") ;;
		--exec=*)
			file=$(_ktrace_plain "${words[i]#*=}") ;;
		esac
	done
	mapfile -t COMPREPLY < <(ktrace complete-probe "$file" "$(_ktrace_plain "$cur")" 2>/dev/null)
	for i in "${!COMPREPLY[@]}"; do
		text=${COMPREPLY[i]}
		case $cur in
		\'*)	[[ $text != *\'* ]] || unset "COMPREPLY[i]" ;;
		'"'*)	text=${text//\\/\\\\} text=${text//\$/\\\$} text=${text//\`/\\\`}
			COMPREPLY[i]=${text//'"'/\\'"'} ;;
		*)	printf -v "COMPREPLY[i]" %q "$text" ;;
		esac
	done
	compopt -o nospace
	_ktrace_trim
}

_ktrace_sets()
{
	ls "${XDG_CONFIG_HOME:-$HOME/.config}/ktrace/sets" 2>/dev/null
}

_ktrace_words()	# WORDS
{
	COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# Completes an argument of this kind; see enum argument_kind.
_ktrace_argument()	# KIND WORDS
{
	case $1 in
	words)	_ktrace_words "$2" ;;
	event)	_ktrace_events ;;
	function)
		_ktrace_functions ;;
	probe)	_ktrace_probes ;;
	program) # or a library
		COMPREPLY=($(compgen -c -- "$cur"))
		compopt -o default ;;
	pid)	_ktrace_words "$(cd /proc && echo [0-9]*)" ;;
	set)	_ktrace_words "$(_ktrace_sets)"
		compopt -o default ;;
	file)	compopt -o default ;;
	directory) # or an archive of one
		mapfile -t COMPREPLY < <(compgen -f -X '!*.tar.zst' -- "$cur")
		compopt -o filenames -o plusdirs ;;
	command)
		_ktrace_words "$commands" ;;
	esac
}

# Completes the command and its arguments after "--".  False: there is no "--" yet.
_ktrace_program()
{
	local i
	for ((i = 2; i < cword; i++)); do
		[ "${words[i]}" != -- ] || break
	done
	((i < cword)) || return
	if ((i == cword - 1)); then
		COMPREPLY=($(compgen -c -- "$cur"))
	else
		compopt -o default
	fi
}

_ktrace()
{
	local cur prev words cword commands= options= what name rest
	local kind= choices operand=text operand_words=- letter long argument
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n := cur prev words cword
	else
		cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
		words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
	fi
	COMPREPLY=()
	while IFS=$'\t' read -r what name rest; do
		if [ "$what" = command ]; then
			commands+=" $name"
			[ "$name" != "${words[1]}" ] ||
				IFS=$'\t' read -r operand operand_words rest <<<"$rest"
		elif [ "$name" = "${words[1]}" ]; then
			IFS=$'\t' read -r letter long argument what name rest <<<"$rest"
			[ "$letter" = - ] || options+=" $letter"
			options+=" $long"
			[ "$argument" = - ] ||
				[ "$prev" != "$letter" ] && [ "$prev" != "$long" ] ||
				kind=$what choices=$name
		fi
	done < <(ktrace complete-table 2>/dev/null)
	if [ "$cword" -eq 1 ]; then
		_ktrace_words "$commands --help --version"
		return
	fi
	[ "$operand" != program ] || ! _ktrace_program || return 0
	if [ "$kind" ]; then
		_ktrace_argument "$kind" "$choices"
	elif [[ $cur = -* ]]; then
		_ktrace_words "$options"
	elif [ "$cword" -eq 2 ] && [ "$operand_words" != - ]; then
		_ktrace_words "$operand_words"
	else
		_ktrace_argument "$operand" "$operand_words"
	fi
}

complete -F _ktrace ktrace
