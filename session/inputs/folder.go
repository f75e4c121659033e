package inputs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
	"lathe/session/sizing"
)

// HasImages reports whether a path is a folder of images, or has a folder of images for each class.
func HasImages(path string) bool {
	if HoldsImages(path) {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	f, err := readClasses(path)
	return err != nil || f != nil // the error is reported when the data is read
}

// HoldsImages reports whether a path is a folder of images.
func HoldsImages(path string) bool {
	list, err := namesIn(path, picture.Extensions...)
	if err != nil || len(list) == 0 {
		return false
	}
	arrays, err := namesIn(path, ".npy")
	return err == nil && len(arrays) == 0
}

// namesIn returns the files of a folder with one of the extensions, sorted so that x2 comes before
// x10. It returns none if the path is not a folder.
func namesIn(path string, extensions ...string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return nil, err
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range list {
		if hasExtension(e.Name(), extensions...) && !e.IsDir() {
			out = append(out, e.Name())
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return compareNumbered(strings.TrimSuffix(a, filepath.Ext(a)), strings.TrimSuffix(b, filepath.Ext(b)))
	})
	return out, nil
}

// fileCases are the files of a folder in which each file is one case.
type fileCases struct {
	files   []string
	read    func(file string) (Case, error)
	classes *classFolder // nil unless each class has a folder
	notes   []string
}

// filesOfCases returns the files of a folder if each file is one case. That is so for a folder of
// images, for one with a folder of images for each class, and for a folder of arrays if they are
// samples of one input. Otherwise it returns nil.
func filesOfCases(path string, open []graphops.NamedType, o FileOptions) (*fileCases, error) {
	if HoldsImages(path) {
		list, err := namesIn(path, picture.Extensions...)
		if err == nil {
			err = oneOpen(path, open)
		}
		return &fileCases{files: list, read: imageCases(path, open, o)}, err
	}
	classes, err := readClasses(path)
	if err != nil || classes != nil {
		return casesOfClasses(classes, open, o, err)
	}
	arrays, err := namesIn(path, ".npy")
	if err != nil || len(open) != 1 || !areSamples(arrays, open[0], o) {
		return nil, err
	}
	return &fileCases{files: arrays, read: caseOf(path, open, func(file string) (graphops.Value, string, error) {
		v, err := readSample(file, open[0])
		return v, "as in the file", err
	})}, nil
}

// casesOfClasses returns the cases of a folder of classes, with their labels.
func casesOfClasses(f *classFolder, open []graphops.NamedType, o FileOptions, err error) (*fileCases, error) {
	if err == nil {
		err = oneOpen(f.path, open)
	}
	if err != nil {
		return nil, err
	}
	label := make(map[string]int64, len(f.files))
	for i, file := range f.files {
		label[file] = f.labels[i]
	}
	read := imageCases(f.path, open, o)
	return &fileCases{files: f.files, classes: f, notes: f.notes, read: func(file string) (Case, error) {
		c, err := read(file)
		c.Labels, c.Classes = []int64{label[file]}, int64(len(f.classes))
		return c, err
	}}, nil
}

// oneOpen returns an error unless the images are for the only input without a value.
func oneOpen(path string, open []graphops.NamedType) error {
	if len(open) != 1 {
		return fmt.Errorf("%s: a folder of images for %d inputs; give the others with --input NAME=WHAT", path, len(open))
	}
	return nil
}

// imageCases returns a function that reads an image of the folder as one case.
func imageCases(path string, open []graphops.NamedType, o FileOptions) func(file string) (Case, error) {
	return caseOf(path, open, func(file string) (graphops.Value, string, error) { return readPicture(file, open[0], o) })
}

// caseOf returns a function that reads a file of the folder as one case. The model has one open
// input, and the file has its value. read also says what was done with the file.
func caseOf(folder string, open []graphops.NamedType, read func(file string) (graphops.Value, string, error)) func(string) (Case, error) {
	return func(name string) (Case, error) {
		v, done, err := read(filepath.Join(folder, name))
		c := Case{Name: name, Feeds: graphops.Feeds{open[0].Name: v}}
		c.Fed = []Fed{{Name: open[0].Name, Type: v.Type.String(), Shape: v.Type.Shape, Source: name, What: done}}
		return c, err
	}
}

// areSamples reports whether the arrays in a folder are values of the same input, one for each
// case. That is so if there are several and none has the name of the input, of an output or of
// labels.
func areSamples(files []string, in graphops.NamedType, o FileOptions) bool {
	if len(files) < 2 {
		return false
	}
	for _, f := range files {
		name := strings.TrimSuffix(f, filepath.Ext(f))
		isOutput := slices.ContainsFunc(o.Outputs, func(t graphops.NamedType) bool { return t.Name == name })
		if name == in.Name || isOutput || NamesLabels(name) {
			return false
		}
	}
	return true
}

// readSample reads an array as the value of an input. If only the batch axis is missing, it is
// added with size 1.
func readSample(file string, in graphops.NamedType) (graphops.Value, error) {
	arrays, err := npz.Open(file, npz.Options{})
	if err != nil {
		return graphops.Value{}, err
	}
	t := arrays[0].Tensor
	if s := in.Type.Shape; len(s) == len(t.Shape)+1 && (sizing.CountsSamples(s[0], 0) || s[0].IsFixed() && s[0].Value == 1) {
		t.Shape = append([]int64{1}, t.Shape...)
	}
	v, _, err := fit(graphops.TensorValue(t), in)
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return v, err
}

// readFiles reads the files of a folder as cases, up to the requested number.
func readFiles(of *fileCases, o FileOptions) (Cases, error) {
	out, files := Cases{Notes: of.notes}, of.files
	left := int64(npz.DefaultMaxBytes)
	if o.Samples > 0 {
		files = files[:min(int64(len(files)), o.Samples)]
	}
	if len(files) > maxCases {
		return out, fmt.Errorf("%d files, at most %d can be run", len(files), maxCases)
	}
	for _, f := range files {
		c, err := of.read(f)
		if err != nil {
			return out, err
		}
		for _, v := range c.Feeds {
			left -= int64(len(v.Tensor.Data))
		}
		if left < 0 {
			return out, fmt.Errorf("the first %d of %d files take more than %d bytes; put fewer files into the folder", len(out.Cases)+1, len(files), int64(npz.DefaultMaxBytes))
		}
		out.Cases = append(out.Cases, c)
	}
	return out, nil
}

// NamesLabels reports whether an array with this name may contain labels.
func NamesLabels(name string) bool {
	return slices.Contains([]string{"label", "labels", "target", "targets", "y"}, strings.ToLower(name))
}
