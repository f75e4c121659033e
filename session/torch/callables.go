package torch

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
)

// definition is a function or class of a module's own.
var definition = regexp.MustCompile(`^(?:async )?(?:def|class) +([A-Za-z]\w*)`)

// maxModule is how much of a file is looked into.
const maxModule = 4 << 20

// Callables are the functions and classes that a file of Python defines, by its text: nothing
// of it is run. Those that begin with an underscore are left out.
func Callables(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	lines := bufio.NewScanner(io.LimitReader(f, maxModule))
	lines.Buffer(nil, maxModule)
	for lines.Scan() {
		if m := definition.FindStringSubmatch(lines.Text()); m != nil {
			names = append(names, m[1])
		}
	}
	return names, lines.Err()
}
