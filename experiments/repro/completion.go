package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/repro/cli"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

func (c *completionCmd) Help() string {
	return `Prints what makes the shell complete the commands and flags of repro:

    source <(repro completion bash)      in ~/.bashrc
    source <(repro completion zsh)       in ~/.zshrc, after compinit; or as a file _repro in a folder of $fpath
    repro completion fish | source       in ~/.config/fish/config.fish`
}

// The scripts ask the program, so they need no renewing. Where it has nothing to propose,
// files are. That of zsh is sourced, or is a file _repro in a folder of $fpath, which compinit knows by its first
// line: its text is then the function's body at the first call.
var completionScripts = map[string]string{
	"bash": `_repro() {
	local IFS=$'\n'
	COMPREPLY=($("$1" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _repro repro
`,
	"zsh": `#compdef repro
_repro() {
	local line
	local -a candidates
	for line in "${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && candidates+=("${line%%$'\t'*}:${line#*$'\t'}")
	done
	if (( ${#candidates} )); then _describe repro candidates; else _files; fi
}
if [[ ${funcstack[1]} == _repro ]]; then _repro "$@"; else compdef _repro repro; fi
`,
	"fish": `function __repro_complete
	set -l words (commandline -opc) (commandline -ct)
	set -l candidates ($words[1] complete $words[2..-1] 2>/dev/null)
	if set -q candidates[1]
		printf '%s\n' $candidates
	else
		__fish_complete_path (commandline -ct)
	end
end
complete -c repro -f -a '(__repro_complete)'
`,
}

func (c *completionCmd) Run(e *cli.Env) error {
	_, err := e.Out.WriteString(completionScripts[c.Shell])
	return err
}

// completeCmd is what the scripts call.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"all" help:"The words after repro, up to the one to be completed."`
}

func (c *completeCmd) Run(e *cli.Env, app *kong.Kong) error {
	for _, line := range complete(app, c.Words) {
		fmt.Fprintln(e.Out, line)
	}
	return nil
}

// complete returns what the last of the words that follow the program's name may become, a
// candidate a line, with its description after a tab where it has one.
func complete(app *kong.Kong, words []string) (lines []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, word := words[:len(words)-1], words[len(words)-1]
	command, err := kong.Trace(app, before)
	if err != nil {
		return nil
	}
	node, positional := app.Model.Node, 0
	if selected := command.Selected(); selected != nil {
		node = selected
	}
	for _, p := range command.Path {
		if p.Positional != nil {
			positional++
		}
	}
	flags := slices.Concat(node.AllFlags(true)...)
	propose := func(candidate, description string) {
		if candidate != "" && strings.HasPrefix(candidate, word) {
			lines = append(lines, strings.TrimSuffix(candidate+"\t"+description, "\t"))
		}
	}
	proposeValues := func(v *kong.Value) {
		values := v.EnumSlice()
		if v.Name == "profile" || v.Name == "space" { // any file may be one as well
			values = profile.Names()
		}
		for _, value := range values {
			propose(value, "")
		}
	}
	if n := len(before); n > 0 { // a flag may wait for its value
		for _, f := range flags {
			if "--"+f.Name == before[n-1] && !f.IsBool() {
				proposeValues(f.Value)
				return lines
			}
		}
	}
	switch {
	case command.Error != nil: // no command
	case strings.HasPrefix(word, "-"):
		for _, f := range flags {
			propose("--"+f.Name, f.Help)
		}
	case positional < len(node.Positional):
		proposeValues(node.Positional[positional])
	default:
		for _, child := range node.Children {
			if !child.Hidden {
				propose(child.Name, child.Help)
			}
		}
	}
	return lines
}
