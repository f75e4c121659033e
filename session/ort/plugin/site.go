package plugin

import (
	"bufio"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lathe/session/ort"
)

// maxRecord limits how much of a package's list of files is read. The largest known one, that of
// PyTorch, has 2 MB.
const maxRecord = 16 << 20

// inSite returns the libraries in a folder of Python packages that may be plug-ins. Each package has
// a folder NAME-VERSION.dist-info, whose file RECORD lists the package's files.
func inSite(site string) []Library {
	records, err := filepath.Glob(filepath.Join(escaped(site), "*.dist-info", "RECORD"))
	if err != nil {
		return nil
	}
	slices.Sort(records)
	var found []Library
	for _, record := range records {
		name, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(filepath.Dir(record)), ".dist-info"), "-")
		for _, file := range recorded(record) {
			if l := (Library{Path: filepath.Join(site, filepath.FromSlash(file)), Package: strings.ReplaceAll(name, "_", "-"), Version: version, Source: ort.SourcePython}); !besideRuntime(l.Path) {
				l.Name = nameOf(l.Path)
				found = append(found, l)
			}
		}
	}
	return found
}

// escaped returns a path as a pattern of filepath.Glob that matches only this path.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// recorded returns the libraries in a list of files whose names suggest ONNX Runtime, relative to
// the folder of packages. A line of the list is a path, a hash and a size, separated by commas.
func recorded(record string) []string {
	f, err := os.Open(record)
	if err != nil {
		return nil
	}
	defer f.Close()
	var files []string
	lines := bufio.NewScanner(io.LimitReader(f, maxRecord))
	for lines.Scan() {
		file, _, _ := strings.Cut(lines.Text(), ",")
		file = strings.Trim(file, `"`)
		stem, ok := stemOf(path.Base(file))
		if ok && strings.Contains(stem, "onnx") && filepath.IsLocal(file) {
			files = append(files, file)
		}
	}
	return files
}

// besideRuntime reports whether a library is in the folder of an ONNX Runtime, which loads the
// providers there by itself.
func besideRuntime(file string) bool {
	found, err := filepath.Glob(filepath.Join(escaped(filepath.Dir(file)), "libonnxruntime.*"))
	return err == nil && len(found) > 0
}

// cacheFolder is the folder for installed plug-ins in the user's cache folder. It has a folder for
// each provider, and in it one for each version.
const cacheFolder = "lathe/providers"

// inCache returns the plug-ins that Lathe installed, the newest version of each provider first.
func inCache(cache string) []Library {
	if cache == "" {
		return nil
	}
	folders, err := filepath.Glob(filepath.Join(escaped(cache), cacheFolder, "*", "*"))
	if err != nil {
		return nil
	}
	slices.Sort(folders)
	slices.Reverse(folders)
	var found []Library
	for _, folder := range folders {
		if strings.HasPrefix(filepath.Base(folder), workPrefix) {
			continue
		}
		for _, l := range inSite(folder) {
			l.Source = ort.SourceCache
			found = append(found, l)
		}
	}
	return found
}
