package accuracy

import (
	"fmt"
	"hash"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/labels"
	"lathe/session/proportion"
)

// LabelOptions are the options of steps that measure accuracy if the correct classes are known.
func LabelOptions(file, output *string) []session.Option {
	return []session.Option{
		session.Text(file, "labels", "read the correct class of each row of --data from `FILE`, as lathe accuracy does").WithDefault("those in --data").Holding(labels.WithPath).OfFiles(labels.Kinds...).AsUsual(),
		session.Text(output, "output", "with labels: the output with the scores of the classes").WithDefault("the only one that can have them").Naming(session.NamesValue, "").AsRare(),
	}
}

// Labelled are cases whose classes are known, with what the original says about them.
type Labelled struct {
	// Original is how often the original is right.
	Original proportion.Share
	// Notes says which of several outputs has the scores.
	Notes   []string
	output  output
	classes [][]int64
	said    [][]verdict
}

// Label finds the labels of cases, in the cases themselves or in a file if one is named, and the output with
// the scores in what the original returned. whole says that the cases are all that the file is about.
func Label(file, output string, whole bool, cases []inputs.Case, want [][]graphops.Got) (*Labelled, error) {
	var read *labels.Labels
	var err error
	if file != "" {
		if read, err = labels.Read(file); err != nil {
			return nil, err
		}
	}
	l := &Labelled{}
	found, note, err := find(want[0], output)
	if err != nil {
		return nil, err
	}
	if l.output = found; note != "" {
		l.Notes = []string{note}
	}
	rows, right := int64(0), int64(0)
	for i, c := range cases {
		known, said, err := l.classesOf(c, want[i], read, rows)
		if err != nil {
			return nil, err
		}
		for _, v := range said {
			if v.first {
				right++
			}
		}
		rows += int64(len(known))
		l.classes, l.said = append(l.classes, known), append(l.said, said)
	}
	if read != nil && whole {
		if err := read.Check(rows); err != nil {
			return nil, err
		}
	}
	l.Original = proportion.Of(right, rows)
	return l, nil
}

// classesOf returns the labels of a case, and what the original says about them. first is the number of
// rows before.
func (l *Labelled) classesOf(c inputs.Case, got []graphops.Got, read *labels.Labels, first int64) ([]int64, []verdict, error) {
	s, err := l.scores(got)
	if err != nil {
		return nil, nil, err
	}
	known := c.Labels
	if read != nil {
		if known, err = read.For(c.Name, first, s.rows); err != nil {
			return nil, nil, err
		}
	}
	if known == nil {
		return nil, nil, fmt.Errorf("%s has no labels; give them with --labels FILE", c.Name)
	}
	said, err := s.judge(known, first)
	return known, said, err
}

func (l *Labelled) scores(got []graphops.Got) (scoresOf, error) {
	t, err := l.output.in(got)
	if err != nil {
		return scoresOf{}, err
	}
	return read(t, l.output.chooses)
}

// AddTo adds to a checksum what decides about the accuracy of a result.
func (l *Labelled) AddTo(sum hash.Hash) { fmt.Fprintf(sum, "%q %v\n", l.output.name, l.classes) }

// Output is the output with the scores.
func (l *Labelled) Output() string { return l.output.name }

// Judge counts what a result says about a case beside the original, and returns in how many rows it is
// right.
func (l *Labelled) Judge(i int, got []graphops.Got, into *proportion.Pairs) (right int64, err error) {
	s, err := l.scores(got)
	if err != nil {
		return 0, err
	}
	said, err := s.judge(l.classes[i], into.Of)
	for k, v := range said {
		into.Add(l.said[i][k].first, v.first)
		if v.first {
			right++
		}
	}
	return right, err
}

// Evidence says in a line how sure a difference is.
func Evidence(d *proportion.Difference) string {
	if d.OnlyA+d.OnlyB == 0 {
		return "right in the same rows as the original"
	}
	shown := "no difference is shown"
	if d.Significant {
		shown = "they differ"
	}
	return fmt.Sprintf("%d right only in the original and %d only in the result: %s (p = %.2g)", d.OnlyA, d.OnlyB, shown, float64(d.P))
}
