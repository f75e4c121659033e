package bench

import (
	"fmt"
	"strings"

	"lathe/session/text"
)

// Labels returns names of runs for tables and figures. A name is the model's file name, with as
// many of its folders as are needed to distinguish it from other models, followed by the options in
// which the runs of a sweep differ. The names are safe to print, all different, and at most width
// characters long.
func Labels(runs []Run, width int) []string {
	models := tails(runs)
	names := make([]string, len(runs))
	for i, run := range runs {
		name := text.CleanLine(run.Name)
		if rest, ok := strings.CutPrefix(run.Name, run.Model); ok && run.Model != "" {
			name = text.CleanLine(models[run.Model] + rest)
		}
		names[i] = name
	}
	return distinct(numbered(names), width)
}

// mostFolders is the largest number of folders of a path that a label contains.
const mostFolders = 8

// tails maps each model's path to the end of that path. All ends have the same number of path
// elements, which is the smallest that makes them all different.
func tails(runs []Run) map[string]string {
	out := map[string]string{}
	for _, run := range runs {
		out[run.Model] = ""
	}
	for parts := 1; ; parts++ {
		seen := map[string]bool{}
		for model := range out {
			out[model] = lastParts(model, parts)
			seen[out[model]] = true
		}
		if len(seen) == len(out) || parts > mostFolders {
			return out
		}
	}
}

// lastParts returns the last path elements of a path, as many as parts says.
func lastParts(path string, parts int) string {
	end := len(strings.TrimRight(path, "/"))
	for range parts {
		i := strings.LastIndexByte(path[:end], '/')
		if i < 0 {
			return path
		}
		end = i
	}
	return path[end+1:]
}

// numbered appends "#2", "#3" and so on to the second, third and later occurrences of a name.
func numbered(names []string) []string {
	count := map[string]int{}
	out := make([]string, len(names))
	for i, name := range names {
		count[name]++
		if out[i] = name; count[name] > 1 {
			out[i] = fmt.Sprintf("%s #%d", name, count[name])
		}
	}
	return out
}

// distinct shortens names to width characters so that they stay different. It leaves out the same
// part of all names: the middle, a part nearer to one end, or the part that all have in common. If
// none of these keeps them different, it appends numbers.
func distinct(names []string, width int) []string {
	for _, head := range []int{width / 2, width / 4, width * 3 / 4, 0, width - 1} {
		if out := cutAll(names, width, head, 0); allDiffer(out) {
			return out
		}
	}
	if out := cutAll(names, width, width/4, commonStart(names)); allDiffer(out) {
		return out
	}
	out := make([]string, len(names))
	for i, name := range names {
		number := fmt.Sprintf(" #%d", i+1)
		out[i] = cut(name, width-len(number), (width-len(number))/2, 0) + number
	}
	return out
}

func cutAll(names []string, width, head, from int) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = cut(name, width, head, from)
	}
	return out
}

// cut shortens a name to width characters and puts "…" where it leaves something out. It keeps the
// first head characters. The rest is the end of the name, or the part that starts at character from
// if from is larger than head.
func cut(name string, width, head, from int) string {
	runes := []rune(name)
	if len(runes) <= width {
		return name
	}
	rest := max(width-head-1, 0)
	end := runes[len(runes)-rest:]
	if from > head+1 {
		end = runes[min(from-1, len(runes)-rest):][:rest]
	}
	return string(runes[:head]) + "…" + string(end)
}

// commonStart returns how many characters all names have in common at the start.
func commonStart(names []string) int {
	first := []rune(names[0])
	for _, name := range names[1:] {
		runes := []rune(name)
		n := 0
		for n < min(len(first), len(runes)) && first[n] == runes[n] {
			n++
		}
		first = first[:n]
	}
	return len(first)
}

func allDiffer(names []string) bool {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}
