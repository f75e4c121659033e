package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lathe/session"
)

// mostLooked is the number of files of a folder among which one with an extension is looked for.
const mostLooked = 10_000

// filesWith completes files with one of some extensions, and folders. The shell lists them. If no file
// fits, it lists all files, because a file may have any name.
func filesWith(extensions []string, word string) ([]string, cobra.ShellCompDirective) {
	if !anyFits(extensions, word) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	out := make([]string, len(extensions))
	for i, e := range extensions {
		out[i] = strings.TrimPrefix(e, ".")
	}
	return out, cobra.ShellCompDirectiveFilterFileExt
}

// anyFits reports whether a file whose path begins with a word has one of the extensions.
func anyFits(extensions []string, word string) bool {
	folder, begin := filepath.Split(word)
	if rest, ok := strings.CutPrefix(folder, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return false
		}
		folder = filepath.Join(home, rest)
	}
	if folder == "" {
		folder = "."
	}
	f, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer f.Close()
	entries, _ := f.ReadDir(mostLooked) // what cannot be read does not fit
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return !e.IsDir() && strings.HasPrefix(e.Name(), begin) && hasOneOf(extensions, e.Name())
	})
}

func hasOneOf(extensions []string, name string) bool {
	return slices.ContainsFunc(extensions, func(e string) bool { return strings.EqualFold(filepath.Ext(name), e) })
}

// completeFiles completes the value of an option that names a file with one of some extensions.
func completeFiles(o session.Option) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		if before, path, ok := o.PathPart(word); ok && before == "" {
			return filesWith(o.Extensions, path)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}
