package torch

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"lathe/graphops/pattern"
)

// definition matches a function or class at the top level of a module.
var definition = pattern.New(`^(?:async )?(?:def|class) +([A-Za-z]\w*)`)

// maxModule limits how much of a file is read, in bytes.
const maxModule = 4 << 20

// Callables returns the functions and classes that a Python file defines, judged by its text;
// nothing is run. Names that begin with an underscore are left out.
func Callables(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
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
