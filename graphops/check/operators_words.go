package check

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// wordUnread lists the attributes for which ONNX Runtime accepts an invalid word: it ignores the
// attribute, or treats the word as another one.
var wordUnread = map[string]bool{
	"ScatterElements.reduction": true, "ScatterND.reduction": true,
	"NegativeLogLikelihoodLoss.reduction": true, "SoftmaxCrossEntropyLoss.reduction": true,
	"RoiAlign.coordinate_transformation_mode": true,
}

// words returns a check of attributes that may only have certain words. allowed maps attributes to
// their words.
func words(allowed map[string][]string) func(values) {
	return func(v values) {
		for _, a := range v.n.Attributes() {
			list := allowed[a.Name()]
			if len(list) == 0 || a.Kind() != graphops.AttrString || a.RefName() != "" || slices.Contains(list, a.Text()) {
				continue
			}
			severity := v.orWarning(v.n.place)
			if wordUnread[v.n.OpType()+"."+a.Name()] || v.readsInRun(a) {
				severity = Warning
			}
			v.wrongWord(a, list, severity)
		}
	}
}

// readsInRun reports whether ONNX Runtime reads a word only when the node runs, and the node may
// never run. Gelu is such an operator. For types without a kernel the word is not read.
func (v values) readsInRun(a *graphops.Attribute) bool {
	if v.n.OpType() != "Gelu" || a.Name() != "approximate" {
		return false
	}
	in := v.inferred(v.n.place, v.n.Input(0))
	return in.Elem != tensor.F32 || v.mayNotRun(v.n.place, v.n.index)
}

func (v values) wrongWord(a *graphops.Attribute, list []string, severity Severity) {
	told := slices.DeleteFunc(slices.Clone(list), func(word string) bool { return word == "" })
	problem := of(v.n, "attribute %q is %q, expected %s", a.Name(), a.Text(), anyOf(told))
	problem.Severity = severity
	problem.Hint = "set one of them"
	if meant := likeWord(a.Text(), list); meant != "" {
		problem.Hint = fmt.Sprintf("set %s, if that was meant", meant)
		problem.Fix = setAttribute(v.n, a.Name()+"="+meant)
	}
	v.report(problem)
}

// likeWord returns the word of a list that was probably meant by text: one that contains text or is
// contained in it, ignoring case, such as linear for Bilinear. It returns an empty string if there
// is none or more than one.
func likeWord(text string, list []string) string {
	var like []string
	for _, w := range list {
		if strings.EqualFold(w, text) {
			return w
		}
		if w != "" && strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			like = append(like, w)
		}
	}
	if len(like) == 1 {
		return like[0]
	}
	return ""
}

// The following functions check operators whose words depend on the version or on other
// attributes.

func resizeValues(v values) {
	allowed := map[string][]string{
		"mode": {"nearest", "linear", "cubic"},
		"coordinate_transformation_mode": {
			"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize",
		},
		"keep_aspect_ratio_policy": {"stretch", "not_larger", "not_smaller"},
	}
	if mode, ok := v.n.Attribute("mode"); !ok || mode.RefName() == "" && mode.Text() == "nearest" {
		// empty means floor
		allowed["nearest_mode"] = []string{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", ""}
	}
	words(allowed)(v)
}

// gridValues checks the words of GridSample, two of which have other names since version 20.
func gridValues(v values) {
	modes := []string{"linear", "nearest", "cubic"}
	if v.schema.Since < 20 {
		modes = []string{"bilinear", "nearest", "bicubic"}
	}
	words(map[string][]string{"mode": modes, "padding_mode": {"zeros", "border", "reflection"}})(v)
}

// reverseValues reports axes that count from the end, which ONNX Runtime treats as an axis other
// than 0.
func reverseValues(v values) {
	for _, name := range []string{"batch_axis", "time_axis"} {
		if a, ok := v.given(name, graphops.AttrInt); ok && a.Int() < 0 {
			v.tolerated("attribute %q is %d, expected 0 or 1", name, a.Int())
		}
	}
}
