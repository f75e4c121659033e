package inputs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"lathe/graphops/durable"
)

// caseFile is a file in the folder of a saved case. It has what the values do not show: the name,
// the family and the labels.
const caseFile = "case.json"

// maxCaseFile is the largest caseFile that is read, in bytes.
const maxCaseFile = 64 << 20

// aboutCase is the content of caseFile.
type aboutCase struct {
	Schema string  `json:"schema"`
	Name   string  `json:"name"`
	Family Family  `json:"family"`
	Labels []int64 `json:"labels,omitempty"`
	// Classes is the number of classes. It is stored because the labels of a single case may not
	// contain every class.
	Classes int64 `json:"classes,omitempty"`
}

const caseSchema = "lathe.case/1"

// saveAbout writes caseFile. It writes nothing if the case has no family and no labels.
func saveAbout(ctx context.Context, folder string, c Case) ([]string, error) {
	if c.Family == None && len(c.Labels) == 0 {
		return nil, nil
	}
	path := filepath.Join(folder, caseFile)
	about := aboutCase{caseSchema, c.Name, c.Family, c.Labels, c.Classes}
	err := durable.WriteFile(ctx, path, durable.Options{}, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(about)
	})
	return []string{path}, err
}

// readAbout reads caseFile from a case's folder. It ignores a file of this name that Lathe did not
// write.
func (c *Case) readAbout(folder string) error {
	path := filepath.Join(folder, caseFile)
	f, err := openRegular(path, maxCaseFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var about aboutCase
	if err := json.NewDecoder(io.LimitReader(f, maxCaseFile)).Decode(&about); err != nil || about.Schema != caseSchema {
		return nil
	}
	if about.Family != None && !slices.Contains(Families, about.Family) {
		return fmt.Errorf("%s: there is no kind of case called %q", path, about.Family)
	}
	if about.Classes < 0 {
		return fmt.Errorf("%s: %d classes", path, about.Classes)
	}
	c.Family, c.Labels, c.Classes = about.Family, about.Labels, about.Classes
	return nil
}
