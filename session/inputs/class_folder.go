package inputs

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/inputs/picture"
	"lathe/session/text"
)

// ClassFile is the file in a folder of classes that states their order: the name of a folder in each
// line.
const ClassFile = "classes.txt"

// maxClasses limits the number of classes, so that a wrong path, such as that of a home folder, does not
// have all of its folders read.
const maxClasses = 100_000

// classFolder is a folder with a folder of images for each class.
type classFolder struct {
	path    string
	classes []string
	order   string   // what the order of the classes is
	files   []string // as "class/file", in the order of the classes
	labels  []int64  // the class of each file
	notes   []string
}

// readClasses lists a folder of classes. It returns nil for other paths: those with images of their own, or where no
// folder has any. A folder counts if it has images, or if ClassFile names it.
func readClasses(path string) (*classFolder, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return nil, err
	}
	if own, err := namesIn(path, append(picture.Extensions, ".npy")...); err != nil || len(own) > 0 {
		return nil, err
	}
	f := &classFolder{path: path, order: "sorted names of the folders"}
	names, err := foldersIn(path)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	stated, err := readClassFile(filepath.Join(path, ClassFile))
	if err != nil {
		return nil, err
	}
	if f.classes = names; stated != nil {
		f.classes, f.order = stated, ClassFile
		known := setOf(stated)
		if at := slices.IndexFunc(names, func(n string) bool { return !known[n] }); at >= 0 {
			return nil, fmt.Errorf("%s: has a folder %q that %s does not name; it has to name every folder, in the order of the classes of the model", path, names[at], ClassFile)
		}
	}
	if err := f.list(setOf(names)); err != nil || len(f.files) == 0 && stated == nil {
		return nil, err
	}
	if len(f.files) == 0 {
		return nil, fmt.Errorf("%s: no folder that %s names has an image (%s)", path, ClassFile, strings.Join(picture.Extensions, ", "))
	}
	return f, nil
}

func setOf(names []string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}

// list lists the images of all classes. exists has the folders that exist.
func (f *classFolder) list(exists map[string]bool) error {
	others, empty := 0, []string{}
	for class, name := range f.classes {
		images, rest := []string{}, 0
		if exists[name] {
			var err error
			if images, err = namesIn(filepath.Join(f.path, name), picture.Extensions...); err != nil {
				return err
			}
			if rest, err = othersIn(filepath.Join(f.path, name), len(images)); err != nil {
				return err
			}
		}
		if others += rest; len(images) == 0 {
			empty = append(empty, name)
		}
		for _, image := range images {
			f.files, f.labels = append(f.files, filepath.Join(name, image)), append(f.labels, int64(class))
		}
	}
	if others > 0 {
		f.notes = append(f.notes, fmt.Sprintf("left out in the folders of classes: %s not named %s", text.Plural(others, "other file"), strings.Join(picture.Extensions, ", ")))
	}
	if len(empty) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("no image of the classes %s", graphops.QuoteNames(empty)))
	}
	return nil
}

// foldersIn returns the folders in a folder, sorted. Links to folders count, and hidden ones do not.
func foldersIn(path string) ([]string, error) {
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range list {
		info, err := os.Stat(filepath.Join(path, e.Name()))
		if err == nil && info.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
		if len(out) > maxClasses {
			return nil, fmt.Errorf("%s: more than %d folders, which cannot be classes", path, maxClasses)
		}
	}
	return out, nil
}

// othersIn counts what a folder has besides images. Hidden files do not count.
func othersIn(path string, images int) (int, error) {
	list, err := os.ReadDir(path)
	if err != nil {
		return 0, err
	}
	visible := 0
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), ".") {
			visible++
		}
	}
	return max(0, visible-images), nil
}

// readClassFile returns the lines of ClassFile, or nil if there is no such file.
func readClassFile(path string) ([]string, error) {
	f, err := openRegular(path, 16<<20)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, seen := []string{}, map[string]bool{}
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			if err := lines.Err(); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			break
		}
		name := strings.TrimSpace(lines.Text())
		switch {
		case name == "":
			continue
		case seen[name]:
			return nil, fmt.Errorf("%s: names the class %q twice", path, name)
		case len(names) == maxClasses:
			return nil, fmt.Errorf("%s: names more than %d classes", path, maxClasses)
		}
		names, seen[name] = append(names, name), true
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: names no class; expected the name of a folder in each line", path)
	}
	return names, nil
}
