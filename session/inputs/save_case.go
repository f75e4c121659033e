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

	"lathe/graphops"
)

// caseFile is what a folder of a case is told in beside its values: what a case is judged
// by, and values do not show.
const caseFile = "case.json"

// maxCaseFile is how large such a file is read.
const maxCaseFile = 64 << 20

// aboutCase is what stands in the file.
type aboutCase struct {
	Schema string  `json:"schema"`
	Name   string  `json:"name"`
	Family Family  `json:"family"`
	Labels []int64 `json:"labels,omitempty"`
	// Classes is how many there are, which the labels of one case need not show.
	Classes int64 `json:"classes,omitempty"`
}

const caseSchema = "lathe.case/1"

// saveAbout writes what is known of a case, if there is something.
func saveAbout(ctx context.Context, folder string, c Case) ([]string, error) {
	if c.Family == None && len(c.Labels) == 0 {
		return nil, nil
	}
	path := filepath.Join(folder, caseFile)
	about := aboutCase{caseSchema, c.Name, c.Family, c.Labels, c.Classes}
	err := graphops.WriteFile(ctx, path, graphops.WriteOptions{}, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(about)
	})
	return []string{path}, err
}

// readAbout takes in what a folder tells of its case. A file of that name that is none of
// ours is left alone.
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
		return fmt.Errorf("%s: no kind of cases is called %q", path, about.Family)
	}
	if about.Classes < 0 {
		return fmt.Errorf("%s: %d classes", path, about.Classes)
	}
	c.Family, c.Labels, c.Classes = about.Family, about.Labels, about.Classes
	return nil
}
