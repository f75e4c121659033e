package wire

import (
	"reflect"
	"testing"
)

// TestIsAnsweredBy checks that each kind of request has exactly one kind of answer, and that each kind
// of answer belongs to a request.
func TestIsAnsweredBy(t *testing.T) {
	var requests []Request
	kinds := reflect.TypeFor[Request]()
	for i := range kinds.NumField() {
		if kinds.Field(i).Type.Kind() == reflect.Pointer {
			var r Request
			reflect.ValueOf(&r).Elem().Field(i).Set(reflect.New(kinds.Field(i).Type.Elem()))
			requests = append(requests, r)
		}
	}
	requests = append(requests, Request{Load: &Load{Compile: &Compile{}}})
	used := map[string]bool{}
	replies := reflect.TypeFor[Reply]()
	for _, r := range requests {
		found := 0
		for i := range replies.NumField() {
			if replies.Field(i).Type.Kind() != reflect.Pointer {
				continue
			}
			var end Reply
			reflect.ValueOf(&end).Elem().Field(i).Set(reflect.New(replies.Field(i).Type.Elem()))
			if r.IsAnsweredBy(&end) {
				found++
				used[replies.Field(i).Name] = true
				if !end.Answers() {
					t.Errorf("%+v is answered by %s, which ends no answer", r, replies.Field(i).Name)
				}
			}
		}
		if found != 1 {
			t.Errorf("%+v has %d kinds of answers", r, found)
		}
	}
	for i := range replies.NumField() {
		if replies.Field(i).Type.Kind() != reflect.Pointer {
			continue
		}
		var end Reply
		reflect.ValueOf(&end).Elem().Field(i).Set(reflect.New(replies.Field(i).Type.Elem()))
		if end.Answers() != used[replies.Field(i).Name] {
			t.Errorf("%s ends an answer: %v, of a request: %v", replies.Field(i).Name, end.Answers(), used[replies.Field(i).Name])
		}
	}
}
