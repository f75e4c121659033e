package page

import (
	"fmt"

	"lathe/bench/store"
	"lathe/session/text"
)

// sensitivity adds the list of nodes that could be quantized, in the order of the document.
func (r *Report) sensitivity(s *Section, x *store.Result) error {
	list, err := x.Sensitivity()
	if err != nil {
		return err
	}
	p := Part{Title: "Nodes", Table: Table{Titles: []string{"node", "operator", ">SNR", ">estimated SNR", ">saves", "not measured because"}}}
	for _, l := range list.Layers[:min(len(list.Layers), mostRows)] {
		measured := ""
		if l.SNR != nil {
			measured = fmt.Sprintf("%.1f dB", float64(*l.SNR))
		}
		p.Table.add(text.CleanLine(l.Node), text.CleanLine(l.Op), measured, fmt.Sprintf("%.1f dB", float64(l.Estimated)), text.Bytes(l.BytesSaved), text.CleanLine(l.Failed))
	}
	p.Table.LeftOut = leftOut(len(list.Layers), len(p.Table.Rows), "nodes")
	s.Parts = append(s.Parts, p)
	if len(list.Layers) > 0 && list.Layers[0].SNR != nil {
		l := list.Layers[0]
		r.Findings = append(r.Findings, fmt.Sprintf("Quantizing %s alone by mode %s costs most: the outputs have %.1f dB.", text.CleanLine(l.Node), text.CleanLine(list.Mode), float64(*l.SNR)))
	}
	return nil
}
